package guards

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// reader walks a file and knows at each node which field it is in, and under
// which conditions.
type reader struct {
	*Sources
	path   []string
	within []Condition
}

func (r *reader) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.Field:
		r.field(d)
	case *ast.LetClause:
		r.lets[d] = d.Expr
		r.expr(d.Expr)
	case *ast.Alias:
		r.lets[d] = d.Expr
		r.expr(d.Expr)
	case *ast.EmbedDecl:
		r.expr(d.Expr)
	case *ast.Comprehension:
		r.comprehension(d)
	}
}

func (r *reader) field(f *ast.Field) {
	path := r.path
	r.path = append(slices.Clip(path), label(f.Label))
	value := f.Value
	if alias, ok := value.(*ast.Alias); ok {
		r.lets[alias] = alias.Expr
		value = alias.Expr
	}
	r.pathOf[f], r.pathOf[value] = r.path, r.path
	found := &field{path: r.path, value: value, within: r.within}
	r.fields = append(r.fields, found)
	r.byPath[key(r.path)] = append(r.byPath[key(r.path)], found)
	name := r.path[len(r.path)-1]
	r.byLabel[name] = append(r.byLabel[name], found)
	if x, ok := f.Label.(ast.Expr); ok {
		r.labelExpr(x)
	}
	r.expr(value)
	r.path = path
}

// labelExpr looks at a label that is computed.
func (r *reader) labelExpr(x ast.Expr) {
	switch x.(type) {
	case *ast.ParenExpr, *ast.Interpolation:
		r.expr(x)
	}
}

// label is the name that a label gives a field, [Member] if that depends on
// something.
func label(l ast.Label) string {
	if alias, ok := l.(*ast.Alias); ok {
		if inner, ok := alias.Expr.(ast.Label); ok {
			return label(inner)
		}
	}
	name, _, err := ast.LabelName(l)
	if err != nil {
		return Member
	}
	return name
}

// expr looks for guards, fields and probes in an expression. The fields of a
// struct in it are fields at the reader's path.
func (r *reader) expr(x ast.Expr) {
	switch x := x.(type) {
	case *ast.StructLit:
		for _, d := range x.Elts {
			r.decl(d)
		}
	case *ast.ListLit:
		path := r.path
		r.path = append(slices.Clip(path), Member)
		for _, e := range x.Elts {
			r.expr(e)
		}
		r.path = path
	case *ast.Comprehension:
		r.comprehension(x)
	case *ast.BinaryExpr:
		if isComparison(x.Op) {
			r.probes = append(r.probes, x)
		}
		r.expr(x.X)
		r.expr(x.Y)
	case *ast.IndexExpr:
		r.probes = append(r.probes, x)
		r.expr(x.X)
		r.expr(x.Index)
	case *ast.CallExpr:
		r.probes = append(r.probes, x)
		for _, a := range x.Args {
			r.expr(a)
		}
	case *ast.SelectorExpr:
		r.expr(x.X)
	default:
		for _, part := range parts(x) {
			r.expr(part)
		}
	}
}

// parts are the expressions that an expression of the simpler kinds is made of.
func parts(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return []ast.Expr{x.X}
	case *ast.UnaryExpr:
		return []ast.Expr{x.X}
	case *ast.Interpolation:
		return x.Elts
	case *ast.Alias:
		return []ast.Expr{x.Expr}
	case *ast.Ellipsis:
		if x.Type != nil {
			return []ast.Expr{x.Type}
		}
	case *ast.SliceExpr:
		return filter.Out([]ast.Expr{x.X, x.Low, x.High}, func(x ast.Expr) bool { return x == nil })
	case *ast.PostfixExpr:
		return []ast.Expr{x.X}
	}
	return nil
}

// comprehension takes the conditions of a comprehension for guards of what is in
// it.
func (r *reader) comprehension(c *ast.Comprehension) {
	within := r.within
	var own []*Guard
	for _, clause := range c.Clauses {
		switch x := clause.(type) {
		case *ast.ForClause:
			if x.Key != nil {
				r.loops[x.Key] = loop{x.Source, true}
			}
			r.loops[x.Value] = loop{x.Source, false}
			r.expr(x.Source)
			own = append(own, r.guard(&Guard{source: x.Source}))
		case *ast.LetClause:
			r.lets[x], r.lets[x.Ident] = x.Expr, x.Expr
			r.expr(x.Expr)
		case *ast.TryClause:
			if x.Ident != nil {
				r.lets[x], r.lets[x.Ident] = x.Expr, x.Expr
				r.expr(x.Expr)
			}
		case *ast.IfClause:
			r.expr(x.Condition)
			own = append(own, r.guard(&Guard{condition: x.Condition}))
		}
	}
	r.expr(c.Value)
	r.within = within
	if c.Fallback != nil {
		for _, g := range own[:min(1, len(own))] {
			r.within = append(slices.Clip(within), Condition{g, false})
		}
		r.expr(c.Fallback.Body)
		r.within = within
	}
}

// guard adds a guard of what follows.
func (r *reader) guard(g *Guard) *Guard {
	g.within = r.within
	r.Guards = append(r.Guards, g)
	r.within = append(slices.Clip(r.within), Condition{g, true})
	return g
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.MAT, token.NMAT:
		return true
	}
	return false
}
