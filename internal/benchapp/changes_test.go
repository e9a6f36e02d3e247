package benchapp_test

import (
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
	"kumiki.dev/value"
)

// To look for differences, run TestChangedForms with  -changes 100 -changes-seed N.
var (
	changesEach = flag.Int("changes", 1, "how many changes of each form are tried")
	changesSeed = flag.Uint64("changes-seed", 0, "by what the changes are drawn")
)

// TestChangedForms changes the text of each form at random, so it tries applications that nobody thought of, valid and invalid ones. Kumiki has
// to make of them what CUE alone makes, and to refuse those that CUE refuses.
func TestChangedForms(t *testing.T) {
	t.Parallel()
	for i, f := range benchapp.Forms() {
		if i%share() != 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE([]byte(f.Name))), *changesSeed))
			for range *changesEach {
				if changed := changedForm(r, f); benchapp.Together(changed) {
					compareChanged(t, changed)
				}
			}
		})
	}
}

func compareChanged(t *testing.T, f benchapp.Form) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, benchapp.FormApp(5, f).Write(dir))
	var in compiler.Input
	in.Dir = filepath.Join(dir, benchapp.Deploy)
	got := madeOf(in)
	in.NoPartial, in.NoLean, in.NoStubs, in.NoMemo = true, true, true, true
	if diff := cmp.Diff(madeOf(in), got); diff != "" {
		t.Errorf("%s\n(-CUE +kumiki):\n%s", f.Text(), diff)
	}
}

// madeOf is the solution of a deployment, and the values of each role; or that there are errors.
func madeOf(in compiler.Input) []string {
	result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	if problems.HasErrors() {
		return []string{"errors"}
	}
	solution, err := result.Solution.Bytes()
	if err != nil {
		return []string{err.Error()}
	}
	out := []string{string(solution)}
	var visit func(path string, n *value.Node)
	visit = func(path string, n *value.Node) {
		out = append(out, path+" "+n.Config.JSON(), path+" "+n.Description.JSON())
		for _, r := range n.Roles {
			visit(path+"."+r.Name, r.Node)
		}
	}
	visit("", result.Tree.Root)
	return out
}

// changedForm changes a section of a form in one or two places.
func changedForm(r *rand.Rand, f benchapp.Form) benchapp.Form {
	sections := txtar.Parse([]byte(f.Text()))
	for range 1 + r.IntN(2) {
		s := &sections.Files[r.IntN(len(sections.Files))]
		change := changes[r.IntN(len(changes))]
		s.Data = []byte(change(r, string(s.Data)))
	}
	return f.WithText(string(txtar.Format(sections)))
}

// changes are ways to change a text of CUE in one place.
var changes = []func(*rand.Rand, string) string{
	instead(`"[^"\\\n]*"`, `5`, `"zz"`, `""`, `true`, `null`, `string`, `"a" | "b"`, `$0 | *"q"`, `'b'`),
	instead(`\b[0-9]+\b`, `"x"`, `-1`, `0`, `99999`, `1.5`, `int`, `1.0`, `1e3`, `0x10`, `1Ki`, `>=0`, `$0 | *7`),
	instead(`\b(string|int|bool|uint|number|_)\b`, `string`, `int`, `bool`, `_`, `number`, `null`, `float`, `[...]`, `{...}`),
	instead(`\*`, ``),
	instead(` \| `, ` & `),
	instead(` & `, ` | `),
	instead(`[?!]?:`, `:`, `?:`, `!:`),
	instead(`config\.parameter\.\w+`, `config.parameter.name`, `config.parameter.workers`, `config.parameter.tracing`, `config.parameter.logLevel`, `config.parameter.gone`),
	instead(`!= `, `== `),
	instead(`== `, `!= `),
	changedLine(withoutLine), changedLine(lineTwice), changedLine(valueOfOther),
	changedLine(around), changedLine(around), changedLine(around), changedLine(around), changedLine(around),
}

// instead returns the change of a text that a pattern matches for one of others, in which $0 is that text.
func instead(pattern string, others ...string) func(*rand.Rand, string) string {
	re := regexp.MustCompile(pattern)
	return func(r *rand.Rand, text string) string {
		all := re.FindAllStringIndex(text, -1)
		if len(all) == 0 {
			return text
		}
		at := all[r.IntN(len(all))]
		other := strings.ReplaceAll(others[r.IntN(len(others))], "$0", text[at[0]:at[1]])
		return text[:at[0]] + other + text[at[1]:]
	}
}

// field is a line with a label and a value.
var field = regexp.MustCompile(`^(\s*(?:[\w"\[\]().‹›/-]+:\s+)*[\w"()\\.‹›/-]+[?!]?:\s+)(.+)$`)

// changedLine returns a change of one of the lines that are a field with its value.
func changedLine(change func(r *rand.Rand, lines []string, i int)) func(*rand.Rand, string) string {
	return func(r *rand.Rand, text string) string {
		lines := strings.Split(text, "\n")
		if whole := wholeFields(lines); len(whole) > 0 {
			change(r, lines, whole[r.IntN(len(whole))])
		}
		return strings.Join(lines, "\n")
	}
}

// wholeFields are the indexes of the lines that are a field with all of its value.
func wholeFields(lines []string) (out []int) {
	for i, line := range lines {
		if m := field.FindStringSubmatch(line); m != nil && isBalanced(m[2]) {
			out = append(out, i)
		}
	}
	return out
}

func isBalanced(text string) bool {
	for _, pair := range []string{"{}", "[]", "()"} {
		if strings.Count(text, pair[:1]) != strings.Count(text, pair[1:]) {
			return false
		}
	}
	return true
}

func withoutLine(_ *rand.Rand, lines []string, i int) { lines[i] = "" }

func lineTwice(_ *rand.Rand, lines []string, i int) { lines[i] += "\n" + lines[i] }

func valueOfOther(r *rand.Rand, lines []string, i int) {
	whole := wholeFields(lines)
	own, other := field.FindStringSubmatch(lines[i]), field.FindStringSubmatch(lines[whole[r.IntN(len(whole))]])
	lines[i] = own[1] + other[2]
}

// rewritings are ways to write a value, most of which are the same value.
var rewritings = []string{
	`(§)`, `{§}`, `§ & _`, `§ & §`, `[§][0]`, `*(§) | _`, `{_z: §, out: _z}.out`, `{let Z = §, Z}`, `[if true {§}][0]`, `{if true {§}}`, `§ | §`, `*§ | §`, `close({x: §}).x`,
	`(§) & (§)`, `{#o: §}.#o`, `§ @x()`, `null | *(§)`, `[§]`, `or([§])`, `and([§])`, `{§, #h: 1}`, `{[string]: §}`, `{x: §}`,
}

func around(r *rand.Rand, lines []string, i int) {
	m := field.FindStringSubmatch(lines[i])
	lines[i] = m[1] + strings.ReplaceAll(rewritings[r.IntN(len(rewritings))], "§", m[2])
}

// TestChanges: each change changes something of some form.
func TestChanges(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i, change := range changes {
		require.True(t, slices.ContainsFunc(benchapp.Forms(), func(f benchapp.Form) bool { return change(r, f.Text()) != f.Text() }), fmt.Sprint(i))
	}
}
