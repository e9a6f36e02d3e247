package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
	"kumiki.dev/value"
)

// app is a random application: services in services down to components, in
// which one parameter is passed from level to level under defaults.
type app struct {
	// defaults has the default of parameter p at each level, outermost first; 0
	// is none. The last level is the component's.
	defaults []int
	// given is what the deployment says; 0 is nothing.
	given int
	// passes tells for each service whether it passes p on to its roles.
	passes []bool
	// width is the number of roles in each service.
	width int
	// deep makes services read their artifacts.
	deep bool
}

func genApp(t *rapid.T) app {
	depth := rapid.IntRange(1, 3).Draw(t, "services")
	a := app{width: rapid.IntRange(1, 3).Draw(t, "width"), deep: rapid.Bool().Draw(t, "deep")}
	value := rapid.IntRange(0, 9)
	for range depth + 1 {
		a.defaults = append(a.defaults, value.Draw(t, "default"))
	}
	for range depth {
		a.passes = append(a.passes, rapid.Bool().Draw(t, "passes"))
	}
	a.given = value.Draw(t, "given")
	if a.given == 0 && a.defaults[0] == 0 {
		a.given = 5 // the outermost level has to know
	}
	for i := range a.passes {
		if !a.passes[i] && a.defaults[i+1] == 0 {
			a.defaults[i+1] = 7 // as has every level that is told nothing
		}
	}
	return a
}

// want is the value of p in the component, by the model's rule: an outer
// value, given or defaulted, beats an inner default.
func (a app) want() int {
	value := a.given
	for i, d := range a.defaults {
		if value == 0 {
			value = d
		}
		if i < len(a.passes) && !a.passes[i] {
			value = 0
		}
	}
	return value
}

// files writes the application down; order shuffles fields, roles and files.
func (a app) files(order *rand.Rand) map[string]string {
	files := map[string]string{"cue.mod/module.cue": "module: \"laws.example/app@v0\"\nlanguage: version: \"v0.12.0\"\n"}
	last := len(a.passes)
	parameter := func(i int) string {
		if a.defaults[i] == 0 {
			return "p: int"
		}
		return fmt.Sprintf("p: *%d | int", a.defaults[i])
	}
	for i := range a.passes {
		child, kind := fmt.Sprintf("laws.example/app/l%d", i+1), "service"
		if i+1 == last {
			kind = "component"
		}
		var fields []string
		var connect []string
		for r := range a.width {
			config := "config: {}"
			if a.passes[i] {
				config = "config: parameter: p: description.config.parameter.p"
			}
			fields = append(fields, fmt.Sprintf("role: r%d: {%s}", r, lines(order, "artifact: c.#Artifact", config)))
			connect = append(connect, fmt.Sprintf("c%d: {from: self: \"in%d\", to: r%d: in0: _}", r, r, r))
			fields = append(fields, fmt.Sprintf("srv: server: in%d: port: 80", r))
		}
		fields = append(fields, "config: parameter: "+parameter(i), "connect: {"+lines(order, connect...)+"}")
		names := []string{"a", "b"}
		order.Shuffle(2, func(x, y int) { names[x], names[y] = names[y], names[x] })
		for h, half := range [][]string{fields[:1], fields[1:]} { // two files of one package
			body := "#Artifact: k.#Service & {ref: name: \"s" + fmt.Sprint(i) + "\", description: {" + lines(order, half...) + "}}\n"
			if a.deep && h == 0 {
				body += "_kind: c.#Artifact.ref.kind\n" // reading an artifact rules out a stub for it
			}
			imports := "k \"kumori.systems/kumori:kumori\"\n"
			if strings.Contains(body, "c.#Artifact") {
				imports += fmt.Sprintf("c \"%s:%s\"\n", child, kind)
			}
			files[fmt.Sprintf("l%d/%s.cue", i, names[h])] = "package service\nimport (\n" + imports + ")\n" + body
		}
	}
	files[fmt.Sprintf("l%d/component.cue", last)] = "package component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"c\", description: {" + lines(order,
		"config: parameter: {"+parameter(last)+"}",
		"srv: server: in0: port: 8080",
		"code: c: {image: tag: \"i:1\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}, mapping: env: P: parameter: \"p\"}",
		"size: bandwidth: {size: 1, unit: \"M\"}") + "}}\n"
	config := []string{"scale: detail: " + a.scale(0)}
	if a.given != 0 {
		config = append(config, fmt.Sprintf("parameter: p: %d", a.given))
	}
	files["deploy/d.cue"] = "package deployment\nimport a \"laws.example/app/l0:service\"\n#Deployment: {" +
		lines(order, "name: \"d\"", "artifact: a.#Artifact", "config: {"+lines(order, config...)+"}") + "}\n"
	return files
}

func (a app) scale(level int) string {
	var roles []string
	for r := range a.width {
		inner := "hsize: 1"
		if level+1 < len(a.passes) {
			inner = "detail: " + a.scale(level+1)
		}
		roles = append(roles, fmt.Sprintf("r%d: {%s}", r, inner))
	}
	return "{" + strings.Join(roles, ", ") + "}"
}

func lines(order *rand.Rand, fields ...string) string {
	fields = slices.Clone(fields)
	order.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return strings.Join(fields, "\n")
}

