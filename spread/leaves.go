package spread

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// Leaf is a field that a file writes, and gives no struct of its own.
type Leaf struct {
	// Path leads to the field from the top of the file, through the structs
	// that it is written in: "#Artifact", "description", "config", ….
	Path  []string
	Field *ast.Field
	// Expr is the value on one line.
	Expr string
	// Doc is the field's doc comment on one line, "" for none.
	Doc string
	// Config are the fields of the artifact's config that the value reads, each
	// from "config" on.
	Config [][]string
}

// Leaves lists the fields of a file that are no structs, in their order.
func Leaves(f *ast.File) []Leaf {
	var out []Leaf
	w := &writtenSearch{lets: map[string][]string{}}
	ast.Walk(f, func(n ast.Node) bool {
		x, ok := n.(*ast.Field)
		if !ok {
			return w.before(n)
		}
		w.fields = append(w.fields, syntax.LabelName(x.Label))
		if x.Value == nil || hasStruct(x.Value) {
			return true
		}
		here := writtenSearch{path: w.fields, fields: w.fields, lets: w.lets}
		here.add(x.Value)
		leaf := Leaf{Path: append([]string{}, w.fields...), Field: x, Doc: comment(x)}
		for _, found := range here.found {
			leaf.Expr, leaf.Config = found.Expr, found.Config
		}
		out = append(out, leaf)
		return true
	}, w.after)
	return out
}

// comment is a node's doc comment on one line.
func comment(n ast.Node) string {
	var parts []string
	for _, group := range ast.Comments(n) {
		if text := strings.Join(strings.Fields(group.Text()), " "); group.Doc && text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
