package partial

import (
	"cmp"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// plainFraction matches numbers between two whole ones, of those that are not too large for one word.
var plainFraction = lazyregexp.New(`^[0-9]{1,15}\.[0-9]+$`)

// checkOf is the type of a config field as its source has it, made into a check;
// nil if more is said of the field than that, or in other words than these:
// string, bool, int, uint, number, literals, bounds, lists and maps of such, and what | and & make
// of them.
func checkOf(v cue.Value) func(*value.Data) bool {
	if field, ok := v.Source().(*ast.Field); ok { // of one conjunct alone
		return checkExpr(field.Value)
	}
	op, args := v.Expr()
	if op != cue.AndOp {
		return nil
	}
	var checks []func(*value.Data) bool
	for _, a := range args {
		x, ok := writtenAs(a).(ast.Expr)
		if !ok {
			return nil
		}
		check := checkExpr(x)
		if check == nil {
			return nil
		}
		checks = append(checks, check)
	}
	return func(d *value.Data) bool {
		return !filter.Any(checks, func(check func(*value.Data) bool) bool { return !check(d) })
	}
}

// checkExpr is the check of an expression: whether it takes a value, which then
// stays as it is.
func checkExpr(x ast.Expr) func(*value.Data) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return checkExpr(x.X)
	case *ast.Ident:
		return checkName(x)
	case *ast.BasicLit:
		return checkLiteral(x)
	case *ast.ListLit, *ast.StructLit:
		return checkMembers(x)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return checkExpr(x.X)
		}
		return checkBound(x)
	case *ast.BinaryExpr:
		if lit := defaultStruct(x.X); lit != nil && x.Op == token.OR {
			return checkStructOr(lit, checkExpr(x.Y))
		}
		a, b := checkExpr(x.X), checkExpr(x.Y)
		switch {
		case a == nil || b == nil:
			return nil
		case x.Op == token.OR:
			return func(d *value.Data) bool { return a(d) || b(d) }
		case x.Op == token.AND:
			return func(d *value.Data) bool { return a(d) && b(d) }
		}
	}
	return nil
}

// checkMembers is the check of a list or map. Lists are  [...T]  or have a type for each item, as in
// ["a", 1];  maps are  {[string]: T}  or  {}.
func checkMembers(x ast.Expr) func(*value.Data) bool {
	switch x := x.(type) {
	case *ast.ListLit:
		if t := typeOfItems(x); t != nil {
			return checkEach(value.List, t)
		}
		return checkItems(x.Elts)
	case *ast.StructLit:
		if len(x.Elts) == 0 {
			return isEmpty
		}
		if f, ok := x.Elts[0].(*ast.Field); ok && len(x.Elts) == 1 && syntax.IsAnyName(f.Label) {
			return checkEach(value.Struct, f.Value)
		}
	}
	return nil
}

// checkEach is the check of a list or map whose members all have one type.
func checkEach(kind value.Kind, member ast.Expr) func(*value.Data) bool {
	if member == nil {
		return nil
	}
	each := checkExpr(member)
	if each == nil {
		return nil
	}
	return func(d *value.Data) bool {
		return d.Kind == kind && !filter.Any(d.Members(), func(m value.Field) bool { return !each(m.Value) })
	}
}

// checkItems is the check of a list that has one type for each of its items, or for the first ones and one for the others,
// [string, ...int].
func checkItems(types []ast.Expr) func(*value.Data) bool {
	var checks []func(*value.Data) bool
	others := func(*value.Data) bool { return false }
	for _, x := range types {
		rest, isRest := x.(*ast.Ellipsis)
		if isRest {
			x = rest.Type
		}
		check := checkExpr(x)
		if check == nil {
			return nil
		}
		if isRest {
			others = check
		} else {
			checks = append(checks, check)
		}
	}
	return func(d *value.Data) bool {
		if d.Kind != value.List || len(d.Items) < len(checks) {
			return false
		}
		for i, check := range checks {
			if !check(d.Items[i]) {
				return false
			}
		}
		return !filter.Any(d.Items[len(checks):], func(x *value.Data) bool { return !others(x) })
	}
}

// defaultStruct is the struct of an alternative that is the default,  *{a: 1},  nil for any other.
func defaultStruct(x ast.Expr) *ast.StructLit {
	chosen, _ := syntax.Starred(x)
	lit, ok := chosen.(*ast.StructLit)
	if !ok || len(lit.Elts) == 0 {
		return nil
	}
	return lit
}

