package compiler_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/load"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
)

// comparedDoc shows what plain CUE and kumiki say of the same mistakes.
const comparedDoc = "../docs/errors-compared.md"

// TestCompared writes what plain CUE and kumiki say of the cases of
// testdata/compared into docs/errors-compared.md, and compares it.
func TestCompared(t *testing.T) {
	var mu sync.Mutex
	cases := map[string]compared{}
	t.Run("cases", func(t *testing.T) {
		golden.Each(t, "../testdata/compared/*.txtar", func(t *testing.T, c *golden.Case) {
			got := compared{
				title:    c.Setting("title"),
				mistakes: c.Setting("mistakes"),
				text:     c.Setting("text"),
				cue:      plainCUE(filepath.Join(c.Root, "cue")),
			}
			_, problems := compiler.Run(context.Background(), inputOf(c), compiler.ExtractStage)
			for _, p := range problems {
				got.problems++
				got.related += len(p.Related)
			}
			got.kumiki = text(problems, filepath.Join(c.Root, "kumiki"))
			mu.Lock()
			defer mu.Unlock()
			cases[filepath.Base(t.Name())] = got
		})
	})
	files, err := filepath.Glob("../testdata/compared/*.txtar")
	require.NoError(t, err)
	require.Len(t, cases, len(files), "the page shows all cases: run the test without a filter")
	got := document(cases)
	if golden.Update() {
		require.NoError(t, os.WriteFile(comparedDoc, got, 0o644))
	}
	want, err := os.ReadFile(comparedDoc)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date: run UPDATE_GOLDEN=1 go test ./compiler -run TestCompared (-want +got):\n%s", comparedDoc, diff)
	}
}

// compared is what the two say of one case.
type compared struct {
	title, text, mistakes string
	cue, kumiki           string
	problems, related     int
}

// plainCUE checks the package in dir as `cue vet -c` does, and returns what
// that prints.
func plainCUE(dir string) string {
	var b bytes.Buffer
	i := load.Instances([]string{"."}, &load.Config{Dir: dir, Env: []string{}})[0]
	err := error(i.Err)
	if i.Err == nil {
		v := cuecontext.New().BuildInstance(i)
		err = v.Validate(cue.Attributes(true), cue.Optional(true), cue.Definitions(true), cue.Hidden(true), cue.Concrete(true))
	}
	if err != nil {
		errors.Print(&b, err, &errors.Config{Cwd: dir, ToSlash: true})
	}
	return b.String()
}

// document lays the cases out, in the order of their names.
func document(cases map[string]compared) []byte {
	var b bytes.Buffer
	b.WriteString(`# Errors compared

The same mistakes, written in plain CUE and as a Kumori manifest. The first text of each case is what ` + "`cue vet -c`" + ` prints, the
second what ` + "`kumiki vet`" + ` prints. The sources are in [` + "`testdata/compared`" + `](../testdata/compared); this page is made from them by
a test (` + "`UPDATE_GOLDEN=1 go test ./compiler -run TestCompared`" + `), so what it shows is what the tools say today.

Kumiki's indented lines show further places of the same problem.

| case | mistakes | plain CUE: lines | kumiki: problems | with further places |
|---|--:|--:|--:|--:|
`)
	names := slices.Sorted(maps.Keys(cases))
	for _, name := range names {
		c := cases[name]
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %d | %d | %d |\n", c.title, anchor(c.title), c.mistakes, countLines(c.cue), c.problems, c.problems+c.related)
	}
	for _, name := range names {
		c := cases[name]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n([source](../testdata/compared/%s.txtar))\n", c.title, c.text, name)
		block(&b, "Plain CUE", c.cue)
		block(&b, "Kumiki", c.kumiki)
	}
	return b.Bytes()
}

func block(b *bytes.Buffer, who, text string) {
	if text == "" {
		fmt.Fprintf(b, "\n%s says nothing.\n", who)
		return
	}
	n := countLines(text)
	fmt.Fprintf(b, "\n%s, %d %s:\n\n```\n%s\n```\n", who, n, map[bool]string{true: "line", false: "lines"}[n == 1], strings.TrimRight(text, "\n"))
}

// countLines counts those that are not empty.
func countLines(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// anchor is what a title is called in a link.
func anchor(title string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if strings.ContainsRune(",'.;:", r) {
			return -1
		}
		return r
	}, strings.ToLower(title)), " ", "-")
}
