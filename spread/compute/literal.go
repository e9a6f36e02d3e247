package compute

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// NewLiteral is [New] for an expression that is a list or struct literal.
func NewLiteral(c *depends.Closed) *Expr {
	if len(c.Constants) > 0 || len(c.Exprs) != 1 {
		return nil
	}
	e := newExpr(c)
	e.x = syntax.Unparen(c.Exprs[0])
	return e
}

// Join is a copy of a struct of config that has other fields beside it: in a struct literal that embeds it, or by & with others.
type Join struct {
	Path   depends.Path // of the struct in config; nil for one that is not copied by its path
	Closed bool         // the type of the struct in config has to allow the other fields
	Beside []value.Field
	in     *value.Data // the struct in the making
}

// Data evaluates a list or struct literal with a config, and returns nil if CUE has to do that. A value in it that is copied from
// config has its position there; any other has the position of its expression. It also returns the structs of config that are joined
// with other fields, of which their types may say more.
// The structs of the config have their fields in CUE's order if ordered is set.
func (e *Expr) Data(config *value.Data, ordered bool) (*value.Data, []Join) {
	if e == nil {
		return nil, nil
	}
	r := &run{Expr: e, config: config, ordered: ordered}
	return r.data(e.x, nil), r.joins
}

// Placed is [Expr.Data] for a part of a role's parameters, of which the model says nothing: each value that is not copied lies where CUE
// has it there, at the field that it is the value of. The whole lies at the given place.
func (e *Expr) Placed(config *value.Data, place diag.Pos) *value.Data {
	r := &run{Expr: e, config: config, placed: true}
	d := r.data(e.x, nil)
	if d != nil {
		d.Pos = place
	}
	return d
}

// data is the value of an expression, with its position.
func (r *run) data(x ast.Expr, vars *variables) *value.Data {
	x = syntax.Unparen(x)
	switch x := x.(type) {
	case *ast.ListLit:
		return r.items(x, vars)
	case *ast.StructLit:
		return r.joinedData(x, []ast.Expr{x}, vars)
	case *ast.BasicLit:
		return fromcue.Literal(x, fromcue.Pos(x))
	case *ast.BinaryExpr:
		of := withoutAny(x)
		switch {
		case x.Op != token.AND:
		case len(of) == 1:
			return r.data(of[0], vars)
		case filter.Any(of, func(x ast.Expr) bool { return isStruct(x) || r.isStructOfConfig(x, vars) }):
			return r.joinedData(x, of, vars)
		}
	case *ast.IndexExpr:
		if picks(x) {
			return r.element(x, vars)
		}
	case *ast.CallExpr:
		if _, isList := syntax.ListsItems(x); isList {
			return r.listed(x, vars)
		}
	}
	if picksPart(x) {
		return nil // a copy, whose position may be another one for a default than for what is given
	}
	if from := r.copied(x, vars); from != nil {
		switch {
		case !from.IsComposite():
			return &value.Data{Kind: from.Kind, Text: from.Text, Pos: from.Pos}
		case !r.placed:
			return r.copyOf(from)
		case from.Kind == value.List && r.isDirect(x):
			return from
		}
		return nil
	}
	v, ok := r.eval(x, vars)
	switch x.(type) {
	case *ast.Ident, *ast.BinaryExpr:
	default:
		ok = ok && makes(x) && r.selectsMade(x)
	}
	if !ok {
		return nil
	}
	d := dataOf(v)
	if d != nil {
		d.Pos = fromcue.Pos(x)
	}
	return d
}

func (r *run) isStructOfConfig(x ast.Expr, vars *variables) bool {
	from := r.copied(x, vars)
	return from != nil && from.Kind == value.Struct
}

