package rewrite

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
)

// An artifact may say in a few lines what many fields are, such as its roles:
//
//	_apps: {web: port: 80, api: port: 81}
//	role: {
//		for name, app in _apps {
//			(name): {artifact: a.#Artifact, config: parameter: port: app.port}
//		}
//	}
//
// Where the sources tell what there is in what is gone through, that is the same as if each
// were written, which they are in a copy of the package.

// maxUnrolled bounds how many fields are written in place of comprehensions.
const maxUnrolled = 20_000

// unroll returns the files of a package with the fields that comprehensions make in place of
// those; nil if there are none that could be.
func unroll(p *source.Package, lib *source.Library) []*ast.File {
	u := &unroller{sources: lib.Sources(p), expand: map[ast.Decl][]syntax.Change{}}
	for _, f := range p.Files {
		ast.Walk(f, u.before, u.after)
	}
	if len(u.expand) == 0 || u.fields > maxUnrolled || u.showsOrder(p) {
		return nil
	}
	return syntax.Copy(p.Files, syntax.Change{Expand: u.expand})
}

// showsOrder reports whether a list or a call may depend on the order of a struct's fields. Writing out
// a comprehension would change that order: CUE puts its fields after all others.
func (u *unroller) showsOrder(p *source.Package) (found bool) {
	within := func(n ast.Node) bool {
		clause, ok := n.(*ast.ForClause)
		found = found || ok && u.sources.MayBeOrdered(clause.Source) && (u.others || !u.isRoles(clause.Source))
		return !found
	}
	for _, f := range p.Files {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ListLit:
				ast.Walk(x, within, nil)
			case *ast.CallExpr:
				ast.Walk(x, within, nil)
				found = found || filter.Any(x.Args, u.sources.MayBeOrdered)
			}
			return !found
		}, nil)
	}
	return found
}

// isRoles reports whether an expression refers to the roles, all of which are known.
func (u *unroller) isRoles(x ast.Expr) bool {
	_, ok := u.sources.RoleNames(x)
	return ok
}

// unroller finds comprehensions for fields of the description.
type unroller struct {
	sources *depends.Sources
	labels  []string
	expand  map[ast.Decl][]syntax.Change
	fields  int
	others  bool // something else than connectors is expanded
}

func (u *unroller) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		u.labels = append(u.labels, syntax.LabelName(x.Label))
	case *ast.CallExpr, *ast.ListLit, *ast.Interpolation, *ast.LetClause:
		return false // it may show the order of fields
	case *ast.Comprehension:
		if len(u.labels) > 1 && u.labels[0] == "#Artifact" && u.labels[1] == "description" && !filter.Contains(u.labels, "config") {
			if all := u.unroll(x); all != nil {
				u.expand[x] = all
				u.fields += len(all)
				u.others = u.others || len(u.labels) < 3 || u.labels[2] != "connect"
			}
		}
		return false
	}
	return true
}

func (u *unroller) after(n ast.Node) {
	if _, ok := n.(*ast.Field); ok {
		u.labels = u.labels[:len(u.labels)-1]
	}
}

// unroll is what each turn of a comprehension has otherwise than its body, nil if that is
// not known.
func (u *unroller) unroll(x *ast.Comprehension) []syntax.Change {
	if len(x.Clauses) != 1 || x.Fallback != nil {
		return nil
	}
	clause, ok := x.Clauses[0].(*ast.ForClause)
	body, isStruct := x.Value.(*ast.StructLit)
	if !ok || !isStruct || !isMap(body) {
		return nil
	}
	turns, ok := u.turns(clause)
	if !ok {
		return nil
	}
	out := []syntax.Change{}
	for _, t := range turns {
		change := syntax.Change{Instead: map[ast.Expr]ast.Expr{}}
		if !t.fill(body, change.Instead) {
			return nil
		}
		out = append(out, change)
	}
	return out
}

// turns are those that a clause makes, false if they are not known.
func (u *unroller) turns(clause *ast.ForClause) (out []turn, ok bool) {
	if list, ok := clause.Source.(*ast.ListLit); ok {
		for i, x := range list.Elts {
			lit, ok := x.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING && lit.Kind != token.INT {
				return nil, false
			}
			out = append(out, turn{clause, ast.NewLit(token.INT, strconv.Itoa(i)), lit})
		}
		return out, true
	}
	names, ok := u.sources.Names(clause.Source)
	for _, name := range names {
		key := ast.NewString(name)
		out = append(out, turn{clause, key, &ast.SelectorExpr{X: clause.Source, Sel: ast.NewString(name)}})
	}
	return out, ok
}

