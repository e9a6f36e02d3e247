// Package compute evaluates expressions in Go that CUE would take much longer for: texts,
// whole numbers, booleans and lists, put together by operators, interpolations, list
// comprehensions and functions of CUE's packages that are Go's own.
//
// What comes in is an expression that [depends] has written out, and a finished config. What
// goes out is its value, or nothing: whatever is not certain here (a fraction, a large
// number, the order of a struct's fields, an unknown function, any mistake) is for CUE
// to evaluate. CUE stays the reference: a test compares the two for expressions drawn at random.
package compute

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"text/template"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Expr is an expression that is evaluated for many configs.
type Expr struct {
	x     ast.Expr
	also  []ast.Expr       // other expressions that have to give the same
	types []ast.Expr       // the types beside it
	bound []*ast.UnaryExpr // the bounds beside it
	refs  map[*ast.Ident]depends.Path
	// defined are the positions of structs that are closed.
	defined map[token.Pos]bool

	yaml YAML

	// What is made of literals is made once.
	texts     map[*ast.Interpolation][]string
	regexps   map[string]*regexp.Regexp
	templates map[string]*template.Template
}

// New returns the expression for c. It is nil if more is said of the value than expressions that make the same value and
// types, or if an expression neither makes a value nor is one of config.
func New(c *depends.Closed) *Expr {
	if len(c.Constants) > 0 {
		return nil // lists that CUE evaluates for several expressions
	}
	e := newExpr(c)
	for _, x := range conjunctsOf(c.Exprs) {
		if isType(x) {
			e.types = append(e.types, x)
		} else if b, ok := syntax.Unparen(x).(*ast.UnaryExpr); ok && IsBound(b.Op) {
			e.bound = append(e.bound, b)
		} else if e.x != nil && (!makes(syntax.Unparen(x)) || !makes(e.x)) {
			return nil
		} else if e.x != nil {
			e.also = append(e.also, x)
		} else {
			e.x = syntax.Unparen(x)
		}
	}
	if filter.Any(append(slices.Clip(e.also), e.x), syntax.IsFallback) && filter.Any(e.types, syntax.HasDefault) {
		return nil // CUE joins two defaults
	}
	if isPick := picks(e.x); !e.IsCopy() && !makes(e.x) && !(c.Decl != nil && picksField(e.x)) || isPick && (c.Picks == nil || len(c.Exprs) > 1) {
		return nil
	}
	return e
}

// conjunctsOf takes apart what is unified in expressions.
func conjunctsOf(all []ast.Expr) (out []ast.Expr) {
	for _, x := range all {
		out = append(out, syntax.Conjuncts(x)...)
	}
	return out
}

func newExpr(c *depends.Closed) *Expr {
	e := &Expr{
		defined: c.Defined,
		refs:    map[*ast.Ident]depends.Path{},
		texts:   map[*ast.Interpolation][]string{}, regexps: map[string]*regexp.Regexp{}, templates: map[string]*template.Template{},
	}
	for _, r := range c.Config {
		e.refs[r.In] = r.Path
	}
	return e
}

// IsCopy reports whether the expression may be nothing but a reference to a value of config.
func (e *Expr) IsCopy() bool { return e.refersTo(e.x) || picks(e.x) }

// IsPart reports whether the expression takes a part out of a value of config, as  config.parameter[config.parameter.which]  does.
func (e *Expr) IsPart() bool { return identOf(e.x) == nil && e.refersTo(e.x) }

// refersTo reports whether an expression refers to a value of config, or to a part of one by name or index.
func (e *Expr) refersTo(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.refersTo(x.X)
	case *ast.Ident:
		_, ok := e.refs[x]
		return ok
	case *ast.SelectorExpr:
		return e.refersTo(x.X)
	case *ast.IndexExpr:
		return e.refersTo(x.X)
	}
	return false
}

// makes reports whether an expression makes a new value.
func makes(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CallExpr, *ast.Interpolation, *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		return x.Op != token.AND && x.Op != token.OR || syntax.IsFallback(x)
	case *ast.UnaryExpr:
		return x.Op == token.NOT || x.Op == token.SUB
	case *ast.IndexExpr:
		return isSplit(x.X)
	case *ast.SelectorExpr:
		and, ok := syntax.Unparen(x.X).(*ast.BinaryExpr)
		return ok && and.Op == token.AND
	}
	return false
}

