package golden

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestUnread: what no test reads of a case is told.
func TestUnread(t *testing.T) {
	t.Parallel()
	shown := "-- out/spread.json --\n"
	tests := []struct {
		name, folder, text string
		want               []string
	}{
		{"nothing", "cases", "Text: as usual.\nset: a\nset: b\ndir: x\n-- x/d.cue --\n" + shown, nil},
		{"parts", "cases", "shows: graph.dot\n-- out/spread.json a 0 --\n-- out/swarm.losses.txt lost/env --\n", nil},
		{"a setting with a slip", "errors", "dri: x\n-- out/errors.txt --\n", []string{"setting dri"}},
		{"without a space", "errors", "dri:x\n", []string{"setting dri"}},
		{"a setting of another folder", "cases", "problems: 2\n" + shown, []string{"setting problems"}},
		{"twice", "errors", "dir: x\ndir: y\n", []string{"setting dir, 2 times"}},
		{"a section with a slip", "cases", "-- out/spread.jsn --\n", []string{"section out/spread.jsn"}},
		{"a part of what has none", "cases", "-- out/graph.dot a --\n", []string{"section out/graph.dot a"}},
		{"a part of errors", "errors", "-- out/errors.txt a/b --\n", []string{"section out/errors.txt a/b"}},
		{"a section of another folder", "errors", "-- out/solution.json --\n", []string{"section out/solution.json"}},
		{"a section again", "errors", "-- a.cue --\n-- out/errors.txt --\n-- a.cue --\n", []string{"section a.cue, again"}},
		{"an output that nobody makes", "cases", "shows: spread.jsn\n", []string{"output spread.jsn"}},
		{"an output again", "cases", "shows: spread.json spread.json\n", []string{"output spread.json, again"}},
		{"an output in two places", "cases", "shows: spread.json\n" + shown, []string{"output spread.json, in a section as well"}},
		{"no output", "cases", "-- d.cue --\n", []string{"nothing that it shows"}},
		{"two inputs", "cases", "input: examples/shop\n-- d.cue --\n" + shown, []string{"section d.cue beside an input"}},
		{"too long", "cases", strings.Repeat("text\n", 150) + shown, []string{"151 lines, of which a case has at most 150"}},
		{"values that are not there", "errors", "values: v.yaml\n-- v.yml --\n", []string{"values of a section v.yaml that is not there"}},
		{"a folder", "other", "", []string{"a folder that has no cases"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCase("testdata/"+test.folder+"/x.txtar", txtar.Parse([]byte(test.text)))
			require.Equal(t, test.want, c.unread())
		})
	}
}

// TestOutputsAreCompared finds the name of every output in the tests of the folder that is
// said to compare it.
func TestOutputsAreCompared(t *testing.T) {
	t.Parallel()
	for output, folder := range outputs {
		files, err := filepath.Glob(filepath.Join(top, folder, "*_test.go"))
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			return strings.Contains(string(text), `"`+output+`"`)
		}), "no test in %s has %s", folder, output)
	}
}

// TestCases: each case has what tests read and no more, and so has the directory beside it,
// whose input it names.
func TestCases(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	var inputs []string
	files, err := filepath.Glob(filepath.Join(top, "testdata/cases/*.txtar"))
	require.NoError(t, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		c := newCase(file, archive)
		require.Empty(t, c.unread(), file)
		first, _, _ := strings.Cut(string(archive.Comment), "\n")
		require.NotEmpty(t, first, "%s begins with what it shows", file)
		require.False(t, setting.MatchString(first), "%s begins with what it shows", file)
		for _, output := range c.shows() {
			used[c.beside(output)] = true
		}
		inputs = append(inputs, filepath.Join(top, c.Setting("input"))+string(filepath.Separator))
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(top, "testdata/cases"), func(file string, d fs.DirEntry, err error) error {
		isInput := slices.ContainsFunc(inputs, func(dir string) bool {
			return strings.Contains(dir, "testdata") && strings.HasPrefix(file, dir)
		})
		if err == nil && !d.IsDir() && filepath.Ext(file) != ".txtar" && !isInput {
			require.True(t, used[file], "no case shows %s", file)
		}
		return err
	}))
}

// TestPart takes parts of outputs.
func TestPart(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, output, data, at, want, problem string }{
		{"the whole", "graph.mmd", "a\n", "", "a\n", ""},
		{"lines", "x.txt", "one [a/b]\ntwo [a/c]\nthree [a/d]\n", "a/d a/b", "one [a/b]\nthree [a/d]\n", ""},
		{"no lines", "x.txt", "one [a/b]\n", "a/d", "", ""},
		{"a member", "x.json", `{"z": 1, "a": {"2": [{"b": 1}, true]}}`, "a 2 0", "{\n  \"b\": 1\n}", ""},
		{"no member", "x.json", `{"a": {}}`, "a b c", "", "there is no a b"},
		{"past the end", "x.json", `{"a": []}`, "a 0", "", "there is no a 0"},
		{"below a value", "x.json", `{"a": 1}`, "a b", "", "cannot unmarshal"},
		{"of nothing", "x.json", "", "a", "", "unexpected end"},
		{"YAML", "x.yaml", "a:\n  b: [1]\n", "a", "b:\n- 1\n", ""},
		{"a text", "x.yaml", "a: |\n  b\n  c\n", "a", "b\nc\n", ""},
		{"an object", "x.yaml", "kind: A\nmetadata: {name: x}\n---\nkind: B\nmetadata: {name: x}\n", "B/x", "kind: B\nmetadata: {name: x}\n", ""},
		{"of an object", "x.yaml", "---\nkind: B\nmetadata: {name: x}\n", "B/x metadata name", "x", ""},
		{"no object", "x.yaml", "kind: A\nmetadata: {name: x}\n", "B/x", "", "there is no object B/x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := part(test.output, []byte(test.data), strings.Fields(test.at))
			if test.problem != "" {
				require.ErrorContains(t, err, test.problem)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, string(got))
		})
	}
}
