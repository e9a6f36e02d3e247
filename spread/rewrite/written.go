package rewrite

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// An artifact that is written out in a role,
//
//	role: web: artifact: w.#Artifact & {description: code: web: image: tag: "2.0"}
//
// and refers to nothing around it is like one of a package of its own. So it gets one,
// and the service a copy that has the artifact of that in its role: a stub stands for it,
// and what is known of it serves all roles in which the same is written.

// Copy is a copy of a package in which packages fill the roles whose artifacts were written out.
type Copy struct {
	// Package is the copy.
	Package *source.Package
	roles   map[string]inPlace // by name
}

// inPlace is an artifact that is written where a role is, and also elsewhere.
type inPlace struct {
	moved  *moves      // from there to here; nil for the first
	lifted *value.Data // the values in which it differs from there, nil for none
}

// Roles returns a copy of a package in which what its roles have is brought into the form that a
// spread understands. It is nil where nothing is written in another form, or where that could not have
// a package of its own.
func Roles(p *source.Package, lib *source.Library, leaf Leaf) *Copy {
	if !p.IsUsable() || p.Made.From != nil && !p.Made.Deployed && !p.Made.Decided || syntax.HasUnused(p.Files) {
		return nil
	}
	p.Link()
	from := p
	unrolled := unroll(p, lib)
	if !p.HasRoles() && unrolled == nil {
		return nil
	}
	if unrolled != nil {
		p = &source.Package{Path: p.Path, Name: p.Name, Module: p.Module, Files: unrolled, Imports: p.Imports, Made: source.Made{From: p}}
		p.Link()
	}
	s := &roleSearch{pkg: p, roles: map[string][]writtenAt{}}
	for _, f := range p.Files {
		s.file = f
		ast.Walk(f, s.before, s.after)
	}
	if s.unclear {
		return nil
	}
	s.resolve(lib)
	w := &roleWriter{roles: map[string]inPlace{}, instead: constants(p, lib, leaf, nil), gone: map[ast.Decl]bool{}, imports: map[*ast.File][]*ast.ImportSpec{}}
	packages := maps.Clone(p.Imports)
	for i, shared := range share(w.named(s)) {
		pkg := artifactOf(from, shared, i)
		packages[pkg.Path] = pkg
		w.shared(shared, pkg)
	}
	if len(w.instead) == 0 && from == p {
		return nil
	}
	w.dropNames(p)
	copied := &source.Package{Path: p.Path, Name: p.Name, Module: p.Module, Imports: packages, Made: source.Made{From: from, Unrolled: unrolled != nil}}
	copied.Files = w.files(p.Files)
	if len(w.roles) > 0 {
		if more := constants(copied, lib, leaf, w.roles); len(more) > 0 { // of artifacts that are written out
			lib.Forget(copied)
			copied = copied.With(syntax.Copy(copied.Files, syntax.Change{Instead: more}))
		}
	}
	return &Copy{Package: withoutNames(copied, lib), roles: w.roles}
}

// roleWriter collects what a copy of a package has in place of the artifacts of roles.
type roleWriter struct {
	roles   map[string]inPlace
	instead map[ast.Expr]ast.Expr
	gone    map[ast.Decl]bool
	imports map[*ast.File][]*ast.ImportSpec // that files have besides
}

// named puts the artifacts of packages in place of other names for them. It returns the artifacts that
// are written out and could have packages of their own.
func (w *roleWriter) named(s *roleSearch) (texts []roleText) {
	for _, name := range slices.Sorted(maps.Keys(s.roles)) {
		all := s.roles[name]
		if syntax.IsAside(name) {
			continue
		}
		if path := s.namedBy(all); path != "" {
			w.roles[name] = inPlace{}
			w.instead[all[0].field.Value] = w.imported(all[0], path)
			continue
		}
		if key, ok := s.independent(all); ok {
			if t := (roleText{role: name, at: all}); t.read(key) {
				texts = append(texts, t)
			}
		}
	}
	return texts
}

// shared puts the artifact of a package in place of those that roles write out.
func (w *roleWriter) shared(text *sharedText, pkg *source.Package) {
	first := positionsOf(text.roles[0].at)
	index := map[token.Pos]int{}
	for i, p := range first {
		if p.IsValid() {
			index[p] = i
		}
	}
	for _, t := range text.roles {
		var moved *moves
		if t.at[0].expr != text.roles[0].at[0].expr {
			moved = &moves{index, positionsOf(t.at)}
			if len(moved.to) != len(first) {
				continue
			}
		}
		w.roles[t.role] = inPlace{moved, text.values(t)}
		w.instead[t.at[0].field.Value] = w.imported(t.at[0], pkg.Path)
		for _, x := range t.at[1:] {
			w.gone[x.field] = true
		}
	}
}