// turn is one of a comprehension, with what its variables are.
type turn struct {
	*ast.ForClause
	key   *ast.BasicLit
	value ast.Expr
}

// isMap reports whether all that a body has are fields with names that are computed, or
// roles and connectors with such names: CUE places what is said of a struct in several ways
// by their order.
func isMap(body *ast.StructLit) bool {
	return !filter.Any(body.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		if !ok || f.Value == nil || f.Constraint != token.ILLEGAL || f.Alias != nil {
			return true
		}
		name := syntax.LabelName(f.Label)
		if lit, ok := f.Value.(*ast.StructLit); ok && (name == "role" || name == "connect") {
			return !isMap(lit)
		}
		return name != ""
	})
}

// fill puts what the variables are into the body. It is false where a label is made of more.
func (t turn) fill(body *ast.StructLit, instead map[ast.Expr]ast.Expr) (ok bool) {
	ok = true
	ast.Walk(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			text, computed, known := t.label(x.Label)
			ok = ok && known
			if computed != nil {
				instead[computed] = &ast.BasicLit{ValuePos: x.Label.Pos(), Kind: token.STRING, Value: literal.String.Quote(text)}
			}
			if t.variable(x.Value) == t.value {
				instead[x.Value] = at(t.value, t.value.Pos()) // where it is written, when there is no more to the field
			}
		case *ast.Ident:
			switch y := t.variable(x); {
			case y == nil || instead[x] != nil:
			case y == ast.Expr(t.key):
				instead[x] = at(y, t.ForClause.Pos()) // where CUE says that it lies
			default:
				instead[x] = at(y, x.Pos())
			}
		}
		return ok
	}, nil)
	return ok
}

// variable is what a name stands for in the turn, nil if it is no variable of the clause.
func (t turn) variable(x ast.Expr) ast.Expr {
	id, ok := x.(*ast.Ident)
	switch {
	case !ok || id.Node == nil:
	case t.Key != nil && id.Node == ast.Node(t.Key):
		return t.key
	case id.Node == ast.Node(t.Value):
		return t.value
	}
	return nil
}

// at is a literal at another place, or the expression itself.
func at(x ast.Expr, pos token.Pos) ast.Expr {
	if lit, ok := x.(*ast.BasicLit); ok {
		return &ast.BasicLit{ValuePos: pos, Kind: lit.Kind, Value: lit.Value}
	}
	return x
}

// label is the text of a label that is computed of variables; nil for one that is not
// computed, and false for one that is computed of anything else.
func (t turn) label(l ast.Label) (text string, computed ast.Expr, known bool) {
	switch x := l.(type) {
	case *ast.ParenExpr:
		text, known = t.text(x.X, false)
		return text, x, known
	case *ast.Interpolation:
		for i, e := range x.Elts {
			part, known := "", false
			if i%2 == 1 {
				part, known = t.text(e, true)
			} else {
				part = strings.TrimSuffix(strings.TrimPrefix(e.(*ast.BasicLit).Value, ")"), `\(`)
				known = !strings.ContainsAny(part, "\\#") && !strings.Contains(part, `""`)
				part = strings.Trim(part, `"`)
			}
			if !known {
				return "", nil, false
			}
			text += part
		}
		return text, x, true
	case *ast.Ident, *ast.BasicLit:
		return "", nil, true
	}
	return "", nil, false
}

// text returns the value of a variable as a label, or as a part of one. It is false for a value that CUE takes for no label: a label has to be
// a text; a part may be a whole number in digits or bytes, too.
func (t turn) text(x ast.Expr, isPart bool) (string, bool) {
	lit, ok := t.variable(x).(*ast.BasicLit)
	if !ok {
		return "", false
	}
	if lit.Kind == token.INT {
		n, err := strconv.Atoi(lit.Value)
		return lit.Value, isPart && err == nil && strconv.Itoa(n) == lit.Value
	}
	text, err := literal.Unquote(lit.Value)
	return text, lit.Kind == token.STRING && err == nil && (isPart || syntax.IsText(lit))
}
