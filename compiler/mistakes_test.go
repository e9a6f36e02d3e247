package compiler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
	"kumiki.dev/report"
)

// The tools whose users make the mistakes in testdata/mistakes, with what is said of them.
var mistakesOf = [][2]string{
	{"hour", "Anybody, in the first hour"},
	{"kubernetes", "Who writes manifests of Kubernetes"},
	{"compose", "Who writes Compose files"},
	{"helm", "Who writes charts for Helm"},
	{"terraform", "Who writes Terraform"},
	{"cue", "Who is new to CUE, or to the model"},
}

// TestMistakes makes the mistakes of people who come from other tools, and compares what
// is said of them, one line each, and the table that lists all.
func TestMistakes(t *testing.T) {
	t.Parallel()
	base := read(t, "base.txtar")
	var page strings.Builder
	page.WriteString(mistakesHead)
	all := 0
	for _, of := range mistakesOf {
		archive := read(t, of[0]+".txtar")
		fmt.Fprintf(&page, "\n## %s\n\n| written | what kumiki says |\n|---|---|\n", of[1])
		for i := 0; i+1 < len(archive.Files); i += 2 {
			c, says := archive.Files[i], &archive.Files[i+1]
			require.Equal(t, "says", says.Name, c.Name)
			t.Run(of[0]+"/"+c.Name, func(t *testing.T) {
				got := saysOf(t, base, string(c.Data))
				if golden.Update() {
					says.Data = []byte(got)
				}
				require.Equal(t, string(says.Data), got)
				require.NotEmpty(t, got, "nobody is told")
			})
			all++
			line, _, _ := strings.Cut(string(says.Data), "\n")
			_, line, _ = strings.Cut(line, " ")
			fmt.Fprintf(&page, "| %s | %s |\n", cell(written(string(c.Data))), cell(line))
		}
		if golden.Update() {
			require.NoError(t, os.WriteFile(mistakesFile(of[0]+".txtar"), txtar.Format(archive), 0o644))
		}
	}
	require.GreaterOrEqual(t, all, 200)
	if golden.Update() {
		require.NoError(t, os.WriteFile("../docs/mistakes.md", []byte(page.String()), 0o644))
	}
	want, err := os.ReadFile("../docs/mistakes.md")
	require.NoError(t, err)
	require.Equal(t, string(want), page.String())
}

const mistakesHead = `# Mistakes, and what is said of them

Each is made in the module that ` + "`kumiki init`" + ` writes, and is a case in testdata/mistakes: this page is made of them. The first line is shown, without the place that it
begins with. [errors.md](errors.md) explains the codes in brackets.
`

func mistakesFile(name string) string {
	return filepath.Join("..", "testdata", "mistakes", name)
}

func read(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	text, err := os.ReadFile(mistakesFile(name))
	require.NoError(t, err)
	return txtar.Parse(text)
}

// mistake is a change of a file: texts that take the place of others.
type mistake struct {
	file  string
	edits [][2]string
}

// parseMistake reads the lines "file NAME", "- OLD", "+ NEW", several of each for texts
// of several lines.
func parseMistake(text string) (m mistake) {
	before := ""
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case kind == "file":
			m.file = rest
		case kind == "-" && before == "-":
			m.edits[len(m.edits)-1][0] += "\n" + rest
		case kind == "-":
			m.edits = append(m.edits, [2]string{rest})
		case kind == "+" && before == "+":
			m.edits[len(m.edits)-1][1] += "\n" + rest
		case kind == "+":
			m.edits[len(m.edits)-1][1] = rest
		}
		before = kind
	}
	return m
}

// saysOf is what is printed of the module with the mistake in it.
func saysOf(t *testing.T, base *txtar.Archive, text string) string {
	t.Helper()
	dir := t.TempDir()
	m := parseMistake(text)
	made := false
	for _, f := range base.Files {
		data := string(f.Data)
		if f.Name == m.file {
			for _, e := range m.edits {
				require.Contains(t, data, e[0])
				data = strings.Replace(data, e[0], e[1], 1)
			}
			made = true
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(data), 0o644))
	}
	require.True(t, made, m.file)
	in := compiler.Input{}
	in.Dir = filepath.Join(dir, "deploy")
	_, problems := compiler.Run(t.Context(), in, compiler.ExtractStage)
	var out strings.Builder
	require.NoError(t, report.Text(&out, problems, report.Options{Dir: dir}))
	return strings.ReplaceAll(out.String(), dir+string(os.PathSeparator), "")
}

// written is what somebody wrote, on a line.
func written(text string) string {
	var out []string
	for _, e := range parseMistake(text).edits {
		old := strings.Split(e[0], "\n")
		for line := range strings.SplitSeq(e[1], "\n") {
			if !slices.Contains(old, line) && strings.TrimSpace(line) != "" {
				out = append(out, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	if len(out) == 0 {
		return "nothing in place of `" + strings.Join(strings.Fields(parseMistake(text).edits[0][0]), " ") + "`"
	}
	return "`` " + strings.Join(out, " … ") + " ``"
}

// cell is a text in a table of Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
