package golden_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"kumiki.dev/internal/golden"
)

// block is a comment that names a section of a case, and the code block below
// it: <!-- testdata/cases/x.txtar SECTION [KEY...] -->.
var block = regexp.MustCompile("(?s)(<!-- (testdata/\\S+) (\\S+)((?: \\S+)*) -->\n```\\w*\n)(.*?)(```)")

// TestDocs keeps the code blocks of the documentation equal to the cases that
// they are taken from.
func TestDocs(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, file := range append(files, "../../README.md") {
		old, err := os.ReadFile(file)
		require.NoError(t, err)
		got := block.ReplaceAllStringFunc(string(old), func(m string) string {
			parts := block.FindStringSubmatch(m)
			return parts[1] + section(t, filepath.Join("../..", parts[2]), parts[3], strings.Fields(parts[4])) + parts[6]
		})
		if got == string(old) {
			continue
		}
		if golden.Update() {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			continue
		}
		t.Errorf("%s differs from its cases (-file +cases):\n%s", file, cmp.Diff(string(old), got))
	}
}

// section is a section's text, the value at a path of keys in its JSON, or the
// object KIND/NAME among its YAML documents.
func section(t *testing.T, file, name string, keys []string) string {
	t.Helper()
	a, err := txtar.ParseFile(file)
	require.NoError(t, err)
	for _, f := range a.Files {
		if f.Name != name {
			continue
		}
		if len(keys) == 1 && filepath.Ext(name) == ".yaml" {
			return object(t, string(f.Data), keys[0])
		}
		data := json.RawMessage(f.Data)
		for _, key := range keys {
			var members map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(data, &members))
			require.Contains(t, members, key)
			data = members[key]
		}
		if len(keys) == 0 {
			return string(f.Data)
		}
		var out bytes.Buffer
		require.NoError(t, json.Indent(&out, data, "", "  "))
		return out.String() + "\n"
	}
	t.Fatalf("%s has no section %s", file, name)
	return ""
}

// object is the document that describes KIND/NAME.
func object(t *testing.T, documents, want string) string {
	t.Helper()
	for _, doc := range strings.Split(documents, "---\n") {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		require.NoError(t, yaml.Unmarshal([]byte(doc), &o))
		if o.Kind+"/"+o.Metadata.Name == want {
			return doc
		}
	}
	t.Fatalf("there is no object %s", want)
	return ""
}
