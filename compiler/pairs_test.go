//go:build pairs

package compiler_test

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
)

// pairsTried is how many pairs are compiled, and pairsSeed says which.
const pairsTried, pairsSeed = 2000, 1

// mistaken is a case of testdata/errors that is a base with a few edits.
type mistaken struct {
	name  string
	base  *base
	sets  []string
	edits map[string][]lineEdit // by file; one for all of a file that the base lacks
	lines []firstLine
}

// base is a module that many cases are edits of.
type base struct {
	files map[string]string
	cases []*mistaken
}

// basesOf are the modules that at least ten cases with the same files are edits
// of: each file has the text that it has in most of them.
func basesOf(cases map[string]*golden.Case) []*base {
	texts := map[string][]map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		files := cases[name].Files()
		key := strings.Join(slices.Sorted(maps.Keys(files)), " ")
		texts[key] = append(texts[key], files)
	}
	var bases []*base
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if len(texts[key]) < 10 {
			continue
		}
		b := &base{files: map[string]string{}}
		for name := range texts[key][0] {
			votes := map[string]int{}
			for _, files := range texts[key] {
				votes[files[name]]++
			}
			for _, text := range slices.Sorted(maps.Keys(votes)) {
				if votes[text] > votes[b.files[name]] {
					b.files[name] = text
				}
			}
		}
		bases = append(bases, b)
	}
	return bases
}

// mostEdited is how many lines an edit of a base may change: a case that changes
// more is a module of its own.
const mostEdited = 15

// editOf is the case as an edit of b, nil if it is none.
func editOf(name string, c *golden.Case, b *base) *mistaken {
	m := &mistaken{name: name, base: b, sets: c.Settings["set"], edits: map[string][]lineEdit{}, lines: firstLines(string(c.Section("out/errors.txt")))}
	files := c.Files()
	changed := 0
	for file, text := range files {
		old := strings.SplitAfter(b.files[file], "\n")
		if _, ok := b.files[file]; !ok {
			old = nil
		}
		m.edits[file] = lineEdits(old, strings.SplitAfter(text, "\n"))
		for _, e := range m.edits[file] {
			if old != nil {
				changed += max(len(e.text), e.to-e.from)
			}
		}
	}
	for file := range b.files {
		if _, ok := files[file]; !ok {
			return nil
		}
	}
	if changed > mostEdited {
		return nil
	}
	return m
}

// pair is two cases of one base, and what both together say.
type pair struct {
	a, b  *mistaken
	files map[string]string
	want  []string
}

// hiding are the mistakes that hide others, by the code that they have: what they
// are about can't be looked at before they are mended.
var hiding = []struct{ rule, codes string }{
	{"a package or module can't be loaded", "[load/"},
	{"a name leads nowhere", "[spread/unknown-reference]"},
	{"nothing is deployed", "[spread/no-artifact]"},
	{"an application contains itself", "[spread/cycle]"},
	{"CUE's own error", "[cue]"},
}

// hides is the rule by which a case hides the mistakes of others, "" for none.
func (m *mistaken) hides() string {
	for _, h := range hiding {
		for _, line := range m.lines {
			if strings.Contains(line.text, h.codes) {
				return h.rule
			}
		}
	}
	return ""
}

// mostExcluded is the share of pairs, in percent, that one rule may exclude, and
// mostDiffering that of the pairs tried whose mistakes still change each other's
// lines.
const mostExcluded, mostDiffering = 50, 10

// combine puts two cases together, or says by which rule they are excluded.
func combine(a, b *mistaken) (p pair, excluded string) {
	p = pair{a: a, b: b, files: maps.Clone(a.base.files)}
	if rule := cmp.Or(a.hides(), b.hides()); rule != "" {
		return p, rule
	}
	for _, file := range slices.Sorted(maps.Keys(a.edits)) {
		p.files[file] = ""
	}
	for _, file := range slices.Sorted(maps.Keys(b.edits)) {
		p.files[file] = ""
	}
	for _, file := range slices.Sorted(maps.Keys(p.files)) {
		var old []string
		if text, ok := a.base.files[file]; ok {
			old = strings.SplitAfter(text, "\n")
		}
		edits, ok := together(a.edits[file], b.edits[file])
		if !ok {
			return p, "both edit the same lines"
		}
		p.files[file] = strings.Join(applied(old, edits), "")
		if _, err := parser.ParseFile(file, p.files[file]); err != nil && filepath.Ext(file) == ".cue" {
			return p, "a syntax error hides its file"
		}
	}
	for _, each := range [][2]*mistaken{{a, b}, {b, a}} {
		for _, line := range each[0].lines {
			moved, ok := line.beside(each[0].edits[line.file], each[1].edits[line.file])
			if !ok {
				return p, "one edits the line that the other is about"
			}
			p.want = append(p.want, moved.String())
		}
	}
	slices.Sort(p.want)
	p.want = slices.Compact(p.want)
	return p, ""
}

