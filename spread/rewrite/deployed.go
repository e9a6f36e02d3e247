package rewrite

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
)

// An artifact that a deployment refines,
//
//	#Deployment: artifact: s.#Artifact & {description: code: web: image: tag: "2.0"}
//
// is like one whose package says that too. So the deployment gets a copy that deploys such a
// package: its roles' artifacts have stubs, which they have not where s is a part of a value.

// Deployed returns a copy of a deployment's package whose artifact is that of another package.
// It is nil if it is that already, or if more is said than a package may say.
func Deployed(p *source.Package, lib *source.Library) *source.Package {
	if !p.IsUsable() || syntax.HasWrongNames(p.Files) {
		return nil
	}
	p.Link()
	at, ok := deployedAt(p)
	if !ok {
		return nil
	}
	refined, ok := refined(p, at, lib)
	if !ok {
		return nil
	}
	spec := ast.NewImport(ast.NewIdent("kumikiDeployed"), refined.Path)
	id := &ast.Ident{Name: spec.Name.Name, NamePos: at.expr.Pos(), Node: spec}
	out := &source.Package{Path: p.Path, Name: p.Name, Module: p.Module, Imports: maps.Clone(p.Imports), Made: source.Made{From: p}}
	out.Imports[refined.Path] = refined
	out.Files = syntax.Copy(p.Files, syntax.Change{
		Instead: map[ast.Expr]ast.Expr{at.expr: &ast.SelectorExpr{X: id, Sel: ast.NewIdent("#Artifact")}},
		Imports: map[*ast.File][]*ast.ImportSpec{at.file: {spec}},
	})
	return out
}

// deployedAt is where a deployment says what its artifact is, if it does in one place.
func deployedAt(p *source.Package) (at writtenAt, ok bool) {
	var all []writtenAt
	for _, file := range p.Files {
		var labels []string
		ast.Walk(file, func(n ast.Node) bool {
			f, isField := n.(*ast.Field)
			if !isField {
				return true
			}
			if labels = append(labels, syntax.LabelName(f.Label)); slices.Equal(labels, []string{"#Deployment", "artifact"}) {
				all = append(all, writtenAt{field: f, value: f.Value, expr: f.Value, file: file})
			}
			if len(labels) < 2 {
				return true
			}
			labels = labels[:1]
			return false
		}, func(n ast.Node) {
			if _, isField := n.(*ast.Field); isField {
				labels = labels[:len(labels)-1]
			}
		})
	}
	if len(all) != 1 || all[0].field.Alias != nil {
		return writtenAt{}, false
	}
	return all[0], true
}

// refined is the package of the artifact in  x.#Artifact & {…}  which says the rest as well.
// The rest has nothing but fields that the artifact has: no definition is opened by it.
func refined(p *source.Package, at writtenAt, lib *source.Library) (*source.Package, bool) {
	c := &closure{surroundings: newSurroundings(p)}
	if !isRefined(at.expr) || !c.read([]writtenAt{at}) || len(c.refs) > 0 {
		return nil, false
	}
	var of *source.Package
	var rest []ast.Decl
	for _, x := range syntax.Conjuncts(at.expr) {
		lit, isLit := x.(*ast.StructLit)
		switch {
		case isLit:
			rest = append(rest, &ast.Field{Label: ast.NewIdent("#Artifact"), Value: lit})
		case of == nil && p.ArtifactOf(x) != nil:
			of = p.ArtifactOf(x)
		default:
			return nil, false
		}
	}
	if of == nil || !of.IsUsable() || of.Module == nil || p.Module == nil || of.Module.Kam != p.Module.Kam {
		return nil, false
	}
	names := lib.Sources(of)
	for _, d := range rest {
		if !hasOnly(d.(*ast.Field).Value.(*ast.StructLit), nil, names.Declares) {
			return nil, false
		}
	}
	imports := maps.Clone(of.Imports)
	for path, imp := range p.Imports {
		if other := imports[path]; other != nil && other != imp {
			return nil, false
		}
		if imports == nil {
			imports = map[string]*source.Package{}
		}
		imports[path] = imp
	}
	file := &ast.File{Filename: at.file.Filename, LanguageVersion: at.file.LanguageVersion, Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent(of.Name)}}}
	for _, d := range at.file.Decls {
		if d, ok := d.(*ast.ImportDecl); ok {
			file.Decls = append(file.Decls, d)
		}
	}
	file.Decls = append(file.Decls, rest...)
	path, _, _ := strings.Cut(p.Path, ":")
	return &source.Package{
		Path: path + "/deployed:" + of.Name, Name: of.Name, Module: of.Module, Imports: imports,
		Files: slices.Concat(of.Files, syntax.Copy([]*ast.File{file}, syntax.Change{})), Made: source.Made{From: p, Written: true, Deployed: true},
	}, true
}

// hasOnly reports whether a struct has no fields but some that has says yes to.
func hasOnly(lit *ast.StructLit, at []string, has func(...string) bool) bool {
	return !filter.Any(lit.Elts, func(d ast.Decl) bool {
		if _, isComment := d.(*ast.CommentGroup); isComment {
			return false
		}
		f, ok := d.(*ast.Field)
		if !ok || f.Alias != nil || f.Constraint != token.ILLEGAL {
			return true
		}
		name := syntax.LabelName(f.Label)
		path := append(slices.Clip(at), name)
		if name == "" || syntax.IsAside(name) || !has(path...) {
			return true
		}
		inner, ok := f.Value.(*ast.StructLit)
		return ok && !hasOnly(inner, path, has)
	})
}
