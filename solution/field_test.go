package solution_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"github.com/stretchr/testify/require"

	"kumiki.dev/solution"
)

// TestField looks for fields by paths, which are also read by CUE.
func TestField(t *testing.T) {
	t.Parallel()
	d := &solution.Deployment{Name: "shop", Meta: map[string]any{"a.b": map[string]any{"": "deep"}, "c-d": json.Number("1")}}
	for path, want := range map[string]any{
		"name":              "shop",
		`meta."a.b".""`:     "deep",
		`meta."c-d"`:        json.Number("1"),
		`"meta"."c-d"`:      json.Number("1"),
		`meta."c\u002dd"`:   json.Number("1"),
		`meta."a.b"`:        map[string]any{"": "deep"},
		"config.resilience": json.Number("0"),
	} {
		got, missing := d.Field(path)
		require.Empty(t, missing, path)
		require.Equal(t, want, got, path)
		if !strings.Contains(path, `""`) { // which CUE does not read
			require.NoError(t, cue.ParsePath(path).Err(), path)
		}
	}
	for path, want := range map[string]string{
		"nmae":            "nmae; did you mean name?",
		"meta.x":          "meta.x; there is a.b, c-d",
		"name.x":          "name.x",
		"":                `field "": it is no path`,
		"meta.":           `field "meta.": it is no path`,
		".meta":           `field ".meta": it is no path`,
		`meta."a`:         `field "meta.\"a": it is no path`,
		`meta."a"b`:       `field "meta.\"a\"b": it is no path`,
		"meta[0]":         `field "meta[0]": it is no path`,
		"config.reilence": "config.reilence; did you mean resilience?",
	} {
		_, missing := d.Field(path)
		require.Equal(t, want, missing, path)
	}
	for _, names := range [][]string{{"meta", "a.b"}, {"a"}, {`"`, "c-d", "ä\n"}} {
		path := solution.JoinField(names...)
		if !strings.ContainsAny(path, "-ä") { // CUE wants more in quotes than is needed here
			require.NoError(t, cue.ParsePath(path).Err(), path)
		}
	}
}