// imported is the artifact of a package at a place whose file imports it from now on.
func (w *roleWriter) imported(at writtenAt, path string) ast.Expr {
	i := slices.IndexFunc(w.imports[at.file], func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(path) })
	if i < 0 {
		i = len(w.imports[at.file])
		w.imports[at.file] = append(w.imports[at.file], ast.NewImport(ast.NewIdent(fmt.Sprint("kumikiWritten", len(w.instead))), path))
	}
	spec := w.imports[at.file][i]
	id := &ast.Ident{Name: spec.Name.Name, NamePos: at.field.Value.Pos(), Node: spec}
	return &ast.SelectorExpr{X: id, Sel: ast.NewIdent("#Artifact")}
}

// files are copies of files with all of that, or the files themselves if there is none of it.
func (w *roleWriter) files(of []*ast.File) []*ast.File {
	if len(w.instead) == 0 && len(w.gone) == 0 && len(w.imports) == 0 {
		return of
	}
	return syntax.Copy(of, syntax.Change{Instead: w.instead, Imports: w.imports, Drop: func(_ ast.Node, d ast.Decl) bool { return w.gone[d] }})
}

// resolve puts what names stand for in place of them: of lets and fields that an artifact is
// called by.
func (s *roleSearch) resolve(lib *source.Library) {
	for name, all := range s.roles {
		if len(all) != 1 || s.pkg.ArtifactOf(all[0].expr) != nil {
			continue
		}
		switch all[0].expr.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		default:
			continue
		}
		if x := lib.Sources(s.pkg).Named("description", "role", name, "artifact"); x != nil {
			s.roles[name][0].expr = x
		}
	}
}

// namedBy is the import path of the package whose artifact a role has by another name, ""
// for anything else.
func (s *roleSearch) namedBy(all []writtenAt) string {
	if len(all) != 1 || all[0].expr == all[0].field.Value || s.pkg.ArtifactOf(all[0].expr) == nil {
		return ""
	}
	spec := all[0].expr.(*ast.SelectorExpr).X.(*ast.Ident).Node.(*ast.ImportSpec)
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// withoutNames leaves out the fields that are nothing but names for artifacts, and that
// nobody refers to any more: a stub cannot stand for what they are.
func withoutNames(p *source.Package, lib *source.Library) *source.Package {
	if !hasNames(p) {
		return p
	}
	sources := lib.Sources(p)
	names := sources.Fields(func(x ast.Expr) bool { return p.ArtifactOf(x) != nil })
	if len(names) == 0 {
		return p
	}
	lib.Forget(p)
	return p.With(sources.Rest(sources.LeaveOut(names)))
}

// dropNames leaves out the hidden fields of a package that are nothing but names for artifacts, if no identifier that is left has the
// name. It compares names alone, which takes a fraction of the time of [withoutNames].
func (w *roleWriter) dropNames(p *source.Package) {
	names, labels := map[string]*ast.Field{}, map[ast.Node]bool{}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			f, ok := d.(*ast.Field)
			if !ok || !syntax.IsPlainField(f) || p.ArtifactOf(f.Value) == nil {
				continue
			}
			if name := syntax.LabelName(f.Label); strings.HasPrefix(name, "_") && names[name] == nil {
				names[name], labels[f.Label] = f, true
			}
		}
	}
	if len(names) == 0 {
		return
	}
	for _, f := range p.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok && w.instead[x] != nil {
				return false
			}
			if id, ok := n.(*ast.Ident); ok && !labels[n] {
				delete(names, id.Name)
			}
			return true
		}, nil)
	}
	for _, f := range names {
		w.gone[f] = true
	}
}

// hasNames reports whether there may be such fields: whether one outside of the roles has an artifact as its value.
func hasNames(p *source.Package) (has bool) {
	var labels []string
	after := func(n ast.Node) {
		if _, ok := n.(*ast.Field); ok {
			labels = labels[:len(labels)-1]
		}
	}
	before := func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		labels = append(labels, syntax.LabelName(f.Label))
		if has = has || p.ArtifactOf(f.Value) != nil; !slices.Equal(labels, []string{"#Artifact", "description", "role"}) {
			return true
		}
		after(f)
		return false
	}
	for _, f := range p.Files {
		ast.Walk(f, before, after)
	}
	return has
}

