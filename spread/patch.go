package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// patch puts stand-ins where names are that nothing has: CUE makes nothing at all
// of a package with one of them, which would hide everything else that is wrong
// there. A file with "name: _" is added to the package, so that its own sources
// stay as they are. It reports whether anything was added; then the package has
// to be evaluated anew.
func (r *runner) patch(p *Package, err error, reported diag.List) bool {
	patched := false
	for _, e := range errors.Errors(err) {
		format, args := e.Msg()
		if !strings.HasPrefix(format, "reference %q not found") {
			continue
		}
		name, ok := args[len(args)-1].(string)
		if !ok || !p.patchable(name) || !p.holds(e.Position()) {
			return false
		}
		if r.eval.defined(p, name) {
			continue
		}
		pos := r.newCause()
		if len(reported) > 0 {
			r.causeAt(pos).reported = reported[0]
		}
		r.eval.patches[p] = append(r.eval.patches[p], &ast.File{Filename: "stand-in", Decls: []ast.Decl{
			&ast.Package{Name: ast.NewIdent(p.Name)},
			&ast.Field{Label: &ast.Ident{Name: name, NamePos: pos}, Value: &ast.Ident{Name: "_", NamePos: pos}},
		}})
		patched = true
	}
	if patched {
		r.eval.patched[p] = append(r.eval.patched[p], reported...)
		r.eval.forget()
	}
	return patched
}

// defined reports whether a patch of p has the name.
func (e *Evaluator) defined(p *Package, name string) bool {
	return slices.ContainsFunc(e.patches[p], func(f *ast.File) bool { return len(definition(f, name)) > 0 })
}

// definition are the fields at the top of a file that have the name.
func definition(f *ast.File, name string) (out []*ast.Field) {
	for _, d := range f.Decls {
		if field, ok := d.(*ast.Field); ok && labelName(field.Label) == name {
			out = append(out, field)
		}
	}
	return out
}

// forget drops all instances: they were made without the patches.
func (e *Evaluator) forget() {
	fresh := NewEvaluator(e.ctx)
	e.real, e.shallow, e.stubs = fresh.real, fresh.shallow, fresh.stubs
	e.open, e.lean = fresh.open, fresh.lean
}

// holds reports whether a position lies in a file of the package.
func (p *Package) holds(pos token.Pos) bool {
	return slices.ContainsFunc(p.Files, func(f *ast.File) bool { return f.Filename == pos.Filename() })
}

// patchable reports whether a stand-in may be called name: an artifact or type of a
// package that is not imported leaves nothing to look at.
func (p *Package) patchable(name string) bool {
	if !ast.IsValidIdent(name) || strings.HasPrefix(name, "#") {
		return false
	}
	ok := !slices.Contains(p.importNames(), name)
	for _, f := range p.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if sel, is := n.(*ast.SelectorExpr); is && strings.HasPrefix(labelName(sel.Sel), "#") {
				if id, is := sel.X.(*ast.Ident); is && id.Name == name {
					ok = false
				}
			}
			return ok
		}, nil)
	}
	return ok
}
