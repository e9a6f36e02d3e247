package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// Stub tells what a stub stands for.
type Stub int

const (
	NoStub         Stub = iota
	StubOfArtifact      // the artifact, of a package of which nothing else is used
	StubBeside          // the artifact, beside all else that the package defines
)

// Stubbable is that of the package, looked for once.
func (e *Evaluator) Stubbable(p *Package) map[*Package]Stub {
	stubbed, ok := e.stubbed[p]
	if !ok {
		stubbed = stubbable(p.With(e.files(p)))
		e.stubbed[p] = stubbed
	}
	return stubbed
}

// stubbable returns the imports of p that a stub can stand for: those of which p
// uses the artifact for nothing but  artifact: x.#Artifact,  or one of several by a condition, if no expression in p can see a role's
// artifact. A hidden field, a let or a list to go through may hold the artifact too, or have it in a struct, as long as roles alone
// get it from there:
//
//	_kinds: {web: w.#Artifact, db: d.#Artifact}
//	role: {for x in _list {(x.name): artifact: _kinds[x.kind]}}
//
// What an expression can see is told by the labels on the way to what it
// refers to, through lets and aliases; where they leave a doubt, it counts as seen.
func stubbable(p *Package) map[*Package]Stub {
	plain := map[*Package]Stub{}
	for _, imp := range p.Imports {
		if imp.IsArtifact() && imp.Name != "kumori" {
			plain[imp] = StubOfArtifact
		}
	}
	if len(plain) == 0 {
		return nil
	}
	s := newSight(p, false)
	s.plain = plain
	for _, f := range p.Files {
		ast.Walk(f, s.judge, s.leave)
	}
	if s.clear {
		return nil
	}
	return plain
}

// hasArtifact reports whether the struct at a path, outside of roles, has an artifact.
func (s *sight) hasArtifact(path []string) bool {
	return filter.Any(s.artifacts, func(a []string) bool {
		return len(a) == len(path)+1 && a[len(path)] == "artifact" && meets(a, path)
	})
}

// uses looks up what names in the files of a package stand for.
type uses struct{ pkg *Package }

// imported returns the package that x names, nil if it names none.
func (u *uses) imported(x ast.Expr) *Package {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	imp, _ := u.pkg.ImportOf(id)
	return imp
}

// sight finds out whether an expression of a package can see the artifact of a role.
type sight struct {
	uses
	plain map[*Package]Stub
	// paths are the labels that lead to a value; "" stands for one that is computed.
	paths     map[ast.Node][]string
	artifacts [][]string                  // the paths of fields that hold a package's artifact
	holders   [][]string                  // those among them that are no role's
	bases     map[ast.Node]bool           // references of roles to structs that have an artifact
	loops     map[ast.Node]*ast.ForClause // by their variable for values
	lets      map[ast.Node]*ast.LetClause // of comprehensions, by their name
	sources   map[ast.Node]string         // literals that loops go through, with a name for each
	labels    []string                    // that the walk is in
	naming    int                         // how many lets are looked through, one in the other
	hides     bool                        // there are hidden fields or lets
	odd       bool                        // a field that is not hidden has the name of one
	all       bool                        // see [newSight]
	clear     bool                        // something is seen, or may be
}

// newSight looks at where the fields of a package are; those that lie apart from
// artifacts only if all are asked for.
func newSight(p *Package, all bool) *sight {
	p.Link()
	s := &sight{uses: uses{pkg: p}, all: all, paths: map[ast.Node][]string{}, bases: map[ast.Node]bool{}, loops: map[ast.Node]*ast.ForClause{}, lets: map[ast.Node]*ast.LetClause{}, sources: map[ast.Node]string{}}
	for _, f := range p.Files {
		ast.Walk(f, s.place, s.leave)
	}
	if s.odd {
		s.holders = nil
	}
	if all {
		return s
	}
	for before := -1; s.hides && before < len(s.holders); { // one may hold what another has
		before = len(s.holders)
		for _, f := range p.Files {
			ast.Walk(f, s.hold, nil)
		}
	}
	for _, f := range p.Files {
		ast.Walk(f, s.fill, nil)
	}
	return s
}

