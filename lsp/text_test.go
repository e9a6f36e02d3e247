package lsp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

// TestPositions: a position of UTF-16 leads back to the offset that it is of.
func TestPositions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.SliceOf(rapid.SampledFrom([]rune("ab\né🙂{\"\r"))).Draw(t, "text")
		text := string(runes)
		l := newLines([]byte(text))
		for i := range text {
			if got := l.offset(l.position(i)); got != i {
				t.Fatalf("%q: offset %d is %v, which is %d", text, i, l.position(i), got)
			}
		}
	})
	l := newLines([]byte("a🙂b\nc"))
	require.Equal(t, position{0, 3}, l.position(5), "an emoji has two units")
	require.Equal(t, 6, l.offset(position{0, 99}), "beyond the line's end is its end")
	require.Equal(t, 8, l.offset(position{9, 0}))
	require.Equal(t, "axb\nc", string(l.change(contentChange{Range: &textRange{position{0, 1}, position{0, 3}}, Text: "x"}).text))
}

func TestURIs(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"/a/b.cue", "/with space/ü#?.cue", "/100%/x.cue"} {
		require.Equal(t, file, fileOf(uriOf(file)))
	}
	for _, uri := range []string{"untitled:1", "http://x/y.cue", "%", ""} {
		require.Empty(t, fileOf(uri))
	}
}

func TestMovedLines(t *testing.T) {
	t.Parallel()
	m := movedLines(newLines([]byte("a\nb\nc\nd\ne")), newLines([]byte("x\na\nb\nC\nd\ne\ny")))
	if diff := cmp.Diff(moved{0: 1, 1: 2, 3: 4, 4: 5}, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string // | is the cursor
		path       []string
		value      bool
		word       string
	}{
		{"top", "|", nil, false, ""},
		{"word", "a: {\n  par|am", []string{"a"}, false, "param"},
		{"short form", "a: b: c|", []string{"a", "b"}, true, "c"},
		{"after a value", "a: {b: 1, |", []string{"a"}, false, ""},
		{"closed", "a: {b: {c: 1}\n|", []string{"a"}, false, ""},
		{"quoted", "a: \"b c\": {|", []string{"a", "b c"}, false, ""},
		{"in a string", "a: b: \"x|", []string{"a", "b"}, true, "\"x"},
		{"in a whole string", "a: \"x|y\"", []string{"a"}, true, "\"xy\""},
		{"unified", "#A: k.#B & {\n c: |", []string{"#A", "c"}, true, ""},
		{"optional", "a?: b!: {|", []string{"a", "b"}, false, ""},
		{"in a list", "a: [{x: 1}, {y: 2}]\nb: |", []string{"b"}, true, ""},
		{"too many braces", "}}\na: {|", []string{"a"}, false, ""},
		{"string not closed", "a: \"b\nc: {|", []string{"c"}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i := range tt.text {
				if tt.text[i] != '|' {
					continue
				}
				text := tt.text[:i] + tt.text[i+1:]
				at := cursorAt([]byte(text), i)
				require.Empty(t, cmp.Diff(append([]string{}, tt.path...), at.path))
				require.Equal(t, tt.value, at.value)
				require.Equal(t, tt.word, text[at.start:at.end])
			}
		})
	}
}

// TestCursorAnywhere: whatever the text is, the cursor is in its word.
func TestCursorAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", ": ", "{", "}", "\"", "\\(", ")", "[", "]", "\n", "é", "#\"", "\"\"\"", "//", "'", "@x("})).Draw(t, "text")
		text := strings.Join(pieces, "")
		offset := rapid.IntRange(0, len(text)).Draw(t, "offset")
		at := cursorAt([]byte(text), offset)
		if at.start < 0 || at.start > offset || offset > at.end || at.end > len(text) {
			t.Fatalf("%q at %d: %v", text, offset, at)
		}
	})
}
