package main

import (
	"bytes"
	"context"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
)

const tiny = "internal/mutants/testdata/tiny"

// tinyOptions are for a run on a package of its own.
func tinyOptions(t *testing.T, proofs string) options {
	t.Helper()
	name := filepath.Join(t.TempDir(), "proofs.txt")
	require.NoError(t, os.WriteFile(name, []byte(proofs), 0o600))
	return options{
		seed: 1, proofs: name, patience: time.Second, progress: t.Logf,
		patterns: []pattern{{files: tiny + "/*.go"}}, suites: []suite{{pkg: tiny, run: "Clamp"}, {pkg: tiny, run: "."}},
	}
}

func runTiny(t *testing.T, o options) (string, bool) {
	t.Helper()
	var out bytes.Buffer
	ok, err := run(context.Background(), "../..", o, &out)
	require.NoError(t, err)
	return regexp.MustCompile(`, \d+ s\.`).ReplaceAllString(out.String(), "."), ok
}

// compare compares with a file next to this, or makes the file say it.
func compare(t *testing.T, file, got string) {
	t.Helper()
	file = filepath.Join("testdata", file)
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestList compares the mutants that a small package has.
func TestList(t *testing.T) {
	t.Parallel()
	o := tinyOptions(t, "")
	o.list = true
	out, ok := runTiny(t, o)
	require.True(t, ok)
	compare(t, "list.txt", out)
}

// TestReport judges them all.
func TestReport(t *testing.T) {
	t.Parallel()
	out, ok := runTiny(t, tinyOptions(t, ""))
	require.False(t, ok, "some are not noticed")
	compare(t, "report.txt", out)
}

const (
	sameEnd   = "tiny.Clamp: n > most → n >= most\n\tWhere the two are equal, either is returned.\n"
	otherEnd  = "tiny.Clamp: n > most → n <= most\n\tThis is wrong.\n"
	absentEnd = "tiny.Clamp: n > least → n >= least\n\tThere is no such thing.\n"
)

// TestProofs checks what a proof does: its mutant is not drawn, and can be tried.
func TestProofs(t *testing.T) {
	t.Parallel()
	o := tinyOptions(t, sameEnd)
	o.only = "Clamp"
	out, ok := runTiny(t, o)
	require.True(t, ok, out)
	require.Contains(t, out, "Seed 1, 3 of 3 mutants.")
	o.proved = true
	out, ok = runTiny(t, o)
	require.True(t, ok, out)
	o = tinyOptions(t, sameEnd+otherEnd)
	o.proved = true
	out, ok = runTiny(t, o)
	require.False(t, ok, "a test notices what is proved to be no mutant:\n%s", out)
}

// TestSuites checks which tests are asked: none of those that a suite leaves out, or
// of a suite beyond the first ones that are wanted.
func TestSuites(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*options){
		"left out":      func(o *options) { o.suites[1].skip = "^TestCount$" },
		"another suite": func(o *options) { o.first = 1 },
		"another name":  func(o *options) { o.suites[1].run = "Sized" },
	} {
		o := tinyOptions(t, "")
		o.only = "n++"
		out, ok := runTiny(t, o)
		require.True(t, ok, out)
		change(&o)
		out, ok = runTiny(t, o)
		require.False(t, ok, name)
		require.Contains(t, out, "no test comes by here", name)
	}
}

// TestRefused checks what makes a run impossible.
func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, proofs, want string
		change             func(*options)
	}{
		{name: "a proof of what is not there", proofs: sameEnd + absentEnd, want: ":3: the sources have no such mutant any more: tiny.Clamp: n > least → n >= least"},
		{name: "a proof twice", proofs: sameEnd + sameEnd, want: ":3: this mutant is listed above already"},
		{name: "a proof without a reason", proofs: "x\ny\n\tz\n", want: ":1: a mutant without a reason"},
		{name: "a reason alone", proofs: "\tz\n", want: ":1: a reason without a mutant"},
		{name: "no file", change: func(o *options) { o.patterns = append(o.patterns, pattern{files: tiny + "/absent.go"}) }, want: "nothing is called " + tiny + "/absent.go"},
		{name: "no function", change: func(o *options) { o.patterns[0].funcs = []string{"Clamp", "absent"} }, want: "nothing is called " + tiny + "/*.go absent"},
		{name: "no mutant", change: func(o *options) { o.only = "absent" }, want: `there is no mutant with "absent"`},
		{name: "a test that fails by itself", change: func(o *options) { o.suites[0].env = []string{"TINY_FAILS=1"} }, want: "TestClamp fails without any mutant"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := tinyOptions(t, test.proofs)
			if test.change != nil {
				test.change(&o)
			}
			_, err := run(context.Background(), "../..", o, &bytes.Buffer{})
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestDraw checks that a draw takes from every file, is another one with another
// seed, and keeps what it had when a mutant comes or goes.
func TestDraw(t *testing.T) {
	t.Parallel()
	var all []*mutant
	for _, file := range []string{"a.go", "b.go", "c.go"} {
		s := &source{name: file}
		for _, from := range strings.Fields("p q r s t u v w x y z") {
			all = append(all, &mutant{src: s, fn: file, from: from, to: "true"})
		}
	}
	drawn := draw(all, 1, 7)
	count := map[string]int{}
	for _, m := range drawn {
		count[m.src.name]++
	}
	require.Equal(t, 7, count["a.go"]+count["b.go"]+count["c.go"])
	require.GreaterOrEqual(t, min(count["a.go"], count["b.go"], count["c.go"]), 2)
	require.NotEqual(t, drawn, draw(all, 2, 7))
	less := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return m == drawn[3] })
	require.Subset(t, draw(less, 1, 7), slices.Delete(slices.Clone(drawn), 3, 4))
	require.Len(t, draw(all, 1, 1000), len(all))
}

// TestTerminates compares what is said of the end of a function with what Go's own
// type checker says.
func TestTerminates(t *testing.T) {
	t.Parallel()
	bodies := []string{
		"", "return 1", "panic(1)", "println()", "{ return 1 }", "{ }",
		"if x { return 1 }", "if x { return 1 } else { return 2 }", "if x { return 1 } else { println() }", "if x { return 1 } else if y { return 2 }",
		"for { }", "for x { }", "for { break }", "for { for { break } }", "l: for { for { break l } }", "for { switch { case x: break } }", "l: for { switch { case x: break l } }",
		"for { _ = func() { for { break } } }", "for range 3 { return 1 }",
		"switch { case x: return 1 }", "switch { case x: return 1; default: return 2 }", "switch { case x: break; default: return 2 }", "switch { default: }",
		"switch { case x: fallthrough; default: return 2 }", "l: switch { default: for { break l } }", "switch { default: for { break } }", "switch { default: for y { break }; return 1 }",
		"switch any(x).(type) { case int: return 1; default: return 2 }", "switch any(x).(type) { case int: return 1 }",
		"select { }", "select { case <-c: return 1 }", "select { case <-c: break }", "select { case <-c: }", "l: goto l",
	}
	for _, body := range bodies {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", "package p; func f(x, y bool, c chan int) int { "+body+" }", 0)
		require.NoError(t, err, body)
		_, err = (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{f}, nil)
		if err != nil {
			require.ErrorContains(t, err, "missing return", body)
		}
		require.Equal(t, err == nil, terminates(f.Decls[0].(*ast.FuncDecl).Body, "", nil), body)
	}
}
