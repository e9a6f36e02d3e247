package compat

import (
	"bytes"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// separated is a config taken apart: what each field takes by itself, and what
// fields have to do with each other.
type separated struct {
	// free is the config without relations. It takes whatever the config takes.
	free cue.Value
	// relations are in the order of the sources.
	relations []relation
}

// relation is a part of a config that refers to another part.
type relation struct {
	path string
	// text is its source, with that of the lets, hidden fields and definitions
	// that it uses.
	text string
	// bound says that it can only make what a field takes less: <a, !=b.
	bound bool
	// clauses and body are those of an if or for, nil for anything else.
	clauses []ast.Clause
	body    *ast.StructLit
	// names are all names in it.
	names map[string]bool
}

// separate takes a section of a config apart; false is returned if CUE can't
// write it down.
func separate(ctx *cue.Context, section cue.Value, path string) (out separated, ok bool) {
	defer func() {
		if recover() != nil { // there are values that CUE does not know how to write
			out, ok = separated{}, false
		}
	}()
	if !section.Exists() {
		return separated{free: section}, true
	}
	text, err := format.Node(section.Syntax(cue.Raw(), cue.All(), cue.InlineImports(true)))
	if err != nil {
		return separated{}, false
	}
	// Read again, every name knows what it stands for.
	f, err := parser.ParseFile("config", bytes.TrimSpace(text))
	if err != nil {
		return separated{}, false
	}
	s := &separator{lets: map[string]*ast.LetClause{}, unseen: map[string][]ast.Expr{}, texts: map[ast.Expr]string{}}
	ast.Walk(f, s.known, nil)
	f.Decls = s.decls(f.Decls, path)
	if len(s.relations) == 0 && !s.failed {
		return separated{free: section}, true
	}
	s.sweep(f)
	if text, err = format.Node(inDefinition(f)); err != nil || s.failed {
		return separated{}, false
	}
	free := ctx.CompileBytes(text).LookupPath(cue.MakePath(cue.Def("config")))
	return separated{free, s.relations}, free.Validate() == nil
}

// inDefinition puts what a file declares into a definition: configs are closed.
func inDefinition(f *ast.File) *ast.File {
	out, body := &ast.File{}, &ast.StructLit{}
	for _, d := range f.Decls {
		if i, ok := d.(*ast.ImportDecl); ok {
			out.Decls = append(out.Decls, i)
			continue
		}
		body.Elts = append(body.Elts, d)
	}
	out.Decls = append(out.Decls, &ast.Field{Label: ast.NewIdent("#config"), Value: body})
	return out
}

type separator struct {
	lets map[string]*ast.LetClause
	// unseen are the expressions behind names that are no config fields: lets,
	// hidden fields, definitions.
	unseen    map[string][]ast.Expr
	texts     map[ast.Expr]string
	relations []relation
	failed    bool
}

// known notes what is behind names before anything is taken out of it.
func (s *separator) known(n ast.Node) bool {
	note := func(name string, x ast.Expr) {
		text, err := format.Node(x)
		s.failed = s.failed || err != nil
		s.unseen[name] = append(s.unseen[name], x)
		s.texts[x] = strings.Join(strings.Fields(string(text)), " ")
	}
	switch x := n.(type) {
	case *ast.LetClause:
		s.lets[x.Ident.Name] = x
		note(x.Ident.Name, x.Expr)
	case *ast.Field:
		if name := labelOf(x.Label); x.Value != nil && isUnseen(name) && name != "#x" {
			note(name, x.Value)
		}
	}
	return true
}

// isUnseen reports whether no deployment can give a field of that name.
func isUnseen(name string) bool { return strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_") }

// definition reports whether a let is one that CUE has made of a definition.
func definition(l *ast.LetClause) bool {
	x, ok := l.Expr.(*ast.StructLit)
	if !ok || len(x.Elts) != 1 {
		return false
	}
	f, ok := x.Elts[0].(*ast.Field)
	return ok && labelOf(f.Label) == "#x"
}

func labelOf(l ast.Label) string {
	name, _, err := ast.LabelName(l)
	if err != nil {
		return "[]"
	}
	return name
}

// decls takes the relations out of declarations.
func (s *separator) decls(decls []ast.Decl, path string) []ast.Decl {
	var out []ast.Decl
	for _, d := range decls {
		switch x := d.(type) {
		case *ast.Comprehension:
			s.add(x, path, false)
			continue
		case *ast.LetClause:
			if !definition(x) {
				continue // where it is used, its text counts
			}
			x.Expr = s.orAny(x.Expr, x.Ident.Name)
		case *ast.Field:
			if x.Value != nil {
				x.Value = s.orAny(x.Value, path+"."+labelOf(x.Label))
			}
		case *ast.EmbedDecl:
			if x.Expr = s.expr(x.Expr, path); x.Expr == nil {
				continue
			}
		case *ast.Ellipsis:
			if x.Type != nil {
				x.Type = s.orAny(x.Type, path+".[]")
			}
		}
		out = append(out, d)
	}
	return out
}

func (s *separator) orAny(x ast.Expr, path string) ast.Expr {
	if x = s.expr(x, path); x == nil {
		return ast.NewIdent("_")
	}
	return x
}

// expr takes the relations out of an expression; nil is left of one that is
// nothing else.
func (s *separator) expr(x ast.Expr, path string) ast.Expr {
	switch x := x.(type) {
	case *ast.Ident:
		if strings.HasPrefix(x.Name, "#") && x.Node == nil {
			return nil // a definition that refers to itself, which CUE does not write out
		}
	case *ast.StructLit:
		x.Elts = s.decls(x.Elts, path)
		return x
	case *ast.ParenExpr:
		if x.X = s.expr(x.X, path); x.X == nil {
			return nil
		}
		return x
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			return s.conjunction(x, path)
		}
		if x.Op == token.OR && structs(x.X) && structs(x.Y) {
			x.X, x.Y = s.expr(x.X, path), s.expr(x.Y, path)
			return x
		}
	case *ast.UnaryExpr:
		if x.Op == token.MUL && structs(x.X) {
			x.X = s.expr(x.X, path)
			return x
		}
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.Ident); ok && f.Name == "close" && len(x.Args) == 1 {
			x.Args[0] = s.orAny(x.Args[0], path)
			return x
		}
	case *ast.ListLit:
		if s.list(x, path) {
			return x
		}
	}
	if !s.refers(x) {
		return x
	}
	s.add(x, path, bound(x))
	return nil
}

