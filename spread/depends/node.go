package depends

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"golang.org/x/text/unicode/norm"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// reader is the state of one [Sources].
type reader struct {
	own      *Package // the artifact's
	packages map[*Package]*node
	config   *node            // the artifact's
	told     map[ast.Node]int // structs and files whose fields are nodes, and how many times they have said something
	asks     map[termKey]bool // alternatives that depend on config
	aside    map[*node]bool   // what is left out
	parted   map[*node]bool   // structs whose fields of computed names are apart from the others
	named    map[*node]*node  // fields of such structs, as their names alone declare them
	free     *visited         // what walks have done without coming to the config
	learnt   map[any]bool     // what has been walked by itself, see [walk.learn]
	choosing map[*node]bool   // see [reader.chooses]
	steps    int              // that walks have taken
	spelled  func() bool      // see [spells]
	naming   int              // how many lets are looked through, one in the other
}

// maxNaming and maxDeep bound how many lets lead from a name to what it stands for, and how deep structs lie in each other. In more, lets or
// structs are made of themselves, which CUE minds.
const (
	maxNaming = 50
	maxDeep   = 200
)

// node is a field, with all that is written for it.
type node struct {
	reader  *reader
	up      *node
	depth   int // of the fields that it lies in
	name    string
	said    []*conjunct
	first   [1]*conjunct // room for said: most fields are declared once
	certain bool         // it is there, whatever the config is
	config  Path         // of a field of the artifact's config: its path there, not nil

	state    int
	fields   map[string]*node
	order    []string    // of those, as they are declared by name
	patterns []*conjunct // for fields whose names are computed, or match
	shape    []term      // which decide what fields there are
	dynamic  bool        // some names are computed
	terms    []term      // that are no structs in so many words
	types    []term      // CUE's own names for types
	given    []term      // conditions of what is said
	copies   []*node     // fields that it is a copy of, of config or without anything else
	copiedBy []*node     // what the references to those lead through
	embeds   bool        // some of it is embedded in a struct:  {x}
	opaque   bool        // one of the terms may have fields
	bodies   []*conjunct // of comprehensions
	made     []*node     // definitions that it is made of
	making   []*node     // those that are being said

	declared      bool    // by name
	isConstant    *Closed // see [node.constant]
	constantKnown bool
}

// The states of a node: what is said of it is not looked at, is being looked at, or
// is known.
const (
	folded = iota
	unfolding
	unfolded
)

// conjunct is an expression for a field, and the conditions that it stands under.
type conjunct struct {
	decl  ast.Decl // that has it: a field or a comprehension, nil for none
	of    *node    // whose it is
	x     ast.Expr
	scope *scope
	given []term
	// maybe reports whether the conjunct is an optional field or a pattern, or lies in one. Such a conjunct constrains
	// fields that others declare, and does not make a field exist.
	maybe   bool
	matches matcher   // of a pattern; nil for a field, or if CUE has to evaluate the label
	in      *conjunct // that it lies in, or that refers to what says it; nil for that of a package
	from    *conjunct // that says it where in refers to it
	made    []*node   // definitions that are written in it
	free    *bool     // whether its conditions do not depend on config, nil if it is not known
}

// term is an expression where it stands.
type term struct {
	x     ast.Node
	scope *scope
	as    ast.Node // the name that stands for it in a field, or x itself; of terms of a node
}

// scope tells which field a struct in the sources has become.
type scope struct {
	at  ast.Node // a struct, a file, or an alias; nil outside of all
	is  *node
	out *scope
	of  *Package // outside of all: the package
}

func (s *scope) find(at ast.Node) *scope {
	for ; s != nil; s = s.out {
		if s.at == at {
			return s
		}
	}
	return nil
}

// root is the node of a package.
func (r *reader) root(p *Package) *node {
	if n := r.packages[p]; n != nil {
		return n
	}
	n := &node{reader: r, fields: map[string]*node{}, state: unfolded}
	r.packages[p] = n
	s := &scope{of: p, is: n}
	for _, f := range p.Files {
		s = &scope{at: f, is: n, out: s}
	}
	all := &conjunct{}
	for _, f := range p.Files {
		r.told[f] = 1
		n.decls(f.Decls, s, all)
	}
	return n
}

// field is the node of a field; of n itself, which is not exact, if that may come from
// anywhere in n. The name of a hidden field or a definition begins with _ or #; one in
// quotes that does so too begins with a quote. What the way there leads through is
// added to the others, unless through is nil.
func (n *node) field(name string, through *[]*node) (f *node, exact bool) {
	note(through, n)
	if n.isConfig(name) {
		return n.add(name), true
	}
	n.expand()
	switch f = n.fields[name]; {
	case n.opaque, n.state == unfolding:
		return n, false
	case len(n.copies) == 1 && len(n.fields) == 0 && (n.copies[0].config == nil || !isHidden(name)):
		for _, by := range n.copiedBy {
			note(through, by)
		}
		return n.copies[0].field(name, through)
	case len(n.copies) > 0, f == nil && n.dynamic:
		return n, false
	}
	return n.add(name), true
}

