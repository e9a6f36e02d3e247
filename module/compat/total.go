package compat

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// harmless reports whether it is proved that a statement refuses no config: it
// makes a text of fields that always have a value, or passes one on, where any
// such value is taken, and nothing else is said there.
func (v *view) harmless(s *statement) bool {
	present, ok := v.decided(s.clauses)
	if !ok || v.disputed(s) {
		return false
	}
	p := s.path
	if len(p) < 4 || filter.Contains(p, anyLabel) {
		return false
	}
	rest := p[3:]
	switch {
	case p[1] == "code" && len(rest) == 1 && (rest[0] == "cmd" || rest[0] == "entrypoint"),
		p[1] == "code" && len(rest) == 4 && rest[0] == "mapping" && rest[1] == "env" && rest[3] == "value":
		return v.textual(s.expr, present)
	case p[1] == "code" && len(rest) == 5 && rest[0] == "mapping" && rest[1] == "filesystem" && rest[3] == "data" && rest[4] == "value":
		return len(s.clauses) == 0 && v.textual(s.expr, present)
	case p[1] == "srv" && len(rest) == 2 && rest[1] == "port":
		given, ok := v.value(s.expr, present)
		return ok && len(s.clauses) == 0 && accepts(v.ctx.CompileString("uint16"), given, 0)
	case p[1] == "role":
		return v.absorbed(s, present)
	}
	return false
}

// disputed reports whether another statement is about the same place, or about
// what is above or below it.
func (v *view) disputed(s *statement) bool {
	return filter.Any(v.statements, func(t *statement) bool {
		return t != s && !t.local && !t.structural && overlap(t.path, s.path) && t.key() != s.key()
	})
}

// decided reports whether conditions are always true or false, and returns the
// optional parameters that are there where they are true.
func (v *view) decided(clauses []ast.Clause) (present map[string]bool, ok bool) {
	present = map[string]bool{}
	for _, clause := range clauses {
		x, isIf := clause.(*ast.IfClause)
		if !isIf {
			return nil, false
		}
		if name, op := v.presence(x.Condition); name != "" {
			present[name] = op == token.NEQ
			continue
		}
		if !decidesBy(x.Condition, func(x ast.Expr) (field, bool) { return v.parameter(x, present) }) {
			return nil, false
		}
	}
	return present, true
}

// presence is the parameter of which a condition asks whether it is given.
func (v *view) presence(x ast.Expr) (string, token.Token) {
	b, ok := x.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ && b.Op != token.EQL {
		return "", 0
	}
	if _, isBottom := b.Y.(*ast.BottomLit); !isBottom {
		return "", 0
	}
	name := v.nameOf(b.X)
	if f, ok := members(v.free).fields[name]; !ok || !f.optional {
		return "", 0
	}
	return name, b.Op
}

// nameOf is the parameter that an expression is nothing but a name for, "" if it
// is none.
func (v *view) nameOf(x ast.Expr) string {
	chain, rest, ok := chainOf(x)
	if !ok || len(rest) > 0 {
		return ""
	}
	for range maxDepth {
		n := len(chain)
		if n > 2 && chain[n-2] == "parameter" && chain[n-3] == "config" && (n == 3 || n == 4 && chain[0] == "description" || n == 5 && chain[0] == "#Artifact" && chain[1] == "description") {
			return chain[n-1]
		}
		let, ok := v.let(chain[0])
		if !ok {
			return ""
		}
		chain = append(slices.Clone(let), chain[1:]...)
	}
	return ""
}

// let is what a name of a let stands for, if that is another name.
func (v *view) let(name string) (chain []string, found bool) {
	for _, s := range v.statements {
		if !s.local || s.path[len(s.path)-1] != name {
			continue
		}
		c, rest, ok := chainOf(s.expr)
		if !ok || len(rest) > 0 || found {
			return nil, false
		}
		chain, found = c, true
	}
	return chain, found
}

// parameter is the parameter that an expression is nothing but a name for, if it
// always has a value.
func (v *view) parameter(x ast.Expr, present map[string]bool) (field, bool) {
	name := v.nameOf(x)
	f, ok := members(v.free).fields[name]
	if !v.whole || !ok || name == "" || f.optional && !present[name] {
		return field{}, false
	}
	f.optional = false
	return f, true
}

// value is all that an expression may be.
func (v *view) value(x ast.Expr, present map[string]bool) (cue.Value, bool) {
	if f, ok := v.parameter(x, present); ok {
		return f.value, true
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return v.value(x.X, present)
	case *ast.BasicLit:
		return v.ctx.BuildExpr(x), true
	case *ast.Interpolation:
		return v.ctx.CompileString("string"), v.interpolates(x, present)
	}
	return cue.Value{}, false
}

func (v *view) interpolates(x *ast.Interpolation, present map[string]bool) bool {
	for i, part := range x.Elts {
		if i%2 == 0 {
			continue // the text between
		}
		f, ok := v.parameter(part, present)
		if p, isParen := part.(*ast.ParenExpr); isParen {
			f, ok = v.parameter(p.X, present)
		}
		if k := f.value.IncompleteKind(); !ok || k&^(cue.StringKind|cue.NumberKind|cue.BoolKind) != 0 {
			return false
		}
	}
	return true
}

// textual reports whether an expression always is a text or a list of texts.
func (v *view) textual(x ast.Expr, present map[string]bool) bool {
	if list, ok := x.(*ast.ListLit); ok {
		return !filter.Any(list.Elts, func(e ast.Expr) bool { return !v.element(e, present) })
	}
	given, ok := v.value(x, present)
	return ok && given.IncompleteKind() == cue.StringKind
}

func (v *view) element(x ast.Expr, present map[string]bool) bool {
	c, ok := x.(*ast.Comprehension)
	if !ok {
		return v.textual(x, present)
	}
	more, ok := v.decided(c.Clauses)
	body, isStruct := c.Value.(*ast.StructLit)
	if !ok || !isStruct || len(body.Elts) != 1 || c.Fallback != nil {
		return false
	}
	for name := range present {
		more[name] = more[name] || present[name]
	}
	e, ok := body.Elts[0].(*ast.EmbedDecl)
	return ok && v.textual(e.Expr, more)
}
