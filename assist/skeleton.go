package assist

import (
	"fmt"
	"path"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"

	"kumiki.dev/spread/params"
)

// Skeleton writes a deployment of the artifact: every field that has to be
// given with a placeholder (_) and what it takes, every other one as a comment
// with its default. It compiles once the placeholders are filled in.
func Skeleton(importPath, name string, fields []params.Param) ([]byte, error) {
	return filledIn(fmt.Sprintf("package deployment\n\nimport a %q\n\n#Deployment: {\nname: %q\nartifact: a.#Artifact\n", importPath, name), fields)
}

// TemplateSkeleton is [Skeleton] for a template, of an artifact that is imported or, where
// published is not "", of the published one of that text.
func TemplateSkeleton(importPath, published, name, environments string, fields []params.Param) ([]byte, error) {
	imports, artifact := fmt.Sprintf("import a %q\n\n", importPath), "a.#Artifact"
	if published != "" {
		imports, artifact = "", fmt.Sprintf("%q", published)
	}
	return filledIn(fmt.Sprintf(`package template

%s#Template: {
name: %q
artifact: %s
// Which environments get it: labels as kubectl selects them, "" for all.
environments: %q
// Templates that have to be there first.
// requires: ["db"]
// Changes reach one wave of environments after the other: kumiki promote.
// waves: [{name: "canary", environments: "stage=dev"}, {name: "rest", environments: "stage!=dev"}]
// What one environment gets otherwise.
// overrides: eu: parameter: replicas: 3
// Values. What environments may choose has a default or bounds: replicas: *2 | int & <10
`, imports, name, artifact, environments), fields)
}

// filledIn is what begins with a text, and goes on with the config.
func filledIn(head string, fields []params.Param) ([]byte, error) {
	var b strings.Builder
	b.WriteString(head + "config: {\n")
	w := &skeleton{b: &b}
	root := &node{}
	for _, p := range fields {
		if p.Computed == "" {
			root.add(p.Path, p)
		}
	}
	w.level(root)
	b.WriteString("}\n}\n")
	return format.Source([]byte(b.String()))
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
func (s *skeleton) field(name string, p *params.Param) {
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
func placeholder(p *params.Param) string {
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
	*params.Param
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
