package report_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
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
	"kumiki.dev/environment"
	"kumiki.dev/load"
	"kumiki.dev/policy"
	"kumiki.dev/report"
	"kumiki.dev/solution"
)

// untold are the codes whose examples do not show them to this test, with the
// reason. What they consist of is compiled all the same.
var untold = map[string]string{
	"late/unfilled":   "it takes a target, and what runs there",
	"live/":           "it takes a cluster; the manifest itself is fine",
	"lost/":           "a target reports it; the manifest itself is fine",
	"plan/":           "it takes two versions to be found; the manifest itself is fine",
	"target/":         "a target reports it; the manifest itself is fine",
	"load/locked":     "it takes a registry",
	"test/":           "kumiki test reports it; its file is no part of the package",
	"memory":          "it takes two gigabytes",
	"internal":        "no manifest is known that does it, or we would mend it",
	"cancelled":       "it is the caller who does it",
	"spread/too-deep": "what contains itself is found to be a cycle first",
}

// TestEntries demands an entry for each constant, no other, and a form that
// can be read in a terminal.
func TestEntries(t *testing.T) {
	t.Parallel()
	require.Equal(t, constants(t), report.Codes(), "report/explain has a file a code of diag")
	for _, code := range report.Codes() {
		e, ok := report.Explain(code)
		require.True(t, ok)
		require.NotEmpty(t, e.Title, code)
		require.NotContains(t, e.Text, "```", "%s: a block is ```LANGUAGE wrong or ```LANGUAGE right", code)
		require.NotEmpty(t, e.Wrong, code)
		require.NotEmpty(t, e.Right, code)
		if n := len(regexp.MustCompile(`[.:](\s|$)`).FindAllString(e.Text, -1)); n < 2 || n > 9 {
			t.Errorf("%s: %d sentences", code, n)
		}
		for line := range strings.Lines(e.Title + "\n" + e.Text) {
			require.LessOrEqual(t, len([]rune(line)), 101, "%s: %s", code, line)
		}
	}
}

// constants are the codes that diag declares, sorted.
func constants(t *testing.T) []diag.Code {
	t.Helper()
	files, err := filepath.Glob("../diag/codes*.go")
	require.NoError(t, err)
	var out []diag.Code
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != "Code" {
				return true
			}
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, diag.Code(text))
			return true
		})
	}
	slices.Sort(out)
	return out
}

// TestExamples compiles every example: the wrong one has the problem that it
// is of, the right one has none at all.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, code := range report.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			e, _ := report.Explain(code)
			require.Empty(t, told(t, t.TempDir(), e.Right), "the right example")
			got := codesOf(told(t, t.TempDir(), e.Wrong))
			for prefix, reason := range untold {
				if strings.HasPrefix(string(code), prefix) {
					t.Skip(reason)
				}
			}
			require.Equal(t, []diag.Code{code}, got, "the wrong example")
		})
	}
}

func codesOf(problems diag.List) []diag.Code {
	var out []diag.Code
	for _, d := range problems {
		out = append(out, d.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// told is the problems of an example: its files beside those of the base, read
// as its command line says (kumiki vet deploy, if it has none), in dir. JSON is a
// solution file, YAML one of values.
func told(t *testing.T, dir string, examples []report.Example) diag.List {
	t.Helper()
	in := compiler.Input{Artifacts: true}
	in.Dir = "deploy"
	var lines []report.Example
	files := txtar.Parse([]byte(report.Base)).Files
	for _, x := range examples {
		switch x.Lang {
		case "json":
			return verified([]byte(x.Text))
		case "yaml":
			in.Values = append(in.Values, load.ValuesFile{Name: "values.yaml", Data: []byte(x.Text)})
		case "cue":
			files = append(files, split(x.Text)...)
		case "sh":
			lines = append(lines, x)
		}
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	if _, err := os.Stat(filepath.Join(dir, environment.Templates)); err == nil {
		tree := environment.Read(load.Input{}, dir, "")
		_, problems := tree.Place()
		return append(tree.Problems, problems...)
	}
	found := policies(dir, &in)
	for _, x := range lines {
		found = append(found, command(t, dir, x.Text, &in)...)
	}
	if found.HasErrors() {
		return found
	}
	in.Dir = filepath.Join(dir, in.Dir)
	for i, m := range in.Modules {
		in.Modules[i] = filepath.Join(dir, m)
	}
	_, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	for _, d := range problems {
		t.Logf("%s %s [%s]", strings.ReplaceAll(d.Pos.String(), dir+"/", ""), d.Message, d.Code)
	}
	return problems
}

// policies has the input checked by the policies of an example. It returns what is wrong
// with these.
func policies(dir string, in *compiler.Input) diag.List {
	place := filepath.Join(dir, policy.Directory)
	if _, err := os.Stat(place); err != nil {
		return nil
	}
	all, problems := policy.Load(load.Input{Dir: place})
	in.Check = all.For(nil).Solution
	return problems
}

func verified(data []byte) diag.List {
	_, problems := solution.Read(data, "solution.json")
	return problems
}

var fileName = regexp.MustCompile(`(?m)^// ([\w./-]+\.cue)\n`)

// split takes a block with lines "// FILE.cue" apart; what has none is the
// deployment's file.
func split(text string) []txtar.File {
	marks := fileName.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 {
		return []txtar.File{{Name: "deploy/deployment.cue", Data: []byte(text)}}
	}
	var out []txtar.File
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		out = append(out, txtar.File{Name: text[m[2]:m[3]], Data: []byte(text[m[1]:end])})
	}
	return out
}

// change does what a line does to the files before kumiki reads them.
func change(t *testing.T, dir string, words []string) {
	t.Helper()
	if len(words) == 0 {
		return
	}
	name := filepath.Join(dir, filepath.FromSlash(words[len(words)-1]))
	switch words[0] {
	case "rm":
		require.NoError(t, os.Remove(name))
	case "mkdir":
		require.NoError(t, os.Mkdir(name, 0o755))
	case "ln":
		require.NoError(t, os.Symlink(words[2], name))
	}
}

// command reads the flags of a kumiki command line, after what the lines before
// it do to the files. It returns what is wrong with the environment that it names.
func command(t *testing.T, dir, text string, in *compiler.Input) (problems diag.List) {
	t.Helper()
	for line := range strings.Lines(text) {
		words := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if len(words) < 2 || words[0] != "kumiki" {
			change(t, dir, words)
			continue
		}
		for i := 2; i < len(words); i++ {
			switch words[i] {
			case "--set":
				in.Sets = append(in.Sets, words[i+1])
			case "--package":
				in.Package = words[i+1]
			case "--modules":
				in.Modules = append(in.Modules, words[i+1])
			case "--with":
				in.With = compiler.NewOthers([]string{filepath.Join(dir, words[i+1])})
			case "--links":
				in.Links = append(in.Links, filepath.Join(dir, words[i+1]))
			case "--env":
				e, found := environment.Find(load.Input{Dir: filepath.Join(dir, environment.Directory)}, words[i+1])
				if problems = append(problems, found...); e != nil {
					in.Environment, in.Check = e.Config, e.Check
				}
			case ">":
			case "--strict":
				in.Strict = true
				continue
			case "--update", "tidy":
				continue
			default:
				in.Dir = words[i]
				continue
			}
			i++
		}
	}
	return problems
}