// got are the first lines of the problems of the pair.
func (p pair) got(t *testing.T) (got []string) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range p.files {
		writeFile(t, filepath.Join(root, name), []byte(text))
	}
	in := compiler.Input{Sets: slices.Concat(p.a.sets, p.b.sets), Artifacts: true}
	in.Dir = filepath.Join(root, "deploy")
	_, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	for _, line := range firstLines(text(problems, root)) {
		got = append(got, line.String())
	}
	slices.Sort(got)
	return slices.Compact(got)
}

// mistakenCases are the cases that are edits of a base, and how many are not.
func mistakenCases(t *testing.T) (bases []*base, others int) {
	cases := golden.All(t, "../testdata/errors/*.txtar")
	bases = basesOf(cases)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		var best *mistaken
		for _, b := range bases {
			if m := editOf(name, c, b); m != nil && (best == nil || len(b.files) > len(best.base.files)) {
				best = m
			}
		}
		for setting := range c.Settings {
			if !slices.Contains([]string{"dir", "set", "problems"}, setting) {
				best = nil
			}
		}
		if best == nil {
			others++
			continue
		}
		if c.Setting("dir") != "deploy" {
			best = nil
		}
		if best == nil {
			others++
			continue
		}
		best.base.cases = append(best.base.cases, best)
	}
	return bases, others
}

// TestPairs puts the mistakes of two cases into one module, which has to say of
// each what its own case says, and nothing else.
func TestPairs(t *testing.T) {
	t.Parallel()
	bases, others := mistakenCases(t)
	var all []*mistaken
	for _, b := range bases {
		require.Empty(t, pair{a: &mistaken{}, b: &mistaken{}, files: b.files}.got(t), "a base has no mistake")
		t.Logf("%d cases are edits of the base with %v", len(b.cases), slices.Sorted(maps.Keys(b.files)))
		all = append(all, b.cases...)
	}
	t.Logf("%d cases are modules of their own", others)
	require.GreaterOrEqual(t, len(all), 250)
	random := rand.New(rand.NewPCG(pairsSeed, 0))
	excluded := map[string]int{}
	var tried []pair
	for len(tried) < pairsTried {
		a := all[random.IntN(len(all))]
		b := a.base.cases[random.IntN(len(a.base.cases))]
		if a == b {
			continue
		}
		p, rule := combine(a, b)
		if rule != "" {
			excluded[rule]++
			continue
		}
		tried = append(tried, p)
	}
	drawn := len(tried)
	for _, n := range excluded {
		drawn += n
	}
	for _, rule := range slices.Sorted(maps.Keys(excluded)) {
		t.Logf("%d of %d pairs excluded: %s", excluded[rule], drawn, rule)
		require.Less(t, 100*excluded[rule], mostExcluded*drawn, rule)
	}
	tryPairs(t, tried)
}

// tryPairs compares what the pairs say with what their cases say.
func tryPairs(t *testing.T, tried []pair) {
	var mu sync.Mutex
	compiled, differing := 0, 0
	t.Run("pairs", func(t *testing.T) {
		for n, p := range tried {
			if seldom(n) {
				continue
			}
			t.Run(p.a.name+"+"+p.b.name, func(t *testing.T) {
				t.Parallel()
				got := p.got(t)
				mu.Lock()
				defer mu.Unlock()
				compiled++
				if !slices.Equal(p.want, got) {
					differing++
					t.Logf("only apart:\n%s\nonly together:\n%s", strings.Join(without(p.want, got), "\n"), strings.Join(without(got, p.want), "\n"))
				}
			})
		}
	})
	t.Logf("%d of %d pairs say something else than their cases", differing, compiled)
	require.LessOrEqual(t, 100*differing, mostDiffering*compiled)
}

// without are the texts of a that b lacks.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
