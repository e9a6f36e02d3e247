package depends

import (
	"slices"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Package is what [Read] asks of a package: all its files, and what they import, nil
// for a package of CUE's own. The names in the files are resolved but for those of
// fields in other files.
type Package struct {
	Files  []*ast.File
	Import func(path string) *Package
	Model  bool // it is the model's
}

// Lifted is a definition in the config of an artifact that values are given in besides
// those of the config's sections.
const Lifted = "#kumikiLifted"

// Context is a definition in the config of an artifact that says where it is deployed.
const Context = "#context"

// IsAside reports whether a name is that of a definition in a config which an artifact is
// given beside the config's sections.
func IsAside(name string) bool { return name == Lifted || name == Context }

// Path is that of a field.
type Path []string

// Set are paths of config, each with all that is below it. The empty path is all of
// the config.
type Set []Path

// Has reports whether a value that depends on the set can change with the field at a
// path, or with something in that.
func (s Set) Has(path Path) bool {
	return filter.Any(s, func(p Path) bool {
		n := min(len(p), len(path))
		return slices.Equal(p[:n], path[:n])
	})
}

// Sources are those of an artifact.
type Sources struct {
	pkg      *Package
	reader   *reader
	artifact *node
}

// Read reads the sources of the artifact that a package defines.
func Read(p *Package) *Sources {
	r := &reader{own: p, spelled: sync.OnceValue(func() bool { return spells(p, map[*Package]bool{}) }), packages: map[*Package]*node{}, told: map[ast.Node]int{}, asks: map[termKey]bool{}, free: &visited{}, learnt: map[any]bool{}, choosing: map[*node]bool{}}
	artifact := r.root(p).add("#Artifact")
	// The config is known before anything refers to it.
	r.config = artifact.add("description").add("config")
	r.config.config = Path{}
	return &Sources{p, r, artifact}
}

// Again are the same sources, of which nothing is left out or taken apart yet.
func (s *Sources) Again() *Sources {
	out := *s
	return &out
}

// separate gives the sources a reader of their own before anything is left out of them: those that were read with them
// share the nodes, and go on with all of it.
func (s *Sources) separate() {
	r := *s.reader
	r.free, r.learnt = &visited{}, map[any]bool{}
	s.reader = &r
}

// Of is what the value at a path of the artifact depends on, with all that is in it.
func (s *Sources) Of(path ...string) Set {
	n, _ := s.at(path)
	if n.isArtifact() && n.isImported() {
		return nil
	}
	return s.reader.reach(func(w *walk) { w.value(n, false) })
}

// at is the node at a path of the artifact, or one around it.
func (s *Sources) at(path []string) (n *node, exact bool) {
	n, exact = s.artifact, true
	for _, name := range path {
		if n, exact = n.field(name, nil); !exact {
			break
		}
		if by := s.reader.named[n]; by != nil {
			n = by
		}
	}
	return n, exact
}

// Hole is a part that depends on config.
type Hole struct {
	Path Path
	Set  Set
	// Formula is how the value is made, nil if it is only known what it is made of.
	Formula *Formula
	// Closed is an expression for the value that is whole by itself, nil if there is none,
	// or a formula.
	Closed *Closed
	// Check is all that is said of a hidden field or a definition, whose value is not data: it is evaluated only to see whether it
	// is an error. It is nil for other fields, if there is an expression or a formula without a type, or if that cannot be written out.
	Check *Closed
	// Beside is nil for a hole that is the whole value at its path. Otherwise the hole is only
	// the fields of computed names in the struct there, and Beside are the names of the others.
	Beside []string
}

// Holes are the smallest parts of the value at a path of the artifact that depend on
// config, such that nothing else of it does, by their paths from there. Values that show the
// order of fields in a struct are holes too where that order is another one once the artifact is unified with a
// config. A field is one as
// a whole if it depends on config whether it is there, and a struct is if that decides
// what its fields are called. What is in roles' artifacts is not looked at: that is for
// their own sources to tell.
func (s *Sources) Holes(path ...string) []Hole {
	n, exact := s.at(path)
	if !exact {
		return []Hole{{Set: s.Of(path...)}}
	}
	return s.reader.holes(n, nil, nil)
}

// independent reports whether a field of the config, with all that is in it, is what it is
// by itself.
func (r *reader) independent(n *node) bool {
	if !r.independentHere(n) {
		return false
	}
	for _, f := range n.fields {
		if !r.independent(f) {
			return false
		}
	}
	return true
}

func (r *reader) holes(n *node, path Path, out []Hole) []Hole {
	if n.config != nil || n.isArtifact() || r.aside[n] || r.isLiteralConnector(n) {
		return out
	}
	n.expand()
	if n.isLiteral() || len(path) > 3 && path[1] == "role" && n.isOnlyModels() {
		return out // the model's own fields of a role do not depend on config
	}
	whole := len(n.fields) == 0 || len(n.terms) > 0 || n.opaque || n.dynamic || len(n.copies) > 0
	isDecided := !n.certain || len(n.shape) > 0
	if whole || isDecided && len(r.reach(func(w *walk) { w.given(n); w.all(n.shape) })) > 0 {
		r.reach(func(w *walk) { w.around(n.up) }) // walked once for all fields beside this one, if no config is found
		w := r.walk()
		r.follow(w, func(w *walk) { w.value(n, false) })
		if set := w.set(); len(set) > 0 || w.orders && w.mixes {
			h := Hole{Path: path, Set: set, Formula: n.formula()}
			if h.Formula == nil {
				h.Closed = n.closed()
			}
			if h.Formula == nil && h.Closed == nil {
				h.Closed = n.unlessSaid()
			}
			if (h.Formula == nil || len(h.Formula.Types) > 0) && h.Closed == nil && n.isAside() {
				h.Check = n.check()
			}
			out = append(out, h)
		}
		return out
	}
	for _, name := range sorting.Ordered(n.fields) {
		out = r.holes(n.fields[name], append(slices.Clip(path), name), out)
	}
	return out
}

// isLiteralConnector reports whether a field is a connector that is written in literals alone. It
// depends on no other field then: the model's own conjuncts of connectors do not either.
func (r *reader) isLiteralConnector(n *node) bool {
	if n.up == nil || n.up.name != "connect" || n.up.up == nil || n.up.up != r.config.up {
		return false
	}
	return len(n.said) > 0 && !filter.Any(n.said, func(c *conjunct) bool {
		return !c.isModels() && (len(c.given) > 0 || c.x == nil || refersToAny(c.x))
	})
}

// isLiteral reports whether all conjuncts of a field are values and types without conditions, or types in the model, and none
// refers to anything. Such a field does not depend on config: conditions in the model ask only for the kind of the artifact.
func (n *node) isLiteral() bool {
	return n.certain && len(n.fields) == 0 && len(n.shape) == 0 && len(n.said) > 0 && !filter.Any(n.said, func(c *conjunct) bool {
		return c.x == nil || len(c.given) > 0 && !c.isModels() || !isScalar(c.x)
	})
}

// isScalar reports whether an expression is made of nothing but literals, of which none is a struct or a list, and CUE's own
// names for types, by | and & and unary operators.
func isScalar(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isScalar(x.X)
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return isScalar(x.X)
	case *ast.Ident:
		return x.Node == nil && x.Scope == nil && syntax.IsType(x.Name)
	case *ast.BinaryExpr:
		return (x.Op == token.OR || x.Op == token.AND) && isScalar(x.X) && isScalar(x.Y)
	}
	return false
}

