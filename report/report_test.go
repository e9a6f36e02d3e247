package report_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/golden"
	"kumiki.dev/report"
)

// file is a source with what makes places hard: tabs, wide characters, a mark,
// a character that steers terminals, a long line.
var file = "package deployment\n" +
	"x: {\n" +
	"\t\"名前\": \"é\", regoin: \"eu\"\n" +
	"\ty: \"\"\"\n\t\ttwo\n\t\tlines\n\t\t\"\"\"\n" +
	"\tz: a.b.#C + >=10 + \"\\(x) y\"\n" +
	"\tlong: \"" + strings.Repeat("長い", 40) + "e\u0301\x1b[31m\u202e\", port: 80, k: \"" + strings.Repeat("x", 99) + "\"\n" +
	"}\n"

// places returns a function that gives the position of the nth occurrence of a
// text in file, whose name is absolute.
func places(dir string) func(text string) diag.Pos {
	f := diag.NewFile(filepath.Join(dir, "deploy", "a b.cue"), []byte(file))
	return func(text string) diag.Pos {
		at := strings.Index(file, text)
		if at < 0 {
			panic(text)
		}
		return f.Pos(at)
	}
}

// problems has one of each kind that the forms treat in their own way.
func problems(dir string) diag.List {
	at := places(dir)
	set := diag.NewFile("--set a,b=1%", nil).Pos(0)
	typo := diag.New(diag.Undeclared, at("regoin"), "regoin is <not> a field: 100%%, sure").AtPath("config", "parameter", "regoin").
		With(at("package"), "declared here").With(set, "and given here")
	typo.Fixes = []diag.Fix{{Title: "rename regoin to region", Edits: []diag.Edit{{Pos: at("regoin"), Len: 6, Text: "region"}}}}
	follows := diag.New(diag.Missing, at("y: "), "y is missing")
	follows.Consequences = diag.List{diag.New(diag.Hole, at("z: "), "z has no value")}
	typo.Consequences = diag.List{follows}
	warning := diag.Warn(diag.SecretInEnv, at("\"\"\"\n"), "looks like a secret").AtPath("env", "KEY")
	far := diag.New(diag.Conflict, at("port"), "\x1b[2Jport is 80")
	bug := diag.New(diag.Internal, diag.NoPos, "internal error in stage spread: nil")
	bug.Cause = errors.New("nil\nstack")
	return diag.List{bug, diag.New(diag.BadSet, set, "no path"), typo, warning, far}
}

func options(dir string) report.Options {
	return report.Options{Dir: dir, Version: "v1.2.3", Source: func(name string) []byte {
		if strings.HasSuffix(name, "a b.cue") {
			return []byte(file)
		}
		return nil
	}}
}

// TestForms compares what every form makes of the same problems with
// testdata/FORM.
func TestForms(t *testing.T) {
	t.Parallel()
	dir := filepath.FromSlash("/work/project")
	forms := map[string]func(io.Writer, diag.List, report.Options) error{
		"text.txt": report.Text, "json.json": report.JSON, "sarif.json": report.SARIF, "github.txt": report.GitHub,
		"all.txt": func(w io.Writer, l diag.List, o report.Options) error {
			o.All = true
			return report.Text(w, l, o)
		},
		"terminal.txt": func(w io.Writer, l diag.List, o report.Options) error {
			o.Terminal, o.All = true, true
			return report.Text(w, l, o)
		},
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			require.NoError(t, form(&b, problems(dir), options(dir)))
			got := strings.ReplaceAll(b.String(), "\x1b", "␛")
			golden := filepath.Join("testdata", name)
			compare(t, golden, got)
		})
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	if golden.Update() {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	d := func(s diag.Severity, follow ...*diag.Diagnostic) *diag.Diagnostic {
		return &diag.Diagnostic{Severity: s, Consequences: follow}
	}
	e, w := diag.Error, diag.Warning
	tests := []struct {
		name     string
		problems diag.List
		all      bool
		want     string
	}{
		{"nothing", nil, false, ""},
		{"one", diag.List{d(e)}, false, ""},
		{"one with a consequence", diag.List{d(e, d(e))}, false, "(1 consequence hidden, --all shows it)"},
		{"errors", diag.List{d(e), d(e)}, false, "2 errors"},
		{"both", diag.List{d(e), d(e), d(w)}, false, "2 errors, 1 warning"},
		{"warnings", diag.List{d(w), d(w)}, false, "2 warnings"},
		{"consequences of consequences", diag.List{d(e, d(e, d(e)), d(e)), d(w)}, false, "1 error, 1 warning (3 consequences hidden, --all shows them)"},
		{"shown", diag.List{d(e, d(e)), d(w)}, true, "1 error, 1 warning"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, report.Summary(tt.problems, report.Options{All: tt.all}))
		})
	}
}

// TestRealPlaces takes every case of testdata/errors: whatever the compiler
// reports, each form can say, and SARIF by the standard.
func TestRealPlaces(t *testing.T) {
	golden.Each(t, "../testdata/errors/*.txtar", func(t *testing.T, c *golden.Case) {
		in := compiler.Input{Artifacts: true, Sets: c.Settings["set"]}
		in.Dir, in.Package = c.Dir(), c.Setting("package")
		_, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
		o := report.Options{Dir: c.Root, All: true, Terminal: true, Source: func(name string) []byte {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil
			}
			return text
		}}
		var doc bytes.Buffer
		require.NoError(t, report.SARIF(&doc, found, o))
		valid(t, doc.Bytes())
		require.NotContains(t, doc.String(), "file:///", "a file of the case is below the source root")
		for _, form := range []func(io.Writer, diag.List, report.Options) error{report.Text, report.JSON, report.GitHub} {
			require.NoError(t, form(io.Discard, found, o))
		}
	})
}