// note adds a field to what a reference leads through, if anybody wants to know.
func note(through *[]*node, n *node) {
	if through != nil {
		*through = append(*through, n)
	}
}

// add makes the field of a name, which gets what is said of all names.
func (n *node) add(name string) *node {
	f := n.fields[name]
	if f == nil {
		f = &node{reader: n.reader, up: n, name: name, depth: n.depth + 1}
		f.said = f.first[:0]
		for _, c := range n.patterns {
			if c.isFor(name) {
				f.said = append(f.said, c.as(f))
			}
		}
		if n.fields == nil {
			n.fields = map[string]*node{}
		}
		n.fields[name] = f
	}
	if n.isConfig(name) && f.config == nil {
		f.config = append(slices.Clip(n.config), strings.TrimPrefix(name, `"`))
	}
	return f
}

// isConfig reports whether what a field has under a name is given to the artifact.
func (n *node) isConfig(name string) bool {
	return n.config != nil && (!isHidden(name) || len(n.config) == 0 && IsAside(name))
}

// expand looks at what is said of a field.
func (n *node) expand() {
	if n.state != folded {
		return
	}
	if n.depth > maxDeep {
		n.state, n.opaque = unfolded, true
		return
	}
	n.state = unfolding
	for i := 0; i < len(n.said); i++ {
		c := n.said[i]
		n.given = append(n.given, c.given...)
		n.say(c.x, c.scope, c)
	}
	n.state = unfolded
}

// say adds what an expression says of n.
func (n *node) say(x ast.Expr, s *scope, c *conjunct) {
	switch x := x.(type) {
	case nil:
	case *ast.ParenExpr:
		n.say(x.X, s, c)
	case *ast.Alias:
		n.say(x.Expr, &scope{at: x, is: n, out: s}, c)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			n.say(x.X, s, c)
			n.say(x.Y, s, c)
			return
		}
		n.term(x, s, x.Op == token.OR)
	case *ast.StructLit:
		n.decls(x.Elts, &scope{at: x, is: n, out: s}, c)
	case *ast.BasicLit, *ast.UnaryExpr, *ast.Interpolation, *ast.BottomLit:
		n.term(x, s, false)
	case *ast.Ident:
		if target, _ := n.reader.target(x, s); target == nil && x.Node == nil && syntax.IsType(x.Name) {
			n.types = append(n.types, term{x, s, x})
			return
		}
		n.refer(x, s, c)
	case *ast.SelectorExpr, *ast.IndexExpr:
		n.refer(x, s, c)
	default:
		n.term(x, s, true)
	}
}

// IsPredeclared reports whether a name is one of CUE's own.
func IsPredeclared(name string) bool { return syntax.IsType(name) || functions[name] }

// functions are CUE's own names for those.
var functions = map[string]bool{
	"len": true, "close": true, "and": true, "or": true, "div": true, "mod": true, "quo": true, "rem": true, "error": true, "matchN": true, "matchIf": true,
}

// term adds an expression of which it is only known what it refers to.
func (n *node) term(x ast.Node, s *scope, opaque bool) {
	n.terms = append(n.terms, term{x, s, x})
	n.opaque = n.opaque || opaque
}

// refer adds what another field is made of, in its place.
func (n *node) refer(x ast.Expr, s *scope, c *conjunct) {
	if id, ok := x.(*ast.Ident); ok {
		if t, ok := named(id, s); ok {
			if n.reader.naming >= maxNaming {
				n.term(x, s, true)
				return
			}
			first := len(n.terms)
			n.reader.naming++
			n.say(t.x.(ast.Expr), t.scope, c)
			n.reader.naming--
			for i := range n.terms[first:] {
				n.terms[first+i].as = x
			}
			return
		}
	}
	target, exact, through := n.reader.refers(x, s)
	switch {
	case exact && (target.config != nil || n.isOnly(x) && !target.holds(n)):
		n.terms = append(n.terms, term{x, s, x})
		n.copies, n.copiedBy = append(n.copies, target), append(n.copiedBy, through...)
	case !exact, target.state == unfolding, n.madeOf(target), target.holds(n.reader.config):
		n.term(x, s, true)
	default:
		c.made = append(append(c.made, target), through...)
		n.made, n.making = append(n.made, target), append(n.making, target)
		for _, d := range slices.Clone(target.said) {
			n.given = append(n.given, d.given...)
			n.say(d.x, d.scope, &conjunct{given: slices.Concat(c.given, d.given), maybe: c.maybe || d.maybe, in: c, from: d})
		}
		n.making = n.making[:len(n.making)-1]
	}
}

// isOnly reports whether an expression is all that is said of a field.
func (n *node) isOnly(x ast.Expr) bool {
	return len(n.said) == 1 && syntax.Unparen(n.said[0].x) == x
}

// isArtifact reports whether a field is that of a role in the artifact.
func (n *node) isArtifact() bool {
	if n.name != "artifact" || n.up.up == nil || n.up.up.up == nil {
		return false
	}
	roles := n.up.up
	return roles.name == "role" && roles.up == n.reader.config.up
}