// isOnlyModels reports whether all conjuncts of a field are the model's.
func (n *node) isOnlyModels() bool {
	return len(n.said) > 0 && !filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() })
}

// refersToAny reports whether an expression may refer to a field.
func refersToAny(x ast.Expr) (found bool) {
	ast.Walk(x, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			if _, ok := nameOf(labelOf(x)); !ok {
				found = true
			}
			found = found || x.Value == nil || refersToAny(x.Value)
			return false
		case *ast.Ident:
			found = found || x.Node != nil || x.Scope != nil || x.Name != "_"
		case *ast.Comprehension, *ast.Interpolation, *ast.CallExpr:
			found = true
		}
		return !found
	}, nil)
	return found
}

// reach is what a walk comes by, without what lies in something else of it.
func (r *reader) reach(from func(*walk)) Set {
	w := r.walk()
	r.follow(w, from)
	return w.set()
}

// follow walks, and remembers what leads nowhere.
func (r *reader) follow(w *walk, from func(*walk)) {
	from(w)
	if len(w.atoms) == 0 && !w.mixes {
		r.free.addAll(w.done)
	}
}

func (r *reader) walk() *walk {
	return &walk{reader: r, free: r.free}
}

// set are the paths of config that the walk has come by.
func (w *walk) set() (out Set) {
	if len(w.atoms) == 0 {
		return nil
	}
	for _, key := range sorting.Ordered(w.atoms) {
		p := w.atoms[key]
		if !filter.Any(out, func(q Path) bool { return len(q) <= len(p) && slices.Equal(q, p[:len(q)]) }) {
			out = append(out, p)
		}
	}
	return out
}

