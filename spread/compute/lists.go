package compute

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// pickedBy returns the indexes of the items that a function takes of a list, in their order; args are its other arguments. It is not ok if CUE has to tell.
func (r *run) pickedBy(name string, args []ast.Expr, items []any, vars *variables) (which []int, ok bool) {
	if name == "list.Sort" || name == "list.SortStable" {
		return r.sortedBy(args, items, vars)
	}
	var n []int
	for _, x := range args {
		v, _ := r.eval(x, vars)
		i, isNumber := v.(int64)
		if !isNumber || i < 0 || i > maxRepeated {
			return nil, false
		}
		n = append(n, int(i))
	}
	size := len(items)
	switch {
	case name == "list.Reverse" && len(n) == 0:
		which = indexes(0, size)
		slices.Reverse(which)
		return which, true
	case name == "list.Take" && len(n) == 1:
		return indexes(0, min(n[0], size)), true
	case name == "list.Drop" && len(n) == 1:
		return indexes(min(n[0], size), size), true
	case name == "list.Slice" && len(n) == 2:
		return indexes(n[0], n[1]), n[0] <= n[1] && n[1] <= size
	case name == "list.Repeat" && len(n) == 1 && n[0]*size <= maxRepeated:
		return slices.Repeat(indexes(0, size), n[0]), true
	}
	return nil, false
}

// listPicked are the items of the first argument that a function returns.
func (r *run) listPicked(name string, args []ast.Expr, vars *variables) (any, bool) {
	v, _ := r.eval(args[0], vars)
	items, ok := v.([]any)
	if !ok {
		return nil, false
	}
	which, ok := r.pickedBy(name, args[1:], items, vars)
	if !ok {
		return nil, false
	}
	return pick(items, which), true
}

// indexes are the numbers from one to before another.
func indexes(from, to int) []int {
	out := []int{}
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// sortedBy is [run.pickedBy] for list.Sort, with  list.Ascending,  list.Descending  or  {x: {}, y: {}, less: x.a < y.a}. A comparator that has nothing
// to compare may be wrong all the same, so it is left to CUE.
func (r *run) sortedBy(args []ast.Expr, items []any, vars *variables) ([]int, bool) {
	if len(args) != 1 || len(items) < 2 {
		return nil, false
	}
	less := r.lessOf(args[0], vars)
	if less == nil {
		return nil, false
	}
	ok, which := true, indexes(0, len(items))
	sorting.By(which, func(i, j int) int {
		before, known := less(items[i], items[j]).(bool)
		after, alsoKnown := less(items[j], items[i]).(bool)
		ok = ok && known && alsoKnown
		switch {
		case before:
			return -1
		case after:
			return 1
		}
		return 0
	})
	return which, ok
}

// lessOf returns what a comparator says of two items: whether the first is less, or nil if CUE has to tell. It is nil for a comparator of
// another form.
func (r *run) lessOf(x ast.Expr, vars *variables) func(a, b any) any {
	compares := func(op token.Token) func(a, b any) any {
		return func(a, b any) any {
			v, _ := r.operation(op, a, b)
			return v
		}
	}
	switch name, _ := functionOf(x, vars); name {
	case "list.Ascending":
		return compares(token.LSS)
	case "list.Descending":
		return compares(token.GTR)
	}
	lit, ok := syntax.Unparen(x).(*ast.StructLit)
	if !ok || len(lit.Elts) != 3 {
		return nil
	}
	var less ast.Expr
	for _, d := range lit.Elts {
		f, isField := d.(*ast.Field)
		if !isField || !syntax.IsPlainField(f) {
			return nil
		}
		name, isName := f.Label.(*ast.Ident) // a text would leave x to something outside
		switch {
		case !isName:
			return nil
		case name.Name == "less":
			less = f.Value
		case name.Name != "x" && name.Name != "y" || !takesAnything(f.Value):
			return nil
		}
	}
	if less == nil {
		return nil
	}
	return func(a, b any) any {
		v, _ := r.eval(less, &variables{name: "x", value: a, outer: &variables{name: "y", value: b, outer: &variables{name: "less", outer: vars}}})
		return v
	}
}

// takesAnything reports whether a type is  _  or, for structs,  {}  or  {...} .
func takesAnything(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "_"
	case *ast.StructLit:
		return !filter.Any(x.Elts, func(d ast.Decl) bool {
			rest, ok := d.(*ast.Ellipsis)
			return !ok || rest.Type != nil
		})
	}
	return false
}

