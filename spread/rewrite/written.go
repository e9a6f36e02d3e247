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
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
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
	// texts are the artifacts of roles as the package writes them, by name.
	texts map[string][]writtenAt
	// places is nil unless roles pass something on to their artifacts: see [surroundings.places].
	places map[token.Pos]token.Pos
	// onlyWritten is [Copy.OnlyWritten], and constants are [Copy.HasConstants].
	onlyWritten, constants bool
}

// HasConstants reports whether values of artifacts, or the names of roles, are written in the copy in place of what refers to them.
func (w *Copy) HasConstants() bool { return w != nil && w.constants }

// manyRoles is the number of roles above which a copy is kept although the positions of a problem in it are less exact: without the
// copy, CUE would evaluate all roles, for seconds.
const manyRoles = 100

// OnlyWritten reports whether the copy can stay for the other roles when something is wrong in one. It can if it differs only in
// that artifacts which roles with names write out have packages of their own, or if there are more than [manyRoles].
func (w *Copy) OnlyWritten() bool { return w != nil && w.onlyWritten }

// RoleAt is the role with an artifact that is written at a position, "" for none.
func (w *Copy) RoleAt(pos diag.Pos) string {
	if w == nil || !pos.IsValid() {
		return ""
	}
	for name, all := range w.texts {
		for _, at := range all {
			from, to := fromcue.Pos(at.value), at.value.End().Offset()
			if pos.Filename() == from.Filename() && from.Offset() <= pos.Offset() && pos.Offset() < to {
				return name
			}
		}
	}
	return ""
}

// Sharing are the roles for whose artifacts one package stands, if it is that of the role: it says that.
func (w *Copy) Sharing(role string) (pkg *source.Package, roles []string) {
	if pkg = w.roles[role].pkg; pkg == nil {
		return nil, nil
	}
	for name, x := range w.roles {
		if x.pkg == pkg {
			roles = append(roles, name)
		}
	}
	return pkg, roles
}

// inPlace is an artifact that is written where a role is, and also elsewhere.
type inPlace struct {
	pkg    *source.Package // that stands for it, nil for one that is there in any case
	moved  *moves          // from there to here; nil for the first
	lifted *value.Data     // the values in which it differs from there, nil for none
}

// Roles returns a copy of a package in which what its roles have is brought into the form that a
// spread understands. It is nil where nothing is written in another form, or where that could not have
// a package of its own.
func Roles(p *source.Package, lib *source.Library, leaf Leaf) *Copy {
	return rolesBut(p, lib, leaf, nil, nil)
}

// But returns another copy of p, the package that w is a copy of: in this one, the artifacts of some roles stay where they are written.
func (w *Copy) But(asIs map[string]bool, p *source.Package, lib *source.Library, leaf Leaf) *Copy {
	return rolesBut(p, lib, leaf, w, asIs)
}

// rolesBut is [Roles] with the packages of a copy before, nil for none, and with roles that stay as they are.
func rolesBut(p *source.Package, lib *source.Library, leaf Leaf, before *Copy, asIs map[string]bool) *Copy {
	if !p.IsUsable() || p.Made.From != nil && !p.Made.Deployed && !p.Made.Decided || syntax.HasWrongNames(p.Files) {
		return nil
	}
	p.Link()
	from := p
	unrolled := unroll(p, lib)
	if !p.HasRoles() && unrolled == nil && !namesRoles(p) {
		return nil
	}
	if unrolled != nil {
		p = &source.Package{Path: p.Path, Name: p.Name, Module: p.Module, Files: unrolled, Imports: p.Imports, Made: source.Made{From: p}}
		p.Link()
	}
	s := &roleSearch{pkg: p, roles: map[string][]writtenAt{}, asIs: asIs}
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
	hasConstants := len(w.instead) > 0
	named := share(w.named(s))
	alone := w.alone(s)
	for i, shared := range append(named, alone...) {
		pkg := before.written(i)
		if pkg == nil {
			pkg = artifactOf(from, shared, i)
		}
		if isSame(pkg, shared.roles, lib) {
			packages[pkg.Path] = pkg
			w.shared(shared, pkg, s)
		}
	}
	if len(w.instead) == 0 && from == p {
		return nil
	}
	w.dropNames(p)
	copied := &source.Package{Path: p.Path, Name: p.Name, Module: p.Module, Imports: packages, Made: source.Made{From: from, Unrolled: unrolled != nil, But: strings.Join(sorting.Ordered(asIs), " ")}}
	if unrolled != nil {
		lib.Forget(p)
	}
	copied.Files = w.files(p.Files, unrolled != nil)
	if len(w.roles) > 0 {
		if more := constants(copied, lib, leaf, w.roles); len(more) > 0 { // of artifacts that are written out
			lib.Forget(copied)
			syntax.Edit(copied.Files, syntax.Change{Instead: more})
			hasConstants = true
		}
	}
	leaveOutNames(copied, lib)
	return &Copy{
		Package: copied, roles: w.roles, texts: s.roles, places: w.places,
		onlyWritten: !hasConstants && len(alone) == 0 && (unrolled == nil && w.places == nil || len(w.roles) > manyRoles), constants: hasConstants,
	}
}