// walk follows references until it comes to the config.
type walk struct {
	reader *reader
	free   *visited // what need not be followed, as no config is found there; nil to follow all
	done   visited
	decls  map[ast.Decl]bool // what it has come by, and what that lies in
	atoms  map[string]Path
	// unfilled tells that it has come by the artifact as it is without a config.
	unfilled bool
	// modelled tells, if judges is set, that a reference leads to a field with a conjunct of the model.
	judges, modelled bool
	sees             map[*node]bool // what is left out, and is referred to
	asks             bool           // it may make a difference that a value of config is a default
	orders           bool           // it may make a difference in which order a struct has its fields
	loops, writes    bool           // it may be that in which a loop goes through them, or that in which they are written out
	typed            bool           // it may make a difference which types config has
	opens            bool           // it may make a difference that a struct of config is not closed where it is used
	marks            bool           // it has come by a default that is marked with *, outside of config
	mixes            bool           // it has come by a struct for which mixes is true
	// finished is set if config is data: what is said of it is not followed.
	finished bool
	// fallsBack is [closer].fallsBack.
	fallsBack bool
	// notModel is set if expressions in the model are not followed.
	notModel bool
	// choice tells, if findsChoice is set, that a type lets a value be one of several structs.
	findsChoice, choice bool
	// leavesOut is set if all that is asked is which fields refer to those that are left out.
	leavesOut bool
}

// visited is what walks do once: conjuncts, nodes in one way or another, and terms.
type visited struct {
	marks map[any]bool // conjuncts, and nodes as such or as one of the types below
	terms map[termKey]bool
}

func (v *visited) addAll(other visited) {
	for key := range other.marks {
		put(&v.marks, key)
	}
	for key := range other.terms {
		put(&v.terms, key)
	}
}

// put adds a key to a set, and makes the set if it is nil: most walks are short and need none.
func put[K comparable](set *map[K]bool, key K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[key] = true
}

// meet notes a part of config.
func (w *walk) meet(p Path) {
	if w.atoms == nil {
		w.atoms = map[string]Path{}
	}
	w.atoms[strings.Join(p, "\x00")] = p
}

// What a walk does once, besides conjuncts and nodes as such.
type (
	termKey struct {
		x ast.Node
		s *scope
	}
	aroundNode       struct{ *node }
	throughNode      struct{ *node }
	withoutArtifacts struct{ *node }
)

// first reports whether the walk has not done something yet.
func (w *walk) first(key any) bool {
	w.reader.steps++
	if w.done.marks[key] || w.free != nil && w.free.marks[key] {
		return false
	}
	put(&w.done.marks, key)
	return true
}

// firstTerm is [walk.first] for a term.
func (w *walk) firstTerm(t term) bool {
	w.reader.steps++
	key := termKey{t.x, t.scope}
	if w.done.terms[key] || w.free != nil && w.free.terms[key] {
		return false
	}
	put(&w.done.terms, key)
	return true
}

// learn walks from a node by itself, once. If that walk finds no config and sets no flag, other walks skip
// what it has visited. Otherwise each reference would walk all declarations of the description that it is in.
func (w *walk) learn(n *node, key any, from func(*walk)) {
	if w.free == nil || w.free.marks[key] || w.reader.learnt[key] || !n.isUnfolded() {
		return
	}
	w.reader.learnt[key] = true
	own := w.reader.walk()
	from(own)
	if len(own.atoms) == 0 && !own.unfilled && !own.asks && !own.orders && !own.typed && !own.mixes {
		w.reader.free.addAll(own.done)
	}
}

