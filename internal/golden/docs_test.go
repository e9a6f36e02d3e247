package golden_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/internal/golden"
)

// block is a comment that names a section of a case, or a file with an output, and the code
// block below it: <!-- testdata/cases/x.txtar SECTION -->, <!-- testdata/cases/x/swarm.yaml -->.
var block = regexp.MustCompile("(?s)(<!-- (testdata/\\S+)((?: \\S+)*) -->\n```\\w*\n)(.*?)(```)")

// TestDocs keeps the code blocks of the documentation equal to the cases that
// they are taken from.
func TestDocs(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	pages, err := filepath.Glob("../../docs/howto/*.md")
	require.NoError(t, err)
	for _, file := range slices.Concat(files, pages, []string{"../../README.md"}) {
		old, err := os.ReadFile(file)
		require.NoError(t, err)
		got := block.ReplaceAllStringFunc(string(old), func(m string) string {
			parts := block.FindStringSubmatch(m)
			return parts[1] + section(t, filepath.Join("../..", parts[2]), strings.TrimSpace(parts[3])) + parts[5]
		})
		if got == string(old) {
			continue
		}
		if golden.Update() {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			continue
		}
		t.Errorf("%s differs from its cases (-file +cases):\n%s", file, cmp.Diff(string(old), got))
	}
}

// section is a section's text, or that of a file.
func section(t *testing.T, file, name string) string {
	t.Helper()
	if name == "" {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(data)
	}
	a, err := txtar.ParseFile(file)
	require.NoError(t, err)
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
	require.GreaterOrEqual(t, i, 0, "%s has no section %s", file, name)
	return string(a.Files[i].Data)
}