// namesRoles reports whether a package that imports no artifact has a field for roles: it may write out all of their artifacts.
func namesRoles(p *source.Package) (found bool) {
	for _, f := range p.OwnFiles() {
		ast.Walk(f, func(n ast.Node) bool {
			x, ok := n.(*ast.Field)
			found = found || ok && syntax.LabelName(x.Label) == "role"
			return !found
		}, nil)
	}
	return found
}

// roleWriter collects what a copy of a package has in place of the artifacts of roles.
type roleWriter struct {
	roles   map[string]inPlace
	instead map[ast.Expr]ast.Expr
	gone    map[ast.Decl]bool
	imports map[*ast.File][]*ast.ImportSpec // that files have besides
	places  map[token.Pos]token.Pos         // see [Copy]
}

// named puts the artifacts of packages in place of other names for them. It returns the artifacts that
// are written out and could have packages of their own.
func (w *roleWriter) named(s *roleSearch) (texts []roleText) {
	for _, name := range sorting.Ordered(s.roles) {
		all := s.roles[name]
		if syntax.IsAside(name) {
			continue
		}
		if path := s.namedBy(all); path != "" {
			if !s.asIs[name] {
				w.roles[name] = inPlace{}
				w.instead[all[0].value] = w.imported(all[0], path)
			}
			continue
		}
		if t := s.text(name, all); t != nil {
			texts = append(texts, *t)
		} else if len(all) == 1 {
			s.alone = append(s.alone, all[0]) // it may be one of several
		}
	}
	return texts
}

// alone are the artifacts that are written out for roles with computed names, or among others that a role chooses from. Each has a package.
func (w *roleWriter) alone(s *roleSearch) (texts []*sharedText) {
	for _, at := range s.alone {
		for _, x := range chosen(at.value) {
			at.value, at.expr = x, x
			if t := s.text("", []writtenAt{at}); t != nil {
				texts = append(texts, &sharedText{roles: []roleText{*t}})
			}
		}
	}
	return texts
}

// chosen are the artifacts of which a role has one, by conditions:  [if c {a.#Artifact & {…}}, b.#Artifact][0].
func chosen(x ast.Expr) (all []ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return chosen(x.X)
	case *ast.IndexExpr:
		if list, ok := x.X.(*ast.ListLit); ok {
			for _, e := range list.Elts {
				all = append(all, chosen(e)...)
			}
			return all
		}
	case *ast.Comprehension:
		return chosen(x.Value)
	case *ast.StructLit:
		if len(x.Elts) == 1 {
			switch d := x.Elts[0].(type) {
			case *ast.EmbedDecl:
				return chosen(d.Expr)
			case *ast.Comprehension:
				return chosen(d)
			}
		}
	}
	return []ast.Expr{x}
}

// text is what a role writes out, nil if there is nothing more than the artifact of a package, or something that it refers to around
// it could not be passed on.
func (s *roleSearch) text(role string, all []writtenAt) *roleText {
	if !filter.Any(all, func(at writtenAt) bool { return isRefined(at.expr) }) {
		return nil
	}
	if s.around == nil {
		s.around = newSurroundings(s.pkg)
	}
	c := &closure{surroundings: s.around}
	t := &roleText{role: role, at: all}
	if !c.read(all) {
		return nil
	}
	t.passed, t.asks = c.refs, c.asks && len(c.refs) > 0
	if !t.read(fmt.Sprint(c.imports, t.asks)) {
		return nil
	}
	return t
}

// isRefined reports whether an artifact is more than a name or a choice of names.
func isRefined(x ast.Expr) bool {
	switch x := syntax.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return x.Op == token.AND
	case *ast.StructLit:
		return true
	}
	return false
}