// hold notes hidden fields and lets that hold what another one does, or one of several artifacts.
func (s *sight) hold(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		if path := s.paths[x]; path != nil && s.isHolder(x, path) && !s.isArtifactOf(x.Value) && !s.isKnown(path) {
			s.artifacts, s.holders = append(s.artifacts, path), append(s.holders, path)
		}
	case *ast.LetClause:
		if s.paths[x] == nil && s.path(x.Expr) == nil && s.isChosen(x.Expr) {
			s.let(x)
		}
	}
	return true
}

// isKnown reports whether a holder has just the path.
func (s *sight) isKnown(path []string) bool {
	return filter.Any(s.holders, func(h []string) bool { return slices.Equal(h, path) })
}

// fill notes the roles whose artifact is another name for one, or that are made of a struct which has one.
func (s *sight) fill(n ast.Node) bool {
	f, ok := n.(*ast.Field)
	if !ok {
		return true
	}
	path := s.paths[f]
	if s.isHeld(f) {
		s.artifacts = append(s.artifacts, path)
	}
	if n := len(path); n > 1 && path[n-2] == "role" {
		s.base(f.Value, append(slices.Clip(path), "artifact"))
	}
	return true
}

// base looks for references to structs with an artifact in what a role is unified with, such as _base & {config: …} or
// {_base, config: …}. The struct must not be a role itself.
func (s *sight) base(x ast.Expr, artifact []string) {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			s.base(x.X, artifact)
			s.base(x.Y, artifact)
		}
	case *ast.StructLit:
		for _, d := range x.Elts {
			if e, ok := d.(*ast.EmbedDecl); ok {
				s.base(e.Expr, artifact)
			}
		}
	case *ast.Ident, *ast.SelectorExpr:
		path := s.path(x)
		if path == nil || filter.Contains(path, "role") || !s.hasArtifact(path) {
			return
		}
		s.bases[x] = true
		s.artifacts = append(s.artifacts, artifact)
	}
}

// isHeld reports whether a field is the artifact of a role, and what a hidden field or a let holds, or one of several artifacts.
func (s *sight) isHeld(f *ast.Field) bool {
	return s.label(f) == "artifact" && s.paths[f] != nil && !s.isArtifactOf(f.Value) && s.isChosen(f.Value)
}

// isChosen reports whether an expression is an artifact of a package or what holds one, or one of several by conditions:
//
//	[if config.parameter.large {l.#Artifact}, s.#Artifact][0]
func (s *sight) isChosen(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.isChosen(x.X)
	case *ast.IndexExpr:
		if list, ok := x.X.(*ast.ListLit); ok {
			_, isNumber := x.Index.(*ast.BasicLit)
			return isNumber && len(list.Elts) > 0 && !filter.Any(list.Elts, func(x ast.Expr) bool { return !s.isChosen(x) })
		}
	case *ast.Comprehension:
		body, isStruct := x.Value.(*ast.StructLit)
		return isStruct && x.Fallback == nil && !filter.Any(x.Clauses, isNoCondition) && s.isChosen(body)
	case *ast.StructLit:
		if len(x.Elts) != 1 {
			return false // CUE may unify several
		}
		switch d := x.Elts[0].(type) {
		case *ast.EmbedDecl:
			return s.isChosen(d.Expr)
		case *ast.Comprehension:
			return s.isChosen(d)
		}
		return false
	}
	if s.isArtifactOf(x) {
		return true
	}
	path := s.path(x)
	return path != nil && filter.Any(s.holders, func(h []string) bool { return len(h) == len(path) && meets(h, path) })
}

func isNoCondition(c ast.Clause) bool {
	_, ok := c.(*ast.IfClause)
	return !ok
}

