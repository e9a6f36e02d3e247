package compute

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/value"
)

// run is the evaluation of an expression with a config.
type run struct {
	*Expr
	config *value.Data
}

// variables are those of the comprehensions around an expression, and the fields of the structs around
// it, which hide them: their value is nil. The innermost come first.
type variables struct {
	name  string
	value any
	outer *variables
}

func (v *variables) get(name string) (any, bool) {
	for ; v != nil; v = v.outer {
		if v.name == name {
			return v.value, true
		}
	}
	return nil, false
}

// eval returns the value of an expression, or nil and false if CUE has to evaluate it.
func (r *run) eval(x ast.Expr, vars *variables) (any, bool) {
	if v, ok := r.evaluated(x, vars); ok {
		return v, true
	}
	return nil, false
}

// evaluated does the work of [run.eval]. If it returns false, its first result means nothing.
func (r *run) evaluated(x ast.Expr, vars *variables) (any, bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.eval(x.X, vars)
	case *ast.BasicLit:
		return literalOf(x)
	case *ast.Ident:
		return r.ident(x, vars)
	case *ast.Interpolation:
		return r.text(x, vars)
	case *ast.UnaryExpr:
		return r.unary(x, vars)
	case *ast.BinaryExpr:
		return r.binary(x, vars)
	case *ast.CallExpr:
		return r.call(x, vars)
	case *ast.ListLit:
		return r.list(x, vars)
	case *ast.StructLit:
		return r.structure(x, vars)
	case *ast.IndexExpr:
		return r.index(x, vars)
	case *ast.SelectorExpr:
		return r.selected(x, vars)
	}
	return nil, false
}

// literalOf is a text on one or several lines, a plain number, a boolean or null.
func literalOf(x *ast.BasicLit) (any, bool) {
	switch x.Kind {
	case token.STRING:
		if strings.Trim(x.Value, "#") == "" || strings.TrimLeft(x.Value, "#")[0] != '"' {
			return nil, false // bytes
		}
		s, err := literal.Unquote(x.Value)
		return s, err == nil
	case token.INT:
		n, err := strconv.ParseInt(x.Value, 10, 64)
		return n, err == nil && strconv.FormatInt(n, 10) == x.Value
	case token.TRUE, token.FALSE:
		return x.Kind == token.TRUE, true
	case token.NULL:
		return null{}, true
	}
	return nil, false
}

func (r *run) ident(x *ast.Ident, vars *variables) (any, bool) {
	if path, ok := r.refs[x]; ok {
		return operand(r.config.Get(path...))
	}
	if v, ok := vars.get(x.Name); ok {
		return v, v != nil && x.Name != "_"
	}
	if x.Node == nil && x.Scope == nil && (x.Name == "true" || x.Name == "false") {
		return x.Name == "true", true
	}
	return nil, false
}

// text is an interpolation in double quotes.
func (r *run) text(x *ast.Interpolation, vars *variables) (any, bool) {
	pieces, ok := r.texts[x]
	if !ok {
		pieces = piecesOf(x)
		r.texts[x] = pieces
	}
	if pieces == nil {
		return nil, false
	}
	var b strings.Builder
	for i, e := range x.Elts {
		if i%2 == 0 {
			b.WriteString(pieces[i/2])
			continue
		}
		v, ok := r.eval(e, vars)
		d := dataOf(v)
		if !ok || d == nil {
			return nil, false
		}
		b.WriteString(d.Text)
	}
	return b.String(), true
}

