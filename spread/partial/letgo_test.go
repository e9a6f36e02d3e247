package partial

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"weak"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/benchapp"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// TestLetGo compiles a service of many components. Each is in two roles, and the second roles come after the first ones of all. After
// the first roles, most components have been dropped; in the second ones, they are the same as CUE alone makes them.
func TestLetGo(t *testing.T) {
	const components, most = 130, 100
	dir := t.TempDir()
	app := benchapp.App{}
	write := func(name, format string, args ...any) { app[name] = fmt.Sprintf(format, args...) }
	var imports, roles strings.Builder
	for i := range components {
		name := fmt.Sprintf("c%03d", i)
		write(name+"/artifact.cue", `package component

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Component & {
	ref: name: %q
	description: {
		config: {parameter: {p: string, q: *"q" | string}, scale: hsize: *1 | uint}
		code: main: {
			image: tag: "example/x:1"
			mapping: env: {P: parameter: "p", Q: value: "\(config.parameter.q)/\(config.parameter.p)"}
			size: {cpu: {size: 200, unit: "m"}, mincpu: 50, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`, name)
		fmt.Fprintf(&imports, "\t%s \"x.example/many/%[1]s:component\"\n", name)
		for n := range 2 {
			fmt.Fprintf(&roles, "\t\t\tr%d%s: {artifact: %[2]s.#Artifact, config: parameter: p: \"%[1]d\"}\n", n, name)
		}
	}
	write("cue.mod/module.cue", "module: \"x.example/many@v0\"\nlanguage: version: \"v0.12.0\"\n")
	write("s/artifact.cue", `package service

import (
	k "kumori.systems/kumori:kumori"
%s)

#Artifact: k.#Service & {
	ref: name: "s"
	description: {
		config: parameter: {}
		role: {
%s		}
	}
}
`, &imports, &roles)
	write("deploy/deployment.cue", "package deployment\n\nimport s \"x.example/many/s:service\"\n\n#Deployment: {name: \"d\", artifact: s.#Artifact}\n")
	require.NoError(t, app.Write(dir))

	run := func(shortcut spread.Shortcut) *value.Tree {
		program, problems := load.Load(load.Input{Dir: filepath.Join(dir, benchapp.Deploy)})
		require.Empty(t, problems)
		e := spread.NewEvaluator(cuecontext.New())
		top, problems := spread.Base(e, program.Root, spread.Overlay{})
		require.Empty(t, problems)
		tree, problems := spread.Run(e, top, spread.Options{Shortcut: shortcut})
		require.Empty(t, problems)
		return tree
	}
	made := &noting{known: map[string][]weak.Pointer[spread.Unit]{}, at: components}
	got := run(made)
	require.Len(t, made.known, components+1)
	require.LessOrEqual(t, made.alive, most)
	again := 0
	for path, units := range made.known {
		require.LessOrEqual(t, len(units), 2, path)
		again += len(units) - 1
	}
	require.Positive(t, again)
	require.Equal(t, show(run(nil).Root, ""), show(got.Root, ""))
}

// noting is the shortcut, and notes the units that it makes. When it has made units of a number of packages, at, it counts
// how many are still in memory: alive.
type noting struct {
	shortcut
	known     map[string][]weak.Pointer[spread.Unit]
	at, alive int
}

func (n *noting) Unit(r *spread.Runner, p *spread.Package) *spread.Unit {
	u := n.shortcut.Unit(r, p)
	n.known[p.Path] = append(n.known[p.Path], weak.Make(u))
	if len(n.known) == n.at && n.alive == 0 {
		runtime.GC()
		for _, units := range n.known {
			for _, x := range units {
				if x.Value() != nil {
					n.alive++
				}
			}
		}
	}
	return u
}

// show lists the values of a tree that are no structs or lists, with their positions.
func show(n *value.Node, at string) string {
	var b strings.Builder
	for _, d := range []*value.Data{n.Config, n.Description} {
		d.Walk(nil, func(path []string, x *value.Data) bool {
			if !x.IsComposite() { // a struct that nobody wrote has no position
				fmt.Fprintln(&b, at, path, x.Kind, x.Text, x.Pos, x.Origin)
			}
			return true
		})
	}
	for _, role := range n.Roles {
		b.WriteString(show(role.Node, at+"."+role.Name))
	}
	return b.String()
}