// listed is the list that a function makes, nil if CUE has to make it. Items that it takes from other lists keep their places. New ones lie where the
// function is called, and the list lies at the parenthesis, because CUE gives it another place than those.
func (r *run) listed(x *ast.CallExpr, vars *variables) *value.Data {
	keeps, _ := syntax.ListsItems(x)
	name, ok := functionOf(x.Fun, vars)
	if !ok || len(x.Args) == 0 {
		return nil
	}
	out := &value.Data{Kind: value.List, Pos: diag.At(x.Lparen)}
	switch {
	case !keeps:
		out.Items, ok = r.newItems(x, vars)
	case name == "list.Concat":
		out.Items, ok = r.concatenated(x.Args, vars)
	default:
		out.Items, ok = r.itemsPicked(name, x.Args, vars)
	}
	isCopy := func(item *value.Data) bool { return item.IsComposite() && item.Pos.IsValid() }
	if !ok || r.placed && filter.Any(out.Items, isCopy) {
		return nil // CUE has structs of config elsewhere in a role's parameters
	}
	return out
}

// newItems are those of a list of leaves that are no other list's.
func (r *run) newItems(x *ast.CallExpr, vars *variables) (out []*value.Data, ok bool) {
	v, _ := r.eval(x, vars)
	items, ok := v.([]any)
	for _, item := range items {
		d := dataOf(item)
		if d == nil {
			return nil, false
		}
		d.Pos = fromcue.Pos(x)
		out = append(out, d)
	}
	return out, ok
}

// itemsPicked are items of the first of the arguments.
func (r *run) itemsPicked(name string, args []ast.Expr, vars *variables) (out []*value.Data, ok bool) {
	items, ok := r.itemsOf(args[0], vars)
	values := make([]any, len(items))
	for i, d := range items {
		v, isValue := r.operand(d)
		values[i], ok = v, ok && isValue
	}
	if !ok {
		return nil, false
	}
	which, ok := r.pickedBy(name, args[1:], values, vars)
	if !ok {
		return nil, false
	}
	return pick(items, which), true
}

// pick returns items by their indexes.
func pick[T any](items []T, which []int) []T {
	out := make([]T, len(which))
	for i, at := range which {
		out[i] = items[at]
	}
	return out
}

// concatenated are the items of several lists, of which there is a list.
func (r *run) concatenated(args []ast.Expr, vars *variables) (out []*value.Data, ok bool) {
	lists, ok := syntax.Unparen(args[0]).(*ast.ListLit)
	if !ok || len(args) > 1 {
		return nil, false
	}
	for _, x := range lists.Elts {
		items, ok := r.itemsOf(x, vars)
		if !ok {
			return nil, false
		}
		out = append(out, items...)
	}
	return out, true
}

// itemsOf are the items of a list that a function is called with. Structs and lists that a list literal makes have no place in what CUE makes of it, and
// neither have those that it gets from a loop.
func (r *run) itemsOf(x ast.Expr, vars *variables) (out []*value.Data, ok bool) {
	lit, isLiteral := syntax.Unparen(x).(*ast.ListLit)
	if !isLiteral {
		if d := r.data(x, vars); d != nil && d.Kind == value.List {
			return d.Items, true
		}
		return nil, false
	}
	for _, e := range lit.Elts {
		d := r.items(&ast.ListLit{Elts: []ast.Expr{e}}, vars)
		if d == nil {
			return nil, false
		}
		_, isLoop := e.(*ast.Comprehension)
		for _, item := range d.Items {
			if item.IsComposite() && (isLoop || r.copied(e, vars) == nil) {
				item = item.At(diag.NoPos)
			}
			out = append(out, item)
		}
	}
	return out, true
}
