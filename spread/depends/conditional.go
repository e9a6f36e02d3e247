package depends

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Conditional is a part of which conditions on config decide what is in it: where they have
// the same answers, it is the same, but for some leaves.
type Conditional struct {
	Conditions []Condition
	Leaves     []Leaf
}

// Condition is what config is asked: whether it has anything at a path, or an expression.
type Condition struct {
	Exists Path // nil for an expression
	Closed *Closed
}

// Leaf is a part of a conditional that depends on config otherwise too: it is a copy, or made
// by an expression.
type Leaf struct {
	Path    Path // from the conditional
	Formula *Formula
	Closed  *Closed // nil for a copy
}

// conditional tells what decides the fields of n, nil where that is more than conditions.
func (n *node) conditional() *Conditional {
	c := &conditions{reader: n.reader, asked: map[termKey]bool{}}
	if !c.node(n, nil) || len(c.out.Conditions) == 0 {
		return nil
	}
	return &c.out
}

// conditions gathers what a part depends on.
type conditions struct {
	reader *reader
	out    Conditional
	asked  map[termKey]bool
}

func (c *conditions) isFree(terms ...term) bool {
	return len(c.reader.reach(func(w *walk) { w.all(terms) })) == 0
}

// isDecided reports whether expressions depend on config only by way of the conditions that are asked: the same answers make the same of them.
func (c *conditions) isDecided(terms ...term) bool {
	if c.isFree(terms...) {
		return true
	}
	w := c.reader.walk()
	w.decided = c.asked
	w.all(terms)
	return len(w.atoms) == 0 && !w.mixes
}

func (c *conditions) node(n *node, path Path) bool {
	n.expand()
	if n.config != nil || n.isArtifact() || n.dynamic && !c.isFree(n.shape...) {
		return false
	}
	for _, t := range slices.Concat(n.given, n.shape) {
		if !c.isDecided(t) && !c.clause(t) {
			return false
		}
	}
	for _, p := range n.patterns {
		if !c.isFree(append(slices.Clip(p.given), term{x: p.x, scope: p.scope})...) {
			return false
		}
	}
	if !c.isDecided(n.terms...) {
		return len(n.fields) == 0 && c.leaf(n, path)
	}
	before := len(c.out.Leaves)
	for _, name := range sorting.Ordered(n.fields) {
		if !c.node(n.fields[name], append(slices.Clip(path), name)) {
			return false
		}
	}
	return !n.opaque || len(c.out.Leaves) == before // or a leaf could decide which other fields it has
}

// clause adds the conditions of an if.
func (c *conditions) clause(t term) bool {
	x, ok := t.x.(*ast.IfClause)
	if !ok {
		return false
	}
	return c.ask(term{x: x.Condition, scope: t.scope}, termKey{x, t.scope})
}

// ask adds the parts of a condition that && and such join.
func (c *conditions) ask(t term, in termKey) bool {
	c.asked[in] = true
	switch x := t.x.(type) {
	case *ast.ParenExpr:
		return c.ask(term{x: x.X, scope: t.scope}, in)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return c.ask(term{x: x.X, scope: t.scope}, in)
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return c.ask(term{x: x.X, scope: t.scope}, in) && c.ask(term{x: x.Y, scope: t.scope}, in)
		}
		if path := c.reader.existence(x, t.scope); path != nil {
			c.out.Conditions = append(c.out.Conditions, Condition{Exists: path})
			return true
		}
	}
	if c.isFree(t) {
		return true
	}
	closed := c.reader.closeExpr(t)
	if closed == nil {
		return false
	}
	c.out.Conditions = append(c.out.Conditions, Condition{Closed: closed})
	return true
}

// existence is the path of config whose existence an expression asks for:  x != _|_.
func (r *reader) existence(x *ast.BinaryExpr, s *scope) Path {
	if of := syntax.ComparedWithBottom(x); of != nil {
		return r.ofConfig(of, s)
	}
	return nil
}

// leaf adds a value that one place says.
func (c *conditions) leaf(n *node, path Path) bool {
	own := slices.DeleteFunc(slices.Clone(n.said), (*conjunct).isModels)
	if len(own) != 1 || len(n.terms) == 0 {
		return false
	}
	x := Leaf{Path: path, Formula: n.copyOf()}
	if x.Formula == nil {
		x.Closed = n.closedIf()
	}
	c.out.Leaves = append(c.out.Leaves, x)
	return x.Formula != nil || x.Closed != nil
}

// copyOf is the formula of a field that is nothing but a copy, under any condition.
func (n *node) copyOf() *Formula {
	if len(n.said) != 1 || len(n.terms) != 1 || len(n.types) > 0 {
		return nil
	}
	x, ok := n.terms[0].x.(ast.Expr)
	if !ok {
		return nil
	}
	if f := n.reader.formula(x, n.terms[0].scope); f != nil && !f.Text {
		return f
	}
	return nil
}