// joinedData is a struct with the fields of several: of struct literals, and of copies of config. It is nil if two have a field of the same name.
func (r *run) joinedData(x ast.Expr, all []ast.Expr, vars *variables) *value.Data {
	out, before := &value.Data{Kind: value.Struct, Pos: fromcue.Pos(x)}, len(r.joins)
	for _, x := range all {
		lit, ok := syntax.Unparen(x).(*ast.StructLit)
		if ok && len(all) > 1 && r.defined[lit.Pos()] {
			return nil // which decides what others may have
		}
		if ok && !r.fields(lit, vars, out) || !ok && !r.copyInto(out, x, vars) {
			return nil
		}
	}
	d := value.Distinct(out.Pos, out.Fields...)
	for i := range r.joins[before:] {
		j := &r.joins[before+i]
		if j.in != out {
			continue // it is in a struct further in
		}
		j.Closed = len(all) > 1 // a literal that embeds a struct has its own fields too
		j.Beside = filter.Out(d.Each(), func(f value.Field) bool {
			return filter.Any(j.Beside, func(own value.Field) bool { return own.Name == f.Name })
		})

	}
	return d
}

// copyInto adds the fields of a struct of config to out. It is false for anything else.
func (r *run) copyInto(out *value.Data, x ast.Expr, vars *variables) bool {
	from := r.copied(x, vars)
	if r.placed || from == nil || from.Kind != value.Struct || picksPart(x) {
		return false
	}
	own := r.copyOf(from).Fields
	out.Fields = append(out.Fields, own...)
	r.joins = append(r.joins, Join{Path: r.pathOf(x), Beside: own, in: out})
	return true
}

// copyOf is a list or struct of config as a part of what is made, where fields are sorted by name.
func (r *run) copyOf(from *value.Data) *value.Data {
	d := from.WithoutOrigin()
	if r.ordered {
		return d.Sorted()
	}
	return d
}

// pathOf is the path by which an expression refers to a part of config, nil if it does not.
func (r *run) pathOf(x ast.Expr) depends.Path {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.pathOf(x.X)
	case *ast.Ident:
		return r.refs[x]
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		if of := r.pathOf(x.X); of != nil && err == nil {
			return append(slices.Clip(of), name)
		}
	}
	return nil
}

// element is a leaf that an index picks from a list literal. A copy of config lies where config has the value, and any other element where it is
// picked. That is not known for a role's parameters, which are left to CUE.
func (r *run) element(x *ast.IndexExpr, vars *variables) *value.Data {
	of, isCopy := r.picked(x, vars)
	if of == nil || r.placed {
		return nil
	}
	v, _ := r.eval(of, vars)
	d := dataOf(v)
	if d == nil {
		return nil
	}
	d.Pos = fromcue.Pos(x)
	if from := r.copied(of, vars); from != nil && isCopy {
		d.Pos = from.Pos
	}
	return d
}

// withoutAny are the expressions that & joins, without _.
func withoutAny(x *ast.BinaryExpr) []ast.Expr {
	return filter.Out(syntax.Conjuncts(x), func(x ast.Expr) bool { id, ok := x.(*ast.Ident); return ok && id.Name == "_" })
}

// isDirect reports whether an expression refers to a value of config by its path alone, and not by way of a loop.
func (r *run) isDirect(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && r.refs[id] != nil
}

// picksPart reports whether an expression picks a part of something by an index.
func picksPart(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.IndexExpr:
		return !isSplit(x.X)
	case *ast.SelectorExpr:
		return picksPart(x.X)
	case *ast.ParenExpr:
		return picksPart(x.X)
	}
	return false
}

// copied is the value of config that an expression refers to; nil if it is no reference to one.
func (r *run) copied(x ast.Expr, vars *variables) *value.Data {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.copied(x.X, vars)
	case *ast.Ident:
		if path, ok := r.refs[x]; ok {
			return r.at(r.config, path...)
		}
		return vars.find(x.Name).copyOf()
	case *ast.SelectorExpr:
		if name, _, err := ast.LabelName(x.Sel); err == nil {
			return r.partOf(r.copied(x.X, vars), name)
		}
	case *ast.IndexExpr:
		in := r.copied(x.X, vars)
		if in == nil {
			return nil
		}
		switch i, _ := r.eval(x.Index, vars); i := i.(type) {
		case string:
			return r.partOf(in, i)
		case int64:
			if in.Kind == value.List && i >= 0 && i < int64(len(in.Items)) {
				return in.Items[i]
			}
		}
	}
	return nil
}