// artifactOf is a package of an artifact that p writes out in roles.
func artifactOf(p *source.Package, shared *sharedText, n int) *source.Package {
	all := shared.roles[0].at
	var x ast.Expr
	var imports []ast.Decl
	for _, at := range all {
		if x == nil {
			x = at.expr
		} else {
			x = ast.NewBinExpr(token.AND, x, at.expr)
		}
		for _, d := range at.file.Decls {
			if d, ok := d.(*ast.ImportDecl); ok && !slices.Contains(imports, ast.Decl(d)) {
				imports = append(imports, d)
			}
		}
	}
	file := &ast.File{Filename: all[0].file.Filename, LanguageVersion: all[0].file.LanguageVersion}
	file.Decls = append(append([]ast.Decl{&ast.Package{Name: ast.NewIdent("written")}}, imports...), &ast.Field{Label: ast.NewIdent("#Artifact"), Value: x})
	if d := shared.declared(); d != nil {
		file.Decls = append(file.Decls, d)
	}
	path, _, _ := strings.Cut(p.Path, ":")
	return &source.Package{
		Path: fmt.Sprintf("%s/written%d:written", path, n), Name: "written", Module: p.Module, Imports: p.Imports,
		Files: syntax.Copy([]*ast.File{file}, syntax.Change{Instead: shared.instead()}), Made: source.Made{From: p, Written: true},
	}
}

// writtenAt is an expression for the artifact of a role.
type writtenAt struct {
	field *ast.Field
	expr  ast.Expr // the value, or what that is a name for
	file  *ast.File
}

// roleSearch finds the artifacts that are written out in roles.
type roleSearch struct {
	pkg     *source.Package
	file    *ast.File
	labels  []string
	roles   map[string][]writtenAt
	unclear bool // some are written for roles whose names are computed
}

func (s *roleSearch) before(n ast.Node) bool {
	f, ok := n.(*ast.Field)
	if !ok {
		return true
	}
	s.labels = append(s.labels, syntax.LabelName(f.Label))
	l := s.labels
	if len(l) != 5 || l[0] != "#Artifact" || l[1] != "description" || l[2] != "role" || l[4] != "artifact" && l[4] != "" {
		return true
	}
	s.unclear = s.unclear || l[3] == "" || l[4] == "" || f.Alias != nil
	s.roles[l[3]] = append(s.roles[l[3]], writtenAt{f, f.Value, s.file})
	s.after(f)
	return false
}

func (s *roleSearch) after(n ast.Node) {
	if _, ok := n.(*ast.Field); ok {
		s.labels = s.labels[:len(s.labels)-1]
	}
}

// independent reports whether expressions, which are more than the artifact of a package,
// refer to nothing but imports, which the key lists.
func (s *roleSearch) independent(all []writtenAt) (imports string, ok bool) {
	isName := func(at writtenAt) bool { _, ok := at.expr.(*ast.SelectorExpr); return ok }
	if !slices.ContainsFunc(all, func(at writtenAt) bool { return !isName(at) }) {
		return "", false
	}
	artifacts := 0
	for _, at := range all {
		within := map[ast.Node]bool{}
		ast.Walk(at.expr, func(n ast.Node) bool { within[n] = true; return true }, nil)
		clear := true
		ast.Walk(at.expr, func(n ast.Node) bool {
			if id, isIdent := n.(*ast.Ident); isIdent {
				imp, isImport := s.pkg.ImportOf(id)
				if imp != nil && imp.IsArtifact() && !imp.IsModel() {
					artifacts++
				}
				clear = clear && (isImport || id.Node == nil && id.Scope == nil || id.Scope != nil && within[id.Scope])
				if spec, ok := id.Node.(*ast.ImportSpec); ok {
					imports += spec.Path.Value
				}
			}
			return clear
		}, nil)
		if !clear || syntax.HasUnused([]*ast.File{{Decls: []ast.Decl{&ast.EmbedDecl{Expr: at.expr}}}}) {
			return "", false
		}
	}
	return imports, artifacts > 0
}

// moves are the positions of one text for those of another.
type moves struct {
	index map[token.Pos]int // in the other text
	to    []token.Pos
}

// move is a position in the other text, and p itself for any other or without moves.
func (m *moves) move(p diag.Pos) diag.Pos {
	if m == nil {
		return p
	}
	if i, ok := m.index[fromcue.Token(p)]; ok {
		return diag.At(m.to[i])
	}
	return p
}

// positionsOf are the positions of all that a text is made of.
func positionsOf(all []writtenAt) (out []token.Pos) {
	for _, at := range all {
		ast.Walk(at.expr, func(n ast.Node) bool { out = append(out, n.Pos()); return true }, nil)
	}
	return out
}

// Placed returns the node of a role's artifact with its places moved to where the role writes it out:
// roles that write the same share one package. A nil Copy moves none.
func (w *Copy) Placed(role string, n *value.Node) *value.Node {
	if w == nil || n == nil || w.roles[role].moved == nil {
		return n
	}
	to := w.roles[role].moved.move
	out := *n
	out.Config, out.Description = n.Config.Moved(to), n.Description.Moved(to)
	return &out
}

// Given returns the config of a role with the values that its artifact takes from there in the copy.
// A nil Copy adds none.
func (w *Copy) Given(role string, config *value.Data) *value.Data {
	if w == nil || w.roles[role].lifted == nil {
		return config
	}
	return config.Set(depends.Lifted, w.roles[role].lifted)
}
