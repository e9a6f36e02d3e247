package syntax

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// Conjuncts returns the expressions that an expression joins with &, in the order in which they
// are written: x itself, without parentheses, if it joins none.
func Conjuncts(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return Conjuncts(x.X)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			return append(Conjuncts(x.X), Conjuncts(x.Y)...)
		}
	}
	return []ast.Expr{x}
}

// Unparen is an expression without the parentheses around it.
func Unparen(x ast.Expr) ast.Expr {
	for {
		p, ok := x.(*ast.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// Indexed is what an index picks a part of,  x  in  x[i] , without parentheses; nil for any other expression.
func Indexed(x ast.Expr) ast.Expr {
	index, ok := Unparen(x).(*ast.IndexExpr)
	if !ok {
		return nil
	}
	return Unparen(index.X)
}

// Root is the name that  name.part.part  begins with, nil for any other expression.
func Root(x ast.Expr) *ast.Ident {
	for {
		switch of := x.(type) {
		case *ast.ParenExpr:
			x = of.X
		case *ast.SelectorExpr:
			x = of.X
		default:
			id, _ := x.(*ast.Ident)
			return id
		}
	}
}

// LetOf is the let that an expression is a name of, nil for any other expression.
func LetOf(x ast.Expr) *ast.LetClause {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	let, _ := id.Node.(*ast.LetClause)
	return let
}

// Structs returns those of an expression's [Conjuncts] that are structs in so many words.
func Structs(x ast.Expr) (out []*ast.StructLit) {
	for _, c := range Conjuncts(x) {
		if lit, ok := c.(*ast.StructLit); ok {
			out = append(out, lit)
		}
	}
	return out
}

// HidesFields reports whether the fields in a node are none of the struct around it:  {a: 1}.a ,  [{a: 1}]  and  *{a: 1} | {b: 2}  have some.
func HidesFields(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.CallExpr, *ast.ListLit, *ast.SelectorExpr, *ast.IndexExpr, *ast.UnaryExpr, *ast.Interpolation, *ast.ForClause, *ast.IfClause:
		return true
	case *ast.BinaryExpr:
		return x.Op != token.AND
	}
	return false
}

// HasField reports whether an expression contains a field, at any depth.
func HasField(x ast.Node) (found bool) {
	ast.Walk(x, func(n ast.Node) bool {
		_, ok := n.(*ast.Field)
		found = found || ok
		return !found
	}, nil)
	return found
}

// HasLabel reports whether a field in files has a name, at any depth.
func HasLabel(files []*ast.File, name string) (found bool) {
	for _, f := range files {
		ast.Walk(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			found = found || ok && LabelName(field.Label) == name
			return !found
		}, nil)
	}
	return found
}

// OfArtifact is the name x in  x.#Artifact , nil for any other expression.
func OfArtifact(e ast.Expr) *ast.Ident {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || LabelName(sel.Sel) != "#Artifact" {
		return nil
	}
	id, _ := sel.X.(*ast.Ident)
	return id
}

// WithDefault reads  *chosen | other,  where the default stands anywhere among the alternatives, and other are all of the rest.
func WithDefault(x ast.Expr) (chosen, other ast.Expr, ok bool) {
	for _, a := range alternatives(x) {
		switch of, isStarred := Starred(a); {
		case isStarred && ok:
			return nil, nil, false // two defaults
		case isStarred:
			chosen, ok = of, true
		case other == nil:
			other = a
		default:
			other = &ast.BinaryExpr{X: other, OpPos: a.Pos(), Op: token.OR, Y: a}
		}
	}
	return chosen, other, ok && other != nil
}

// alternatives are the expressions between which x has |, in the order in which they are written.
func alternatives(x ast.Expr) []ast.Expr {
	or, ok := x.(*ast.BinaryExpr)
	if !ok || or.Op != token.OR {
		return []ast.Expr{x}
	}
	return append(alternatives(or.X), alternatives(or.Y)...)
}

// Fallback reads  *x | other,  where x is a reference, and other a literal, a text or a type: what an expression is if x is there, and if not.
func Fallback(x ast.Expr) (chosen, other ast.Expr, ok bool) {
	chosen, other, ok = WithDefault(Unparen(x))
	if !ok || !isReference(chosen) {
		return nil, nil, false
	}
	_, isText := other.(*ast.Interpolation)
	return chosen, other, isText || IsScalarType(other)
}

// ListsItems reports whether an expression is a call of a function that returns a list, and whether the function keeps the items of its arguments,
// rather than making new ones.
func ListsItems(x ast.Expr) (keeps, ok bool) {
	call, ok := Unparen(x).(*ast.CallExpr)
	if !ok {
		return false, false
	}
	path, name := Function(call.Fun)
	keeps, ok = listFunctions[path+"."+name]
	return keeps, ok
}

// listFunctions are those that [ListsItems] is about: true for one that keeps items.
var listFunctions = map[string]bool{
	"list.Concat": true, "list.Drop": true, "list.Repeat": true, "list.Reverse": true, "list.Slice": true, "list.Sort": true, "list.SortStable": true,
	"list.Take": true, "list.Range": false, "list.SortStrings": false, "strings.Fields": false, "strings.Split": false, "strings.SplitN": false,
}

// IsFallback reports whether an expression is one that [Fallback] reads.
func IsFallback(x ast.Expr) bool {
	_, _, ok := Fallback(x)
	return ok
}

// isReference reports whether an expression is a name, or a part of what a name stands for.
func isReference(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Node != nil || !IsType(x.Name)
	case *ast.ParenExpr:
		return isReference(x.X)
	case *ast.SelectorExpr:
		return isReference(x.X)
	case *ast.IndexExpr:
		return isReference(x.X)
	}
	return false
}

// Starred is what is marked as a default.
func Starred(x ast.Expr) (ast.Expr, bool) {
	star, ok := x.(*ast.UnaryExpr)
	if !ok || star.Op != token.MUL {
		return nil, false
	}
	return star.X, true
}

// OnlyEmbedded is the expression that is all there is between braces; nil if there is more, or something else.
func OnlyEmbedded(x ast.Node) ast.Expr {
	s, ok := x.(*ast.StructLit)
	if !ok || len(s.Elts) != 1 {
		return nil
	}
	e, ok := s.Elts[0].(*ast.EmbedDecl)
	if !ok {
		return nil
	}
	return e.Expr
}
