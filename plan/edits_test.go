package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/targets/swarm"
)

var lowerings = map[string]targets.Target{"kubernetes": kubernetes.Lower, "swarm": swarm.Lower}

// edit is a change of a solution with the classes that it has to get.
type edit struct {
	name, base string
	steps      []step
	// want are the classes by place, for the model and for each target; what is
	// not named is unchanged.
	want map[string]map[string]string
}

// step sets a value, removes one, or moves or copies one to another place.
type step struct {
	verb string
	path string
	to   string
}

// readEdits reads testdata/edits.txt.
func readEdits(t testing.TB) []edit {
	t.Helper()
	text, err := os.ReadFile("testdata/edits.txt")
	require.NoError(t, err)
	var edits []edit
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "edit" {
			base, name, _ := strings.Cut(rest, ": ")
			edits = append(edits, edit{name: name, base: base, want: map[string]map[string]string{}})
			continue
		}
		e := &edits[len(edits)-1]
		switch verb {
		case "set", "remove", "move", "copy":
			path, to, _ := strings.Cut(rest, " ")
			e.steps = append(e.steps, step{verb, e.long(path), e.long(to)})
		case "model", "kubernetes", "swarm":
			e.want[verb] = map[string]string{}
			for _, word := range strings.Fields(rest) {
				place, class, _ := strings.Cut(word, "=")
				e.want[verb][place] = class
			}
		default:
			t.Fatalf("%s: %s", e.name, line)
		}
	}
	return edits
}

// long writes out what paths begin with: "@:" is the description of the top's
// artifact, "@ROLE/" a role of it, and "@ROLE:" the description of the role's
// artifact.
func (e *edit) long(path string) string {
	short, ok := strings.CutPrefix(path, "@")
	if !ok {
		return path
	}
	top := strings.TrimPrefix(e.base, "example-")
	description := "/deployments/" + top + "/artifact/description/"
	i := strings.IndexAny(short, ":/")
	role, rest := short[:i], short[i+1:]
	switch {
	case role == "":
		return description + rest
	case short[i] == ':':
		return description + "role/" + role + "/artifact/description/" + rest
	default:
		return strings.TrimSuffix(description+"role/"+role+"/"+rest, "/")
	}
}

// pointer reads a path whose parts are between slashes; ~1 is a slash in one.
func pointer(path string) []string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "~1", "/")
	}
	return parts
}

// apply edits the JSON of a solution and reads the outcome as strictly as a file.
func (e edit) apply(t testing.TB, text []byte) *solution.Solution {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc map[string]any
	require.NoError(t, dec.Decode(&doc))
	for _, s := range e.steps {
		s.apply(t, doc)
	}
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	return read(t, text)
}

func (s step) apply(t testing.TB, doc map[string]any) {
	t.Helper()
	parent, last := descend(t, doc, pointer(s.path))
	switch s.verb {
	case "set":
		var v any
		dec := json.NewDecoder(strings.NewReader(s.to))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&v), s.to)
		parent[last] = v
	case "remove":
		require.Contains(t, parent, last)
		delete(parent, last)
	case "move", "copy":
		require.Contains(t, parent, last)
		to, name := descend(t, doc, pointer(s.to))
		text, err := json.Marshal(parent[last])
		require.NoError(t, err)
		var copied any
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&copied))
		to[name] = copied
		if s.verb == "move" {
			delete(parent, last)
		}
	}
}

// descend finds the object that the last part of a path is a member of.
func descend(t testing.TB, doc map[string]any, path []string) (map[string]any, string) {
	t.Helper()
	var at any = doc
	for _, part := range path[:len(path)-1] {
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[part]
			require.True(t, ok, "%v: no %s", path, part)
			at = next
		case []any:
			var i int
			_, err := fmt.Sscan(part, &i)
			require.NoError(t, err)
			at = v[i]
		}
	}
	return at.(map[string]any), path[len(path)-1]
}

func read(t testing.TB, text []byte) *solution.Solution {
	t.Helper()
	s, problems := solution.Read(text, "solution.json")
	for _, p := range problems {
		t.Errorf("%v: %s", p.At, p.Message)
	}
	require.NotNil(t, s)
	return s
}

// base is the expected solution of a case, without what would have to fit the
// rest: the layout and the digest.
func base(t testing.TB, name string) []byte {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("../testdata/cases", name+".txtar"))
	require.NoError(t, err)
	for _, f := range archive.Files {
		if f.Name == "out/solution.json" {
			dec := json.NewDecoder(bytes.NewReader(f.Data))
			dec.UseNumber()
			var doc map[string]any
			require.NoError(t, dec.Decode(&doc))
			delete(doc, "layout")
			delete(doc, "digest")
			delete(doc, "inputs")
			text, err := json.Marshal(doc)
			require.NoError(t, err)
			return text
		}
	}
	t.Fatalf("%s has no solution", name)
	return nil
}

func lower(t testing.TB, target string, s *solution.Solution, o targets.Options) []targets.Object {
	t.Helper()
	if s == nil {
		return nil
	}
	objects, problems := lowerings[target](s, o)
	for _, p := range problems {
		require.NotEqual(t, "error", p.Severity.String(), "%s: %s", target, p.Message)
	}
	return objects
}

// classes are those of all entries that change, by place.
func classes(p *plan.Plan) map[string]string {
	out := map[string]string{}
	for _, e := range p.Entries {
		if e.Class != plan.Unchanged {
			out[e.String()] = string(e.Class)
		}
	}
	return out
}

// TestEdits compares the classes of each edit with the table. A target that the
// table does not name does what the model has.
func TestEdits(t *testing.T) {
	t.Parallel()
	edits := readEdits(t)
	require.GreaterOrEqual(t, len(edits), 60)
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			text := base(t, e.base)
			old, new := read(t, text), e.apply(t, text)
			p := plan.Compare(old, new)
			if diff := cmp.Diff(e.want["model"], classes(p)); diff != "" {
				t.Errorf("model (-want +got):\n%s", diff)
			}
			for _, target := range slices.Sorted(maps.Keys(lowerings)) {
				p := plan.Compare(old, new)
				require.NoError(t, p.On(target, lower(t, target, old, targets.Options{}), lower(t, target, new, targets.Options{})))
				want, ok := e.want[target]
				if !ok {
					want = e.want["model"]
				}
				if diff := cmp.Diff(want, classes(p)); diff != "" {
					t.Errorf("%s (-want +got):\n%s%s", target, diff, objects(p))
				}
			}
		})
	}
}

// objects lists what changes on the target, for a failing test.
func objects(p *plan.Plan) string {
	var b strings.Builder
	for _, o := range p.Target.Objects {
		fmt.Fprintf(&b, "  %s %s (%s/%s) restarts=%v", o.Action, o, o.Deployment, o.Role, o.Restarts)
		for _, c := range o.Changes {
			fmt.Fprintf(&b, " %s", c.Path)
		}
		b.WriteString("\n")
	}
	return b.String()
}
