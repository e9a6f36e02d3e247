package benchapp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/load"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

// small are applications of each shape.
var small = map[string]benchapp.Application{
	"minimal":      benchapp.Minimal(),
	"flat":         benchapp.Flat(5, 2),
	"configs":      benchapp.Distinct(5),
	"usual":        benchapp.Usual(11),
	"nested":       benchapp.Nested(3, 2, true),
	"nested-file":  benchapp.Nested(2, 2, true).WithFile(),
	"nested-equal": benchapp.Nested(2, 3, false),
	"peers":        benchapp.Usual(11).LikePeers(),
	"peers-nested": benchapp.Nested(2, 2, true).LikePeers(),
	"chain":        benchapp.Nested(5, 1, true),
	"connected":    benchapp.Connected(40, 3),
}

// TestVersions keeps comparisons honest: all versions of an application are valid,
// and where they say the same thing, it is the same.
func TestVersions(t *testing.T) {
	t.Parallel()
	for name, app := range small {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := compile(t, app.Kumiki())
			want := configs(t, result.Tree, "artifact", "config")
			require.NotEmpty(t, want)
			unified := plain(t, app.Unified(), "deployment")
			if diff := cmp.Diff(want, configs(t, unified, "artifact", "description", "config")); diff != "" {
				t.Errorf("the configs that kumiki and one unification end with (-kumiki +cue):\n%s", diff)
			}
			var text string
			require.NoError(t, plain(t, app.Objects(), "stream").Decode(&text))
			if diff := cmp.Diff(lowered(t, result.Solution), written(t, text)); diff != "" {
				t.Errorf("the containers' environments (-kumiki +cue):\n%s", diff)
			}
		})
	}
}

// TestCases: names are how cases are found, and each shape is told of.
func TestCases(t *testing.T) {
	t.Parallel()
	names, shapes := map[string]bool{}, map[string]bool{}
	for _, c := range benchapp.Cases() {
		require.False(t, names[c.Name()], c.Name())
		names[c.Name()], shapes[c.Shape] = true, true
	}
	for _, s := range benchapp.Shapes {
		require.True(t, shapes[s.Name], s.Name)
		delete(shapes, s.Name)
	}
	require.Empty(t, shapes)
}

func compile(t *testing.T, app benchapp.App) *compiler.Result {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, app.Write(dir))
	return compileIn(t, dir)
}

func compileIn(t testing.TB, dir string) *compiler.Result {
	t.Helper()
	var in compiler.Input
	in.Dir = filepath.Join(dir, benchapp.Deploy)
	result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	require.Empty(t, problems)
	return result
}

// plain evaluates a field of the app's deployment as `cue export` does.
func plain(t *testing.T, app benchapp.App, field string) cue.Value {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, app.Write(dir))
	i := load.Instances([]string{"./" + benchapp.Deploy}, &load.Config{Dir: dir, Env: []string{}})[0]
	require.NoError(t, i.Err)
	v := cuecontext.New().BuildInstance(i)
	require.NoError(t, v.Validate(cue.Concrete(true)))
	return v.LookupPath(cue.ParsePath(field))
}

// configs are the parameters and instances of all artifacts in a tree, by the
// path of their role; config is where those of an artifact are.
func configs(t *testing.T, tree json.Marshaler, config ...string) map[string]string {
	t.Helper()
	data, err := tree.MarshalJSON()
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(data, &v))
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		c := get(v, config...)
		require.NotNil(t, c, path)
		out[path] = fmt.Sprint(get(c, "parameter"), get(c, "scale", "hsize"))
		roles := get(v, append(slices.Clone(config[:len(config)-1]), "role")...)
		if roles, ok := roles.(map[string]any); ok {
			for name, role := range roles {
				walk(path+"."+name, role)
			}
		}
	}
	walk("", v)
	return out
}

func get(v any, path ...string) any {
	for _, name := range path {
		fields, _ := v.(map[string]any)
		v = fields[name]
	}
	return v
}

// lowered are the environments of the containers that kumiki makes.
func lowered(t *testing.T, s *solution.Solution) []string {
	t.Helper()
	objects, _ := kubernetes.Lower(s, targets.Options{})
	var b strings.Builder
	require.NoError(t, kubernetes.Encode(&b, objects))
	return written(t, b.String())
}

// written are the environments of the containers in a stream of objects.
func written(t *testing.T, stream string) []string {
	t.Helper()
	var out []string
	for text := range strings.SplitSeq(stream, "\n---\n") {
		var object any
		require.NoError(t, yaml.Unmarshal([]byte(text), &object))
		containers, _ := get(object, "spec", "template", "spec", "containers").([]any)
		for _, c := range containers {
			out = append(out, environment(c))
		}
	}
	require.NotEmpty(t, out)
	slices.Sort(out)
	return out
}

// environment is the variables that come from parameters.
func environment(container any) string {
	var out []string
	list, _ := get(container, "env").([]any)
	for _, x := range list {
		if name, ok := get(x, "name").(string); ok && len(name) == len("P00") && name[0] == 'P' {
			out = append(out, fmt.Sprintf("%s=%v", name, get(x, "value")))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// BenchmarkRender compiles applications and makes Kubernetes objects of them,
// in process: what `kumiki render -t kubernetes` does.
func BenchmarkRender(b *testing.B) {
	for _, c := range benchapp.Cases() {
		if c.Roles > 1024 {
			continue // minutes, and nothing new
		}
		b.Run(c.Name(), func(b *testing.B) {
			dir := b.TempDir()
			require.NoError(b, c.New().Kumiki().Write(dir))
			b.ReportAllocs()
			for b.Loop() {
				objects, _ := kubernetes.Lower(compileIn(b, dir).Solution, targets.Options{})
				require.NoError(b, kubernetes.Encode(io.Discard, objects))
			}
		})
	}
}