// isUnfolded reports whether all declarations of a field, and of the fields around it, are known.
func (n *node) isUnfolded() bool {
	return n == nil || n.state == unfolded && n.up.isUnfolded()
}

// node follows all that the value of a field is made of.
func (w *walk) node(n *node) { w.value(n, true) }

// value follows what the value of a field is made of: all of it, or without the
// artifacts in roles that are those of other packages.
func (w *walk) value(n *node, all bool) {
	if all {
		w.look(n)
		w.mixes = w.mixes || n.mixes()
	}
	w.joins(n.joinsConfig)
	if !all && (w.reader.aside[n] || w.leavesOut && w.reader.isLiteralConnector(n)) {
		return
	}
	if !all {
		if w.done.marks[n] || !w.first(withoutArtifacts{n}) || n.isArtifact() && w.imported(n) {
			return
		}
	} else if !w.first(n) {
		return
	}
	if n.config != nil {
		w.meet(n.config)
		if w.finished {
			return
		}
	}
	w.given(n)
	w.around(n.up)
	w.said(n)
	if len(n.fields) == 0 {
		return
	}
	for _, name := range sorting.Ordered(n.fields) {
		w.value(n.fields[name], all)
	}
}

// said follows the conjuncts of a field, except for the named fields in it.
func (w *walk) said(n *node) {
	n.expand()
	w.markAll(n)
	w.all(n.given)
	w.all(n.terms)
	w.all(n.shape)
	for _, c := range n.patterns {
		w.mark(c)
		w.term(term{x: c.x, scope: c.scope})
	}
	for _, c := range n.bodies {
		if c.isEmpty() {
			w.mark(c) // its condition may be an error
		}
	}
}

// judge notes a reference to a field with a conjunct of the model. References in the model do not count.
func (w *walk) judge(n *node, s *scope) {
	if _, p := s.pkg(); w.judges && !w.modelled && !p.Model {
		w.modelled = n.isModelled(0)
	}
}

// look notes fields that are left out although something refers to them.
func (w *walk) look(n *node) {
	for up := n; up != nil && len(w.reader.aside) > 0; up = up.up {
		if w.reader.aside[up] {
			put(&w.sees, up)
		}
	}
}

// imported reports whether a role's artifact is that of another package. All that is
// followed then is what else is said of it.
func (w *walk) imported(n *node) bool {
	if !filter.Any(n.said, func(c *conjunct) bool { return isOther(c.x) }) {
		return false
	}
	w.markAll(n)
	for _, c := range n.said {
		if !isOther(c.x) {
			w.term(term{x: c.x, scope: c.scope})
		}
	}
	return true
}

// isOther reports whether an expression selects a field of an imported package.
func isOther(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	_, isImport := id.Node.(*ast.ImportSpec)
	return isImport
}

// isImported reports whether a field is certain to exist, and all its conjuncts but the model's select
// a field of an imported package.
func (n *node) isImported() bool {
	return n.certain && !filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() && (!isOther(c.x) || len(c.given) > 0) })
}

// joins notes how a struct of config is unified with something. A walk that looks for a choice does not ask: it is what tells.
func (w *walk) joins(how func() joining) {
	if w.findsChoice || w.opens {
		return
	}
	is := how()
	w.typed, w.opens = w.typed || is >= joinsStruct, is == joinsChoice
}

// given follows the conditions under which a field is there.
func (w *walk) given(n *node) {
	if n.certain {
		return
	}
	for _, c := range n.said {
		w.all(c.given)
	}
}

// around follows the conditions of the fields that a field lies in. It keeps what is said of
// those, because that decides whether they take the field; what is said under a condition that
// depends on config does not, if it is nothing but fields.
func (w *walk) around(n *node) {
	w.learn(n, aroundNode{n}, func(w *walk) { w.around(n) })
	for ; n != nil && w.first(aroundNode{n}); n = n.up {
		w.given(n)
		for _, c := range slices.Concat(n.said, n.bodies) {
			if len(c.made) > 0 || w.reader.isFree(c) {
				w.mark(c)
			}
		}
		if n.opaque || len(n.copies) > 0 {
			w.all(n.terms)
		}
	}
}