// isSplit reports whether an expression is a call that makes a list of new texts. Items of other lists keep places of
// their own.
func isSplit(x ast.Expr) bool {
	call, ok := syntax.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := functionOf(call.Fun, nil)
	return ok && filter.Contains([]string{"strings.Split", "strings.SplitN", "strings.Fields", "regexp.FindSubmatch"}, name)
}

// picksField reports whether an expression picks a field of a struct that is written there.
func picksField(x ast.Expr) bool {
	_, ok := syntax.Indexed(x).(*ast.StructLit)
	return ok
}

// picks reports whether an expression picks an element of a list that is written there.
func picks(x ast.Expr) bool {
	_, ok := syntax.Indexed(x).(*ast.ListLit)
	return ok
}

// IsBound reports whether a unary operator makes a bound, such as >=5 or =~"^a".
func IsBound(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.NEQ, token.MAT, token.NMAT:
		return true
	}
	return false
}

// isType reports whether an expression is a type, other than one literal.
func isType(x ast.Expr) bool {
	_, isLiteral := syntax.Unparen(x).(*ast.BasicLit)
	return !isLiteral && syntax.IsScalarType(x)
}

// kindsOf are the kinds of value that a type allows, by name.
var kindsOf = map[string][]value.Kind{
	"_": {value.String, value.Int, value.Bool}, "string": {value.String}, "int": {value.Int}, "number": {value.Int}, "bool": {value.Bool},
}

// allows reports whether a type, see [syntax.IsScalarType], allows a leaf.
func allows(x ast.Expr, d *value.Data) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return allows(x.X, d)
	case *ast.Ident:
		if takes := syntax.Unsigned(x.Name); takes != nil {
			return d.Kind == value.Int && takes(d.Text)
		}
		return filter.Contains(kindsOf[x.Name], d.Kind)
	case *ast.UnaryExpr:
		if lit := syntax.BoundOf(x); lit != nil {
			n, err := strconv.ParseInt(d.Text, 10, 64)
			v, known := literalOf(lit) // not 0x10 or 1Ki
			limit, isNumber := v.(int64)
			within, _ := ofNumbers(x.Op, n, limit)
			return d.Kind == value.Int && err == nil && known && isNumber && within == true
		}
		return allows(x.X, d)
	case *ast.BasicLit:
		v, ok := literalOf(x)
		is := dataOf(v)
		return ok && is != nil && is.Kind == d.Kind && is.Text == d.Text
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			return allows(x.X, d) && allows(x.Y, d)
		}
		return allows(x.X, d) || allows(x.Y, d)
	}
	return false
}

// Value evaluates the expression with a config, and returns nil if CUE has to do that. The result is a leaf. If it is a
// copy of a value of config, it has the position of that; otherwise it has none.
func (e *Expr) Value(config *value.Data) *value.Data { return (&run{Expr: e, config: config}).value() }

// InOrder is [Expr.Value] for a config whose structs have their fields in the order that CUE has them in.
func (e *Expr) InOrder(config *value.Data) *value.Data {
	return (&run{Expr: e, config: config, ordered: true}).value()
}

func (r *run) value() *value.Data {
	e := r.Expr
	x, isCopy := e.x, !picks(e.x)
	if !isCopy {
		if x, isCopy = r.picked(x.(*ast.IndexExpr), nil); x == nil {
			return nil
		}
	}
	v, ok := r.eval(x, nil)
	if !ok || !r.selectsMade(x) {
		return nil
	}
	d := dataOf(v)
	if d != nil && isCopy {
		if from := r.copied(x, nil); from != nil {
			d.Pos = from.Pos
		}
	}
	if d == nil || filter.Any(e.types, func(x ast.Expr) bool { return !allows(x, d) }) {
		return nil
	}
	for _, x := range e.also {
		other, ok := r.eval(x, nil)
		if same := dataOf(other); !ok || same == nil || same.Kind != d.Kind || same.Text != d.Text {
			return nil
		}
	}
	for _, b := range e.bound {
		if limit, ok := r.eval(b.X, nil); !ok || !r.takes(b.Op, v, limit) {
			return nil
		}
	}
	return d
}

func identOf(x ast.Expr) *ast.Ident {
	id, _ := x.(*ast.Ident)
	return id
}