// checkStructOr is the check of  *{a: 1} | other.  It takes a value that equals the default, and
// one that contradicts the default in some field and that other takes: with any other, the default
// might add fields to the value.
func checkStructOr(lit *ast.StructLit, other func(*value.Data) bool) func(*value.Data) bool {
	is := map[string]func(*value.Data) bool{}
	for _, e := range lit.Elts {
		f, ok := e.(*ast.Field)
		if !ok || !syntax.IsPlainField(f) {
			return nil
		}
		name := syntax.LabelName(f.Label)
		if is[name] != nil || syntax.IsAside(name) {
			return nil
		}
		if is[name] = checkConstant(f.Value); is[name] == nil {
			return nil
		}
	}
	if other == nil {
		return nil
	}
	return func(d *value.Data) bool {
		if d.Kind != value.Struct {
			return other(d)
		}
		has, differs := 0, false
		for _, f := range d.Fields {
			if check := is[f.Name]; check != nil {
				has, differs = has+1, differs || !check(f.Value)
			}
		}
		return differs && other(d) || !differs && has == len(is) && has == len(d.Fields)
	}
}

// checkConstant is the check of a literal, or of a list of literals, which takes no other list.
func checkConstant(x ast.Expr) func(*value.Data) bool {
	if lit, ok := x.(*ast.BasicLit); ok {
		return checkLiteral(lit)
	}
	list, ok := x.(*ast.ListLit)
	if !ok || filter.Any(list.Elts, func(x ast.Expr) bool { _, ok := x.(*ast.BasicLit); return !ok }) {
		return nil
	}
	return checkItems(list.Elts)
}

func checkName(x *ast.Ident) func(*value.Data) bool {
	if x.Node != nil {
		return nil
	}
	if takes := syntax.Unsigned(x.Name); takes != nil {
		return func(d *value.Data) bool { return d.Kind == value.Int && takes(d.Text) }
	}
	switch x.Name {
	case "string":
		return func(d *value.Data) bool { return d.Kind == value.String }
	case "bool":
		return func(d *value.Data) bool { return d.Kind == value.Bool }
	case "int":
		return func(d *value.Data) bool { return d.Kind == value.Int }
	case "number":
		return func(d *value.Data) bool { return d.Kind == value.Int || d.Kind == value.Float }
	}
	return nil
}

func checkLiteral(x *ast.BasicLit) func(*value.Data) bool {
	switch x.Kind {
	case token.TRUE, token.FALSE:
		return func(d *value.Data) bool { return d.Kind == value.Bool && d.Text == x.Value }
	case token.INT:
		text := x.Value
		if n := fromcue.Literal(x, diag.NoPos); n != nil {
			text = n.Text
		}
		return func(d *value.Data) bool { return d.Kind == value.Int && d.Text == text }
	case token.STRING:
		if text, err := literal.Unquote(x.Value); err == nil && x.Value[0] == '"' {
			return func(d *value.Data) bool { return d.Kind == value.String && d.Text == text }
		}
	}
	return nil
}

func checkBound(x *ast.UnaryExpr) func(*value.Data) bool {
	lit := syntax.BoundOf(x)
	if lit == nil {
		return checkText(x)
	}
	limit := fromcue.Literal(lit, diag.NoPos)
	if limit == nil {
		return nil
	}
	bound, err := strconv.ParseInt(limit.Text, 10, 64)
	if err != nil {
		return nil
	}
	within := func(n int64) bool {
		holds, _ := syntax.Compares(x.Op, cmp.Compare(n, bound))
		return holds
	}
	return func(d *value.Data) bool {
		whole, _, _ := strings.Cut(d.Text, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		switch {
		case err != nil:
			return false
		case d.Kind == value.Int:
			return within(n)
		}
		// A number between two others has the bound if both have it.
		return d.Kind == value.Float && plainFraction().MatchString(d.Text) && within(n) && within(n+1)
	}
}

// checkText is the check of what texts match or are not, as  =~"^[a-z]+$" .
func checkText(x *ast.UnaryExpr) func(*value.Data) bool {
	takes := depends.TextBound(x)
	if takes == nil {
		return nil
	}
	return func(d *value.Data) bool { return d.Kind == value.String && takes(d.Text) }
}
