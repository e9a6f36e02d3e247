package spread

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
)

// expressionAt is the name, selection or call at a position, and the whole of what
// is selected from it; nil for none.
func expressionAt(p *Package, pos diag.Pos) (found, whole ast.Expr) {
	var above []ast.Node
	for _, f := range p.Files {
		if f.Filename != pos.Filename() {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			if found != nil {
				return false
			}
			if x, ok := n.(ast.Expr); ok && isAt(x, pos) && !isLabel(x, above) {
				found, whole = x, wholeOf(x, above)
				return false
			}
			above = append(above, n)
			return true
		}, func(ast.Node) { above = above[:len(above)-1] })
	}
	return found, whole
}

// isAt reports whether x is a name or a call at the position, or a selection of what
// is there.
func isAt(x ast.Expr, pos diag.Pos) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.CallExpr:
		return fromcue.Pos(x) == pos
	case *ast.SelectorExpr:
		return fromcue.Pos(x.Sel) == pos
	}
	return false
}

// isLabel reports whether x names a field, rather than to refer to one.
func isLabel(x ast.Expr, above []ast.Node) bool {
	if len(above) == 0 {
		return false
	}
	switch n := above[len(above)-1].(type) {
	case *ast.Field:
		return ast.Node(n.Label) == ast.Node(x)
	case *ast.LetClause:
		return ast.Node(n.Ident) == ast.Node(x)
	case *ast.SelectorExpr:
		return ast.Node(n.Sel) == ast.Node(x)
	}
	return false
}

// wholeOf is the expression that x is the beginning of: x.y[0].z and the like.
func wholeOf(x ast.Expr, above []ast.Node) ast.Expr {
	for _, n := range slices.Backward(above) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x = n
		case *ast.IndexExpr:
			if n.X != x {
				return x
			}
			x = n
		case *ast.CallExpr:
			if n.Fun != x {
				return x
			}
			x = n
		default:
			return x
		}
	}
	return x
}

// takenFromMissing are the places where something is taken from an import of which
// nothing is known, but for the artifacts of roles, for which stubs stand.
func takenFromMissing(p *Package) (out []diag.Pos) {
	lost := func(imp *Package) bool { return imp != nil && (imp.Missing || imp.Broken) }
	if !filter.Any(slices.Collect(maps.Values(p.Imports)), lost) {
		return nil
	}
	stubbed := stubbable(p)
	for _, f := range p.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if imp, ok := p.ImportOf(id); ok && lost(imp) && stubbed[imp] == NoStub {
					out = append(out, fromcue.Pos(id))
				}
			}
			return true
		}, nil)
	}
	return out
}

// embeddedIn are the values that are to be read from files, which the loader reports.
func embeddedIn(p *Package) (out []ast.Expr) {
	for _, f := range p.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.Field); ok && filter.Any(x.Attrs, func(a *ast.Attribute) bool { return strings.HasPrefix(a.Text, "@embed(") }) {
				out = append(out, x.Value)
			}
			return true
		}, nil)
	}
	return out
}

// valueAt is the value that a field is given at a position, or that of the field
// whose name is there; nil for none.
func valueAt(p *Package, pos diag.Pos) (found ast.Expr) {
	for _, f := range p.Files {
		if f.Filename != pos.Filename() {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Value != nil && (fromcue.Pos(field.Value) == pos || fromcue.Pos(field.Label) == pos) {
				found = field.Value
			}
			return true
		}, nil)
	}
	return found
}

// quotedAt is the text that a field at a position is given, in quotes of either kind,
// "" for none.
func quotedAt(p *Package, pos diag.Pos) string {
	lit, ok := valueAt(p, pos).(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := literal.Unquote(lit.Value)
	return text
}

// nearDefinition is x.#Name with the definition of the package that was probably
// meant, nil if none comes near. An artifact is what one takes from its package.
func nearDefinition(sel *ast.SelectorExpr, imp *Package) ast.Expr {
	near, ok := diag.Nearest(syntax.LabelName(sel.Sel), definitionNames(imp))
	if !ok && imp.IsArtifact() && !imp.IsModel() {
		near, ok = "#Artifact", true
	}
	if !ok || near == syntax.LabelName(sel.Sel) {
		return nil
	}
	return &ast.SelectorExpr{X: sel.X, Sel: &ast.Ident{Name: near, NamePos: sel.Sel.Pos()}}
}