// isFree reports whether the conditions of a conjunct do not depend on config.
func (r *reader) isFree(c *conjunct) bool {
	if c.free == nil {
		free := true // for conditions that depend on what they decide
		c.free = &free
		free = len(c.given) == 0 || !filter.Any(c.given, r.namesConfig) && len(r.reach(func(w *walk) { w.all(c.given) })) == 0
	}
	return *c.free
}

// namesConfig reports whether a term refers to config in so many words: a walk would find that
// out too, by way of all that lies around what it comes by.
func (r *reader) namesConfig(t term) (found bool) {
	ast.Walk(t.x, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.Field:
			return false
		case *ast.Ident, *ast.SelectorExpr:
			n, _ := r.target(x.(ast.Expr), t.scope)
			found = found || n != nil && n.config != nil
			return n == nil
		}
		return !found
	}, nil)
	return found
}

// mark keeps what a conjunct is written in, and what its expression refers to.
func (w *walk) mark(c *conjunct) {
	if !w.first(c) {
		return
	}
	if c.decl != nil {
		put(&w.decls, c.decl)
	}
	if c.of != nil {
		c.of.expand()
	}
	w.all(c.given)
	if c.in != nil {
		w.mark(c.in)
	}
	if c.from != nil {
		w.mark(c.from)
	}
	w.pass(c.made)
}

// pass keeps the fields that a reference leads through.
func (w *walk) pass(through []*node) {
	for _, n := range through {
		w.learn(n, throughNode{n}, func(w *walk) { w.pass([]*node{n}) })
		if !w.first(throughNode{n}) {
			continue
		}
		w.look(n)
		w.joins(n.joinsConfig)
		w.markAll(n)
		if len(n.copies) == 0 {
			continue
		}
		for _, t := range n.terms {
			if x, ok := t.x.(ast.Expr); ok {
				to, _, through := w.reader.refers(x, t.scope)
				if to != nil {
					w.pass(append(through, to))
				}
			}
		}
	}
}

func (w *walk) markAll(n *node) {
	for _, c := range n.said {
		w.mark(c)
	}
}

func (w *walk) all(terms []term) {
	for _, t := range terms {
		w.term(t)
	}
}

// term follows the references in an expression.
func (w *walk) term(t term) {
	if w.notModel && t.scope.isModels() || !w.firstTerm(t) {
		return
	}
	ast.Walk(t.x, func(n ast.Node) bool { return w.inTerm(n, t.scope) }, nil)
}

func (w *walk) inTerm(n ast.Node, s *scope) bool {
	switch x := n.(type) {
	case *ast.Field:
		put(&w.decls, ast.Decl(x))
		switch x.Label.(type) {
		case *ast.Ident, *ast.BasicLit:
		default:
			w.term(term{x: x.Label, scope: s})
		}
		if x.Value != nil {
			w.term(term{x: x.Value, scope: s})
		}
		return false
	case *ast.Comprehension:
		put(&w.decls, ast.Decl(x))
		w.loops = w.loops || filter.Any(x.Clauses, func(c ast.Clause) bool {
			loop, ok := c.(*ast.ForClause)
			return ok && !w.reader.isList(loop.Source, s)
		})
	case *ast.StructLit:
		w.mixes = w.mixes || mixes(x)
		w.joins(func() joining { return w.reader.embedsConfig(x, s) })
	case *ast.ImportDecl, *ast.Attribute, *ast.CommentGroup:
		return false
	case *ast.BinaryExpr:
		if w.presence(x, s) {
			return false
		}
		w.asks = w.asks || !(w.fallsBack && syntax.IsFallback(x)) && w.reader.asksForDefault(x, s)
		if x.Op == token.AND {
			w.joins(func() joining { return max(w.reader.holdsConfig(x.X, s), w.reader.holdsConfig(x.Y, s)) })
		}
		w.choice = w.choice || w.findsChoice && x.Op == token.OR && !s.isModels() && isChoice(x)
	case *ast.UnaryExpr:
		w.marks = w.marks || x.Op == token.MUL && !w.reader.config.holds(s.is)
	case *ast.CallExpr:
		w.asks, w.writes, w.typed = w.asks || isMatch(x.Fun) || w.reader.keepsSpelling(x), w.writes || showsOrder(x), w.typed || isFlatten(x.Fun)
		w.orders = w.orders || w.writes
	case *ast.ListLit:
		w.orders = w.orders || w.reader.goesThroughStruct(x, s)
	case *ast.Ident:
		w.reference(x, s)
		return false
	case *ast.SelectorExpr, *ast.IndexExpr:
		w.reference(x.(ast.Expr), s)
		return false
	}
	return true
}

