package assist

import (
	"fmt"
	"path"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"

	"kumiki.dev/spread"
)

// Skeleton writes a deployment of the artifact: every field that has to be
// given with a placeholder (_) and what it takes, every other one as a comment
// with its default. It compiles once the placeholders are filled in.
func Skeleton(importPath, name string, params []spread.Param) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "package deployment\n\nimport artifact %q\n\n#Deployment: {\nname: %q\nartifact: artifact.#Artifact\nconfig: {\n", importPath, name)
	w := &skeleton{b: &b}
	root := &node{}
	for _, p := range params {
		if p.Computed == "" {
			root.add(p.Path, p)
		}
	}
	w.level(root)
	b.WriteString("}\n}\n")
	src := strings.Replace(b.String(), "artifact: artifact.#Artifact", "artifact: a.#Artifact", 1)
	src = strings.Replace(src, "import artifact ", "import a ", 1)
	return format.Source([]byte(src))
}

// NameOf is how a deployment of an artifact is called that nobody gives a name: like the
// directory that the artifact lies in.
func NameOf(importPath string) string {
	name, _, _ := strings.Cut(path.Base(importPath), ":")
	name, _, _ = strings.Cut(name, "@")
	return name
}

// skeleton writes the levels of a config.
type skeleton struct{ b *strings.Builder }

func (s *skeleton) level(n *node) {
	for _, name := range n.names {
		child := n.children[name]
		switch {
		case child.param != nil:
			s.field(name, child.param)
		case child.required():
			fmt.Fprintf(s.b, "%s: {\n", label(name))
			s.level(child)
			s.b.WriteString("}\n")
		default:
			s.comment(name, child)
		}
	}
}

// field writes a field that is to be given, or a comment for one that need not.
func (s *skeleton) field(name string, p *spread.Param) {
	if p.Doc != "" {
		fmt.Fprintf(s.b, "// %s\n", p.Doc)
	}
	if p.Required {
		fmt.Fprintf(s.b, "// Takes %s.\n%s: %s\n", p.Takes, label(name), placeholder(p))
		return
	}
	value := "…"
	if p.Default != nil {
		value = p.Default.JSON()
	}
	if p.Ignored {
		s.b.WriteString("// Nothing reads it.\n")
	}
	fmt.Fprintf(s.b, "// Takes %s.\n// %s: %s\n\n", p.Takes, label(name), value)
}

// placeholder is _, inside the member that a resource has.
func placeholder(p *spread.Param) string {
	if kind, ok := strings.CutPrefix(p.Takes, "the id of a registered "); ok {
		return kind + ": _"
	}
	return "_"
}

// comment writes a level of which nothing has to be given.
func (s *skeleton) comment(name string, n *node) {
	for _, leaf := range n.leaves([]string{name}) {
		value := "…"
		if leaf.Default != nil {
			value = leaf.Default.JSON()
		}
		fmt.Fprintf(s.b, "// %s: %s\n", strings.Join(leaf.path, ": "), value)
	}
	s.b.WriteString("\n")
}

type leaf struct {
	path []string
	*spread.Param
}

func (n *node) leaves(path []string) []leaf {
	if n.param != nil {
		return []leaf{{path, n.param}}
	}
	var out []leaf
	for _, name := range n.names {
		out = append(out, n.children[name].leaves(append(path[:len(path):len(path)], label(name)))...)
	}
	return out
}

// label quotes a field name where CUE needs that.
func label(name string) string { return cue.MakePath(cue.Str(name)).String() }
