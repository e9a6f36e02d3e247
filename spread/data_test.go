package spread

import (
	"encoding/json"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
	"kumiki.dev/value"
)

// genData draws data of every kind.
func genData(depth int) *rapid.Generator[*value.Data] {
	return rapid.Custom(func(t *rapid.T) *value.Data {
		kinds := []value.Kind{value.Null, value.Bool, value.Int, value.Float, value.String}
		if depth > 0 {
			kinds = append(kinds, value.List, value.Struct)
		}
		d := &value.Data{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch d.Kind {
		case value.Null:
			d.Text = "null"
		case value.Bool:
			d.Text = rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
		case value.Int:
			d.Text = rapid.StringMatching(`0|-?[1-9][0-9]{0,30}`).Draw(t, "int")
		case value.Float:
			d.Text = rapid.StringMatching(`-?(0|[1-9][0-9]{0,5})\.[0-9]{1,5}`).Draw(t, "float")
		case value.String:
			d.Text = rapid.String().Draw(t, "string")
		case value.List:
			d.Items = rapid.SliceOfN(genData(depth-1), 0, 3).Draw(t, "items")
		case value.Struct:
			// CUE brings the names of fields (not strings) into Unicode's normal form C.
			fields := rapid.MapOfN(rapid.StringMatching(`[a-zA-Z0-9_ ."/ü-]{0,8}`), genData(depth-1), 0, 3).Draw(t, "fields")
			for name, x := range fields {
				d.Fields = append(d.Fields, value.Field{Name: name, Value: x})
			}
			d = value.NewStruct(d.Pos, d.Fields...)
		}
		return d
	})
}

// TestDataThroughCUE checks that data written as a CUE expression and finished
// again is the same data, and that its JSON is what it says.
func TestDataThroughCUE(t *testing.T) {
	ctx := cuecontext.New()
	rapid.Check(t, func(t *rapid.T) {
		d := genData(3).Draw(t, "data")
		got, problems := Finish(ctx.BuildExpr(Expr(d)))
		require.Empty(t, problems)
		require.True(t, json.Valid(d.AppendJSON(nil)), "%s", d.JSON())
		if diff := cmp.Diff(normal(t, d.JSON()), normal(t, got.JSON())); diff != "" {
			t.Fatalf("(-data +through CUE):\n%s", diff)
		}
	})
}

// normal compares numbers by value: CUE writes 1.50 as it was given, or not.
func normal(t require.TestingT, text string) any {
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return v
}

// TestDataKeepsPositions checks that a conflict with filled data is reported at
// the place where the data was written.
func TestDataKeepsPositions(t *testing.T) {
	ctx := cuecontext.New()
	given, problems := Finish(ctx.CompileString("a: {b: [1, \"x\"]}", cue.Filename("given.cue")))
	require.Empty(t, problems)
	schema := ctx.CompileString("a: b: [int, int]", cue.Filename("schema.cue"))
	err := schema.FillPath(cue.Path{}, Expr(given)).Validate()
	require.Error(t, err)
	var files []string
	for _, p := range errors.Positions(err) {
		files = append(files, p.Filename())
	}
	require.Contains(t, files, "given.cue")
}

func TestDataMerge(t *testing.T) {
	ctx := cuecontext.New()
	read := func(src string) *value.Data {
		d, problems := Finish(ctx.CompileString(src))
		require.Empty(t, problems)
		return d
	}
	tests := []struct{ name, a, b, want string }{
		{"fields are joined", "a: 1", "b: 2", `{"a":1,"b":2}`},
		{"the later value wins", "a: {x: 1, y: 2}", "a: x: 3", `{"a":{"x":3,"y":2}}`},
		{"lists are replaced", "a: [1, 2]", "a: [3]", `{"a":[3]}`},
		{"a struct replaces a scalar", "a: 1", "a: b: 2", `{"a":{"b":2}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, read(tt.a).Merge(read(tt.b)).JSON())
		})
	}
	require.Nil(t, (*value.Data)(nil).Merge(nil))
}
