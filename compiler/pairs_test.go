package compiler_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
)

// pairsTried is how many pairs are compiled.
const pairsTried = 2000

// pairsSeed says which: those of KUMIKI_PAIRS_SEED, 1 without.
func pairsSeed(t *testing.T) uint64 {
	text := os.Getenv("KUMIKI_PAIRS_SEED")
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, "KUMIKI_PAIRS_SEED is a number")
	return seed
}

// mistaken is a case of testdata/errors that is a base with a few edits.
type mistaken struct {
	name  string
	base  *base
	sets  []string
	edits map[string][]lineEdit // by file; one for all of a file that the base lacks
	lines []firstLine
	// places are all that the problems name.
	places []firstLine
	// loaded are the files of the packages that are loaded with these edits.
	loaded   map[string]bool
	deployed []string // what the deployment imports
}

// base is a module that many cases are edits of.
type base struct {
	files map[string]string
	cases []*mistaken
	// loaded are the files of its packages.
	loaded   map[string]bool
	deployed []string // what the deployment imports
}

// basesOf are the modules that at least ten cases with the same files are edits
// of: each file has the text that it has in most of them.
func basesOf(cases map[string]*golden.Case) []*base {
	texts := map[string][]map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		files := cases[name].Files()
		if cases[name].Setting("dir") != "deploy" {
			continue // a module of its own
		}
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
	m.places = places(string(c.Section("out/errors.txt")))
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
		p.files[file] = strings.Join(applied(m.base.linesOf(file), edits), "")
	}
	return p
}

// mostDiffering is how many of the pairs tried may say something else than their
// cases.
const mostDiffering = 0

// combine puts two cases together, or says by which rule they are excluded.
func combine(a, b *mistaken) (p pair, excluded string) {
	p = pair{a: a, b: b, files: maps.Clone(a.base.files)}
	for _, file := range slices.Concat(slices.Collect(maps.Keys(a.edits)), slices.Collect(maps.Keys(b.edits))) {
		edits, ok := together(a.edits[file], b.edits[file])
		if !ok {
			p.files = nil
			break
		}
		p.files[file] = strings.Join(applied(a.base.linesOf(file), edits), "")
	}
	p.want = p.expected()
	for _, e := range exclusions {
		if e.applies(p) {
			return p, e.rule
		}
	}
	return p, ""
}

// linesOf are the lines of a file, none if the base lacks it.
func (b *base) linesOf(file string) []string {
	text, ok := b.files[file]
	if !ok {
		return nil
	}
	return strings.SplitAfter(text, "\n")
}

// expected are the lines of both cases where they are in the pair, nil if one of them
// edits what the other is about.
func (p pair) expected() []firstLine {
	out := []firstLine{}
	for _, each := range [][2]*mistaken{{p.a, p.b}, {p.b, p.a}} {
		for _, line := range each[0].lines {
			moved, ok := line.beside(each[0].edits[line.file], each[1].edits[line.file])
			if !ok {
				return nil
			}
			out = append(out, moved)
		}
	}
	return out
}

// got are the first lines of the problems of the pair, and what was loaded.
func (p pair) got(t *testing.T) ([]firstLine, *load.Program) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range p.files {
		writeFile(t, filepath.Join(root, name), []byte(text))
	}
	in := compiler.Input{Sets: slices.Concat(p.a.sets, p.b.sets), Artifacts: true}
	in.Dir = filepath.Join(root, "deploy")
	r, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	return firstLines(text(problems, root)), r.Program
}

// readBy are the files of the packages of a program, from the root of its module, and
// what its deployment imports.
func readBy(p *load.Program) (files map[string]bool, deployed []string) {
	files = map[string]bool{}
	if p == nil {
		return files, nil
	}
	for _, pkg := range p.Packages {
		for _, f := range pkg.Files {
			files[strings.TrimPrefix(f.Filename, p.Dir+string(filepath.Separator))] = true
		}
	}
	for path, imp := range p.Root.Imports {
		if imp.Name != "kumori" && !imp.Missing {
			deployed = append(deployed, path)
		}
	}
	slices.Sort(deployed)
	return files, deployed
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
	if fewer {
		t.Skip("it has no concurrency of its own, and no expected output")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a third of the time, else
	bases, others := mistakenCases(t)
	var all []*mistaken
	for _, b := range bases {
		none, program := pair{a: &mistaken{}, b: &mistaken{}, files: b.files}.got(t)
		require.Empty(t, none, "a base has no mistake")
		b.loaded, b.deployed = readBy(program)
		for _, m := range b.cases {
			_, program := m.alone().got(t)
			m.loaded, m.deployed = readBy(program)
		}
		t.Logf("%d cases are edits of the base with %v", len(b.cases), slices.Sorted(maps.Keys(b.files)))
		all = append(all, b.cases...)
	}
	t.Logf("%d cases are modules of their own", others)
	require.GreaterOrEqual(t, len(all), 250)
	random := rand.New(rand.NewPCG(pairsSeed(t), 0))
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
	for _, e := range exclusions {
		t.Logf("%d of %d pairs excluded: %s", excluded[e.rule], drawn, e.rule)
		require.LessOrEqual(t, 100*float64(excluded[e.rule]), e.most*float64(drawn), e.rule)
	}
	tryPairs(t, tried)
}

// tryPairs compares what the pairs say with what their cases say.
func tryPairs(t *testing.T, tried []pair) {
	var mu sync.Mutex
	compiled, differing := 0, []string{}
	t.Run("pairs", func(t *testing.T) {
		for _, p := range tried {
			t.Run(p.a.name+"+"+p.b.name, func(t *testing.T) {
				t.Parallel()
				got, _ := p.got(t)
				mu.Lock()
				defer mu.Unlock()
				compiled++
				if apart, together := without(p.want, got), without(got, p.want); len(apart)+len(together) > 0 {
					differing = append(differing, fmt.Sprintf("%s: only apart:\n%s\nonly together:\n%s", t.Name(), strings.Join(apart, "\n"), strings.Join(together, "\n")))
				}
			})
		}
	})
	t.Logf("%d of %d pairs say something else than their cases:\n%s", len(differing), compiled, strings.Join(differing, "\n"))
	require.LessOrEqual(t, len(differing), mostDiffering)
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
