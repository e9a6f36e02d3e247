package compute

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// run is the evaluation of an expression with a config.
type run struct {
	*Expr
	config *value.Data
	// ordered tells that the structs of the config have their fields in CUE's order.
	ordered bool
	// placed tells that what is made lies where CUE has it in a role's parameters, see [Expr.Placed].
	placed bool
	joins  []Join // of the structs made so far
}

// variables are those of the comprehensions around an expression, and the fields of the structs around
// it, which hide them: their value is nil. The innermost come first.
type variables struct {
	name  string
	value any
	from  *value.Data // the value of config that it is a copy of, nil for any other
	in    *joined     // the struct that it is a field of, which has its value; nil for any other
	outer *variables
}

// find returns the innermost of a name, nil if there is none.
func (v *variables) find(name string) *variables {
	for ; v != nil && v.name != name; v = v.outer {
	}
	return v
}

func (v *variables) copyOf() *value.Data {
	if v == nil || v.name == "_" {
		return nil
	}
	return v.from
}

func (v *variables) get(name string) (any, bool) {
	if v = v.find(name); v == nil {
		return nil, false
	}
	return v.value, true
}

// hiding adds the fields of a struct, which hide the variables of the same names.
func hiding(x *ast.StructLit, vars *variables) *variables {
	for _, e := range x.Elts {
		if f, ok := e.(*ast.Field); ok {
			if id, isIdent := f.Label.(*ast.Ident); isIdent {
				vars = &variables{name: id.Name, outer: vars}
			}
		}
	}
	return vars
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
		if !syntax.IsText(x) {
			return nil, false
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
		return r.operand(r.at(r.config, path...))
	}
	if v := vars.find(x.Name); v != nil && v.in != nil {
		return r.fieldOf(v.in, x.Name)
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
		if s, isText := v.(string); isText && utf8.ValidString(s) {
			b.WriteString(s)
		} else if d := dataOf(v); d != nil && ok {
			b.WriteString(d.Text)
		} else {
			return nil, false
		}
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
	add := func(v any, ok bool) bool {
		out = append(out, v)
		return ok
	}
	for _, e := range x.Elts {
		c, isComprehension := e.(*ast.Comprehension)
		ok := false
		if isComprehension {
			ok = r.comprehension(c, vars, inOrder, func(vars *variables) bool { return add(r.embedded(c.Value, vars)) })
		} else {
			ok = add(r.eval(e, vars))
		}
		if !ok {
			return nil, false
		}
	}
	return out, true
}

// The order in which a comprehension goes through the fields of a struct matters in a list, and not in a struct. Only CUE knows it.
const (
	inOrder    = true
	inAnyOrder = false
)

// comprehension calls turn with the variables of each of its turns. It is false if CUE has to evaluate it.
func (r *run) comprehension(c *ast.Comprehension, vars *variables, order bool, turn func(*variables) bool) bool {
	return c.Fallback == nil && r.clauses(c.Clauses, vars, order, turn)
}

func (r *run) clauses(clauses []ast.Clause, vars *variables, order bool, turn func(*variables) bool) bool {
	if len(clauses) == 0 {
		return turn(vars)
	}
	switch clause := clauses[0].(type) {
	case *ast.IfClause:
		v, _ := r.eval(clause.Condition, vars)
		holds, ok := v.(bool)
		return ok && (!holds || r.clauses(clauses[1:], vars, order, turn))
	case *ast.LetClause:
		v, ok := r.eval(clause.Expr, vars)
		inner := &variables{name: clause.Ident.Name, value: v, from: r.copied(clause.Expr, vars), outer: vars}
		return ok && r.clauses(clauses[1:], inner, order, turn)
	case *ast.ForClause:
		if clause.Key != nil && clause.Key.Name == clause.Value.Name {
			return false
		}
		all, ok := r.members(clause.Source, vars, order)
		for _, m := range all {
			inner := &variables{name: clause.Value.Name, value: m.value, from: m.from, outer: vars}
			if clause.Key != nil {
				inner = &variables{name: clause.Key.Name, value: m.key, outer: inner}
			}
			ok = ok && r.clauses(clauses[1:], inner, order, turn)
		}
		return ok
	}
	return false
}

// member is one of a list or a struct: its index or name, its value, which is nil if only CUE knows it, and the value of config
// that it is, if any.
type member struct {
	key, value any
	from       *value.Data
}

// members are those of a list or a struct that a comprehension goes through; not ok if CUE has to do that.
func (r *run) members(x ast.Expr, vars *variables, order bool) (all []member, ok bool) {
	if from := r.copied(x, vars); from != nil {
		for i, m := range from.Members() {
			v, _ := r.operand(m.Value)
			if from.Kind == value.List {
				all = append(all, member{int64(i), v, m.Value})
				continue
			}
			if syntax.IsAside(m.Name) {
				return nil, false
			}
			all = append(all, member{m.Name, v, m.Value})
		}
		return all, from.Kind == value.List || from.Kind == value.Struct && (len(all) < 2 || !order || r.ordered)
	}
	v, _ := r.eval(x, vars)
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			all = append(all, member{int64(i), x, nil})
		}
		return all, true
	case *object:
		for i, x := range v.values {
			all = append(all, member{v.names[i], x, nil})
		}
		return all, len(all) < 2 || !order
	}
	return nil, false
}

// embedded is what is between the braces of a comprehension: one expression, or the fields of a struct.
func (r *run) embedded(x ast.Node, vars *variables) (any, bool) {
	if e := syntax.OnlyEmbedded(x); e != nil {
		return r.eval(e, vars)
	}
	s, ok := x.(*ast.StructLit)
	if !ok {
		return nil, false
	}
	return r.structure(s, vars)
}

// structure is a struct of plain fields, each of which is written once.
func (r *run) structure(x *ast.StructLit, vars *variables) (any, bool) {
	out, vars := &object{}, hiding(x, vars)
	for _, e := range x.Elts {
		f, ok := e.(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || f.Alias != nil || len(f.Attrs) > 0 {
			return nil, false
		}
		name, isIdent, err := ast.LabelName(f.Label)
		if err != nil || isIdent && (strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#")) || filter.Contains(out.names, name) {
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
	if in := r.joinedOf(x.X, vars); in != nil {
		if in.isRight(r) {
			return r.fieldOf(in, name)
		}
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
