package depends

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// reader is the state of one [Sources].
type reader struct {
	packages map[*Package]*node
	config   *node // the artifact's
}

// node is a field, with all that is written for it.
type node struct {
	reader  *reader
	up      *node
	name    string
	said    []conjunct
	certain bool // it is there, whatever the config is
	config  Path // of a field of the artifact's config: its path there, not nil

	state    int
	fields   map[string]*node
	patterns []conjunct // for fields whose names are computed, or match
	shape    []term     // which decide what fields there are
	dynamic  bool       // some names are computed
	terms    []term     // that are no structs in so many words
	copies   []*node    // fields that it is a copy of, of config or without anything else
	opaque   bool       // one of the terms may have fields
	made     []*node    // definitions that it is made of
	making   []*node    // those that are being said
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
	x     ast.Expr
	scope *scope
	given []term
}

// term is an expression where it stands.
type term struct {
	x     ast.Node
	scope *scope
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
	for _, f := range p.Files {
		n.decls(f.Decls, s, nil)
	}
	return n
}

// field is the node of a field; of n itself, which is not exact, if that may come from
// anywhere in n. The name of a hidden field or a definition begins with _ or #; one in
// quotes that does so too begins with a quote.
func (n *node) field(name string) (f *node, exact bool) {
	if n.config != nil && !isHidden(name) {
		return n.add(name), true
	}
	n.expand()
	switch f = n.fields[name]; {
	case n.opaque, n.state == unfolding:
		return n, false
	case len(n.copies) == 1 && len(n.fields) == 0 && (n.copies[0].config == nil || !isHidden(name)):
		return n.copies[0].field(name)
	case len(n.copies) > 0, f == nil && n.dynamic:
		return n, false
	}
	return n.add(name), true
}

// add makes the field of a name, which gets what is said of all names.
func (n *node) add(name string) *node {
	f := n.fields[name]
	if f == nil {
		f = &node{reader: n.reader, up: n, name: name, said: slices.Clone(n.patterns)}
		if n.fields == nil {
			n.fields = map[string]*node{}
		}
		n.fields[name] = f
	}
	if n.config != nil && !isHidden(name) && f.config == nil {
		f.config = append(slices.Clip(n.config), strings.TrimPrefix(name, `"`))
	}
	return f
}

// expand looks at what is said of a field.
func (n *node) expand() {
	if n.state != folded {
		return
	}
	n.state = unfolding
	for i := 0; i < len(n.said); i++ {
		c := n.said[i]
		n.terms = append(n.terms, c.given...)
		n.say(c.x, c.scope, c.given)
	}
	n.state = unfolded
}

// say adds what an expression says of n.
func (n *node) say(x ast.Expr, s *scope, given []term) {
	switch x := x.(type) {
	case nil:
	case *ast.ParenExpr:
		n.say(x.X, s, given)
	case *ast.Alias:
		n.say(x.Expr, &scope{at: x, is: n, out: s}, given)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			n.say(x.X, s, given)
			n.say(x.Y, s, given)
			return
		}
		n.term(x, s, x.Op == token.OR)
	case *ast.StructLit:
		n.decls(x.Elts, &scope{at: x, is: n, out: s}, given)
	case *ast.BasicLit, *ast.UnaryExpr, *ast.Interpolation, *ast.BottomLit:
		n.term(x, s, false)
	case *ast.Ident:
		if target, _ := n.reader.refers(x, s); target == nil && x.Node == nil && predeclared[x.Name] {
			return
		}
		n.refer(x, s, given)
	case *ast.SelectorExpr, *ast.IndexExpr:
		n.refer(x, s, given)
	default:
		n.term(x, s, true)
	}
}

// predeclared are CUE's own names for values that are no structs.
var predeclared = map[string]bool{
	"bool": true, "bytes": true, "float": true, "float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "int128": true, "number": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true, "uint32": true,
	"uint64": true, "uint128": true, "_": true,
}

// term adds an expression of which it is only known what it refers to.
func (n *node) term(x ast.Node, s *scope, opaque bool) {
	n.terms = append(n.terms, term{x, s})
	n.opaque = n.opaque || opaque
}

