package depends

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// Literal is a list or a struct as the sources write it out.
type Literal struct {
	// If are the conditions under which the value is there.
	If []*Closed
	// Of are list or struct literals, each of which is the one expression of its Closed. The value has all their fields.
	Of []*Closed
}

// Literal returns how the list or struct at a path is written. If the fields with computed names are kept apart from the
// others, see [Hole.Beside], it is about those only. It is nil if there is more to the value than literals, or if
// a closed struct or definition might not allow the fields.
func (s *Sources) Literal(path Path) *Literal {
	n, exact := s.at(path)
	if !exact {
		return nil
	}
	n.expand()
	if n.config != nil || n.isArtifact() || n.up == nil || !n.up.isOpen() {
		return nil
	}
	if len(n.fields) == 0 && n.dynamic || s.reader.parted[n] {
		return n.computedFields()
	}
	return n.written()
}

// computedFields are the declarations of fields whose names are computed.
func (n *node) computedFields() *Literal {
	if !n.certain || !n.isOpen() {
		return nil
	}
	out := &Literal{}
	add := func(d ast.Decl, s *scope) bool {
		c := n.reader.closeExpr(term{x: &ast.StructLit{Elts: []ast.Decl{d}}, scope: s})
		out.Of = append(out.Of, c)
		return c != nil
	}
	isInBody := func(c *conjunct) bool { return slices.Contains(n.bodies, c.in) }
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
	return out
}

// hasNamesOnly reports whether all that a struct has are fields with fixed names, under any conditions.
func hasNamesOnly(x ast.Expr) bool {
	lit, ok := x.(*ast.StructLit)
	return ok && !slices.ContainsFunc(lit.Elts, func(d ast.Decl) bool {
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
	return !ok || slices.ContainsFunc(lit.Elts, func(d ast.Decl) bool {
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

// written is the literal that is all that is said of a field, but by the model, with its conditions.
func (n *node) written() *Literal {
	var own *conjunct
	for _, c := range n.said {
		if c.isModels() {
			continue
		}
		if own != nil {
			return nil
		}
		own = c
	}
	if own == nil || own.maybe || !isLiteral(own.x) {
		return nil
	}
	if _, isField := own.decl.(*ast.Field); !isField {
		return nil
	}
	out := &Literal{}
	for _, t := range own.given {
		clause, ok := t.x.(*ast.IfClause)
		if !ok {
			return nil
		}
		c := n.reader.closeExpr(term{x: clause.Condition, scope: t.scope})
		if c == nil {
			return nil
		}
		out.If = append(out.If, c)
	}
	c := n.reader.closeExpr(term{x: own.x, scope: own.scope})
	if c == nil {
		return nil
	}
	out.Of = []*Closed{c}
	return out
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
	return !up.reader.isMadeOfOthers() && up.isOpen()
}

// isMadeOfOthers reports whether the artifact is joined with more than struct literals and types of the model.
func (r *reader) isMadeOfOthers() bool {
	return slices.ContainsFunc(r.config.up.up.said, func(c *conjunct) bool { return !c.isModels() && !c.isWritten() })
}

// isOpen reports whether no definition of the artifact's author can close a struct: the struct and
// everything around it are plain struct literals without conditions. The model allows any field there.
//
// An artifact may be joined with definitions, such as the artifact of another package. A definition closes its structs: no other
// declaration may add fields to them, except to the model's maps, such as that of the variables.
func (n *node) isOpen() bool {
	artifact, depth := n.reader.config.up.up, 0
	for up := n; up != nil && up != artifact; up = up.up {
		depth++
	}
	refers := n.reader.isMadeOfOthers()
	for ; n.up != nil; n = n.up {
		own := 0
		for _, c := range n.said {
			if c.isModels() {
				continue
			}
			own++
			if len(c.given) > 0 || !c.isWritten() && !(n == artifact && c.isOfModel()) {
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
	return !slices.ContainsFunc(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
		if lit, ok := x.(*ast.StructLit); ok {
			return slices.ContainsFunc(lit.Elts, isEmbedding)
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
	return slices.ContainsFunc(n.said, func(c *conjunct) bool {
		_, p := c.scope.pkg()
		return c.x != nil && slices.ContainsFunc(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
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
	return !slices.ContainsFunc(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.StructLit:
			return slices.ContainsFunc(x.Elts, isEmbedding)
		}
		return !isAnything(x) && !p.namesType(x)
	})
}
