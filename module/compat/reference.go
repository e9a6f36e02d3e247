package compat

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// references knows what the names in a package's sources may stand for. Names are
// followed by what they are called: too much may be taken for a reference, never
// too little.
type references struct {
	pkg *spread.Package
	// top are the package's own fields but #Artifact, inner the definitions that
	// are declared below others of its fields.
	top   map[string][]*ast.Field
	inner map[string]bool
	// lets are those of whole files, aliases the labels of fields with another name.
	lets    map[string][]ast.Expr
	aliases map[string]string
	imports map[string]*spread.Package // by the name in the sources; nil for CUE's own
	failed  bool
}

func newReferences(p *spread.Package) *references {
	r := &references{pkg: p, top: map[string][]*ast.Field{}, inner: map[string]bool{}, lets: map[string][]ast.Expr{}, aliases: map[string]string{}, imports: map[string]*spread.Package{}}
	for _, f := range p.Files {
		if value.IsModel(fromcue.Pos(f)) {
			continue
		}
		for _, d := range f.Decls {
			switch x := d.(type) {
			case *ast.Field:
				r.declared(x)
			case *ast.LetClause:
				r.lets[x.Ident.Name] = append(r.lets[x.Ident.Name], x.Expr)
			case *ast.ImportDecl, *ast.Package, *ast.CommentGroup, *ast.Attribute:
			default:
				r.failed = true
			}
		}
		r.imported(f)
		ast.Walk(f, r.note, nil)
	}
	return r
}

func (r *references) declared(x *ast.Field) {
	if name := labelOf(x.Label); name != "#Artifact" {
		r.top[name] = append(r.top[name], x)
	}
	ast.Walk(x.Value, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && strings.HasPrefix(labelOf(f.Label), "#") {
			r.inner[labelOf(f.Label)] = true
		}
		return true
	}, nil)
}

func (r *references) imported(f *ast.File) {
	for spec := range f.ImportSpecs() {
		path, err := literal.Unquote(spec.Path.Value)
		if err != nil {
			r.failed = true
			continue
		}
		name := ast.ParseImportPath(path).Qualifier
		if imp := r.pkg.Imports[path]; imp != nil {
			name = imp.Name
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		r.imports[name] = r.pkg.Imports[path]
	}
}

// note notes other names of fields.
func (r *references) note(n ast.Node) bool {
	alias := func(id *ast.Ident, label string) {
		if before, ok := r.aliases[id.Name]; ok && before != label {
			label = anyLabel
		}
		r.aliases[id.Name] = label
	}
	switch x := n.(type) {
	case *ast.Field:
		name := labelOf(x.Label)
		if a, ok := x.Label.(*ast.Alias); ok {
			if l, isLabel := a.Expr.(ast.Label); isLabel {
				name = labelOf(l)
			}
			alias(a.Ident, name)
		}
		if a, ok := x.Value.(*ast.Alias); ok {
			alias(a.Ident, name)
		}
		r.failed = r.failed || x.Alias != nil
	case *ast.TryClause, *ast.Func, *ast.BadExpr, *ast.BadDecl:
		r.failed = true
	}
	return true
}

// isModel reports whether an expression is a definition of the model.
func (r *references) isModel(x ast.Expr) bool {
	s, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	imp := (*spread.Package)(nil)
	if ok {
		imp = r.imports[id.Name]
	}
	return imp != nil && imp.Module != nil && imp.Module.Path == modelPath
}

const modelPath = "kumori.systems/kumori"

// of is the source of a node on one line, with that of what it refers to outside
// of #Artifact, and all names that it refers to.
func (r *references) of(n ast.Node) (string, [][]string) {
	w := &reach{references: r, seen: map[string]bool{}}
	w.node(n)
	text := sourceOf(n)
	for _, name := range sorted(w.seen) {
		text += "; " + name + ": " + w.texts[name]
	}
	return text, w.chains
}

// reach follows the names in an expression.
type reach struct {
	*references
	chains [][]string
	seen   map[string]bool
	texts  map[string]string
}

func (w *reach) node(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			if _, isName := x.Label.(*ast.Ident); !isName {
				w.node(x.Label)
			}
			if x.Value != nil {
				w.node(x.Value)
			}
			return false
		case *ast.ForClause:
			w.node(x.Source)
			return false
		case *ast.LetClause:
			w.node(x.Expr)
			return false
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			return !w.chain(x.(ast.Expr))
		}
		return true
	}, nil)
}

