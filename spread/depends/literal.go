package depends

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// Literal is a list or a struct as the sources write it out under some conditions.
type Literal struct {
	// If are the conditions, all of which have to hold.
	If []*Closed
	// Of are list or struct literals, each of which is the one expression of its Closed. The value has all their fields.
	Of []*Closed
}

// Literals returns how the list or struct at a path is written, under any conditions. If the fields with computed names are kept apart from the
// others, see [Hole.Beside], it is about those only. There are none if there is more to the value than literals, or if
// a closed struct or definition might not allow the fields.
func (s *Sources) Literals(path Path) []Literal {
	n, exact := s.at(path)
	if !exact {
		return nil
	}
	n.expand()
	if n.config != nil || n.isArtifact() || n.up == nil || !s.reader.isOpen(n.up) {
		return nil
	}
	types := s.reader.repeatedTypes()
	if len(n.fields) == 0 && n.dynamic || s.reader.parted[n] {
		return s.reader.computedFields(n, types)
	}
	return n.written(types, maxWritten)
}

// computedFields are the declarations of fields whose names are computed, without the model's types, see [reader.repeats].
func (r *reader) computedFields(n *node, types leftOut) []Literal {
	if !n.certain || !r.isOpen(n) {
		return nil
	}
	var out Literal
	add := func(d ast.Decl, s *scope) bool {
		c := r.closeLiteral(term{x: &ast.StructLit{Elts: []ast.Decl{d}}, scope: s}, types)
		out.Of = append(out.Of, c)
		return c != nil
	}
	isInBody := func(c *conjunct) bool { return filter.Contains(n.bodies, c.in) }
	for _, c := range n.bodies {
		if isInBody(c) {
			continue
		}
		x := c.decl.(*ast.Comprehension)
		if x.Fallback == nil && hasNamesOnly(x.Value) {
			continue // which are apart by themselves
		}
		if len(c.given) != len(x.Clauses) || hasName(x.Value) || x.Fallback != nil || !add(x, c.given[0].scope) {
			return nil
		}
	}
	for _, c := range n.patterns {
		if c.isModels() || isInBody(c) {
			continue
		}
		f := c.decl.(*ast.Field)
		if isPattern(f) || len(c.given) != 1 || !add(f, c.scope) {
			return nil
		}
	}
	return []Literal{out}
}

// hasNamesOnly reports whether all that a struct has are fields with fixed names, under any conditions.
func hasNamesOnly(x ast.Expr) bool {
	lit, ok := x.(*ast.StructLit)
	return ok && !filter.Any(lit.Elts, func(d ast.Decl) bool {
		switch x := d.(type) {
		case *ast.Field:
			return isComputed(x)
		case *ast.Comprehension:
			return x.Fallback != nil || !hasNamesOnly(x.Value)
		}
		return true
	})
}

// hasName reports whether a struct, or one in a comprehension in it, has a field with a fixed name.
func hasName(x ast.Expr) bool {
	lit, ok := x.(*ast.StructLit)
	return !ok || filter.Any(lit.Elts, func(d ast.Decl) bool {
		switch x := d.(type) {
		case *ast.Field:
			_, named := nameOf(labelOf(x))
			return named
		case *ast.Comprehension:
			return hasName(x.Value)
		}
		return true
	})
}

// written returns how a field is declared by others than the model, without the model's types, see [reader.repeats]. There are none if CUE has to
// join several declarations, or if one of them is not known here.
func (n *node) written(types leftOut, further int) (out []Literal) {
	n.expand()
	for _, c := range n.said {
		if c.isModels() {
			continue
		}
		l := c.written(types, further)
		if l == nil || len(out) > 0 && len(c.given) == 0 { // which CUE joins with the others
			return nil
		}
		out = append(out, *l)
	}
	return out
}

// written is one declaration of a field: a list or struct literal, which may be joined with others by &, a call of a function that returns a list, a
// reference to a field that is one of these, or, under conditions, any expression. It is nil for any other.
func (c *conjunct) written(types leftOut, further int) *Literal {
	_, isField := c.decl.(*ast.Field)
	said := filter.Out(syntax.Conjuncts(c.x), func(x ast.Expr) bool { return types(x) })
	if !isField || c.maybe || len(said) == 0 || len(said) > 1 && len(said) < len(syntax.Conjuncts(c.x)) {
		return nil
	}
	whole := c.x
	if len(said) == 1 {
		whole = said[0]
		if isName(whole) && len(c.given) == 0 && further > 0 {
			return c.writtenElsewhere(whole, types, further-1)
		}
	}
	if len(c.given) == 0 && len(said) == 1 && !makesMembers(said[0]) {
		return nil
	}
	out := &Literal{}
	for _, t := range c.given {
		clause, ok := t.x.(*ast.IfClause)
		if !ok {
			return nil
		}
		holds := c.of.reader.closeExpr(term{x: clause.Condition, scope: t.scope})
		if holds == nil {
			return nil
		}
		out.If = append(out.If, holds)
	}
	x := c.of.reader.closeLiteral(term{x: whole, scope: c.scope}, types)
	if x == nil {
		return nil
	}
	out.Of = []*Closed{x}
	return out
}

