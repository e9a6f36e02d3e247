package assist

import (
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// Unused is a field of an artifact's config that nothing reads.
type Unused struct {
	Kind     string // parameter, resource, or load for scale.qos
	Name     string // below config: parameter.title
	Artifact string // component web
	// Path is the roles on the way to the artifact, joined with dots: the first
	// one, where there are several.
	Path string
	// Pos is where the field is declared, or else given.
	Pos diag.Pos
}

// UnusedConfig lists the parameters, resources and loads of each artifact of the tree
// that nothing in the artifact reads. An artifact is looked at once.
func UnusedConfig(t *value.Tree) []Unused {
	var out []Unused
	seen := map[*spread.Package]bool{}
	var walk func(n *value.Node, path string)
	walk = func(n *value.Node, path string) {
		if n == nil {
			return
		}
		if p := spread.PackageOf(n); !seen[p] {
			seen[p] = true
			for _, field := range spread.Unread(n) {
				pos := n.Config.Get(field[1:]...).LeafPos()
				if !pos.IsValid() {
					pos = spread.DeclaredAt(p, field)
				}
				if declared := spread.WrittenIn(p, append([]string{"#Artifact", "description"}, field...)...); len(declared) > 0 {
					pos = declared[0].Pos
				}
				kind := field[1]
				if kind == "scale" {
					kind = "load"
				}
				out = append(out, Unused{kind, strings.Join(field[1:], "."), artifact(n), path, pos})
			}
		}
		for _, r := range n.Roles {
			walk(r.Node, strings.TrimPrefix(path+"."+r.Name, "."))
		}
	}
	walk(t.Root, "")
	return out
}
