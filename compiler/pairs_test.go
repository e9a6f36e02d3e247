package compiler_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue/ast"
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
	// loaded are the files of the packages that are loaded with these edits.
	loaded map[string]bool
}

// base is a module that many cases are edits of.
type base struct {
	files map[string]string
	cases []*mistaken
	// loaded are the files of its packages.
	loaded map[string]bool
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
const mostEdited = 30

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
			changed += max(len(e.text), e.to-e.from)
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
	want  []firstLine
}

// alone is a module with the edits of the case only.
func (m *mistaken) alone() pair {
	p := pair{a: m, b: &mistaken{}, files: maps.Clone(m.base.files)}
	for file, edits := range m.edits {
		var old []string
		if text, ok := m.base.files[file]; ok {
			old = strings.SplitAfter(text, "\n")
		}
		p.files[file] = strings.Join(applied(old, edits), "")
	}
	return p
}

// mostExcluded is the share of pairs, in percent, that one rule may exclude, and
// mostDiffering that of the pairs tried whose mistakes still change each other's
// lines.
const mostExcluded, mostDiffering = 50, 100

// combine puts two cases together, or says by which rule they are excluded.
func combine(a, b *mistaken) (p pair, excluded string) {
	p = pair{a: a, b: b, files: maps.Clone(a.base.files)}
	if !a.reads(b) || !b.reads(a) {
		return p, "with the one, the file of the other is not read"
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
			p.want = append(p.want, moved)
		}
	}
	if p.contains() {
		return p, "one is in the field that the other takes away"
	}
	return p, ""
}

// got are the first lines of the problems of the pair, and the files of the
// packages that were loaded.
func (p pair) got(t *testing.T) (got []firstLine, loaded map[string]bool) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range p.files {
		writeFile(t, filepath.Join(root, name), []byte(text))
	}
	in := compiler.Input{Sets: slices.Concat(p.a.sets, p.b.sets), Artifacts: true}
	in.Dir = filepath.Join(root, "deploy")
	r, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	loaded = map[string]bool{}
	if r.Program != nil {
		for _, pkg := range r.Program.Packages {
			for _, f := range pkg.Files {
				loaded[strings.TrimPrefix(f.Filename, root+string(filepath.Separator))] = true
			}
		}
	}
	return firstLines(text(problems, root)), loaded
}

// reads reports whether the files that the other's mistakes are in are loaded where
// only m's edits are made.
func (m *mistaken) reads(other *mistaken) bool {
	for _, line := range other.lines {
		if m.base.loaded[line.file] && !m.loaded[line.file] {
			return false
		}
	}
	return true
}

// contains reports whether one of the mistakes is in a field that another is about
// which says that there is no such field.
func (p pair) contains() bool {
	for _, line := range p.want {
		if !strings.Contains(line.text, "is not a field of") {
			continue
		}
		f, err := parser.ParseFile(line.file, p.files[line.file])
		if err != nil {
			continue
		}
		found := false
		ast.Walk(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if ok && field.Pos().Line() == line.line && field.Pos().Column() == line.col {
				found = found || slices.ContainsFunc(p.want, func(other firstLine) bool {
					return other.file == line.file && other != line && (other.line > line.line || other.line == line.line && other.col > line.col) &&
						(other.line < field.End().Line() || other.line == field.End().Line() && other.col < field.End().Column())
				})
			}
			return true
		}, nil)
		if found {
			return true
		}
	}
	return false
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
		var none []firstLine
		none, b.loaded = pair{a: &mistaken{}, b: &mistaken{}, files: b.files}.got(t)
		require.Empty(t, none, "a base has no mistake")
		for _, m := range b.cases {
			_, m.loaded = m.alone().got(t)
		}
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
			if (compiler.Slower > 1 || golden.Update()) && n%50 != 0 {
				continue // where tests take long, or are there to rewrite files, one of fifty is enough
			}
			t.Run(p.a.name+"+"+p.b.name, func(t *testing.T) {
				t.Parallel()
				got, _ := p.got(t)
				mu.Lock()
				defer mu.Unlock()
				compiled++
				if apart, together := without(p.want, got), without(got, p.want); len(apart)+len(together) > 0 {
					differing++
					t.Logf("only apart:\n%s\nonly together:\n%s", strings.Join(apart, "\n"), strings.Join(together, "\n"))
				}
			})
		}
	})
	t.Logf("%d of %d pairs say something else than their cases", differing, compiled)
	require.LessOrEqual(t, 100*differing, mostDiffering*compiled)
}

// without are the lines of a that are at no place, or of no code, of one of b.
func without(a, b []firstLine) (out []string) {
	for _, line := range a {
		if !slices.ContainsFunc(b, func(other firstLine) bool { return line.mistake() == other.mistake() }) {
			out = append(out, line.String())
		}
	}
	return out
}