// chain notes a reference, if the expression is one.
func (w *reach) chain(x ast.Expr) bool {
	chain, rest, ok := chainOf(x)
	if !ok {
		return false
	}
	for _, index := range rest {
		w.node(index)
	}
	name := chain[0]
	w.failed = w.failed || name == "self" // which CUE may take for the struct around it
	if name == "#Artifact" {
		chain = append(chain, anyLabel)[1:]
	}
	if imp, ok := w.imports[name]; ok {
		w.foreign(name, chain, imp)
		return true
	}
	if label, ok := w.aliases[name]; ok {
		w.chains = append(w.chains, append([]string{label}, chain[1:]...))
	}
	w.outside(name)
	if !filter.Contains(predeclared, name) || w.top[name] != nil {
		w.chains = append(w.chains, chain)
	}
	return true
}

// outside follows a name of the package that is not in #Artifact.
func (w *reach) outside(name string) {
	if w.seen[name] || w.top[name] == nil && w.lets[name] == nil {
		return
	}
	w.seen[name] = true
	var text []string
	for _, f := range w.top[name] {
		text = append(text, f.Constraint.String()+sourceOf(f.Value))
		w.node(f.Value)
	}
	for _, x := range w.lets[name] {
		text = append(text, sourceOf(x))
		w.node(x)
	}
	slices.Sort(text)
	w.say(name, strings.Join(text, " & "))
}

// foreign notes a reference into another package. Of an artifact that fills a
// role only the path counts here; what it takes is looked at by itself.
func (w *reach) foreign(name string, chain []string, imp *spread.Package) {
	switch {
	case imp == nil:
	case imp.IsArtifact() && len(chain) == 2:
		w.say("import "+name, packageKey(imp))
	default:
		w.say("import "+name, packageKey(imp)+" "+packageText(imp, map[*spread.Package]bool{}))
	}
}

func (w *reach) say(name, text string) {
	if w.texts == nil {
		w.texts = map[string]string{}
	}
	w.seen[name] = true
	w.texts[name] = text
}

// packageKey is what a package is called whatever its version.
func packageKey(p *spread.Package) string {
	if p.Module == nil {
		return p.Path
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(p.Path, p.Module.Path), "@")
	if i := strings.IndexAny(rest, "/:"); i >= 0 {
		rest = rest[i:]
	}
	if p.Module.Main {
		return rest
	}
	return p.Module.Path + rest
}

// packageText is the source of a package and of all that it imports.
func packageText(p *spread.Package, done map[*spread.Package]bool) string {
	if p == nil || done[p] {
		return ""
	}
	done[p] = true
	var out []string
	for _, f := range p.Files {
		if !value.IsModel(fromcue.Pos(f)) {
			out = append(out, plain(f))
		}
	}
	for _, path := range sorting.Ordered(p.Imports) {
		out = append(out, packageText(p.Imports[path], done))
	}
	return strings.Join(out, "\n")
}

// chainOf is a reference as its names, and the expressions by which it is indexed.
func chainOf(x ast.Expr) (chain []string, rest []ast.Expr, ok bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return chainOf(x.X)
	case *ast.Ident:
		return []string{x.Name}, nil, true
	case *ast.SelectorExpr:
		chain, rest, ok = chainOf(x.X)
		return append(chain, labelOf(x.Sel)), rest, ok
	case *ast.IndexExpr:
		chain, rest, ok = chainOf(x.X)
		if lit, isLit := x.Index.(*ast.BasicLit); isLit && lit.Kind == token.STRING {
			if name, err := literal.Unquote(lit.Value); err == nil {
				return append(chain, name), rest, ok
			}
		}
		return append(chain, anyLabel), append(rest, x.Index), ok
	}
	return nil, nil, false
}

// sourceOf is the source of a node on one line, without comments.
func sourceOf(n ast.Node) string {
	switch x := n.(type) {
	case ast.Clause:
		return plain(&ast.File{Decls: []ast.Decl{&ast.Comprehension{Clauses: []ast.Clause{x}, Value: &ast.StructLit{}}}})
	case ast.Expr:
		return plain(&ast.File{Decls: []ast.Decl{&ast.EmbedDecl{Expr: x}}})
	}
	return ""
}

// plain is the source of a file on one line, without comments.
func plain(f *ast.File) string {
	text, err := format.Node(f)
	if err != nil {
		return err.Error()
	}
	if bare, err := parser.ParseFile("", text); err == nil { // the mode leaves them out
		if text, err = format.Node(bare); err != nil {
			return err.Error()
		}
	}
	return strings.Join(strings.Fields(string(text)), " ")
}