// picked returns the expression for the element that is picked, and whether a value of config keeps its position as
// that element. It returns nil if CUE has to pick: an element in parentheses may be another field that was written
// out there, with a position of its own.
func (r *run) picked(x *ast.IndexExpr, vars *variables) (picked ast.Expr, isCopy bool) {
	n, _ := r.eval(x.Index, vars)
	index, ok := n.(int64)
	if !ok {
		return nil, false
	}
	var all []ast.Expr
	var copies []bool // those under no condition
	for _, e := range syntax.Unparen(x.X).(*ast.ListLit).Elts {
		c, ok := e.(*ast.Comprehension)
		if !ok {
			all, copies = append(all, e), append(copies, true)
			continue
		}
		member, holds, ok := r.under(c, vars)
		if !ok {
			return nil, false
		}
		if holds {
			all, copies = append(all, member), append(copies, false)
		}
	}
	if index < 0 || index >= int64(len(all)) {
		return nil, false
	}
	for _, e := range all { // a list of which one element is wrong is wrong
		if _, ok := r.eval(e, vars); !ok {
			return nil, false
		}
	}
	switch e := all[index].(type) {
	case *ast.BasicLit, *ast.Interpolation, *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.BinaryExpr:
		return e, copies[index]
	}
	return nil, false
}

// under is the expression in a comprehension of one condition, and whether that holds; ok is false for any
// other.
func (r *run) under(c *ast.Comprehension, vars *variables) (x ast.Expr, holds, ok bool) {
	s, isStruct := c.Value.(*ast.StructLit)
	if !isStruct || len(c.Clauses) != 1 || len(s.Elts) != 1 || c.Fallback != nil {
		return nil, false, false
	}
	clause, isIf := c.Clauses[0].(*ast.IfClause)
	e, isExpr := s.Elts[0].(*ast.EmbedDecl)
	if !isIf || !isExpr {
		return nil, false, false
	}
	v, _ := r.eval(clause.Condition, vars)
	holds, ok = v.(bool)
	return e.Expr, holds, ok
}

// takes reports whether a bound takes a value.
func (r *run) takes(op token.Token, v, limit any) bool {
	holds, ok := r.operation(op, v, limit)
	return ok && holds == true
}

// Holds evaluates a condition. It is not ok if CUE has to do that.
func (e *Expr) Holds(config *value.Data) (holds, ok bool) {
	d := e.Value(config)
	if d == nil || d.Kind != value.Bool {
		return false, false
	}
	return d.Text == "true", true
}

// dataOf is a leaf as plain data, nil if v is none.
func dataOf(v any) *value.Data {
	switch v := v.(type) {
	case string:
		if utf8.ValidString(v) {
			return &value.Data{Kind: value.String, Text: v}
		}
	case int64:
		return &value.Data{Kind: value.Int, Text: strconv.FormatInt(v, 10)}
	case bool:
		return &value.Data{Kind: value.Bool, Text: strconv.FormatBool(v)}
	}
	return nil
}

// object is a struct. Its fields have the order in which they are written. If the struct comes from config and has
// several, the order is not known: only CUE knows it.
type object struct {
	names     []string
	values    []any
	unordered bool
}

// null is CUE's null, as nil is no value.
type null struct{}

// operand is a value of config as expressions have it: a string, an int64, a bool, a null, an []any
// or an *object.
func (r *run) operand(d *value.Data) (any, bool) {
	switch {
	case d == nil:
		return nil, false
	case d.Kind == value.String:
		return d.Text, true
	case d.Kind == value.Int:
		n, err := strconv.ParseInt(d.Text, 10, 64)
		return n, err == nil && strconv.FormatInt(n, 10) == d.Text
	case d.Kind == value.Bool:
		return d.Text == "true", true
	case d.Kind == value.Null:
		return null{}, true
	case d.Kind == value.List:
		out := make([]any, len(d.Items))
		for i, item := range d.Items {
			x, ok := r.operand(item)
			if !ok {
				return nil, false
			}
			out[i] = x
		}
		return out, true
	case d.Kind == value.Struct:
		out := &object{unordered: len(d.Fields) > 1 && !r.ordered}
		for _, f := range d.Fields {
			x, ok := r.operand(f.Value)
			if !ok {
				return nil, false
			}
			out.names, out.values = append(out.names, f.Name), append(out.values, x)
		}
		return out, true
	}
	return nil, false
}

// whole is a number that CUE would write without an exponent.
func whole(n *big.Int) (any, bool) { return n.Int64(), n.IsInt64() }
