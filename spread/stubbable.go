package spread

import (
	"strings"

	"cuelang.org/go/cue/ast"
)

// stubbable is that of the package, looked for once.
func (e *Evaluator) stubbable(p *Package) map[*Package]bool {
	stubbed, ok := e.stubbed[p]
	if !ok {
		stubbed = stubbable(p)
		e.stubbed[p] = stubbed
	}
	return stubbed
}

// stubbable returns the imports of p that stand in p for nothing but the whole
// value of a field artifact. Whatever else is done with an import (a field of
// it is read, it is refined) needs the real package, and so does every import
// of a package that reads or refines the artifact of a role.
func stubbable(p *Package) map[*Package]bool {
	plain := map[*Package]bool{}
	for _, imp := range p.Imports {
		if imp.IsArtifact() && imp.Name != "kumori" {
			plain[imp] = true
		}
	}
	if len(plain) == 0 {
		return nil
	}
	for _, f := range p.Files {
		u := uses{pkg: p, plain: plain}
		ast.Walk(f, u.before, nil)
		if u.looksInside {
			return nil
		}
	}
	return plain
}

// uses looks for what a file does with the artifacts that it imports.
type uses struct {
	pkg   *Package
	plain map[*Package]bool
	// looksInside is set when the artifact of a role is read or refined.
	looksInside bool
}

func (u *uses) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.ImportDecl:
		return false
	case *ast.Field:
		if labelName(x.Label) != "artifact" {
			break
		}
		if _, ok := x.Value.(*ast.StructLit); ok {
			u.looksInside = true
		}
		if sel, ok := x.Value.(*ast.SelectorExpr); ok && labelName(sel.Sel) == "#Artifact" && u.imported(sel.X) != nil {
			return false // the one use that a stub can stand for
		}
	case *ast.SelectorExpr:
		if inner, ok := x.X.(*ast.SelectorExpr); ok && labelName(inner.Sel) == "artifact" {
			u.looksInside = true
		}
		if id, ok := x.X.(*ast.Ident); ok && id.Name == "artifact" {
			u.looksInside = true
		}
	case *ast.IndexExpr:
		if lit, ok := x.Index.(*ast.BasicLit); ok && strings.Trim(lit.Value, `"`) == "artifact" {
			u.looksInside = true
		}
	case *ast.Ident:
		if imp := u.imported(x); imp != nil {
			delete(u.plain, imp)
		}
	}
	return true
}

// imported returns the package that x names, nil if it names none.
func (u *uses) imported(x ast.Expr) *Package {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok {
		return nil
	}
	return u.pkg.Imports[strings.Trim(spec.Path.Value, `"`)]
}
