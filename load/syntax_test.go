package load

import (
	"strings"
	"testing"

	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
)

const hashed = "a comment begins with //, not with #"

// TestLoadMendedSyntax shows which mistakes of syntax are mended, and what is said.
func TestLoadMendedSyntax(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, mended, message string
		fix                         int // bytes that the fix is about
	}{
		{"a comment", "a: 1\n# a comment: b\nb: 2\n", "a: 1\n//a comment: b\nb: 2\n", hashed, 1},
		{"a comment before the package", "# x\npackage a\n", "//x\npackage a\n", hashed, 1},
		{"a comment without a space", "a: 1\n#comment it is\nb: 2\n", "a: 1\n//omment it is\nb: 2\n", hashed, 1},
		{"a sign alone", "a: 1\n# \n#\nb: 2 3\n", "", "", 0},
		{"a definition is none", "#a: 1\n#b: #a & 1 2\n", "", "", 0},
		{"an equals sign", "a: {\n\tb = \"x\"\n}\n", "a: {\n\tb : \"x\"\n}\n", "a field has a colon in place of the =: write b: …", 1},
		{"an equals sign in a text", "a: \"b = c\" 2\n", "", "", 0},
		{"an equals sign before a comment", "a = 1 // why\n\nb: 2\n", "a : 1 // why\n\nb: 2\n", "a field has a colon in place of the =: write a: …", 1},
		{"an alias is none", "x=a: 1\nb: x 2\n", "", "", 0},
		{name: "a sign alone in the first line", text: "#\npackage a\n", mended: " \npackage a\n", message: hashed, fix: 1},
		{name: "several signs", text: "a: 1\n## it is\n", mended: "a: 1\n// it is\n", message: hashed, fix: 2},
		{name: "behind a value", text: "a: \"x # y\" # why\n", mended: "a: \"x # y\" //why\n", message: hashed, fix: 1},
		{name: "behind single quotes and quoted ones", text: "a: '#\\' # \"' # why\n", mended: "a: '#\\' # \"' //why\n", message: hashed, fix: 1},
		{name: "a quoted name", text: "\"a b\" = 1\n", mended: "\"a b\" : 1\n", message: "a field has a colon in place of the =: write \"a b\": …", fix: 1},
		{name: "in one line", text: "x: {b = 1}\n", mended: "x: {b : 1}\n", message: "a field has a colon in place of the =: write b: …", fix: 1},
		{name: "a text that is not closed", text: "a: \"b # c\n", mended: "", message: ""},
		{name: "a comment in a comment", text: "a: 1 // # x\nb: 2 3 // c = 4\n", mended: "", message: ""},
		{name: "a slash alone", text: "a: 4/ # x\n\t2\n", mended: "a: 4/ //x\n\t2\n", message: hashed, fix: 1},
		{"a number sign in a text of several lines", "a: \"\"\"\n\t# no comment\n\t\"\"\"\nb: 1 2\n", "", "", 0},
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
			fix := problems[0].Fixes[0].Edits[0]
			require.Equal(t, problems[0].Pos, fix.Pos)
			require.Equal(t, test.fix, fix.Len)
			require.Equal(t, map[bool]string{true: "//", false: ":"}[test.message == hashed], fix.Text)
		})
	}
}

// TestLoadMendedOften: so many mistakes are mended and no more, and what is still
// wrong is told beside them, but not what a mended text makes worse.
func TestLoadMendedOften(t *testing.T) {
	t.Parallel()
	_, _, problems, err := parseMended("x.cue", []byte(strings.Repeat("a = 1\n", maxMended)))
	require.NoError(t, err)
	require.Len(t, problems, maxMended)
	_, _, problems, err = parseMended("x.cue", []byte(strings.Repeat("a = 1\n", maxMended+1)))
	require.Error(t, err)
	require.Len(t, problems, maxMended)
	require.Equal(t, maxMended+1, firstOf(err).Line())
	for text, want := range map[string]int{"a = 1\nb: ]\n": 1, "a = 1 ]\n": 0, "a: ]\nb = 1\n": 0, "a: 1\nb = 2\n\n\nc: 3\n]\n": 1, "a: 1\n# x\n\n\n2 3\n": 1} {
		_, got, problems, err := parseMended("x.cue", []byte(text))
		require.Error(t, err, text)
		require.Len(t, problems, want, text)
		require.Equal(t, want == 0, string(got) == text, text)
	}
}

// TestLoadUnclosed shows which brace is said to be open.
func TestLoadUnclosed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"at the end", "a: {\n\tb: 1\n", "x.cue:1:4: this brace is not closed: a } is missing, probably at the end of the file"},
		{"within", "a: {\n\tb: {\n\t\tc: 1\n\td: {\n\t\te: 1\n\t}\n}\n", "x.cue:2:5: this brace is not closed: a } is missing, probably before the one in line 7, which is further out"},
		{"none", "a: 1\n", ""},
		{"in one line", "a: {b: {c: 1}\n", "x.cue:1:4: this brace is not closed: a } is missing, probably at the end of the file"},
		{"the second line closes the first", "a: {\n  b: {\n}\n", "x.cue:2:6: this brace is not closed: a } is missing, probably before the one in line 3, which is further out"},
		{"tabs and spaces", "\ta: {\n\t  b: {\n\t}\n", "x.cue:2:7: this brace is not closed: a } is missing, probably before the one in line 3, which is further out"},
		{"as far out", "a: {\n\tb: {\n\t}\n", "x.cue:1:4: this brace is not closed: a } is missing, probably at the end of the file"},
		{"one line that closes further out", "\ta: {b: {}\n", "x.cue:1:5: this brace is not closed: a } is missing, probably at the end of the file"},
		{"in a text", "a: \"{\" // {\n", ""},
		{"a text that is not closed", "a: {\n\tb: \"\\(1\n", "x.cue:1:4: this brace is not closed: a } is missing, probably at the end of the file"},
		{"nothing", "", ""},
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
