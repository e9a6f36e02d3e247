package solution

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsondata"
)

// FuzzRead reads anything; see [checkRead].
func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	for _, data := range solutions(f) {
		s := read(f, data)
		s.Digest = "" // or every change would end there
		for _, text := range [][]byte{data, written(f, s)} {
			var short bytes.Buffer // which is sooner read, and as good
			require.NoError(f, json.Compact(&short, text))
			f.Add(short.Bytes())
		}
	}
	for _, seed := range []string{
		"", "{}", "[", "null", "\ufeff{}", `{"top": "\ud800"}`, `{"cspec": "2.0", "x": [`,
		`{"deployments": {"a": {"config": {"resource": {"x": {"volume": {"size": 1e9, "unit": "G"}}, "y": {"z": {}}}}}}}`,
		`{"comment": 1, "comment": {"x": [{"x": 1, "x": "\u00e9"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, data) })
}

// checkRead reads anything: nothing makes it panic or hang, what is wrong is
// said in one line with a place, and what is right is written so that it is
// read as the same.
func checkRead(t require.TestingT, data []byte) {
	start := time.Now()
	s, problems := Read(data, "s.json")
	require.Less(t, time.Since(start), 5*time.Second)
	require.Equal(t, s == nil, problems.HasErrors())
	for _, d := range problems {
		require.Contains(t, []diag.Code{diag.BadSolution, diag.Invariant}, d.Code)
		require.True(t, d.Pos.IsValid(), d.Message)
		require.Equal(t, -1, strings.IndexFunc(d.Message, func(r rune) bool { return !unicode.IsPrint(r) }), d.Message)
	}
	if s == nil {
		return
	}
	require.Empty(t, Verify(s))
	first, err := s.Bytes()
	require.NoError(t, err)
	again, problems := Read(first, "s.json")
	require.Empty(t, problems)
	second, err := again.Bytes()
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
}

// TestReadChanged reads solutions in which a few values were replaced, taken
// away or moved to other places: unlike those of the fuzzer, all are JSON.
func TestReadChanged(t *testing.T) {
	t.Parallel()
	all := solutions(t)
	names := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(t *rapid.T) {
		x, err := jsondata.Decode(all[rapid.SampledFrom(names).Draw(t, "case")])
		require.NoError(t, err)
		delete(x.(map[string]any), "digest")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			change(t, x)
		}
		data, err := json.Marshal(x)
		require.NoError(t, err)
		checkRead(t, data)
	})
}

// change walks down to some member of x and changes it.
func change(t *rapid.T, x any) {
	parts := []any{nil, true, "", "self", "x.y", json.Number("-1"), json.Number("1e5"), map[string]any{}, []any{}, []any{json.Number("1")}}
	for parent := x; ; {
		parts = append(parts, parent)
		var child any
		var put func(any)
		switch p := parent.(type) {
		case map[string]any:
			if len(p) == 0 {
				return
			}
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(p))).Draw(t, "key")
			child = p[key]
			put = func(x any) { p[key] = x }
			if rapid.IntRange(0, 30).Draw(t, "what") == 0 {
				delete(p, key)
				return
			}
		case []any:
			if len(p) == 0 {
				return
			}
			i := rapid.IntRange(0, len(p)-1).Draw(t, "index")
			child = p[i]
			put = func(x any) { p[i] = x }
		default:
			return
		}
		_, isMap := child.(map[string]any)
		_, isList := child.([]any)
		if !isMap && !isList || rapid.IntRange(0, 15).Draw(t, "here") == 0 {
			put(clone(rapid.SampledFrom(parts).Draw(t, "part")))
			return
		}
		parent = child
	}
}

// clone copies plain data, so that none holds itself.
func clone(x any) any {
	switch x := x.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range x {
			out[key] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, value := range x {
			out[i] = clone(value)
		}
		return out
	default:
		return x
	}
}