// writtenElsewhere returns how the field that x refers to is written. It is nil if x does not refer to a field of the artifact, or if that
// field has more than one declaration.
func (c *conjunct) writtenElsewhere(x ast.Expr, types leftOut, further int) *Literal {
	n, exact := c.of.reader.target(x, c.scope)
	if n == nil || !exact || n.config != nil || !c.of.reader.config.up.up.holds(n) || n.isArtifact() {
		return nil
	}
	all := n.written(types, further)
	if len(all) != 1 || n.dynamic || len(n.patterns) > 0 {
		return nil
	}
	return &all[0]
}

// closeLiteral is [reader.closeExpr] without types.
func (r *reader) closeLiteral(t term, types leftOut) *Closed {
	c := newCloser(r)
	c.types, c.literal = types, true
	return c.closed(t)
}

// closeExpr writes out what an expression refers to; nil if that is not possible.
func (r *reader) closeExpr(t term) *Closed {
	return newCloser(r).closed(t)
}

// closed is [reader.closeExpr] with what the closer is set to.
func (c *closer) closed(t term) *Closed {
	if !c.expr(t) {
		return nil
	}
	return c.finish([]ast.Expr{t.x.(ast.Expr)})
}

// IsInOpen reports whether the struct that a part is in is one that no definition of the artifact's author can close,
// and is written in the artifact's own package.
func (p Part) IsInOpen() bool {
	up := p.known().node.up
	return !up.reader.isMadeOfOthers() && up.reader.isOpen(up)
}

// isMadeOfOthers reports whether the artifact is joined with more than struct literals and types of the model.
func (r *reader) isMadeOfOthers() bool {
	return filter.Any(r.config.up.up.said, func(c *conjunct) bool { return !c.isModels() && !c.isWritten() })
}

// isOpen reports whether no definition of the artifact's author can close a struct: the struct and
// everything around it are plain struct literals, under any conditions and in any loops. The model allows any field there.
//
// An artifact may be joined with definitions, such as the artifact of another package. A definition closes its structs: no other
// declaration may add fields to them, except to the model's maps, such as that of the variables.
func (r *reader) isOpen(n *node) bool {
	artifact, depth := r.config.up.up, 0
	for up := n; up != nil && up != artifact; up = up.up {
		depth++
	}
	refers := r.isMadeOfOthers()
	for ; n.up != nil; n = n.up {
		own := 0
		for _, c := range n.said {
			if c.isModels() {
				continue
			}
			own++
			if !c.isWritten() && !(n == artifact && c.isOfModel()) {
				return false
			}
		}
		if refers && depth > depthOfMaps && own > 1 {
			return false
		}
		depth--
	}
	return true
}

// depthOfMaps is how deep in an artifact the variables and files are:  description.code.NAME.mapping.env.
const depthOfMaps = 5

// isOfModel reports whether a conjunct joins nothing but struct literals, the model's types, and definitions that include one of
// those types, as  #Base: k.#Component & {...}  does.
func (c *conjunct) isOfModel() bool {
	_, p := c.scope.pkg()
	return !filter.Any(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
		if lit, ok := x.(*ast.StructLit); ok {
			return filter.Any(lit.Elts, isEmbedding)
		}
		return !p.namesType(x) && !c.of.reader.refersToType(x, c.scope, maxWritten)
	})
}

// refersToType reports whether an expression refers to a definition that includes a type of the model.
func (r *reader) refersToType(x ast.Expr, s *scope, further int) bool {
	n, exact := r.target(x, s)
	if n == nil || !exact || further == 0 || !strings.HasPrefix(n.name, "#") {
		return false
	}
	return filter.Any(n.said, func(c *conjunct) bool {
		_, p := c.scope.pkg()
		return c.x != nil && filter.Any(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
			return p.namesType(x) || isName(x) && r.refersToType(x, c.scope, further-1)
		})
	})
}

// namesType reports whether an expression is a type of the model.
func (p *Package) namesType(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && p.isModel(id)
}

// isWritten reports whether a conjunct is made of nothing but struct literals, types of the model, and _.
func (c *conjunct) isWritten() bool {
	_, p := c.scope.pkg()
	return !filter.Any(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.StructLit:
			return filter.Any(x.Elts, isEmbedding)
		}
		return !syntax.IsAnything(x) && !p.namesType(x)
	})
}
