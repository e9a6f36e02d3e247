package environment_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/environment"
)

// wavesIn are the waves of a file, as CUE has them.
func wavesIn(t *testing.T, text string) []map[string]any {
	t.Helper()
	v := cuecontext.New().CompileString(text)
	require.NoError(t, v.Err())
	data, err := v.LookupPath(cue.ParsePath("#Template.waves")).MarshalJSON()
	require.NoError(t, err)
	var out []map[string]any
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// TestPromotion edits files, of which CUE says what they have then: the second wave what the
// first has, and all else as it was. Lines are as they were, but for one.
func TestPromotion(t *testing.T) {
	t.Parallel()
	const head = "package template\n\n#Template: {\n\tname: \"x\"\n\t// What is deployed.\n\tartifact: \"a.b/c@v1.0.0\"\n"
	tests := []struct{ name, waves, path, line string }{
		{"replace", "waves: [{name: \"a\", artifact: \"a.b/c@v1.1.0\"}, {\n\t\tname: \"b\"\n\t\tartifact:   \"a.b/c@v1.0.0\" // proven\n\t}]", "", "\t\tartifact:   \"a.b/c@v1.1.0\" // proven"},
		{"add a line", "waves: [{\n\t\tname: \"a\"\n\t\tartifact: \"a.b/c@v1.1.0\"\n\t}, {\n\t\tname: \"b\" // all others\n\t\t// at night\n\t}]", "", "\t\tartifact: \"a.b/c@v1.1.0\""},
		{"add on the line", "waves: [{name: \"a\", artifact: \"a.b/c@v1.1.0\"}, {name: \"b\"}]", "", "\twaves: [{name: \"a\", artifact: \"a.b/c@v1.1.0\"}, {name: \"b\", artifact: \"a.b/c@v1.1.0\"}]"},
		{"a brace at the end", "waves: [{name: \"a\", artifact: \"a.b/c@v1.1.0\"}, {\n\t\tname: \"b\"}]", "", "\t\tartifact: \"a.b/c@v1.1.0\"}]"},
		{"in parts", "waves: [{name: \"a\"} , {name: \"b\"}]\n} & {", "", ""},
		{"a value", "waves: [{name: \"a\", config: parameter: {x: {y: [1, -2]}}}, {name: \"b\", config: {parameter: x: y: []}}]", "config.parameter.x.y", "\twaves: [{name: \"a\", config: parameter: {x: {y: [1, -2]}}}, {name: \"b\", config: {parameter: x: y: [1, -2]}}]"},
		{"a new value", "waves: [{name: \"a\", config: parameter: \"a-b\": \"é\"}, {\n\t\tname: \"b\"\n\t\tconfig: scale: hsize: 2\n\t}]", "config.parameter.a-b", "\t\tconfig: parameter: \"a-b\": \"é\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := head + "\t" + test.waves + "\n}\n"
			p := promotion(test.path)
			want := wavesIn(t, text)
			edited, err := p.Edit("x.cue", []byte(text))
			require.NoError(t, err)
			got := wavesIn(t, string(edited))
			if test.path == "" {
				want[1]["artifact"] = "a.b/c@v1.1.0"
				require.Equal(t, want, got)
			} else {
				parts := strings.Split(test.path, ".")
				require.Equal(t, at(want[0], parts), at(got[1], parts))
				require.Equal(t, want[0], got[0])
			}
			if test.line != "" {
				require.Contains(t, strings.Split(string(edited), "\n"), test.line)
			}
			before := strings.Split(text, "\n")
			for _, line := range strings.Split(string(edited), "\n") {
				if line != test.line && !strings.Contains(line, "name: \"b\"") {
					require.Contains(t, before, line)
				}
			}
		})
	}
}

// TestNotPromoted has files that are not edited, as nobody can say what else would change.
func TestNotPromoted(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, path, want string }{
		{"elsewhere", "#Template: {name: \"x\"}", "", "x.cue: the template does not have one list of waves in its own file; the file stays as it is: write artifact: \"a.b/c@v1.1.0\" into wave b yourself"},
		{"twice", "#Template: waves: []\n#Template: waves: []", "", "one list of waves"},
		{"made", "#Template: waves: [for n in [\"a\", \"b\"] {name: n}]", "", "x.cue:1:20: one of the waves is no struct that is written here, but an expression"},
		{"referred", "#Template: waves: _waves", "", "waves is no list that is written here, but an expression"},
		{"a wave", "_b: name: \"b\"\n#Template: waves: [{name: \"a\"}, _b]", "", "x.cue:2:33: one of the waves is no struct"},
		{"a name", "#Template: waves: [{name: \"a\"}, {name: \"\\(\"b\")\"}]", "", "no wave in the list has the name \"b\" as a text"},
		{"a version", "_v: \"1\"\n#Template: waves: [{name: \"a\"}, {name: \"b\", artifact: \"a.b/c@v1.0.\\(_v)\"}]", "", "x.cue:2:55: artifact is no text that is written here"},
		{"two", "#Template: waves: [{name: \"a\"}, {name: \"b\", artifact: \"c\", artifact: \"c\"}]", "", "wave b has two artifacts"},
		{"no value", "#Template: waves: [{name: \"a\"}, {name: \"b\"}]", "config.parameter.x", "wave a says nothing of config.parameter.x; the file stays as it is: write what wave a has at config.parameter.x into wave b yourself"},
		{"a reference", "#Template: waves: [{name: \"a\", config: parameter: x: _x}, {name: \"b\"}]", "config.parameter.x", "is no value that is written here"},
		{"over a reference", "#Template: waves: [{name: \"a\", config: parameter: x: 1}, {name: \"b\", config: parameter: x: _x}]", "config.parameter.x", "is no value that is written here"},
		{"syntax", "#Template: {", "", "expected"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := promotion(test.path).Edit("x.cue", []byte(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func promotion(path string) environment.Promotion {
	new := environment.Artifact{Text: "a.b/c@v1.1.0"}
	p := environment.Promotion{
		Template: &environment.Template{Name: "x", Artifact: environment.Artifact{Text: "a.b/c@v1.0.0"}},
		From:     &environment.Wave{Name: "a", Artifact: &new},
		To:       &environment.Wave{Name: "b"},
	}
	if path != "" {
		p.Paths = []string{path}
	}
	return p
}

func at(v any, path []string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}