// piecesOf are the texts between the expressions of an interpolation, nil for bytes.
func piecesOf(x *ast.Interpolation) []string {
	if len(x.Elts) < 2 {
		return nil
	}
	first, last := x.Quotes()
	if first == nil || last == nil {
		return nil
	}
	quotes, opening, _, err := literal.ParseQuotes(first.Value, last.Value)
	if err != nil || !quotes.IsDouble() {
		return nil
	}
	out := make([]string, 0, len(x.Elts)/2+1)
	for i := 0; i < len(x.Elts); i += 2 {
		lit, ok := x.Elts[i].(*ast.BasicLit)
		if !ok {
			return nil
		}
		skip := 1 // the closing parenthesis
		if i == 0 {
			skip = opening
		}
		s, err := quotes.Unquote(lit.Value[skip:])
		if err != nil {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// list is a list of expressions and comprehensions.
func (r *run) list(x *ast.ListLit, vars *variables) (any, bool) {
	out := []any{}
	for _, e := range x.Elts {
		if c, ok := e.(*ast.Comprehension); ok {
			if c.Fallback != nil || !r.clauses(c, c.Clauses, vars, &out) {
				return nil, false
			}
			continue
		}
		v, ok := r.eval(e, vars)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// clauses adds what a comprehension makes from its first clause on.
func (r *run) clauses(c *ast.Comprehension, clauses []ast.Clause, vars *variables, out *[]any) bool {
	if len(clauses) == 0 {
		v, ok := r.member(c.Value, vars)
		*out = append(*out, v)
		return ok
	}
	switch clause := clauses[0].(type) {
	case *ast.IfClause:
		v, _ := r.eval(clause.Condition, vars)
		holds, ok := v.(bool)
		return ok && (!holds || r.clauses(c, clauses[1:], vars, out))
	case *ast.LetClause:
		v, ok := r.eval(clause.Expr, vars)
		return ok && r.clauses(c, clauses[1:], &variables{clause.Ident.Name, v, vars}, out)
	case *ast.ForClause:
		v, _ := r.eval(clause.Source, vars)
		items, ok := v.([]any)
		if clause.Key != nil && clause.Key.Name == clause.Value.Name {
			return false
		}
		for i, item := range items {
			inner := &variables{clause.Value.Name, item, vars}
			if clause.Key != nil {
				inner = &variables{clause.Key.Name, int64(i), inner}
			}
			ok = ok && r.clauses(c, clauses[1:], inner, out)
		}
		return ok
	}
	return false
}

// member is what is between the braces of a comprehension: one expression, or the fields of a struct.
func (r *run) member(x ast.Node, vars *variables) (any, bool) {
	s, ok := x.(*ast.StructLit)
	if !ok {
		return nil, false
	}
	if len(s.Elts) == 1 {
		if e, ok := s.Elts[0].(*ast.EmbedDecl); ok {
			return r.eval(e.Expr, vars)
		}
	}
	return r.structure(s, vars)
}

// structure is a struct of plain fields, each of which is written once.
func (r *run) structure(x *ast.StructLit, vars *variables) (any, bool) {
	out := &object{}
	for _, e := range x.Elts {
		if f, ok := e.(*ast.Field); ok {
			if name, isIdent, _ := ast.LabelName(f.Label); isIdent {
				vars = &variables{name: name, outer: vars}
			}
		}
	}
	for _, e := range x.Elts {
		f, ok := e.(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || f.Alias != nil || len(f.Attrs) > 0 {
			return nil, false
		}
		name, isIdent, err := ast.LabelName(f.Label)
		if err != nil || isIdent && (strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#")) || slices.Contains(out.names, name) {
			return nil, false
		}
		v, ok := r.eval(f.Value, vars)
		if !ok {
			return nil, false
		}
		out.names, out.values = append(out.names, name), append(out.values, v)
	}
	return out, true
}

func (r *run) index(x *ast.IndexExpr, vars *variables) (any, bool) {
	v, ok := r.eval(x.X, vars)
	i, also := r.eval(x.Index, vars)
	if !ok || !also {
		return nil, false
	}
	switch i := i.(type) {
	case int64:
		items, ok := v.([]any)
		if !ok || i < 0 || i >= int64(len(items)) {
			return nil, false
		}
		return items[i], true
	case string:
		return field(v, i)
	}
	return nil, false
}

func (r *run) selected(x *ast.SelectorExpr, vars *variables) (any, bool) {
	name, _, err := ast.LabelName(x.Sel)
	if err != nil {
		return nil, false
	}
	v, ok := r.eval(x.X, vars)
	if !ok {
		return nil, false
	}
	return field(v, name)
}

// field is one of a struct.
func field(v any, name string) (any, bool) {
	o, ok := v.(*object)
	if !ok {
		return nil, false
	}
	if i := slices.Index(o.names, name); i >= 0 {
		return o.values[i], true
	}
	return nil, false
}