// shared puts the artifact of a package in place of those that roles write out.
func (w *roleWriter) shared(text *sharedText, pkg *source.Package, s *roleSearch) {
	first := text.roles[0].positions()
	index := map[token.Pos]int{}
	for i, p := range first {
		if p.IsValid() {
			index[p] = i
		}
	}
	for _, t := range text.roles {
		if s.asIs[t.role] {
			continue
		}
		var moved *moves
		if t.at[0].expr != text.roles[0].at[0].expr {
			moved = &moves{index, t.positions()}
			if len(moved.to) != len(first) {
				continue
			}
		}
		if t.role != "" {
			w.roles[t.role] = inPlace{pkg, moved, text.values(t)}
		}
		if len(t.passed) > 0 && w.places == nil {
			w.places = s.around.places()
		}
		w.pass(t, s.around)
		w.instead[t.at[0].value] = w.imported(t.at[0], pkg.Path)
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
	id := &ast.Ident{Name: spec.Name.Name, NamePos: at.value.Pos(), Node: spec}
	return &ast.SelectorExpr{X: id, Sel: ast.NewIdent("#Artifact")}
}

// files are copies of files with all of that; the files themselves if they are copies already.
func (w *roleWriter) files(of []*ast.File, areCopies bool) []*ast.File {
	change := syntax.Change{Instead: w.instead, Imports: w.imports}
	if len(w.gone) > 0 {
		change.Drop = func(_ ast.Node, d ast.Decl) bool { return w.gone[d] }
	}
	if !areCopies {
		return syntax.Copy(of, change)
	}
	if len(w.instead) > 0 || len(w.gone) > 0 {
		syntax.Edit(of, change)
	}
	return of
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
	if len(all) != 1 || all[0].expr == all[0].value || s.pkg.ArtifactOf(all[0].expr) == nil {
		return ""
	}
	spec := all[0].expr.(*ast.SelectorExpr).X.(*ast.Ident).Node.(*ast.ImportSpec)
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// leaveOutNames leaves out the fields of a copy that are nothing but names for artifacts, and that
// nobody refers to any more: a stub cannot stand for what they are.
func leaveOutNames(p *source.Package, lib *source.Library) {
	if !hasNames(p) {
		return
	}
	sources := lib.Sources(p)
	names := sources.Fields(func(x ast.Expr) bool { return p.ArtifactOf(x) != nil })
	if len(names) == 0 {
		return
	}
	lib.Forget(p)
	sources.Reduce(sources.LeaveOut(names))
}

// dropNames leaves out the hidden fields of a package that are nothing but names for artifacts, if no identifier that is left has the
// name. It compares names alone, which takes a fraction of the time of [leaveOutNames].
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
			if d, ok := d.(*ast.ImportDecl); ok && !filter.Contains(imports, ast.Decl(d)) {
				imports = append(imports, d)
			}
		}
	}
	file := &ast.File{Filename: all[0].file.Filename, LanguageVersion: all[0].file.LanguageVersion}
	file.Decls = append(append([]ast.Decl{&ast.Package{Name: ast.NewIdent("written")}}, imports...), &ast.Field{Label: ast.NewIdent("#Artifact"), Value: x})
	if d := shared.declared(); d != nil {
		file.Decls = append(file.Decls, d)
	}
	return &source.Package{
		Path: writtenPath(p, n), Name: "written", Module: p.Module, Imports: p.Imports,
		Files: syntax.Copy([]*ast.File{file}, syntax.Change{Instead: shared.instead()}), Made: source.Made{From: p, Written: true},
	}
}

// writtenPath is the import path of the n-th package that is made for a service.
func writtenPath(of *source.Package, n int) string {
	path, _, _ := strings.Cut(of.Path, ":")
	return fmt.Sprintf("%s/written%d:written", path, n)
}

// written is the n-th package of those that a copy has for artifacts, nil if it has none. A nil Copy has none.
func (w *Copy) written(n int) *source.Package {
	if w == nil {
		return nil
	}
	return w.Package.Imports[writtenPath(w.Package, n)]
}

// writtenAt is an expression for the artifact of a role.
type writtenAt struct {
	field *ast.Field
	value ast.Expr // of the field, or one of those that are chosen there
	expr  ast.Expr // that value, or what it is a name for
	file  *ast.File
	in    *ast.StructLit // that has the field
	// around are the structs that the field lies in.
	around []*ast.StructLit
}

// sees reports whether a name in a scope has the same meaning in the role as in the expression, which may be written elsewhere.
func (at writtenAt) sees(scope ast.Node) bool {
	_, isFile := scope.(*ast.File)
	return at.expr == at.value || scope == nil || isFile || filter.Any(at.around, func(x *ast.StructLit) bool { return ast.Node(x) == scope })
}