// partOf is the field of a struct, nil for anything else.
func (r *run) partOf(d *value.Data, name string) *value.Data {
	if d == nil || d.Kind != value.Struct {
		return nil
	}
	return r.at(d, name)
}

// at is what d has at a path. [value.Data.Get] expects fields in the order of their names.
func (r *run) at(d *value.Data, path ...string) *value.Data {
	if !r.ordered {
		return d.Get(path...)
	}
	for _, name := range path {
		if i := slices.IndexFunc(d.Each(), func(f value.Field) bool { return f.Name == name }); i >= 0 {
			d = d.Fields[i].Value
		} else if d != nil && d.Kind != value.Struct {
			d = d.Get(name)
		} else {
			return nil
		}
	}
	return d
}

// items are those of a list literal.
func (r *run) items(x *ast.ListLit, vars *variables) *value.Data {
	out := &value.Data{Kind: value.List, Pos: fromcue.Pos(x)}
	add := func(x ast.Expr, vars *variables) bool {
		d := r.data(x, vars)
		out.Items = append(out.Items, d)
		return d != nil
	}
	for _, e := range x.Elts {
		c, ok := e.(*ast.Comprehension)
		if !ok {
			if !add(e, vars) {
				return nil
			}
			if r.placed && r.copied(e, vars) == nil {
				out.Items[len(out.Items)-1].Pos = fromcue.Pos(e)
			}
			continue
		}
		made := r.comprehension(c, vars, inOrder, func(vars *variables) bool {
			e := syntax.OnlyEmbedded(c.Value)
			if e == nil {
				return add(c.Value, vars)
			}
			if !add(e, vars) {
				return false
			}
			if r.placed {
				out.Items[len(out.Items)-1].Pos = fromcue.Pos(c.Value)
			}
			return true
		})
		if !made {
			return nil
		}
	}
	return out
}

// fields adds the fields of a struct literal to out. It is false if CUE has to make one.
func (r *run) fields(x *ast.StructLit, vars *variables, out *value.Data) bool {
	vars = hiding(x, vars)
	for _, e := range x.Elts {
		switch e := e.(type) {
		case *ast.Comprehension:
			made := r.comprehension(e, vars, inAnyOrder, func(vars *variables) bool {
				s, ok := e.Value.(*ast.StructLit)
				return ok && r.fields(s, vars, out)
			})
			if !made {
				return false
			}
		case *ast.Field:
			name, ok := r.label(e.Label, vars)
			if !ok || !syntax.HasOnlyValue(e) {
				return false
			}
			d := r.data(e.Value, vars)
			if d == nil {
				return false
			}
			if r.placed && r.copied(e.Value, vars) == nil {
				d.Pos = fromcue.Pos(e)
			} else if !d.Pos.IsValid() { // as that of a struct without braces
				d.Pos = fromcue.Pos(e.Label)
			}
			out.Fields = append(out.Fields, value.Field{Name: name, Value: d})
		case *ast.EmbedDecl:
			if !r.copyInto(out, e.Expr, vars) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// label is the name of a field. It is false if only CUE knows it.
func (r *run) label(l ast.Label, vars *variables) (string, bool) {
	var v any
	var ok bool
	switch x := l.(type) {
	case *ast.ParenExpr:
		v, ok = r.eval(x.X, vars)
	case *ast.Interpolation:
		v, ok = r.text(x, vars)
	default:
		name, _, err := ast.LabelName(l)
		v, ok = name, err == nil
	}
	name, isText := v.(string)
	return name, ok && isText && isPlainName(name)
}

// isPlainName reports whether CUE takes a text as the name of a field unchanged. It normalises names
// with other than ASCII characters, and _ and # begin the names of hidden fields and definitions.
func isPlainName(s string) bool {
	return !syntax.IsAside(s) && strconv.CanBackquote(s) && !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
