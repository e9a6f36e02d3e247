package spread

import (
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/fromcue"
)

// TestPlaceOf compares where structs lie that loops make with where CUE says that each lies, and says which places of
// a loop are asked for once.
func TestPlaceOf(t *testing.T) {
	for _, test := range []struct {
		name, description string
		once              []string // after the struct that the loop is in
	}{
		{"a loop", `role: {for n in ["a", "b", "c"] {(n): {config: {x: {}, y: 1}, meta: of: n}}}`, []string{"", ".config", ".config.x", ".meta"}},
		{"a loop in the description", `for n in ["a", "b"] {role: "\(n)-1": {config: {}}}`, []string{"", ".config"}},
		{"a loop beside a name", "role: {for n in [\"a\", \"b\"] {(n): {config: {x: {}}}}}\nrole: {c: {config: {z: {}}}}", []string{"", ".config", ".config.x"}},
		{"two loops", "role: {for n in [\"a\", \"b\"] {(n): {config: {}}}, for n in [\"b\", \"c\"] {(n): {meta: {}}}}", nil},
		{"two loops in two places", "role: {for n in [\"a\", \"b\"] {(n): {config: {}}}}\nrole: {for n in [\"b\", \"c\"] {\n(n): {config: {}}}}", nil},
		{"a pattern", `role: {[=~"^a"]: {config: {y: {}}}, for n in ["a", "b"] {(n): {config: {x: {}}}}}`, nil},
		{"a definition beside it", "role: {_more, for n in [\"a\", \"b\"] {(n): {config: {x: {}}}}}\n_more: a: {config: {y: {}}, n: {}}", nil},
		{"a definition around it", "_more\n_more: role: a: {config: {y: {}}}\nrole: {for n in [\"a\", \"b\"] {(n): {config: {x: {}}}}}", nil},
		{"a reference", "role: _more\nrole: {for n in [\"a\", \"b\"] {(n): {config: {x: {}}}}}\n_more: a: {config: {y: {}}}", nil},
		{"a condition in it", `role: {for n in ["a", "b"] {(n): {if n == "a" {config: {y: {}}}, config: {x: {}}}}}`, []string{""}},
		{"a condition for all of a part", `role: {for n in ["a", "b"] {(n): {config: {}, if n == "a" {meta: {}}}}}`, []string{"", ".config", ".meta"}},
		{"a loop in it", `role: {for n in ["a", "b"] {(n): {config: {for m in [n, "z"] {(m): {}}}}}}`, []string{"", ".config", ".config."}},
		{"a computed name in it", `role: {for n in ["a", "b"] {(n): {config: "c\(n)": {x: {}}, meta: {of: (n): {}, by: {}}}}}`, []string{"", ".config", ".config.", ".config..x", ".meta", ".meta.of", ".meta.of.", ".meta.by"}},
		{"a name beside a computed one in it", `role: {for n in ["a", "b"] {(n): {config: {"c\(n)": {x: {}}, ca: {y: {}}}}}}`, []string{"", ".config", ".config.", ".config..x"}},
		{"two computed names in it", `role: {for n in ["a", "b"] {(n): {config: {"c\(n)": {x: {}}, (n): {}}}}}`, []string{"", ".config"}},
		{"a definition in it", "role: {for n in [\"a\", \"b\"] {(n): {config: _c, meta: {}}}}\n_c: {x: {}}", []string{"", ".meta"}},
		{"a choice of structs in it", `role: {for n in ["a", "b"] {(n): {config: [{x: {}}, {y: {}}][len(n)-1]}}}`, []string{""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := parse(t, "s.cue", "package service\n#Artifact: {description: {\n"+test.description+"\n}}\n")
			artifact := cuecontext.New().BuildFile(f).LookupPath(cue.ParsePath("#Artifact"))
			require.NoError(t, artifact.Err())
			u := NewUnit(&Package{Path: "x/s:service", Name: "service"}, artifact)
			u.Package.Files = append(u.Package.Files, f)
			var compare func(v cue.Value, path []string)
			compare = func(v cue.Value, path []string) {
				if len(path) > 2 {
					require.Equal(t, fromcue.WrittenPos(v), u.Place(v, path), "%v", path)
					require.Equal(t, fromcue.WrittenPos(v), u.PlaceOf(v, path...), "%v", path)
				}
				fields, err := v.Fields()
				require.NoError(t, err)
				for fields.Next() {
					if x := fields.Value(); x.IncompleteKind() == cue.StructKind {
						compare(x, append(path[:len(path):len(path)], fields.Selector().Unquoted()))
					}
				}
			}
			compare(artifact.LookupPath(cue.ParsePath("description")), []string{"description"})
			for _, path := range test.once {
				key := "loop\x00description\x00role\x00" + strings.ReplaceAll(path, ".", "\x00")
				require.Contains(t, u.written, key)
				delete(u.written, key)
			}
			for key := range u.written {
				require.NotContains(t, key, "loop", "%q", key)
			}
		})
	}
}
