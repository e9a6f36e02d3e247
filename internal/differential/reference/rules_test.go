package reference

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestRules compares the codes in the list of docs/model.md with those that the
// reference refuses by.
func TestRules(t *testing.T) {
	text, err := os.ReadFile("../../../docs/model.md")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(text), "## Kumiki's own rules\n")
	list, _, _ = strings.Cut(list, "\n## ")
	var listed []string
	for _, m := range regexp.MustCompile("`([a-z]+/[a-z-]+)`\n").FindAllStringSubmatch(list+"\n", -1) {
		listed = append(listed, m[1])
	}
	known := map[string]bool{}
	for _, name := range sources(t) {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`"((?:spread|solution|values|reference)/[a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
			known[m[1]] = true
		}
	}
	var checked []string
	for code := range known {
		checked = append(checked, code)
	}
	slices.Sort(listed)
	slices.Sort(checked)
	require.Empty(t, cmp.Diff(listed, checked), "(-docs/model.md +reference)")
}

func sources(t *testing.T) (names []string) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			names = append(names, e.Name())
		}
	}
	return names
}
