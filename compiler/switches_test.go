package compiler_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/differential"
	"kumiki.dev/internal/differential/generate"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
	"kumiki.dev/value"
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

// ran is all that a run says: the problems and the bytes of the solution, and the
// tree to the place of every leaf.
type ran struct {
	told, tree []string
	early      bool // it has not come to a deployment
}

// run is what a run without the shortcuts says of in.
func (s switches) run(in switchable) (r ran) {
	in.NoMemo, in.NoPartial = s&noMemo != 0, s&noPartial != 0
	in.NoLean, in.NoStubs = s&noLean != 0, s&noStubs != 0
	if in.others != nil {
		in.With = compiler.NewOthers(in.others)
	}
	result, found := compiler.Run(context.Background(), in.Input, compiler.ExtractStage)
	for _, d := range found {
		r.told = append(r.told, toldOfProblem(d)...)
	}
	if found.HasErrors() {
		r.early = result.Program == nil || !result.Program.Deployment
		return r
	}
	r.tree = append(leaves(result.Tree), rolesOf(nil, result.Tree.Root)...)
	text, err := result.Solution.Bytes()
	r.told = append(r.told, string(text), fmt.Sprint(err))
	return r
}

// toldOfProblem is all that can be told of a problem.
func toldOfProblem(d *diag.Diagnostic) []string {
	told := []string{fmt.Sprintf("%v: %v %s [%s] at %q", toldPlace(d.Pos), d.Severity, d.Message, d.Code, d.At)}
	for _, r := range d.Related {
		told = append(told, fmt.Sprintf("    %v: %s", toldPlace(r.Pos), r.Message))
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

// toldPlace is a place as people are told it: stand-ins are counted as they are
// needed, and which one it is means nothing.
func toldPlace(p diag.Pos) string {
	if value.IsStandIn(p) {
		return "a stand-in"
	}
	return p.Position().String()
}

// switchesDiffer compares what a run makes with each of these switches with what
// it makes without any shortcut. With the memo, the places in the tree are compared
// among those runs: equal roles share a node, which has the places of one of them.
func switchesDiffer(in switchable, tried []switches) (diffs string) {
	want := noShortcut.run(in)
	if want.early {
		return ""
	}
	var shared *ran
	seen := map[string][]string{}
	for _, s := range tried {
		got := s.run(in)
		diff := linesDiffer(want.told, got.told)
		switch {
		case s&noMemo != 0:
			diff += linesDiffer(want.tree, got.tree)
		case shared == nil:
			shared = &got
		default:
			diff += linesDiffer(shared.tree, got.tree)
		}
		if diff != "" {
			seen[diff] = append(seen[diff], s.String())
		}
	}
	for _, diff := range slices.Sorted(maps.Keys(seen)) {
		diffs += fmt.Sprintf("(-no shortcut +%s)\n%s", strings.Join(seen[diff], " "), diff)
	}
	return diffs
}

// linesDiffer are the lines that only one of two runs has.
func linesDiffer(want, got []string) string {
	var b strings.Builder
	for _, side := range []struct {
		mark      string
		has, lack []string
	}{{"-", want, got}, {"+", got, want}} {
		lacks := map[string]int{}
		for _, line := range side.lack {
			lacks[line]++
		}
		for _, line := range side.has {
			if lacks[line]--; lacks[line] < 0 {
				fmt.Fprintf(&b, "%s %s\n", side.mark, line)
			}
		}
	}
	if b.Len() == 0 && !slices.Equal(want, got) {
		return "  the same lines in another order\n"
	}
	return b.String()
}

// madeUp is how many applications are made up, unless make switches says so: then
// all inputs are tried with every combination.
const madeUp = 50

func allInputs() (apps int, all bool) {
	apps, err := strconv.Atoi(os.Getenv("KUMIKI_SWITCHES"))
	if err != nil {
		return madeUp, false
	}
	return apps, true
}

// triedSwitches are the combinations that input number n is tried with beside
// noShortcut, unless it is all: the one that users have and, for one input of three,
// another one without the memo, each in its turn.
func triedSwitches(n int, all bool) (tried []switches) {
	switch {
	case all:
		for s := range noShortcut {
			tried = append(tried, s)
		}
		return tried
	case n%3 == 0:
		return []switches{0, noMemo + 2*switches(n/3%7)}
	}
	return []switches{0}
}

// fewer is set where tests take long, or where they are there to rewrite files.
var fewer = compiler.Slower > 1 || golden.Update()

// seldom reports whether input number n is left out: one of fifty is enough then.
func seldom(n int) bool { return fewer && n%50 != 0 }

// oneOfFive skips four of five cases under the race detector, where one takes ten times as long: they differ in what they say, not in
// what runs at the same time.
func oneOfFive(t *testing.T) {
	if compiler.Slower > 1 && crc32.ChecksumIEEE([]byte(t.Name()))%5 != 0 {
		t.Skip("one of five cases is enough under the race detector")
	}
}

// TestSwitches compares, for all inputs that the repository has, what is made with
// the shortcuts and without them: the tree with its origins and positions, the
// solution, and the problems with all their places and fixes.
func TestSwitches(t *testing.T) {
	t.Parallel()
	count, all := allInputs()
	inputs := map[string]map[string]switchable{
		"cases": casesIn(t, "cases"), "errors": casesIn(t, "errors"), "compared": casesIn(t, "compared"),
		"examples": deploymentsIn(t, "../examples"), "scripts": scripted(t), "generated": generated(t, count),
	}
	for kind, least := range map[string]int{"cases": 9, "errors": 300, "compared": 10, "examples": 4, "scripts": 20, "generated": count} {
		require.GreaterOrEqual(t, len(inputs[kind]), least, kind)
	}
	for _, kind := range slices.Sorted(maps.Keys(inputs)) {
		for _, name := range slices.Sorted(maps.Keys(inputs[kind])) {
			n := int(crc32.ChecksumIEEE([]byte(kind + "/" + name))) // which stays if there are more inputs
			if seldom(n) {
				continue
			}
			in, tried := inputs[kind][name], triedSwitches(n, all)
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				if diff := switchesDiffer(in, tried); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// switchable is an input that is compiled again and again.
type switchable struct {
	compiler.Input
	others []string // see [compiler.NewOthers]
}

// casesIn are the inputs of the cases in a folder of testdata.
func casesIn(t *testing.T, folder string) map[string]switchable {
	all := map[string]switchable{}
	for name, c := range golden.All(t, "../testdata/"+folder+"/*.txtar") {
		in := inputOf(c)
		in.Artifacts = folder == "errors"
		all[name] = switchable{Input: in}
	}
	return all
}

// scripted are the deployments of the modules in testdata/script.
func scripted(t *testing.T) map[string]switchable {
	all := map[string]switchable{}
	files, err := filepath.Glob("../testdata/script/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		if filepath.Base(file) == "timeout.txtar" {
			continue // it takes as long as it is given
		}
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
func deploymentsIn(t *testing.T, root string) map[string]switchable {
	all := map[string]switchable{}
	require.NoError(t, filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".cue" {
			return err
		}
		text, err := os.ReadFile(name)
		if err == nil && deployment.Match(text) {
			dir, in := filepath.Dir(name), switchable{}
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
func generated(t *testing.T, count int) map[string]switchable {
	all := map[string]switchable{}
	for seed := range uint64(count) {
		root, app := t.TempDir(), generate.Make(seed+1)
		module := differential.Case{Files: app.Files, Kam: app.Kam, Generated: app.Generated}
		require.NoError(t, module.Write(root))
		in := switchable{}
		in.Dir, in.Sets = filepath.Join(root, "deploy"), app.Sets
		for _, v := range app.Values {
			in.Values = append(in.Values, load.ValuesFile{Name: v.Name, Data: []byte(v.Text)})
		}
		if other := filepath.Join(root, "other"); app.Files["other/deployment.cue"] != "" {
			in.others = []string{other}
		}
		all[fmt.Sprintf("%04d", seed+1)] = in
	}
	return all
}