func (s *separator) conjunction(x *ast.BinaryExpr, path string) ast.Expr {
	left, right := s.expr(x.X, path), s.expr(x.Y, path)
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	}
	x.X, x.Y = left, right
	return x
}

// list takes the relations out of the elements, if there are only some below them.
func (s *separator) list(x *ast.ListLit, path string) bool {
	for _, e := range x.Elts {
		if rest, ok := e.(*ast.Ellipsis); ok {
			e = rest.Type
		}
		if e != nil && !structs(e) && s.refers(e) {
			return false
		}
	}
	for i, e := range x.Elts {
		if rest, ok := e.(*ast.Ellipsis); ok {
			if rest.Type != nil {
				rest.Type = s.orAny(rest.Type, path+".[]")
			}
			continue
		}
		x.Elts[i] = s.orAny(e, path+".[]")
	}
	return true
}

// structs reports whether an expression is of structs that are written out.
func structs(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.StructLit:
		return true
	case *ast.ParenExpr:
		return structs(x.X)
	case *ast.UnaryExpr:
		return x.Op == token.MUL && structs(x.X)
	case *ast.BinaryExpr:
		return (x.Op == token.OR || x.Op == token.AND) && structs(x.X) && structs(x.Y)
	}
	return false
}

// bound reports whether an expression can only make less of what others take.
func bound(x ast.Expr) bool {
	u, ok := x.(*ast.UnaryExpr)
	return ok && filter.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.NEQ, token.MAT, token.NMAT}, u.Op)
}
