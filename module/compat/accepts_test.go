package compat

import (
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

// schema draws the text of a schema.
func schema() *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{
		"int", "number", "string", "bool", "null", "1", "2", "-1", `"a"`, `"v1"`, "true", "false", "uint8",
		">0", ">=0", "<2", "int & >=1", "int & <=1 & >=0", `=~"^v"`, "[...int]", "[...number]", "[int, ...]", "[]", "[1, ...int]",
		"{}", "{a: int}", "{a?: int}", "{a: *1 | int}", "{a: int, b?: string}", "{[string]: int}", "{a: 1, [string]: number}", "close({a: int})", "{a: b: int}",
	})
	return rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) string { return "(" + leaf.Draw(t, "x") + ") | (" + leaf.Draw(t, "y") + ")" }),
		rapid.Custom(func(t *rapid.T) string { return "*(" + leaf.Draw(t, "x") + ") | (" + leaf.Draw(t, "y") + ")" }),
		rapid.Custom(func(t *rapid.T) string { return "(" + leaf.Draw(t, "x") + ") & (" + leaf.Draw(t, "y") + ")" }),
	)
}

// TestAccepts has the cases in which a value is refused below alternatives,
// where there is no comparison to report it to.
func TestAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		old, now string
		want     bool
	}{
		{"{a: 1, [string]: number}", "int | {[string]: int}", false},
		{"{a: 1, [string]: int}", "int | {[string]: number}", true},
		{"{[string]: {[string]: number}}", "int | {[string]: {[string]: int}}", false},
		{"{[string]: {[string]: int}}", "int | {[string]: {[string]: number}}", true},
		{"{[string]: {a: number}}", "int | {[string]: {a: int}}", false},
		{"{[string]: {a: int}}", "int | {[string]: {a: int, b: int}}", false},
		{"{[string]: {a: int}}", "int | {[string]: {a: int, b?: int}}", true},
		{"{[string]: number}", "int | {a?: number}", false},
	}
	for _, tt := range tests {
		ctx := cuecontext.New()
		was, is := compiled(ctx, tt.old), compiled(ctx, tt.now)
		require.Equal(t, tt.want, accepts(is, was, 0), "%s to %s", tt.old, tt.now)
	}
}

// compiled is a schema as it is in an artifact, closed.
func compiled(ctx *cue.Context, text string) cue.Value {
	return ctx.CompileString("#S: x: " + text).LookupPath(cue.ParsePath("#S.x"))
}

var samples = []string{
	"0", "1", "2", "-1", "300", "0.5", `""`, `"a"`, `"v1"`, "true", "false", "null", "[]", "[1]", "[2]", "[0.5]", `["a"]`, "[1, 2]",
	"{}", "{a: 1}", "{a: 2}", `{a: "x"}`, "{b: 1}", `{a: 1, b: "x"}`, "{a: 1, b: 1}", "{a: 0.5}", "{a: {b: 1}}", "{c: 0.5}",
}

// TestAcceptsIsSound: whatever the old schema takes, the new one takes if it is
// said to accept it. Every schema accepts itself.
func TestAcceptsIsSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx := cuecontext.New()
		compile := func(label string) (string, cue.Value) {
			text := schema().Draw(t, label)
			v := compiled(ctx, text)
			if v.Err() != nil || v.Validate() != nil {
				t.Skip("empty")
			}
			return text, v
		}
		newText, a := compile("new")
		oldText, b := compile("old")
		require.True(t, accepts(a, a, 0), newText)
		if !accepts(a, b, 0) {
			return
		}
		for _, text := range samples {
			v := ctx.CompileString(text)
			require.False(t, takes(b, v) && !takes(a, v), "%s: %s took it, %s does not", text, oldText, newText)
		}
	})
}
