package spread

import (
	"maps"
	"path"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// overwritten is the deployment's package with the values of the sets that replace in place of
// those that the manifest says there, wherever in the package it does. What the manifest makes
// of such a value follows. What is said by an artifact, by another package or about all fields
// of a struct stays, and is a conflict as it always is.
func (r *Runner) overwritten(p *Package, sets []Set) *Package {
	v := r.Eval.Value(p)
	d := v.LookupPath(deploymentPath)
	if !d.Exists() || !p.IsUsable() {
		return p
	}
	p.Link()
	w := &overwriter{pkg: p, instead: map[ast.Expr]ast.Expr{}, fields: map[ast.Node]bool{}}
	for _, s := range sets {
		if !s.Replaces {
			continue
		}
		leaf := r.parse(s, d.LookupPath(ArtifactField))
		for at, x := range given(leaf, s.Path) {
			if decided(fromcue.Lookup(d, at)) {
				w.file(append([]string{"#Deployment"}, at...), x)
			}
		}
	}
	if len(w.instead) == 0 {
		return p
	}
	out := p.With(syntax.Copy(p.Files, syntax.Change{Instead: w.instead}))
	out.Imports, out.Made.From = maps.Clone(p.Imports), p
	return out
}

// given are the leaves of a value with their paths.
func given(d *value.Data, at []string) func(func([]string, *value.Data) bool) {
	return func(yield func([]string, *value.Data) bool) { eachLeaf(d, at, yield) }
}

func eachLeaf(d *value.Data, at []string, yield func([]string, *value.Data) bool) bool {
	switch {
	case d == nil:
		return true
	case d.Kind != value.Struct:
		return yield(at, d)
	}
	for _, f := range d.Fields {
		if !eachLeaf(f.Value, append(at[:len(at):len(at)], f.Name), yield) {
			return false
		}
	}
	return true
}

// decided reports whether nothing else than v itself can be there: it is not open, and no
// default.
func decided(v cue.Value) bool {
	if !v.Exists() {
		return false
	}
	_, isDefault := v.Default()
	return !isDefault && (v.IsConcrete() || v.Err() != nil)
}

// overwriter finds the expressions of a package by which a field has its value.
type overwriter struct {
	pkg     *Package
	instead map[ast.Expr]ast.Expr
	fields  map[ast.Node]bool // that are being looked into: a name may lead back
}

// file looks for a path from the top of the package.
func (w *overwriter) file(path []string, x *value.Data) {
	for _, f := range w.pkg.Files {
		w.decls(f.Decls, path, x)
	}
}

func (w *overwriter) decls(decls []ast.Decl, path []string, x *value.Data) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if syntax.LabelName(d.Label) == path[0] {
				w.expr(d.Value, path[1:], x)
			}
		case *ast.EmbedDecl:
			w.expr(d.Expr, path, x)
		case *ast.Comprehension:
			w.expr(d.Value, path, x)
		}
	}
}

// expr looks for a path in an expression, which is that of the value where no path is left.
func (w *overwriter) expr(e ast.Expr, path []string, x *value.Data) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.expr(e.X, path, x)
	case *ast.BinaryExpr:
		switch {
		case e.Op == token.AND:
			w.expr(e.X, path, x)
			w.expr(e.Y, path, x)
		case len(path) == 0 && e.Op != token.OR:
			w.put(e, x) // a computation
		}
	case *ast.StructLit:
		if len(path) > 0 {
			w.decls(e.Elts, path, x)
		}
	case *ast.Ident:
		w.name(e, path, x)
	case *ast.SelectorExpr, *ast.IndexExpr:
		w.selected(e, path, x)
	case *ast.UnaryExpr:
		if len(path) == 0 && (e.Op == token.SUB || e.Op == token.ADD || e.Op == token.NOT) {
			w.put(e, x)
		}
	case *ast.BasicLit, *ast.Interpolation, *ast.ListLit, *ast.CallExpr, *ast.SliceExpr:
		if len(path) == 0 {
			w.put(e, x)
		}
	}
}

func (w *overwriter) put(e ast.Expr, x *value.Data) { w.instead[e] = Expr(x) }

// name follows a name to what it stands for, to look for the path there; the value itself is
// replaced where the name is: others may go by it.
func (w *overwriter) name(id *ast.Ident, path []string, x *value.Data) {
	if len(path) == 0 {
		if id.Node != nil && !strings.HasPrefix(strings.TrimPrefix(id.Name, "_"), "#") {
			w.put(id, x)
		}
		return
	}
	if id.Node == nil || w.fields[id.Node] {
		return
	}
	w.fields[id.Node] = true
	defer delete(w.fields, id.Node)
	switch n := id.Node.(type) {
	case *ast.Field:
		w.expr(n.Value, path, x)
	case *ast.LetClause:
		w.expr(n.Expr, path, x)
	case ast.Expr:
		w.expr(n, path, x)
	}
}

// selected follows  a.b["c"]  like a name.
func (w *overwriter) selected(e ast.Expr, path []string, x *value.Data) {
	id, names := namesOf(e)
	if id == nil {
		return
	}
	spec, isImport := id.Node.(*ast.ImportSpec)
	switch last := names[len(names)-1]; {
	case len(path) > 0 && !isImport:
		w.name(id, append(names, path...), x)
	case len(path) == 0 && !strings.HasPrefix(strings.TrimPrefix(last, "_"), "#") && !(isImport && isBuiltin(spec)):
		w.put(e, x)
	}
}

// namesOf is what  a.b["c"]  begins with, and the names behind it; nil for anything else.
func namesOf(e ast.Expr) (*ast.Ident, []string) {
	switch e := e.(type) {
	case *ast.Ident:
		return e, nil
	case *ast.SelectorExpr:
		id, names := namesOf(e.X)
		return id, append(names, syntax.LabelName(e.Sel))
	case *ast.IndexExpr:
		lit, ok := e.Index.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return nil, nil
		}
		id, names := namesOf(e.X)
		return id, append(names, syntax.LabelName(lit))
	}
	return nil, nil
}

// isBuiltin reports whether a package is one of CUE's own, whose values are types.
func isBuiltin(spec *ast.ImportSpec) bool {
	first, _, _ := strings.Cut(path.Clean(strings.Trim(spec.Path.Value, `"`)), "/")
	return !strings.Contains(first, ".")
}