// refer adds what another field is made of, in its place.
func (n *node) refer(x ast.Expr, s *scope, given []term) {
	if id, ok := x.(*ast.Ident); ok {
		if t, ok := named(id, s); ok {
			n.say(t.x.(ast.Expr), t.scope, given)
			return
		}
	}
	target, exact := n.reader.refers(x, s)
	switch {
	case exact && (target.config != nil || n.isOnly(x) && !target.holds(n)):
		n.terms = append(n.terms, term{x, s})
		n.copies = append(n.copies, target)
	case !exact, target.state == unfolding, n.madeOf(target), target.holds(n.reader.config):
		n.term(x, s, true)
	default:
		n.made, n.making = append(n.made, target), append(n.making, target)
		for _, c := range slices.Clone(target.said) {
			n.terms = append(n.terms, c.given...)
			n.say(c.x, c.scope, slices.Concat(given, c.given))
		}
		n.making = n.making[:len(n.making)-1]
	}
}

// isOnly reports whether an expression is all that is said of a field.
func (n *node) isOnly(x ast.Expr) bool {
	if len(n.said) != 1 {
		return false
	}
	only := n.said[0].x
	for {
		p, ok := only.(*ast.ParenExpr)
		if !ok {
			return only == x
		}
		only = p.X
	}
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
	if slices.Contains(n.making, target) {
		return true
	}
	for up := n; up != nil; up = up.up {
		if up == target || up != n && slices.Contains(up.made, target) {
			return true
		}
	}
	return false
}

// decls adds what the declarations in a struct say of it.
func (n *node) decls(decls []ast.Decl, s *scope, given []term) {
	for _, d := range decls {
		switch x := d.(type) {
		case *ast.Field:
			n.declare(x, s, given)
		case *ast.EmbedDecl:
			n.say(x.Expr, s, given)
		case *ast.Comprehension:
			n.comprehension(x, s, given)
		}
	}
}

func (n *node) declare(x *ast.Field, s *scope, given []term) {
	label := x.Label
	if a, ok := label.(*ast.Alias); ok {
		label, _ = a.Expr.(ast.Label)
	}
	c := conjunct{x.Value, s, given}
	if name, ok := nameOf(label); ok {
		f := n.add(name)
		f.certain = f.certain || len(given) == 0 && x.Constraint == token.ILLEGAL
		f.said = append(f.said, c)
		if f.state != folded {
			f.terms, f.opaque = append(f.terms, term{x.Value, s}), true // too late to be told apart
			f.terms = append(f.terms, given...)
		}
		return
	}
	c.given = append(slices.Clip(given), term{label, s})
	if _, isPattern := label.(*ast.ListLit); !isPattern {
		n.dynamic = true
		n.shape = append(n.shape, c.given...)
	}
	n.patterns = append(n.patterns, c)
	for _, f := range n.fields {
		f.said = append(f.said, c)
		if f.state != folded {
			f.terms, f.opaque = append(append(f.terms, term{x.Value, s}), c.given...), true
		}
	}
}

func (n *node) comprehension(x *ast.Comprehension, s *scope, given []term) {
	for _, clause := range x.Clauses {
		given = append(slices.Clip(given), term{clause, s})
	}
	n.body(x.Value, s, given)
	if x.Fallback != nil {
		n.body(x.Fallback.Body, s, given)
	}
}

func (n *node) body(x ast.Expr, s *scope, given []term) {
	if lit, ok := x.(*ast.StructLit); ok && !slices.ContainsFunc(lit.Elts, isEmbedding) {
		n.decls(lit.Elts, &scope{at: lit, is: n, out: s}, given)
		return
	}
	n.shape = append(n.shape, given...)
	n.terms = append(n.terms, given...)
	n.say(x, s, given)
}

// isEmbedding reports whether a declaration may give a struct fields, or make it
// something else, without a name.
func isEmbedding(d ast.Decl) bool {
	_, ok := d.(*ast.EmbedDecl)
	return ok
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
		return name, true
	}
	return "", false
}

// isHidden reports whether a name is that of a hidden field or a definition.
func isHidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") }
