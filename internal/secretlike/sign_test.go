package secretlike

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTokenSigns: whatever matches the forms of tokens has a sign in it.
func TestTokenSigns(t *testing.T) {
	t.Parallel()
	form, err := syntax.Parse(token().String(), syntax.Perl)
	require.NoError(t, err)
	all := shortestOf(form)
	require.Greater(t, len(all), 20)
	for _, text := range all {
		require.Equal(t, text, token().FindString(text))
		require.Contains(t, Find("X", text+" is it"), text) // a name by which nothing is one
	}
}

// TestWords: nothing is found inside of what is taken for a word.
func TestWords(t *testing.T) {
	t.Parallel()
	parts := []string{"pw", "key", "token", "pass", "=", ":", `"`, "'", "<", "</", ">", "-", "--", " ", "\t", "\n", "@", "://", "a", "Z9", "1", "bearer ", "/", ".", "LS0tLS1CRUdJTi", "_"}
	random, words, found := rand.New(rand.NewPCG(1, 1)), 0, 0
	for range 300_000 {
		text := ""
		for range 2 + random.IntN(7) {
			text += parts[random.IntN(len(parts))]
		}
		in := searched(text, []string{"db", "url"})
		if isWord(text) {
			words++
			require.Empty(t, in, "%q", text)
		} else if len(in) > 0 {
			found++
		}
	}
	require.Greater(t, words, 10_000)
	require.Greater(t, found, 1000)
}

// shortestOf are the shortest texts that match each way through an expression; of a class of
// many characters they have one.
func shortestOf(x *syntax.Regexp) []string {
	switch x.Op {
	case syntax.OpLiteral:
		return []string{string(x.Rune)}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i < len(x.Rune); i += 2 {
			for r := x.Rune[i]; r <= x.Rune[i+1] && len(out) <= 5; r++ {
				out = append(out, string(r))
			}
		}
		if len(out) > 5 {
			return []string{string(x.Rune[len(x.Rune)-1])}
		}
		return out
	case syntax.OpAlternate:
		var out []string
		for _, sub := range x.Sub {
			out = append(out, shortestOf(sub)...)
		}
		return out
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range x.Sub {
			var longer []string
			for _, before := range out {
				for _, after := range shortestOf(sub) {
					longer = append(longer, before+after)
				}
			}
			out = longer
		}
		return out
	case syntax.OpRepeat:
		return []string{strings.Repeat(shortestOf(x.Sub[0])[0], x.Min)}
	case syntax.OpPlus:
		return shortestOf(x.Sub[0])[:1]
	case syntax.OpCapture:
		return shortestOf(x.Sub[0])
	}
	return []string{""}
}

// TestStems checks that the name of a secret contains one of the stems, however it is written.
func TestStems(t *testing.T) {
	t.Parallel()
	words := append([]string{"api key", "passw", "pasw", "credential", "secret"}, endings...)
	for _, set := range []map[string]bool{secretWords, lastWords} {
		for word := range set {
			words = append(words, word)
		}
	}
	for _, word := range words {
		name := "DB_" + strings.ToUpper(strings.ReplaceAll(word, " ", "_"))
		require.True(t, isSecretName(wordsOf(name)), name)
		require.True(t, mayNameSecret("a text with "+name+" in it"), name)
		require.Contains(t, Find("X", name+"=hunter2"), "hunter2")
	}
}