func (a app) compile(t require.TestingT, dir string, seed uint64, noMemo bool) (*compiler.Result, diag.List) {
	a.write(t, dir, seed)
	return a.compileInput(t, dir, compiler.Input{NoMemo: noMemo})
}

// write makes dir hold the app and nothing else.
func (a app) write(t require.TestingT, dir string, seed uint64) {
	require.NoError(t, os.RemoveAll(dir))
	for name, text := range a.files(rand.New(rand.NewPCG(seed, seed))) {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
}

// compileInput compiles the app that is in dir.
func (a app) compileInput(_ require.TestingT, dir string, in compiler.Input) (*compiler.Result, diag.List) {
	in.Dir = filepath.Join(dir, "deploy")
	return compiler.Run(context.Background(), in, compiler.ExtractStage)
}

// leaves lists every leaf of every node of a tree, and the structs of configs: its
// value, where it was written and who gave it.
func leaves(t *value.Tree) []string {
	var out []string
	var visit func(path []string, n *value.Node)
	visit = func(path []string, n *value.Node) {
		if n == nil {
			out = append(out, strings.Join(path, ".")+" is filled by nothing")
			return
		}
		for _, d := range []*value.Data{n.Config, n.Description} {
			d.Walk(path, func(at []string, x *value.Data) bool {
				if len(at) > len(path) {
					out = append(out, fmt.Sprint(strings.Join(at, "."), " = ", x.JSON(), " ", x.Pos.Position(), " ", x.Origin))
				}
				return true
			})
		}
		for _, r := range n.Roles {
			visit(append(slices.Clip(path), r.Name), r.Node)
		}
	}
	visit(nil, t.Root)
	return out
}

// TestPartial compares, for every case, what partial evaluation makes with what
// CUE makes of it, down to the places of leaves.
func TestPartial(t *testing.T) {
	golden.Each(t, "../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		oneOfFive(t)
		in := inputOf(c)
		in.NoMemo = true
		partial, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
		in.NoPartial = true
		whole, same := compiler.Run(context.Background(), in, compiler.ExtractStage)
		require.Equal(t, len(same), len(problems))
		if partial.Tree == nil {
			return
		}
		if diff := cmp.Diff(leaves(whole.Tree), leaves(partial.Tree)); diff != "" {
			t.Errorf("(-CUE +partial):\n%s", diff)
		}
	})
}

// compileWith compiles the app that is in dir, deployed with another config.
func (a app) compileWith(t require.TestingT, dir, config string) (*compiler.Result, diag.List) {
	text := "package deployment\nimport a \"laws.example/app/l0:service\"\n#Deployment: {name: \"d\", artifact: a.#Artifact, config: " + config + "}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deploy/d.cue"), []byte(text), 0o644))
	in := compiler.Input{}
	in.Dir = filepath.Join(dir, "deploy")
	return compiler.Run(context.Background(), in, compiler.ExtractStage)
}

// TestLaws checks on random applications that the order of fields, roles and
// files never changes the bytes (inputs and digest aside, which are about the
// sources), that the memo changes nothing, that outer defaults beat inner ones,
// and that the solution keeps its invariants.
func TestLaws(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "app")
	rapid.Check(t, func(t *rapid.T) {
		a := genApp(t)
		r, problems := a.compile(t, dir, 1, false)
		require.Empty(t, problems)
		first := r.Solution
		require.Empty(t, solution.Verify(first), "the invariants hold")
		partial, problems := a.compileInput(t, dir, compiler.Input{NoMemo: true})
		require.Empty(t, problems)
		whole, problems := a.compileInput(t, dir, compiler.Input{NoMemo: true, NoPartial: true})
		require.Empty(t, problems)
		if diff := cmp.Diff(leaves(whole.Tree), leaves(partial.Tree)); diff != "" {
			t.Fatalf("partial evaluation changed the tree (-CUE +partial):\n%s", diff)
		}
		for seed, noMemo := range map[uint64]bool{2: false, 3: true} {
			again, problems := a.compile(t, dir, seed, noMemo)
			require.Empty(t, problems)
			if diff := cmp.Diff(canonical(t, first), canonical(t, again.Solution)); diff != "" {
				t.Fatalf("order or memo changed the solution:\n%s", diff)
			}
		}
		// Spreading what was spread changes nothing: given the finished config, the
		// artifact finishes it as it is.
		b, err := json.Marshal(r.Tree.Root.Config)
		require.NoError(t, err)
		again, problems := a.compileWith(t, dir, string(b))
		require.Empty(t, problems)
		if diff := cmp.Diff(canonical(t, first), canonical(t, again.Solution)); diff != "" {
			t.Fatalf("spreading twice is not spreading once:\n%s", diff)
		}
		for name, d := range first.Deployments {
			for _, role := range d.Artifact.Description.Role {
				got := role.Artifact.Description.Code["c"].Mapping.Env["P"].Value
				require.NotNil(t, got)
				require.Equal(t, fmt.Sprint(a.want()), *got, "p in %s", name)
			}
		}
	})
}

// canonical is the solution's bytes without what names its sources.
func canonical(t require.TestingT, s *solution.Solution) string {
	c := *s
	c.Inputs, c.Digest = nil, ""
	b, err := c.Bytes()
	require.NoError(t, err)
	return string(b)
}
