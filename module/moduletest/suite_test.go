package moduletest

import (
	"encoding/json"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

// TestFacts checks one fact against one solution each.
func TestFacts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, fact, got string
		want            []string
	}{
		{"nothing said", `{}`, `{a: 1}`, nil},
		{"equal", `{a: 1}`, `{a: 1, b: 2}`, nil},
		{"a bound", `{a: >2}`, `{a: 2}`, []string{"a: expected >2, found 2"}},
		{"absent", `{a: b: 1}`, `{a: {c: 1}}`, []string{"a.b: expected 1, found no such field in the solution; there are c"}},
		{"optional and absent", `{a?: 1}`, `{b: 1}`, nil},
		{"optional and wrong", `{a?: 1}`, `{a: 2}`, []string{"a: expected 1, found 2"}},
		{"two mistakes", `{a: 1, b: 2}`, `{a: 2, b: 1}`, []string{"a: expected 1, found 2", "b: expected 2, found 1"}},
		{"a pattern", `{[string]: >1}`, `{a: 2, b: 1}`, []string{": b: invalid value 1 (out of bound >1)"}},
		{"closed", `close({a: 1})`, `{a: 1, b: 1}`, []string{": b: field not allowed"}},
		{"null", `{a: null}`, `{a: null}`, nil},
		{"a list", `{a: [...>1]}`, `{a: [2, 1]}`, []string{"a: expected [...>1], found [2, 1]"}},
		{"a struct for a scalar", `{a: {b: 1}}`, `{a: 1}`, []string{"a: expected { b: 1 }, found 1"}},
		{"a default is no fact", `{a: *1 | int}`, `{a: 2}`, nil},
		{"a name with a dot", `{"a.b": 1}`, `{"a.b": 2}`, []string{"a.b: expected 1, found 2"}},
		{"any", `{a: _}`, `{a: {b: 1}}`, nil},
		{"must be absent", `{a?: _|_}`, `{a: 1}`, []string{"a: expected _|_ // explicit error (_|_ literal) in source, found 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := cuecontext.New()
			var got []string
			for _, d := range checkFact(nil, ctx.CompileString(tt.fact), ctx.CompileString(tt.got)) {
				got = append(got, d.Message)
			}
			require.Empty(t, cmp.Diff(tt.want, got))
		})
	}
}

// drawn draws a JSON value.
func drawn() *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 3), func(n int) any { return float64(n) }),
		rapid.Map(rapid.StringMatching(`[ab]?`), func(s string) any { return s }),
		rapid.Just[any](nil),
	)
	key := rapid.SampledFrom([]string{"a", "b", "c"})
	deep := rapid.Deferred(func() *rapid.Generator[any] { return drawn() })
	return rapid.OneOf(leaf, leaf,
		rapid.Map(rapid.MapOfN(key, deep, 0, 3), func(m map[string]any) any { return m }),
		rapid.Map(rapid.SliceOfN(deep, 0, 2), func(l []any) any { return l }),
	)
}

// TestDifferences: two values differ exactly where a difference is listed, and
// as often one way as the other.
func TestDifferences(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn().Draw(t, "a"), drawn().Draw(t, "b")
		x, err := json.Marshal(a)
		require.NoError(t, err)
		y, err := json.Marshal(b)
		require.NoError(t, err)
		found := compareValues(nil, a, b)
		require.Equal(t, string(x) == string(y), len(found) == 0, "%s %s: %v", x, y, found)
		require.Len(t, compareValues(nil, b, a), len(found))
	})
}
