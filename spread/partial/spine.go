package partial

import (
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// spine is the structs of a package's artifact of which it is certain that the
// fields in them are all that is said there: plain structs of named fields all the
// way from #Artifact, which is unified with nothing but the model.
type spine struct {
	pkg       *spread.Package
	artifacts []*ast.StructLit // one for each place where it is written
	// descriptions are likewise those of the description.
	descriptions []*ast.StructLit
}

// readSpine returns the spine of p, nil where anything else might add to the
// description: an embedding, a pattern, a condition, another artifact that it is
// made of.
func readSpine(p *spread.Package) *spine {
	s := &spine{pkg: p}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			switch x := d.(type) {
			case *ast.Package, *ast.ImportDecl, *ast.CommentGroup, *ast.Attribute:
			case *ast.Field:
				if !syntax.IsPlainField(x) || syntax.LabelName(x.Label) == "#Artifact" && !s.artifact(x.Value) {
					return nil
				}
			default:
				return nil
			}
		}
	}
	var ok bool
	s.descriptions, ok = valuesOf(s.artifacts, "description")
	if !ok {
		return nil
	}
	return s
}

// artifact reads what is written for #Artifact; it is false if more may be said
// than what it reads.
func (s *spine) artifact(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		return x.Op == token.AND && s.artifact(x.X) && s.artifact(x.Y)
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok {
			return false
		}
		imp, ok := s.pkg.ImportOf(id)
		return ok && imp != nil && imp.IsModel()
	case *ast.StructLit:
		s.artifacts = append(s.artifacts, x)
		return eachPlain(x, func(*ast.Field) bool { return true })
	}
	return false
}

// at are the structs at a path of the description; false if more may be said of it.
func (s *spine) at(path ...string) (structs []*ast.StructLit, ok bool) {
	structs = s.descriptions
	for _, name := range path {
		if structs, ok = valuesOf(structs, name); !ok {
			return nil, false
		}
	}
	return structs, true
}

// valuesOf are the values that plain structs have for a field; it is false if one is
// not a plain struct itself.
func valuesOf(structs []*ast.StructLit, name string) (out []*ast.StructLit, ok bool) {
	for _, lit := range structs {
		for _, d := range lit.Elts {
			f := d.(*ast.Field)
			if syntax.LabelName(f.Label) != name {
				continue
			}
			if f.Constraint != token.ILLEGAL || !eachPlain(f.Value, func(*ast.Field) bool { return true }) {
				return nil, false
			}
			out = append(out, f.Value.(*ast.StructLit))
		}
	}
	return out, true
}

// once are the fields of plain structs that are written in one place each, but for
// those that are hidden or look so.
func once(structs []*ast.StructLit) []*ast.Field {
	written := map[string]int{}
	for _, lit := range structs {
		for _, d := range lit.Elts {
			written[syntax.LabelName(d.(*ast.Field).Label)]++
		}
	}
	var out []*ast.Field
	for _, lit := range structs {
		for _, d := range lit.Elts {
			f := d.(*ast.Field)
			if name := syntax.LabelName(f.Label); written[name] == 1 && !syntax.IsAside(name) {
				out = append(out, f)
			}
		}
	}
	return out
}

// eachPlain calls f with the fields of a struct. It is false if x is something
// else, if there is more in it than plain fields, or if f is false of one.
func eachPlain(x ast.Expr, f func(*ast.Field) bool) bool {
	lit, ok := x.(*ast.StructLit)
	return ok && !filter.Any(lit.Elts, func(d ast.Decl) bool {
		field, ok := d.(*ast.Field)
		return !ok || !syntax.IsPlainField(field) || !f(field)
	})
}

// without calls build while the files lack fields of the given structs, roles that
// nothing is left of, and the imports that nothing but those refers to. It is the
// files themselves that are changed and set right again, because a name in CUE's
// trees knows the very struct that it is looked up in: there is no copy of a part
// that would mean the same.
func (s *spine) without(gone map[*ast.Field]bool, from []*ast.StructLit, build func()) {
	isGone := func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && gone[f]
	}
	emptied := map[ast.Node]bool{}
	for _, lit := range from {
		defer swap(&lit.Elts, lit.Elts)
		rest := filter.Out(lit.Elts, isGone)
		emptied[lit] = len(rest) == 0 && len(lit.Elts) > 0
		lit.Elts = rest
	}
	for _, lit := range s.descriptions {
		defer swap(&lit.Elts, lit.Elts)
		lit.Elts = filter.Out(lit.Elts, func(d ast.Decl) bool {
			f := d.(*ast.Field)
			return syntax.LabelName(f.Label) == "role" && emptied[f.Value]
		})

	}
	for _, d := range s.imports() {
		defer swap(&d.Specs, d.Specs)
	}
	s.dropUnused()
	build()
}

func swap[T any](at *T, value T) { *at = value }

// imports are the import declarations of the files.
func (s *spine) imports() []*ast.ImportDecl {
	var out []*ast.ImportDecl
	for _, f := range s.pkg.Files {
		for _, d := range f.Decls {
			if x, ok := d.(*ast.ImportDecl); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

// dropUnused takes the imports out of the files that nothing refers to.
func (s *spine) dropUnused() {
	used := map[ast.Node]bool{}
	for _, f := range s.pkg.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.Ident); ok {
				used[x.Node] = true
			}
			return true
		}, nil)
	}
	for _, d := range s.imports() {
		d.Specs = filter.Out(d.Specs, func(x *ast.ImportSpec) bool { return !used[x] })
	}
}
