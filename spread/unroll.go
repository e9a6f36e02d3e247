package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
)

// A service may say in a few lines which roles and connectors it has:
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

// unrolled are the files of a package with the fields that comprehensions make in place of
// those; nil if there are none that could be.
func (e *Evaluator) unrolled(p *Package) []*ast.File {
	u := &unroller{sources: e.library.names(p), expand: map[ast.Decl][]syntax.Change{}}
	for _, f := range p.Files {
		ast.Walk(f, u.before, u.after)
	}
	if len(u.expand) == 0 || u.fields > maxUnrolled {
		return nil
	}
	return syntax.Copy(p.Files, syntax.Change{Expand: u.expand})
}

// unroller finds comprehensions for roles and connectors.
type unroller struct {
	sources *depends.Sources
	labels  []string
	expand  map[ast.Decl][]syntax.Change
	fields  int
}

func (u *unroller) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		u.labels = append(u.labels, labelName(x.Label))
	case *ast.Comprehension:
		if u.isUnrolled() {
			if all := u.unroll(x); all != nil {
				u.expand[x] = all
				u.fields += len(all)
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

// isUnrolled reports whether the walk is where roles or connectors are.
func (u *unroller) isUnrolled() bool {
	path := strings.Join(u.labels, ".")
	return path == "#Artifact.description" || path == "#Artifact.description.role" || path == "#Artifact.description.connect"
}

// unroll is what each turn of a comprehension has otherwise than its body, nil if that is
// not known.
func (u *unroller) unroll(x *ast.Comprehension) []syntax.Change {
	if len(x.Clauses) != 1 || x.Fallback != nil {
		return nil
	}
	clause, ok := x.Clauses[0].(*ast.ForClause)
	body, isStruct := x.Value.(*ast.StructLit)
	if !ok || !isStruct || clause.Key == nil || slices.ContainsFunc(body.Elts, isNoField) {
		return nil
	}
	names, ok := u.sources.Names(clause.Source)
	if !ok {
		return nil
	}
	var out []syntax.Change
	for _, name := range names {
		change := syntax.Change{Instead: map[ast.Expr]ast.Expr{}}
		if !turn(clause, body, name, change.Instead) {
			return nil
		}
		out = append(out, change)
	}
	return out
}

func isNoField(d ast.Decl) bool {
	f, ok := d.(*ast.Field)
	return !ok || !isPlain(f) && labelName(f.Label) != ""
}

// turn puts what the variables of a clause are into the body for one name. It is false where
// a label is made of more than the name.
func turn(clause *ast.ForClause, body *ast.StructLit, name string, instead map[ast.Expr]ast.Expr) (ok bool) {
	ok = true
	ast.Walk(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			text, computed, known := labelOf(x.Label, clause, name)
			ok = ok && known
			if computed != nil {
				instead[computed] = &ast.BasicLit{ValuePos: x.Label.Pos(), Kind: token.STRING, Value: literal.String.Quote(text)}
			}
		case *ast.Ident:
			switch {
			case x.Node == nil:
			case x.Node == ast.Node(clause.Key):
				instead[x] = &ast.BasicLit{ValuePos: x.Pos(), Kind: token.STRING, Value: literal.String.Quote(name)}
			case x.Node == ast.Node(clause.Value):
				sel := &ast.BasicLit{ValuePos: x.Pos(), Kind: token.STRING, Value: literal.String.Quote(name)}
				instead[x] = &ast.SelectorExpr{X: clause.Source, Sel: sel}
			}
		}
		return ok
	}, nil)
	return ok
}

// labelOf is the text of a label that is computed of the name; nil for one that is not
// computed, and false for one that is computed of anything else.
func labelOf(l ast.Label, clause *ast.ForClause, name string) (text string, computed ast.Expr, known bool) {
	isKey := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && id.Node != nil && id.Node == ast.Node(clause.Key)
	}
	switch x := l.(type) {
	case *ast.ParenExpr:
		return name, x, isKey(x.X)
	case *ast.Interpolation:
		for i, e := range x.Elts {
			if i%2 == 1 {
				if !isKey(e) {
					return "", nil, false
				}
				text += name
				continue
			}
			part := strings.TrimSuffix(strings.TrimPrefix(e.(*ast.BasicLit).Value, ")"), `\(`)
			if strings.ContainsAny(part, "\\#") || strings.Contains(part, `""`) {
				return "", nil, false
			}
			text += strings.Trim(part, `"`)
		}
		return text, x, true
	case *ast.Ident, *ast.BasicLit:
		return "", nil, true
	}
	return "", nil, false
}
