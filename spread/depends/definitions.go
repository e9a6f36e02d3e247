package depends

import (
	"cuelang.org/go/cue/ast"
)

// Definitions are the types of the fields of a struct that are said, in one place each, to be
// a definition of another package: those with the same text have the same type. It is empty if
// more may be said of the fields than that.
func (s *Sources) Definitions(path ...string) map[string]string {
	n, exact := s.at(path)
	if !exact {
		return nil
	}
	fields, scope, ok := n.own()
	if !ok {
		return nil
	}
	parts, ok := Part{Name: n.name, Fields: fields, node: n, scope: scope}.Parts()
	if !ok {
		return nil
	}
	out := map[string]string{}
	for _, p := range parts {
		if len(p.Fields) == 1 && !isComputed(p.Fields[0]) {
			if name := definition(p.Fields[0].Value); name != "" {
				out[p.Name] = name
			}
		}
	}
	return out
}

// definition is the path and the name of an imported definition, "" for anything else.
func definition(x ast.Expr) string {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok {
		return ""
	}
	name, ok := nameOf(sel.Sel)
	if !ok {
		return ""
	}
	return spec.Path.Value + " " + name
}
