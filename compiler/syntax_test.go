package compiler

import (
	"testing"

	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
)

// TestLoadMendedSyntax shows which mistakes of syntax are mended, and what is said.
func TestLoadMendedSyntax(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, mended, message string }{
		{"a comment", "a: 1\n# a comment: b\nb: 2\n", "a: 1\n//a comment: b\nb: 2\n", "a comment begins with //, not with #"},
		{"a comment before the package", "# x\npackage a\n", "//x\npackage a\n", "a comment begins with //, not with #"},
		{"a comment without a space", "a: 1\n#comment it is\nb: 2\n", "a: 1\n//omment it is\nb: 2\n", "a comment begins with //, not with #"},
		{"a sign alone", "a: 1\n# \n#\nb: 2 3\n", "", ""},
		{"a definition is none", "#a: 1\n#b: #a & 1 2\n", "", ""},
		{"an equals sign", "a: {\n\tb = \"x\"\n}\n", "a: {\n\tb : \"x\"\n}\n", "a field has a colon in place of the =: write b: …"},
		{"an equals sign in a text", "a: \"b = c\" 2\n", "", ""},
		{"an equals sign before a comment", "a = 1 // why\n\nb: 2\n", "a : 1 // why\n\nb: 2\n", "a field has a colon in place of the =: write a: …"},
		{"an alias is none", "x=a: 1\nb: x 2\n", "", ""},
		{"a number sign in a text of several lines", "a: \"\"\"\n\t# no comment\n\t\"\"\"\nb: 1 2\n", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, got, problems, err := parseMended("x.cue", []byte(test.text))
			if test.mended == "" {
				require.Error(t, err)
				require.Empty(t, problems)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.mended, string(got))
			require.Len(t, problems, 1)
			require.Equal(t, test.message, problems[0].Message)
		})
	}
}

// TestUnclosed shows which brace is said to be open.
func TestUnclosed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"at the end", "a: {\n\tb: 1\n", "x.cue:1:4: this brace is not closed: a } is missing, probably at the end of the file"},
		{"within", "a: {\n\tb: {\n\t\tc: 1\n\td: {\n\t\te: 1\n\t}\n}\n", "x.cue:2:5: this brace is not closed: a } is missing, probably before the one in line 7, which is further out"},
		{"none", "a: 1\n", ""},
		{"more that close", "a: 1\n}\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := unclosed("x.cue", []byte(test.text))
			if test.want == "" {
				require.Nil(t, d)
				return
			}
			require.Equal(t, test.want, d.Pos.String()+": "+d.Message)
		})
	}
}

// TestYAML shows where documents and tabs are found in values.
func TestYAML(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text   string
		second, tabs int
	}{
		{"plain", "a:\n  b: 1\n", -1, -1},
		{"one behind a separator", "---\na: 1\n", -1, -1},
		{"one before a separator", "a: 1\n---\n", -1, -1},
		{"two", "a: 1\n---\nb: 2\n", 5, -1},
		{"two, each behind a separator", "---\na: 1\n--- # next\nb: 2\n", 9, -1},
		{"two on the lines of separators", "--- {a: 1}\n--- {b: 2}\n", 11, -1},
		{"comments are no document", "# x\n---\n# y\na: 1\n", -1, -1},
		{"tab", "a:\n\tb: 1\n", -1, 3},
		{"tab behind spaces", "a:\n  \tb: 1\n", -1, 5},
		{"tab in a line with nothing", "a: 1\n\t\nb: 2\n", -1, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.second, secondDocument([]byte(test.text)))
			require.Equal(t, test.tabs, tabIndent([]byte(test.text)))
		})
	}
}

// FuzzLoadMendedSyntax shows that what is mended keeps its length, so that places in
// it are those of the file, and that nothing is touched that can be parsed.
func FuzzLoadMendedSyntax(f *testing.F) {
	for _, text := range golden.Sources(f, "../testdata/errors/*syntax*.txtar") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, got, problems, err := parseMended("x.cue", []byte(text))
		require.Len(t, got, len(text))
		if _, plain := parser.ParseFile("x.cue", []byte(text)); plain == nil {
			require.NoError(t, err)
			require.Empty(t, problems)
			require.Equal(t, text, string(got))
		}
		_ = unclosed("x.cue", []byte(text))
		_, _ = tabIndent([]byte(text)), secondDocument([]byte(text))
	})
}