// holds reports whether another field is n, or lies in it.
func (n *node) holds(other *node) bool {
	for ; other != nil; other = other.up {
		if other == n {
			return true
		}
	}
	return false
}

// madeOf reports whether n, or what it lies in, is made of the target, or is it: so a
// definition that contains itself comes to an end.
func (n *node) madeOf(target *node) bool {
	if filter.Contains(n.making, target) {
		return true
	}
	for up := n; up != nil; up = up.up {
		if up == target || up != n && filter.Contains(up.made, target) {
			return true
		}
	}
	return false
}

// decls adds what the declarations in a struct say of it.
func (n *node) decls(decls []ast.Decl, s *scope, c *conjunct) {
	if _, isFile := s.at.(*ast.File); !isFile {
		n.reader.told[s.at]++
	}
	for _, d := range decls {
		switch x := d.(type) {
		case *ast.Field:
			n.declare(x, s, c)
		case *ast.EmbedDecl:
			n.embeds = true
			n.say(x.Expr, s, c)
		case *ast.Comprehension:
			n.comprehension(x, s, c)
		}
	}
}

func (n *node) declare(x *ast.Field, s *scope, in *conjunct) {
	label := labelOf(x)
	c := &conjunct{decl: x, x: x.Value, scope: s, given: in.given, maybe: in.maybe || isPattern(x) || x.Constraint != token.ILLEGAL, in: in}
	if name, ok := nameOf(label); ok {
		f := n.add(name)
		if !f.declared {
			f.declared, n.order = true, append(n.order, name)
		}
		f.certain = f.certain || len(c.given) == 0 && !c.maybe
		c.of = f
		f.tell(c)
		return
	}
	if c.matches = MatcherOf(label); c.matches == nil || !isPattern(x) {
		c.given = append(slices.Clip(c.given), term{x: label, scope: s})
	}
	if !isPattern(x) {
		n.dynamic = true
		n.shape = append(n.shape, c.given...)
	}
	n.patterns = append(n.patterns, c)
	for name, f := range n.fields {
		if c.isFor(name) {
			f.tell(c.as(f))
		}
	}
}

// isRepeated reports whether the struct that a conjunct is written in is used for more than one field, as a definition is that two
// fields refer to.
func (r *reader) isRepeated(c *conjunct) bool { return c.scope != nil && r.told[c.scope.at] > 1 }

// tell adds a conjunct; where others are looked at already, it is too late to be told
// apart.
func (n *node) tell(c *conjunct) {
	n.said = append(n.said, c)
	if n.state != folded {
		n.terms, n.opaque = append(n.terms, term{x: c.x, scope: c.scope}), true
		n.given = append(n.given, c.given...)
	}
}

func (n *node) comprehension(x *ast.Comprehension, s *scope, c *conjunct) {
	c = &conjunct{decl: x, given: slices.Clip(c.given), maybe: c.maybe, in: c}
	for _, clause := range x.Clauses {
		c.given = append(c.given, term{x: clause, scope: s})
	}
	n.bodies = append(n.bodies, c)
	if filter.Any(x.Clauses, isTry) {
		n.term(x, s, true) // references in the body decide whether it is there
		return
	}
	n.body(x.Value, s, c)
	if x.Fallback != nil {
		n.body(x.Fallback.Body, s, c)
	}
}

// isTry reports whether a clause is  try  without a variable. Its body is used if every reference in the body that
// ends in ? has a value.
func isTry(clause ast.Clause) bool {
	try, ok := clause.(*ast.TryClause)
	return ok && try.Ident == nil
}

func (n *node) body(x ast.Expr, s *scope, c *conjunct) {
	if lit, ok := x.(*ast.StructLit); ok && !filter.Any(lit.Elts, isEmbedding) {
		n.decls(lit.Elts, &scope{at: lit, is: n, out: s}, c)
		return
	}
	n.shape = append(n.shape, c.given...)
	n.given = append(n.given, c.given...)
	n.say(x, s, c)
}

// isEmbedding reports whether a declaration may give a struct fields, or make it
// something else, without a name.
func isEmbedding(d ast.Decl) bool {
	_, ok := d.(*ast.EmbedDecl)
	return ok
}

// labelOf is the label of a field without another name for it, nil if that is no label.
func labelOf(f *ast.Field) ast.Label {
	a, ok := f.Label.(*ast.Alias)
	if !ok {
		return f.Label
	}
	label, _ := a.Expr.(ast.Label)
	return label
}

// nameOf is the name of a label that is not computed.
func nameOf(label ast.Label) (string, bool) {
	switch x := label.(type) {
	case *ast.Ident:
		return x.Name, true
	case *ast.BasicLit:
		name, err := literal.Unquote(x.Value)
		if err != nil {
			return "", false
		}
		if isHidden(name) {
			name = `"` + name
		}
		return norm.NFC.String(name), true // as CUE takes characters in quotes that are combined of others
	}
	return "", false
}

// isHidden reports whether a name is that of a hidden field or a definition.
func isHidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") }

// looksHidden reports whether a field's name is written in quotes, and would be that of a hidden field without them.
func looksHidden(name string) bool { return strings.HasPrefix(name, `"`) }