// place notes where the values of fields are.
func (s *sight) place(n ast.Node) bool {
	s.enter(n)
	switch x := n.(type) {
	case *ast.ForClause:
		if s.all {
			return true
		}
		s.loops[x.Value] = x
		switch x.Source.(type) {
		case *ast.ListLit, *ast.StructLit:
			s.sources[x.Source] = fmt.Sprint("_source ", len(s.sources))
		}
	case *ast.ListLit, *ast.StructLit:
		if name := s.sources[n]; name != "" {
			s.paths[n] = []string{name}
		}
	case *ast.LetClause:
		s.lets[x.Ident], s.hides = x, true
		if s.isArtifactOf(x.Expr) {
			s.let(x)
		}
	case *ast.Field:
		return s.placeField(x)
	}
	return true
}

// let notes that a let holds an artifact.
func (s *sight) let(x *ast.LetClause) {
	s.paths[x] = []string{"_let", x.Ident.Name}
	s.holders, s.artifacts = append(s.holders, s.paths[x]), append(s.artifacts, s.paths[x])
}

func (s *sight) placeField(f *ast.Field) bool {
	label := s.label(f)
	if _, isText := f.Label.(*ast.BasicLit); isText && isHidden(label) {
		s.odd = true
	}
	if !s.all && filter.Contains(apart, label) {
		s.leave(f) // the walk does not, where it is told not to go on
		return false
	}
	here := slices.Clone(s.here())
	s.hides = s.hides || isHidden(label) || len(s.sources) > 0
	s.paths[f], s.paths[f.Value] = here, here
	if a, ok := f.Value.(*ast.Alias); ok {
		s.paths[a], s.paths[a.Expr] = here, here
	}
	if holds := s.isHolder(f, here); holds {
		s.holders = append(s.holders, here)
		s.artifacts = append(s.artifacts, here)
	} else if s.isArtifact(f) {
		s.artifacts = append(s.artifacts, here)
	}
	return true
}

// enter and leave keep the labels that a walk is in. An element of a list has one that is computed.
func (s *sight) enter(n ast.Node) {
	if name := s.sources[n]; name != "" {
		s.labels = append(s.labels, name)
	}
	switch x := n.(type) {
	case *ast.Field:
		s.labels = append(s.labels, s.label(x))
	case *ast.ListLit:
		if !s.all {
			s.labels = append(s.labels, "")
		}
	}
}

func (s *sight) leave(n ast.Node) {
	_, isField := n.(*ast.Field)
	if _, isList := n.(*ast.ListLit); isField || isList && !s.all {
		s.labels = s.labels[:len(s.labels)-1]
	}
	if s.sources[n] != "" {
		s.labels = s.labels[:len(s.labels)-1]
	}
}

// here is the path of the node that the walk is at. It changes when the walk goes on. The path of something in a literal which a loop goes
// through begins with the literal: only the variables of the loop lead there.
func (s *sight) here() []string {
	for i := len(s.labels) - 1; i > 0; i-- {
		if strings.HasPrefix(s.labels[i], "_source ") {
			return s.labels[i:]
		}
	}
	return s.labels
}

// isHolder reports whether a field lies in a hidden one, or is one, and is  x.#Artifact. No other package sees it.
func (s *sight) isHolder(f *ast.Field, path []string) bool {
	return !s.odd && filter.Any(path, isHidden) && syntax.IsPlainField(f) && s.isChosen(f.Value)
}

func isHidden(name string) bool { return strings.HasPrefix(name, "_") }

// label is the label of a field without an alias, "" if it is computed.
func (s *sight) label(f *ast.Field) string {
	label := f.Label
	if a, ok := label.(*ast.Alias); ok {
		x, ok := a.Expr.(ast.Label)
		if !ok {
			return ""
		}
		label = x
	}
	return syntax.LabelName(label)
}

// isArtifact reports whether a field is  artifact: x.#Artifact.
func (s *sight) isArtifact(f *ast.Field) bool {
	return s.label(f) == "artifact" && s.isArtifactOf(f.Value)
}