// asksForDefault reports whether an expression may tell a default of config from a value:
// as one of its alternatives, or by what is no value. If only the model says anything of a field, a default of that field is the
// same value either way.
func (r *reader) asksForDefault(x *ast.BinaryExpr, s *scope) bool {
	if of := syntax.ComparedWithBottom(x); of != nil {
		return !r.isOnlyThere(of, s)
	}
	if x.Op != token.OR || isScalar(x) || s.isModels() && s.is.isLeftToModel(x) {
		return false
	}
	key := termKey{x, s}
	if asks, known := r.asks[key]; known {
		return asks
	}
	r.asks[key] = false // for what refers to itself
	r.asks[key] = len(r.reach(func(w *walk) { w.term(term{x: x, scope: s}) })) > 0
	return r.asks[key]
}

// isLeftToModel reports whether x is the value that the model has for a field in the struct n, and the artifact says nothing of that field.
func (n *node) isLeftToModel(x ast.Expr) bool {
	if n == nil || n.opaque || n.dynamic || len(n.terms) > 0 || len(n.copies) > 0 {
		return false
	}
	for _, f := range n.fields {
		if filter.Any(f.said, func(c *conjunct) bool { return c.x == x }) {
			return f.isOnlyModels()
		}
	}
	return false
}

// isOnlyThere reports whether comparing an expression with _|_ only asks if a field exists: the expression refers
// to a field of config. The model only compares its own fields with _|_, and computes nothing there.
func (r *reader) isOnlyThere(x ast.Expr, s *scope) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
	default:
		return false
	}
	n, _ := r.target(x, s)
	return s.isModels() || n != nil && n.config != nil || r.isMemberOfConfig(x, s)
}

// isMemberOfConfig reports whether an expression is the variable of a loop over a field of config, or a part of that variable.
func (r *reader) isMemberOfConfig(x ast.Expr, s *scope) bool {
	id := syntax.Root(x)
	if id == nil {
		return false
	}
	loop, ok := id.Scope.(*ast.ForClause)
	return ok && r.ofConfig(loop.Source, s) != nil
}

// goesThroughStruct reports whether a list has an item for each field of something that may be a struct, in the order of its fields.
func (r *reader) goesThroughStruct(x *ast.ListLit, s *scope) (found bool) {
	ast.Walk(x, func(n ast.Node) bool {
		loop, ok := n.(*ast.ForClause)
		found = found || ok && !r.isList(loop.Source, s)
		return !found
	}, nil)
	return found
}

// isList reports whether an expression refers to a field that is declared as a list.
func (r *reader) isList(x ast.Expr, s *scope) bool {
	switch x.(type) {
	case *ast.ListLit:
		return true
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		n, exact := r.target(x, s)
		return exact && n != nil && n.isDeclaredAs(func(x ast.Expr, _ *conjunct) bool {
			return eachAlternative(x, func(x ast.Expr) bool { _, ok := x.(*ast.ListLit); return ok })
		})
	}
	return false
}

// showsOrder reports whether the result of a call may depend on the order of a struct's fields. That of
// template.Execute does not: it decodes its data into Go maps, which templates go through by key.
func showsOrder(x *ast.CallExpr) bool {
	path, _ := syntax.Function(x.Fun)
	return !takeNoStructs[path] && filter.Any(x.Args, mayBeStruct)
}

// takeNoStructs are packages whose functions take no structs, but for template.Execute.
var takeNoStructs = map[string]bool{"text/template": true, "strings": true, "strconv": true, "regexp": true, "path": true}

