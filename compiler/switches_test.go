//go:build switches || pairs

package compiler_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/diag"
	"kumiki.dev/internal/differential"
	"kumiki.dev/internal/differential/generate"
	"kumiki.dev/internal/golden"
)

// switches are the shortcuts that a run does without, a bit for each.
type switches uint

const (
	noMemo switches = 1 << iota
	noPartial
	noLean
	noStubs
	allSwitches
	noShortcut = allSwitches - 1
)

func (s switches) String() string {
	names := []string{}
	for i, name := range []string{"--no-memo", "--no-partial", "--no-lean", "--no-stubs"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return "[" + strings.Join(names, " ") + "]"
}

// run is what a run without the shortcuts makes of in.
func (s switches) run(in compiler.Input) []string {
	in.NoMemo, in.NoPartial = s&noMemo != 0, s&noPartial != 0
	in.NoLean, in.NoStubs = s&noLean != 0, s&noStubs != 0
	var told []string
	_, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
	for _, d := range found {
		told = append(told, toldOfProblem(d)...)
	}
	return append(told, toldOf(in)...)
}

// toldOfProblem is all that can be told of a problem.
func toldOfProblem(d *diag.Diagnostic) []string {
	told := []string{fmt.Sprintf("%v: %v %s [%s] at %q", d.Pos.Position(), d.Severity, d.Message, d.Code, d.At)}
	for _, r := range d.Related {
		told = append(told, fmt.Sprintf("    %v: %s", r.Pos.Position(), r.Message))
	}
	for _, f := range d.Fixes {
		told = append(told, "    fix: "+f.Title)
		for _, e := range f.Edits {
			told = append(told, fmt.Sprintf("    edit: %v: %d bytes become %q", e.Pos.Position(), e.Len, e.Text))
		}
	}
	for _, c := range d.Consequences {
		told = append(told, "    so: "+strings.Join(toldOfProblem(c), "\n    "))
	}
	return told
}

// switchesDiffer compares what a run makes with each of these switches with what
// it makes without any shortcut. The memo gives equal roles one tree, whose
// positions are those of the first one: with it, trees are compared among themselves.
func switchesDiffer(in compiler.Input, tried []switches) string {
	whole := map[switches][]string{noMemo: noShortcut.run(in), 0: (noShortcut &^ noMemo).run(in)}
	if diff := cmp.Diff(outcome(whole[noMemo]), outcome(whole[0])); diff != "" {
		return fmt.Sprintf("(%v without +with the memo):\n%s", noShortcut, diff)
	}
	for _, s := range tried {
		if diff := cmp.Diff(whole[s&noMemo], s.run(in)); diff != "" {
			return fmt.Sprintf("(-no shortcut +%v):\n%s", s, diff)
		}
	}
	return ""
}

// outcome is what [toldOf] returns without the tree, if that is in it.
func outcome(told []string) []string {
	if n := len(told); n > 0 && told[n-1] == "<nil>" {
		return told[n-2:]
	}
	return told
}

// allInputs reports whether every input is tried with every combination: make
// switches does.
func allInputs() bool { return os.Getenv("KUMIKI_SWITCHES") != "" }

// triedSwitches are the combinations that input number n is tried with beside
// noShortcut: the one that users have and one of the others, each in its turn.
func triedSwitches(n int) (tried []switches) {
	if !allInputs() {
		return []switches{0, 1 + switches(n)%(noShortcut-1)}
	}
	for s := range noShortcut {
		tried = append(tried, s)
	}
	return tried
}

// seldom reports whether input number n is left out: where tests take long, or
// where they are there to rewrite files, one of fifty is enough.
func seldom(n int) bool {
	return (compiler.Slower > 1 || golden.Update()) && n%50 != 0
}

// switchedOf says of how many inputs of a kind one is tried, unless all are.
var switchedOf = map[string]int{"cases": 1, "errors": 8, "compared": 2, "examples": 1, "scripts": 4, "generated": 4}

// knownSwitches are inputs of which it is known that shortcuts show.
var knownSwitches = map[string]string{
	"generated/033": "a role's parameter that a wrong one leaves open is told with the shortcuts only",
}

// TestSwitches compares, for all inputs that the repository has, what is made with
// the shortcuts and without them: the tree with its origins and positions, the
// solution, and the problems with all their places and fixes.
func TestSwitches(t *testing.T) {
	t.Parallel()
	inputs := map[string]map[string]compiler.Input{
		"cases": casesIn(t, "cases"), "errors": casesIn(t, "errors"), "compared": casesIn(t, "compared"),
		"examples": deploymentsIn(t, "../examples"), "scripts": scripted(t), "generated": generated(t, 100),
	}
	for kind, least := range map[string]int{"cases": 9, "errors": 300, "compared": 10, "examples": 4, "scripts": 20, "generated": 100} {
		require.GreaterOrEqual(t, len(inputs[kind]), least, kind)
	}
	for _, kind := range slices.Sorted(maps.Keys(inputs)) {
		all := inputs[kind]
		for n, name := range slices.Sorted(maps.Keys(all)) {
			if seldom(n) || !allInputs() && n%switchedOf[kind] != 0 {
				continue
			}
			tried := triedSwitches(n / switchedOf[kind])
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				diff := switchesDiffer(all[name], tried)
				if reason, ok := knownSwitches[kind+"/"+name]; ok {
					t.Logf("not compared, %s: %s", reason, diff)
				} else if diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// casesIn are the inputs of the cases in a folder of testdata.
func casesIn(t *testing.T, folder string) map[string]compiler.Input {
	all := map[string]compiler.Input{}
	for name, c := range golden.All(t, "../testdata/"+folder+"/*.txtar") {
		in := inputOf(c)
		in.Artifacts = folder == "errors"
		all[name] = in
	}
	return all
}

// scripted are the deployments of the modules in testdata/script.
func scripted(t *testing.T) map[string]compiler.Input {
	all := map[string]compiler.Input{}
	files, err := filepath.Glob("../testdata/script/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		root := t.TempDir()
		for _, f := range archive.Files {
			writeFile(t, filepath.Join(root, f.Name), f.Data)
		}
		for name, in := range deploymentsIn(t, root) {
			all[filepath.Base(file)+"/"+name] = in
		}
	}
	return all
}

// deployment finds what makes a directory one.
var deployment = regexp.MustCompile(`(?m)^#Deployment:`)

// deploymentsIn are the directories below root with a deployment.
func deploymentsIn(t *testing.T, root string) map[string]compiler.Input {
	all := map[string]compiler.Input{}
	require.NoError(t, filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".cue" {
			return err
		}
		text, err := os.ReadFile(name)
		if err == nil && deployment.Match(text) {
			dir, in := filepath.Dir(name), compiler.Input{}
			in.Dir = dir
			short, err := filepath.Rel(root, dir)
			require.NoError(t, err)
			all[filepath.ToSlash(short)] = in
		}
		return err
	}))
	return all
}

// generated are the first applications that are made up.
func generated(t *testing.T, count uint64) map[string]compiler.Input {
	all := map[string]compiler.Input{}
	for seed := range count {
		root, app := t.TempDir(), generate.Make(seed+1)
		module := differential.Case{Files: app.Files, Kam: app.Kam, Generated: app.Generated}
		require.NoError(t, module.Write(root))
		in := compiler.Input{Sets: app.Sets}
		in.Dir = filepath.Join(root, "deploy")
		for _, v := range app.Values {
			in.Values = append(in.Values, compiler.ValuesFile{Name: v.Name, Data: []byte(v.Text)})
		}
		all[fmt.Sprintf("%03d", seed+1)] = in
	}
	return all
}
