package golden_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// term is a row of the glossary.
var term = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|([^|]*)\|$`)

// TestGlossary: terms are in order and there once, each has one sentence, and none is a word
// that is not to be used.
func TestGlossary(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/glossary.md")
	require.NoError(t, err)
	all, not := map[string]bool{}, []string(nil)
	for _, part := range strings.Split(string(data), "\n## ")[1:] {
		var terms []string
		for _, row := range term.FindAllStringSubmatch(part, -1) {
			if row[1] == "term" {
				continue
			}
			require.False(t, all[row[1]], "%s is there twice", row[1])
			all[row[1]] = true
			terms = append(terms, row[1])
			require.Regexp(t, `^[A-Z].*\.$`, row[2])
			require.Equal(t, 1, strings.Count(row[2]+" ", ". "), "%s has more than one sentence", row[1])
			for word := range strings.SplitSeq(row[3], ",") {
				not = append(not, strings.TrimSpace(word))
			}
		}
		require.NotEmpty(t, terms)
		require.True(t, slices.IsSorted(terms), "%s", terms)
	}
	for _, word := range not {
		require.False(t, all[word], "%s is a term, and not to be used for another", word)
	}
}