// mayBeStruct reports whether an argument of a function may be a struct, or contain one.
func mayBeStruct(x ast.Expr) bool {
	switch x.(type) {
	case *ast.BasicLit, *ast.Interpolation:
		return false
	}
	return true
}

// isMatch reports whether a function takes its arguments as they are, with all their
// alternatives.
func isMatch(fun ast.Expr) bool {
	if _, name := syntax.Function(fun); name == "MatchN" || strings.HasPrefix(name, "Validate") {
		return true
	}
	id, ok := fun.(*ast.Ident)
	return ok && (id.Name == "matchN" || id.Name == "matchIf" || id.Name == "and" || id.Name == "or")
}

// keepsSpelling reports whether a call may show how a number is written: CUE (v0.17.1) makes "0x10" of yaml.Marshal of a
// field that has the default 0x10, and of a list with that, and "16" once it is given.
func (r *reader) keepsSpelling(x *ast.CallExpr) bool {
	path, name := syntax.Function(x.Fun)
	return path == "encoding/yaml" && strings.HasPrefix(name, "Marshal") && r.spelled()
}

// spells reports whether a package, or one that it imports, has a number that is not written as CUE writes it.
func spells(p *Package, seen map[*Package]bool) (found bool) {
	if p == nil || p.Model || seen[p] {
		return false
	}
	seen[p] = true
	for _, f := range p.Files {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BasicLit:
				found = found || (x.Kind == token.INT || x.Kind == token.FLOAT) && !isPlainNumber(x.Value)
			case *ast.ImportSpec:
				path, _ := literal.Unquote(x.Path.Value)
				found = found || spells(p.Import(path), seen)
				return false
			}
			return !found
		}, nil)
	}
	return found
}

// isPlainNumber reports whether CUE writes a number like that.
func isPlainNumber(text string) bool {
	whole, fraction, _ := strings.Cut(text, ".")
	plain := strings.Trim(whole+fraction, "0123456789") == "" && (whole == "0" || !strings.HasPrefix(whole, "0"))
	return plain && whole != "" && !strings.HasSuffix(text, ".") && !(fraction != "" && strings.HasSuffix(fraction, "0"))
}

// isFlatten reports whether a function is list.FlattenN. If an item of its result is a field of type *1 | int, then
// for x in list.FlattenN(…)  has no value for x in CUE v0.17.1. With a slice that has a plain 1 there, it has one.
func isFlatten(fun ast.Expr) bool {
	path, name := syntax.Function(fun)
	return path == "list" && name == "FlattenN"
}

// presence follows  x != _|_  and the like where x is a struct of fields: whether that
// is there does not depend on what is in it.
func (w *walk) presence(x *ast.BinaryExpr, s *scope) bool {
	of := syntax.ComparedWithBottom(x)
	if of == nil {
		return false
	}
	n, exact, through := w.reader.refers(of, s)
	if n == nil || !exact || n.config != nil {
		return false
	}
	n.expand()
	if len(n.fields) == 0 || len(n.terms) > 0 || n.opaque || n.dynamic || len(n.copies) > 0 {
		return false
	}
	w.look(n)
	w.judge(n, s)
	w.pass(append(through, n))
	w.given(n)
	w.all(n.given)
	w.around(n.up)
	return true
}

// reference follows a name, or a part of something by name or index: to the field that it is, or that it
// lies in, and to what decides which part it is.
func (w *walk) reference(x ast.Expr, s *scope) {
	n, exact, through := w.reader.refers(x, s)
	if n != nil {
		w.pass(through)
		w.judge(n, s)
		unfilled := w.reader.isUnfilled(n, through)
		w.unfilled = w.unfilled || unfilled
		if !unfilled || w.free == nil {
			w.node(n) // else it does not change with the config, and a slice needs it all the same
		}
	}
	if n != nil && exact {
		return
	}
	for {
		switch part := x.(type) {
		case *ast.ParenExpr:
			x = part.X
		case *ast.SelectorExpr:
			x = part.X
		case *ast.IndexExpr:
			w.term(term{x: part.Index, scope: s})
			x = part.X
		case *ast.Ident:
			if t, ok := named(part, s); ok {
				w.term(t)
			}
			return
		default:
			w.term(term{x: x, scope: s})
			return
		}
	}
}