// isArtifactOf reports whether an expression is  x.#Artifact.
func (s *sight) isArtifactOf(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	return ok && syntax.LabelName(sel.Sel) == "#Artifact" && s.imported(sel.X) != nil
}

// judge looks at what is written: at fields that may say something of a role's
// artifact, and at what expressions refer to.
func (s *sight) judge(n ast.Node) bool {
	s.enter(n)
	switch x := n.(type) {
	case *ast.ImportDecl:
		return false
	case *ast.LetClause:
		s.lets[x.Ident] = x // which may lie apart
		if s.paths[x] != nil {
			s.chosen(x.Expr)
			return false
		}
		return s.path(x.Expr) == nil // else it is what refers to the let that counts
	case *ast.ForClause:
		s.loops[x.Value] = x
		if s.sources[x.Source] != "" || s.path(x.Source) == nil {
			return true
		}
		s.chosen(x.Source) // of which the loop sees names; its variable tells what else
		return false
	case *ast.Field:
		switch {
		case s.isArtifact(x) || s.isHolder(x, s.here()) || s.isHeld(x):
			s.chosen(x.Value)
			s.leave(x) // the walk does not, where it is told not to go on
			return false
		}
		here := s.here()
		s.clear = s.clear || s.addsTo(here) || filter.Contains(here, "") && s.addsTo(outOfLists(here))
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if s.bases[n] {
			return false
		}
		if imp := s.imported(x.(ast.Expr)); imp != nil {
			delete(s.plain, imp)
		}
		if path := s.path(x.(ast.Expr)); path != nil {
			s.clear = s.clear || s.sees(path)
			s.chosen(x.(ast.Expr))
			return false
		}
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if !s.isBeside(sel) {
				ast.Walk(sel.X, s.judge, s.leave) // the other side is a name within that
			}
			return false
		}
	}
	return true
}

// isBeside reports whether an expression is a definition of an imported package that has nothing to do with the package's artifact. It stays
// beside the stub.
func (s *sight) isBeside(x *ast.SelectorExpr) bool {
	imp := s.imported(x.X)
	if imp == nil || imp.Missing || imp.Broken || s.plain[imp] == NoStub || syntax.LabelName(x.Sel) == "#Artifact" {
		return false
	}
	if s.plain[imp] == StubOfArtifact && !isSeparable(imp) {
		return false
	}
	s.plain[imp] = StubBeside
	return true
}

// isSeparable reports whether a package is its artifact and other fields with names, and nothing in those refers to the artifact.
func isSeparable(p *Package) bool {
	u := uses{pkg: p}
	return !filter.Any(p.Files, func(f *ast.File) bool {
		return filter.Any(f.Decls, func(d ast.Decl) bool {
			switch x := d.(type) {
			case *ast.Package, *ast.ImportDecl, *ast.CommentGroup, *ast.Attribute:
				return false
			case *ast.LetClause:
				return u.mentionsArtifact(x.Expr)
			case *ast.Field:
				return x.Alias != nil || syntax.LabelName(x.Label) == "" || !isArtifactField(x) && u.mentionsArtifact(x.Value)
			}
			return true
		})
	})
}

// isArtifactField reports whether a declaration at the top of a package is  #Artifact: … .
func isArtifactField(d ast.Decl) bool {
	f, ok := d.(*ast.Field)
	return ok && syntax.LabelName(f.Label) == "#Artifact"
}

// mentionsArtifact reports whether an expression may refer to the package's own #Artifact.
func (u *uses) mentionsArtifact(x ast.Expr) (mentions bool) {
	ast.Walk(x, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if u.imported(x.X) != nil {
				return false
			}
		case *ast.Ident:
			mentions = mentions || x.Name == "#Artifact"
		}
		return !mentions
	}, nil)
	return mentions
}