// roleSearch finds the artifacts that are written out in roles.
type roleSearch struct {
	pkg     *source.Package
	file    *ast.File
	labels  []string
	within  []*ast.StructLit
	roles   map[string][]writtenAt
	alone   []writtenAt // for roles whose names are computed
	pattern bool        // the walk is in what is said of several roles
	unclear bool        // some are written for any role, or may be one role's
	hidden  int         // how many nodes around the walk hide fields, see [syntax.HidesFields]
	around  *surroundings
	asIs    map[string]bool // roles that are left alone
}

func (s *roleSearch) before(n ast.Node) bool {
	if lit, ok := n.(*ast.StructLit); ok {
		s.within = append(s.within, lit)
	}
	f, ok := n.(*ast.Field)
	if !ok {
		if hidesFields(n) {
			s.hidden++
		}
		return true
	}
	s.labels = append(s.labels, syntax.LabelName(f.Label))
	l := s.labels
	if len(l) == 4 {
		_, s.pattern = f.Label.(*ast.ListLit)
	}
	if len(l) != 5 || l[0] != "#Artifact" || l[1] != "description" || l[2] != "role" || l[4] != "artifact" && l[4] != "" {
		return true
	}
	s.unclear = s.unclear || s.pattern || l[4] == "" || f.Alias != nil || s.hidden > 0
	at := writtenAt{f, f.Value, f.Value, s.file, s.within[len(s.within)-1], slices.Clone(s.within)}
	if l[3] == "" {
		s.alone = append(s.alone, at)
	} else {
		s.roles[l[3]] = append(s.roles[l[3]], at)
	}
	s.after(f)
	return false
}

func (s *roleSearch) after(n ast.Node) {
	switch n.(type) {
	case *ast.Field:
		s.labels = s.labels[:len(s.labels)-1]
	case *ast.StructLit:
		s.within = s.within[:len(s.within)-1]
	default:
		if hidesFields(n) {
			s.hidden--
		}
	}
}

// hidesFields reports whether the fields in a node are no role's where it is written.
func hidesFields(n ast.Node) bool {
	_, isLet := n.(*ast.LetClause)
	return isLet || syntax.HidesFields(n)
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

// positions are those of all that a text is made of. What it refers to around it has one.
func (t *roleText) positions() (out []token.Pos) {
	refs := map[ast.Node]bool{}
	for _, p := range t.passed {
		refs[p.ref] = true
	}
	for _, at := range t.at {
		ast.Walk(at.expr, func(n ast.Node) bool { out = append(out, n.Pos()); return !refs[n] }, nil)
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
	lifted := w.roles[role].lifted
	for _, f := range config.Get(depends.Lifted).Each() {
		lifted = lifted.Set(f.Name, f.Value)
	}
	return config.Set(depends.Lifted, lifted)
}

// Passes reports whether roles pass on to their artifacts what those refer to around them.
func (w *Copy) Passes() bool { return w != nil && w.places != nil }

// Passed takes out of the meta of a role what it passes on, nil for nothing, which is a part of what [Copy.Given] gets. It is false if that is
// not the same for the artifact as what it referred to.
func (w *Copy) Passed(meta *value.Data) (rest, lifted *value.Data, ok bool) {
	passed := meta.Get(passedIn)
	if passed == nil {
		return meta, nil, true
	}
	lifted, ok = value.NewStruct(passed.Pos), true
	for _, f := range passed.Each() {
		if f.Name != howMany {
			v := f.Value
			if !strings.Contains(f.Name, isUntyped) {
				v = v.Moved(w.literal)
			}
			lifted = lifted.Set(f.Name, v)
			ok = ok && (strings.HasPrefix(f.Name, mayBeStruct) || isScalar(v))
		}
	}
	if n := passed.Get(howMany); !ok || n != nil && n.Text != strconv.Itoa(len(lifted.Each())) {
		return meta, lifted, false
	}
	if rest = meta.Without([]string{passedIn}); len(rest.Each()) == 0 {
		rest = nil
	}
	return value.OrEmpty(rest), lifted, true
}

// isScalar reports whether a value has no fields. A list may have scalars.
func isScalar(d *value.Data) bool {
	return d.Kind != value.Struct && !filter.Any(d.Items, func(x *value.Data) bool { return x.IsComposite() })
}

// literal is where a literal lies if p is the position of what it is the value of, and p otherwise.
func (w *Copy) literal(p diag.Pos) diag.Pos {
	if at, ok := w.places[fromcue.Token(p)]; ok {
		return diag.At(at)
	}
	return p
}
