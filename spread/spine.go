package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// spine is the structs on the way to the roles of a package's artifact, where it
// is certain that the fields in them are all that is said of the roles: #Artifact,
// its description and the roles are plain structs of named fields, and the only
// thing that #Artifact is unified with is the model.
type spine struct {
	pkg          *Package
	descriptions []*ast.StructLit // one for each place where it is written
	roles        []*ast.StructLit // likewise
}

// readSpine returns the spine of p, nil where anything else might add to the
// roles: an embedding, a pattern, a condition, another artifact that it is made of.
func readSpine(p *Package) *spine {
	s := &spine{pkg: p}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			switch x := d.(type) {
			case *ast.Package, *ast.ImportDecl, *ast.CommentGroup, *ast.Attribute:
			case *ast.Field:
				if !isPlain(x) || labelName(x.Label) == "#Artifact" && !s.artifact(x.Value) {
					return nil
				}
			default:
				return nil
			}
		}
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
		imp, ok := s.pkg.importOf(id)
		return ok && imp != nil && isModel(imp)
	}
	return eachPlain(x, func(f *ast.Field) bool {
		return labelName(f.Label) != "description" || s.description(f.Value)
	})
}

func (s *spine) description(x ast.Expr) bool {
	ok := eachPlain(x, func(f *ast.Field) bool {
		if labelName(f.Label) != "role" {
			return true
		}
		lit, ok := f.Value.(*ast.StructLit)
		s.roles = append(s.roles, lit)
		return ok && eachPlain(lit, func(*ast.Field) bool { return true })
	})
	if ok {
		s.descriptions = append(s.descriptions, x.(*ast.StructLit))
	}
	return ok
}

// once are the roles that are written in one place each, but for those that are
// hidden or look so.
func (s *spine) once() []*ast.Field {
	written := map[string]int{}
	for _, lit := range s.roles {
		for _, d := range lit.Elts {
			written[labelName(d.(*ast.Field).Label)]++
		}
	}
	var out []*ast.Field
	for _, lit := range s.roles {
		for _, d := range lit.Elts {
			f := d.(*ast.Field)
			if name := labelName(f.Label); written[name] == 1 && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "#") {
				out = append(out, f)
			}
		}
	}
	return out
}

// isPlain tells whether a field has a name and a value, and nothing else.
func isPlain(f *ast.Field) bool {
	if _, ok := f.Label.(*ast.Alias); ok {
		return false
	}
	return labelName(f.Label) != "" && f.Constraint == token.ILLEGAL && f.Alias == nil && f.Value != nil && len(f.Attrs) == 0
}

// eachPlain calls f with the fields of a struct. It is false if x is something
// else, if there is more in it than plain fields, or if f is false of one.
func eachPlain(x ast.Expr, f func(*ast.Field) bool) bool {
	lit, ok := x.(*ast.StructLit)
	return ok && !slices.ContainsFunc(lit.Elts, func(d ast.Decl) bool {
		field, ok := d.(*ast.Field)
		return !ok || !isPlain(field) || !f(field)
	})
}

// without calls build while the files lack the given roles, and the imports that
// nothing but those refers to. It is the files themselves that are changed and set
// right again, because a name in CUE's trees knows the very struct that it is
// looked up in: there is no copy of a part that would mean the same.
func (s *spine) without(gone map[*ast.Field]bool, build func()) {
	isGone := func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && gone[f]
	}
	allGone := func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && labelName(f.Label) == "role" && len(f.Value.(*ast.StructLit).Elts) == 0
	}
	for _, lit := range s.roles {
		defer swap(&lit.Elts, lit.Elts)
		lit.Elts = slices.DeleteFunc(slices.Clone(lit.Elts), isGone)
	}
	for _, lit := range s.descriptions {
		defer swap(&lit.Elts, lit.Elts)
		lit.Elts = slices.DeleteFunc(slices.Clone(lit.Elts), allGone)
	}
	for _, f := range s.pkg.Files {
		used := map[ast.Node]bool{}
		ast.Walk(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.Ident); ok {
				used[x.Node] = true
			}
			return true
		}, nil)
		for _, d := range f.Decls {
			if imports, ok := d.(*ast.ImportDecl); ok {
				defer swap(&imports.Specs, imports.Specs)
				imports.Specs = slices.DeleteFunc(slices.Clone(imports.Specs), func(x *ast.ImportSpec) bool { return !used[x] })
			}
		}
	}
	build()
}

func swap[T any](at *T, value T) { *at = value }
