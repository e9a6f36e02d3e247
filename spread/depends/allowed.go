package depends

import (
	"maps"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// allowance says which fields some of a struct's conjuncts allow.
type allowance struct {
	names  map[string]bool // fields that they declare
	closed bool            // a definition allows only those fields
	open   bool            // an ellipsis or  [string]: T  allows any field all the same
	// unknown is set if they also declare fields whose names are not known here.
	unknown bool
}

// join makes a the allowance of its own conjuncts and those of the other one together.
func (a *allowance) join(other allowance) {
	a.closed, a.open, a.unknown = a.closed || other.closed, a.open || other.open, a.unknown || other.unknown
	if a.names == nil {
		a.names = map[string]bool{}
	}
	maps.Copy(a.names, other.names)
}

// isAllowed reports whether the definitions that a struct is made of are certain to allow all of its fields, including those that the model
// declares. A definition closes the struct, and all structs in it:
//
//	#Base: {zone: "a", db: host: string}
//	parameter: #Base & {db: port: 5432} // which is an error
//
// It is false where that is not certain.
func (n *node) isAllowed() bool {
	n.expand()
	within := map[*node]*allowance{} // by the definition that conjuncts lie in
	forbids := func(a allowance) bool { return a.closed && !a.allows(n) }
	for _, c := range n.said {
		all := n.allowances(c.x, c.scope, maxWritten)
		if !c.isModels() && filter.Any(all, forbids) {
			return false
		}
		for d := range c.definitions() {
			if within[d] == nil {
				within[d] = &allowance{}
			}
			for _, a := range all {
				within[d].join(a)
			}
			within[d].closed = within[d].closed || !c.isModels() && len(all) > 0
		}
	}
	for _, a := range within {
		if forbids(*a) {
			return false
		}
	}
	return true
}

// allows reports whether all fields that the struct n has are allowed. Hidden fields and definitions always are. Optional fields that nothing
// else declares do not count.
func (a *allowance) allows(n *node) bool {
	if a.open {
		return true
	}
	for name, f := range n.fields {
		if !isHidden(name) && (a.unknown || !a.names[name]) && filter.Any(f.said, (*conjunct).makesField) {
			return false
		}
	}
	return true
}

// definitions returns the definitions whose bodies a conjunct is written in. It came into the struct by a reference to each of them.
func (c *conjunct) definitions() map[*node]bool {
	var out map[*node]bool
	for ; c != nil; c = c.in {
		if c.from == nil {
			continue
		}
		if c.from.of != nil && c.from.of.isInDefinition() && !c.from.isModels() {
			put(&out, c.from.of)
		}
		for d := range c.from.definitions() {
			put(&out, d)
		}
	}
	return out
}

// isInDefinition reports whether a field is a definition or lies in one. The artifact does not count: a reference within it closes
// nothing.
func (n *node) isInDefinition() bool {
	for ; n != nil && n != n.reader.config.up.up; n = n.up {
		if strings.HasPrefix(n.name, "#") {
			return true
		}
	}
	return false
}

// allowances returns one allowance for each expression that x joins with &. The argument further bounds how many references are followed, one
// after the other.
func (n *node) allowances(x ast.Expr, s *scope, further int) []allowance {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return n.allowances(x.X, s, further)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			return append(n.allowances(x.X, s, further), n.allowances(x.Y, s, further)...)
		}
	case *ast.StructLit:
		return []allowance{n.allowanceOf(x, s, further)}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return n.allowancesOfTarget(x, s, further)
	}
	return nil // it is no struct, or Go does not know its fields
}

// allowanceOf returns the allowance of a struct literal. An embedded definition closes the literal, but the literal's own fields are allowed.
func (n *node) allowanceOf(lit *ast.StructLit, s *scope, further int) (out allowance) {
	out.names = map[string]bool{}
	s = &scope{at: lit, is: n, out: s}
	for _, d := range lit.Elts {
		switch d := d.(type) {
		case *ast.Field:
			name, ok := nameOf(labelOf(d))
			out.names[name] = true
			out.open = out.open || syntax.IsAnyName(labelOf(d))
			out.unknown = out.unknown || !ok
		case *ast.EmbedDecl:
			for _, a := range n.allowances(d.Expr, s, further) {
				out.join(a)
			}
		case *ast.Comprehension:
			out.unknown = true
		case *ast.Ellipsis:
			out.open = true
		}
	}
	return out
}

// allowancesOfTarget returns the allowances of the field that x refers to. The conjuncts of a definition have one allowance together: each
// allows what the others declare.
func (n *node) allowancesOfTarget(x ast.Expr, s *scope, further int) []allowance {
	if id, ok := x.(*ast.Ident); ok {
		if t, ok := named(id, s); ok && further > 0 {
			return n.allowances(t.x.(ast.Expr), t.scope, further-1)
		}
		if id.Node == nil && id.Scope == nil && syntax.IsType(id.Name) {
			return nil
		}
	}
	target, exact := n.reader.target(x, s)
	switch {
	case target == nil, !exact, further == 0:
		return []allowance{{closed: true, unknown: true}}
	case target.config != nil:
		return nil
	}
	var all []allowance
	for _, c := range target.said {
		all = append(all, n.allowances(c.x, c.scope, further-1)...)
	}
	if !target.isInDefinition() {
		return all
	}
	whole := allowance{closed: true}
	for _, a := range all {
		whole.join(a)
	}
	return []allowance{whole}
}
