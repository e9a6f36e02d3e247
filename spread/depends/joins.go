package depends

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// joining tells whether a struct of config is unified with something.
type joining int

const (
	joinsNone joining = iota
	// joinsStruct: the result depends on the types of the struct's fields, even of optional fields that nobody gives.
	joinsStruct
	// joinsChoice: something in the struct is one of several structs, and CUE chooses again, because the struct is no longer closed. With
	//
	//	x: *{a: 1} | {b: int}
	//
	// and {b: 2} given, x is {b: 2}, and {config.parameter.x} is {a: 1, b: 2}.
	joinsChoice
)

// structOfConfig tells what it means to unify an expression with something, if it refers to what may be a struct of config.
func (r *reader) structOfConfig(x ast.Expr, s *scope) joining {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.structOfConfig(x.X, s)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
	default:
		return joinsNone
	}
	if id, ok := x.(*ast.Ident); ok && id.Node == nil && id.Scope == nil {
		return joinsNone // string, int and the like
	}
	n, exact := r.target(x, s)
	switch {
	case n != nil && exact:
		return n.structOfConfig()
	case s.isModels():
		return joinsNone
	}
	return r.config.joining()
}

// holdsConfig is structOfConfig for a reference, and for a struct literal with such a reference in a field, as for the argument of a
// definition:  #F & {#in: config.parameter.s}.
func (r *reader) holdsConfig(x ast.Expr, s *scope) (most joining) {
	lit, ok := syntax.Unparen(x).(*ast.StructLit)
	if !ok {
		return r.structOfConfig(x, s)
	}
	for _, d := range lit.Elts {
		if f, ok := d.(*ast.Field); ok && f.Value != nil {
			most = max(most, r.holdsConfig(f.Value, s))
		}
	}
	return most
}

// embedsConfig tells whether a struct literal unifies a struct of config with something: by embedding it beside
// other fields, or by having it in a field that an embedded struct or a second declaration may also have. Embedded alone, a
// struct is only no longer closed.
func (r *reader) embedsConfig(x *ast.StructLit, s *scope) (most joining) {
	for _, d := range x.Elts {
		if e, ok := d.(*ast.EmbedDecl); ok {
			most = max(most, r.structOfConfig(e.Expr, s))
		}
	}
	if len(x.Elts) < 2 && most < joinsChoice {
		return joinsNone
	}
	if most == joinsNone {
		most = r.holdsConfig(x, s)
	}
	if most == joinsNone || len(x.Elts) < 2 {
		return most
	}
	names := map[string]bool{}
	twice := filter.Any(x.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		if !ok {
			return isEmbedding(d)
		}
		name, ok := nameOf(labelOf(f))
		again := ok && names[name]
		names[name] = true
		return again
	})
	if !twice {
		return joinsNone
	}
	return most
}

// isStructOfConfig reports whether a field belongs to config and may be a struct. Definitions that are given beside
// the sections of a config do not count, because they have no types.
func (n *node) isStructOfConfig() bool {
	if n.config == nil || len(n.config) > 0 && IsAside(n.config[0]) {
		return false
	}
	return filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() && c.x != nil && !isLeaf(c.x) })
}

// structOfConfig is [reader.structOfConfig] for a reference to a field.
func (n *node) structOfConfig() joining {
	if n.isStructOfConfig() {
		return n.joining()
	}
	return n.copiesConfig()
}

// joining is what it means to unify a struct of config with something.
func (n *node) joining() joining {
	if n.reader.chooses(n) {
		return joinsChoice
	}
	return joinsStruct
}

// chooses reports whether something in a part of config, which may be all of it, is one of several structs.
func (r *reader) chooses(n *node) bool {
	chooses, known := r.choosing[n]
	if !known {
		w := &walk{reader: r, findsChoice: true}
		w.node(n)
		chooses = w.choice
		r.choosing[n] = chooses
	}
	return chooses
}

// isChoice reports whether a type lets a value be one of several structs, or of several lists with structs in them. In a map that is empty
// unless it is given,  *{} | {[string]: string} , both say the same of what is given.
func isChoice(x *ast.BinaryExpr) bool {
	all := structAlternatives(x)
	if len(all) != 2 {
		return len(all) > 2
	}
	isEmpty := func(i int) bool { lit, ok := all[i].(*ast.StructLit); return ok && len(lit.Elts) == 0 }
	isMap := func(i int) bool {
		lit, ok := all[i].(*ast.StructLit)
		return ok && !syntax.HasDefault(lit) && !filter.Any(lit.Elts, func(d ast.Decl) bool {
			f, ok := d.(*ast.Field)
			return !ok || !isPattern(f) || !isLeaf(f.Value)
		})
	}
	return !(isEmpty(0) && isMap(1) || isMap(0) && isEmpty(1))
}

// structAlternatives returns the alternatives of a disjunction that may be structs, or lists with structs in them.
func structAlternatives(x ast.Expr) (out []ast.Expr) {
	eachAlternative(x, func(x ast.Expr) bool {
		if !isLeaf(x) {
			out = append(out, x)
		}
		return true
	})
	return out
}

// joinsConfig tells whether a field is a copy of a struct of config and has other conjuncts too, or braces around it.
func (n *node) joinsConfig() joining {
	joins := filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() && c.x != nil && !isReference(c.x) })
	if !joins && !n.embeds {
		return joinsNone
	}
	how := n.copiesConfig()
	if !joins && how < joinsChoice {
		return joinsNone
	}
	return how
}

// copiesConfig is the joining of the structs of config that a field is a copy of.
func (n *node) copiesConfig() (most joining) {
	for _, of := range n.copies {
		if of.isStructOfConfig() {
			most = max(most, of.joining())
		}
	}
	return most
}

// isReference reports whether an expression is a reference, or a struct that only embeds one:  {config.parameter.s}.
func isReference(x ast.Expr) bool {
	switch x := syntax.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return true
	case *ast.StructLit:
		if len(x.Elts) == 1 {
			e, ok := x.Elts[0].(*ast.EmbedDecl)
			return ok && isReference(e.Expr)
		}
	}
	return false
}