// chosen judges what is between the brackets of a path, and the conditions of a choice.
func (s *sight) chosen(x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		s.chosen(x.X)
	case *ast.SelectorExpr:
		s.chosen(x.X)
	case *ast.IndexExpr:
		s.chosen(x.X)
		ast.Walk(x.Index, s.judge, s.leave)
	case *ast.ListLit:
		for _, e := range x.Elts {
			s.chosen(e)
		}
	case *ast.Comprehension:
		for _, c := range x.Clauses {
			ast.Walk(c, s.judge, s.leave)
		}
		s.chosen(x.Value)
	case *ast.StructLit:
		for _, d := range x.Elts {
			switch d := d.(type) {
			case *ast.EmbedDecl:
				s.chosen(d.Expr)
			case *ast.Comprehension:
				s.chosen(d)
			}
		}
	}
}

// path is the labels that lead to what x refers to, nil if x is no reference to a
// field. What a variable of a for stands for is seen where its source is.
func (s *sight) path(x ast.Expr) []string {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.path(x.X)
	case *ast.ListLit, *ast.StructLit:
		if s.sources[x] != "" {
			return s.paths[x]
		}
	case *ast.Ident:
		if loop := s.loops[x.Node]; loop != nil {
			return s.below(loop.Source, "")
		}
		if let := s.lets[x.Node]; let != nil {
			return s.letPath(let)
		}
		switch n := x.Node.(type) {
		case *ast.LetClause:
			return s.letPath(n)
		case *ast.Alias:
			if path := s.paths[n]; path != nil {
				return path
			}
			return s.path(n.Expr)
		}
		return s.paths[x.Node]
	case *ast.SelectorExpr:
		return s.below(x.X, syntax.LabelName(x.Sel))
	case *ast.IndexExpr:
		name := ""
		if lit, ok := x.Index.(*ast.BasicLit); ok {
			name, _ = literal.Unquote(lit.Value)
		}
		return s.below(x.X, name)
	}
	return nil
}

// letPath is the path of what a let stands for.
func (s *sight) letPath(x *ast.LetClause) []string {
	if path := s.paths[x]; path != nil {
		return path
	}
	if s.naming > maxNaming {
		return nil // a let that is made of itself, which CUE minds
	}
	s.naming++
	defer func() { s.naming-- }()
	return s.path(x.Expr)
}

// maxNaming is how many lets lead from a name to what it stands for.
const maxNaming = 50

func (s *sight) below(x ast.Expr, name string) []string {
	outer := s.path(x)
	if outer == nil {
		return nil
	}
	return append(slices.Clip(outer), name)
}

// apart are the labels of what lies beside roles and their artifacts: nothing
// below them is a role's artifact, unless an expression there sees one.
var apart = []string{"config", "srv", "connect", "vset", "code", "size", "probe", "profile", "meta", "ref", "spec", "builtin"}

// outOfLists is the path of a field in an element that stands for its list,  [{…}][0] .
func outOfLists(path []string) []string {
	last := len(path) - 1
	return append(filter.Out(path[:last], func(label string) bool { return label == "" }), path[last])
}

// sees reports whether the value at a path may hold a role's artifact, or be a
// part of one.
func (s *sight) sees(path []string) bool {
	if filter.Any(s.holders, func(h []string) bool { return meets(path, h) }) {
		return true
	}
	for _, name := range path {
		switch {
		case name == "artifact":
			return true
		case filter.Contains(apart, name):
			return false
		}
	}
	return filter.Any(s.artifacts, func(a []string) bool { return meets(path, a) })
}

// meets reports whether two paths may be the same as far as both go.
func meets(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "" && b[i] != "" {
			return false
		}
	}
	return true
}

// addsTo reports whether a field at the path may be an artifact that a package
// fills a role with, or a field of it.
func (s *sight) addsTo(path []string) bool {
	if filter.Any(s.holders, func(h []string) bool { return len(path) >= len(h) && meets(path, h) }) {
		return true
	}
	if last := path[len(path)-1]; last != "artifact" && last != "" {
		return false // a field of an artifact lies in one that is called so
	}
	return filter.Any(s.artifacts, func(a []string) bool { return len(path) >= len(a) && meets(path, a) })
}
