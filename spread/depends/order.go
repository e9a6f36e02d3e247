package depends

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// FixesOrder reports whether, in the structs of config at some paths, the order of fields depends only on which
// fields are given. That is so for parameters that are declared as plain structs, lists of those, numbers, texts and the like.
// It also returns the paths of those lists, and the paths of maps. The fields of a map keep the order in which they are given.
func (s *Sources) FixesOrder(paths Set) (maps, lists []Path, ok bool) {
	var search orderSearch
	ok = !filter.Any(paths, func(path Path) bool {
		if len(path) == 0 || path[0] != "parameter" {
			return true
		}
		for i := range path {
			if n, exact := s.at(append(Path{"description", "config"}, path[:i+1]...)); !exact || !search.isFixed(n, path[:i+1], i+1 == len(path)) {
				return true
			}
		}
		return false
	})
	return search.maps, search.lists, ok
}

// orderSearch looks for what the order of fields in config depends on.
type orderSearch struct{ maps, lists []Path }

// isFixed reports whether no struct at a field of config gets fields from conditions, loops, computed names
// or other structs. If all is set, it also asks that of the fields below.
func (s *orderSearch) isFixed(n *node, path Path, all bool) bool {
	n.expand()
	own := func(t term) bool { return !t.scope.isModels() }
	if n.dynamic || len(n.copies) > 0 || len(n.bodies) > 0 || filter.Any(slices.Concat(n.shape, n.given), own) {
		return false
	}
	switch {
	case n.isDeclaredAs(areMaps):
		s.maps = append(s.maps, path)
		return true
	case n.isDeclaredAs(areLists):
		s.lists = append(s.lists, path)
		return true
	}
	structs := 0
	for _, c := range slices.Concat(n.said, n.patterns) {
		if c.isModels() || syntax.IsAnything(c.x) {
			continue
		}
		parts := syntax.Conjuncts(c.x)
		lits := len(syntax.Structs(c.x))
		if structs += lits; lits > 0 && !c.isDirect() || lits < len(parts) && (lits > 0 || !isLeaf(c.x)) {
			return false
		}
	}
	if structs > 0 && filter.Any(n.terms, own) {
		return false
	}
	for name, f := range n.fields {
		if all && !s.isFixed(f, append(slices.Clip(path), name), true) {
			return false
		}
	}
	return true
}

// isDeclaredAs reports whether a field is declared once, apart from what the model says of it, by an expression for which is holds.
func (n *node) isDeclaredAs(is func(x ast.Expr, c *conjunct) bool) bool {
	own := filter.Out(n.said, (*conjunct).isModels)
	return len(own) == 1 && own[0].isDirect() && is(own[0].x, own[0])
}

// structOf is the struct literal that a type is, by the name of a definition or in so many words; nil for any other type.
func (c *conjunct) structOf(x ast.Expr) *ast.StructLit {
	if lit, ok := syntax.Unparen(x).(*ast.StructLit); ok {
		return lit
	}
	n, exact := c.of.reader.target(x, c.scope)
	if n == nil || !exact || n.config != nil {
		return nil
	}
	lit, _ := n.definition()
	return lit
}

// areMaps reports whether an expression is a map,  {[string]: T}  or  {[string]: {name: T}} , and T is a type of numbers, texts and the like. It
// may also be a disjunction of such maps and of structs with at most one field.
func areMaps(x ast.Expr, in *conjunct) bool {
	return eachAlternative(x, func(x ast.Expr) bool {
		lit, ok := x.(*ast.StructLit)
		return ok && len(lit.Elts) < 2 && (areLeaves(lit.Elts, isPattern) || in.isMapOfStructs(lit))
	})
}

func (c *conjunct) isMapOfStructs(lit *ast.StructLit) bool {
	f, ok := lit.Elts[0].(*ast.Field)
	if !ok || !isPattern(f) {
		return false
	}
	each := c.structOf(f.Value)
	return each != nil && areLeaves(each.Elts, func(*ast.Field) bool { return false })
}

// areLists reports whether an expression is a list of structs,  [...{name: T}] , or a disjunction of one such list and lists without structs.
func areLists(x ast.Expr, in *conjunct) bool {
	structs := 0
	return eachAlternative(x, func(x ast.Expr) bool {
		list, ok := x.(*ast.ListLit)
		return ok && !filter.Any(list.Elts, func(x ast.Expr) bool {
			rest, ok := x.(*ast.Ellipsis)
			if !ok || rest.Type == nil {
				return !isLeaf(x)
			}
			lit := in.structOf(rest.Type)
			structs++
			return lit == nil || !areLeaves(lit.Elts, func(*ast.Field) bool { return false })
		})
	}) && structs == 1
}

// eachAlternative reports whether is holds for each alternative of a disjunction. Any other expression is its only alternative.
func eachAlternative(x ast.Expr, is func(ast.Expr) bool) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return eachAlternative(x.X, is)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return eachAlternative(x.X, is)
		}
	case *ast.BinaryExpr:
		if x.Op == token.OR {
			return eachAlternative(x.X, is) && eachAlternative(x.Y, is)
		}
	}
	return is(x)
}

// areLeaves reports whether all declarations are fields whose values cannot be structs. A field needs a name unless may holds for it.
func areLeaves(all []ast.Decl, may func(*ast.Field) bool) bool {
	return !filter.Any(all, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return !ok || !syntax.IsPlainField(f) && !may(f) || !isLeaf(f.Value)
	})
}

// mixes reports whether some fields of a struct come from conditions, loops, computed names or embedded structs.
// CUE does not keep those in the order of the source, and may order them differently in a slice than in the whole
// artifact.
func mixes(x *ast.StructLit) bool {
	return len(x.Elts) > 1 && filter.Any(x.Elts, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.Comprehension, *ast.EmbedDecl:
			return true
		case *ast.Field:
			return isComputed(d) && !isPattern(d) // which makes no field
		}
		return false
	})
}

// mixes reports that of the struct literals that are conjuncts of a field, without those of the model.
func (n *node) mixes() bool {
	return filter.Any(n.said, func(c *conjunct) bool {
		return c.x != nil && !c.isModels() && filter.Any(syntax.Structs(c.x), mixes)
	})
}

// Marshalled is the path of config whose JSON or YAML the value at a path of the artifact is, and the package that writes it:
// json.Marshal(config.parameter). It is nil for anything else.
func (s *Sources) Marshalled(path Path) (of Path, encoding string) {
	n, exact := s.at(path)
	if !exact || !n.certain {
		return nil, ""
	}
	own := filter.Out(n.said, (*conjunct).isModels)
	if len(own) != 1 {
		return nil, ""
	}
	call, ok := syntax.Unparen(own[0].x).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, ""
	}
	encoding, name := syntax.Function(call.Fun)
	if encoding != "encoding/json" && encoding != "encoding/yaml" || name != "Marshal" {
		return nil, ""
	}
	return s.reader.ofConfig(call.Args[0], own[0].scope), encoding
}

// isLeaf reports whether an expression is a type that no struct can have: of numbers, texts and the like, or of
// lists of those.
func isLeaf(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isLeaf(x.X)
	case *ast.UnaryExpr:
		return isLeaf(x.X)
	case *ast.BinaryExpr:
		return isLeaf(x.X) && isLeaf(x.Y)
	case *ast.CallExpr:
		return isCheck(x.Fun)
	case *ast.Interpolation:
		return true
	case *ast.Ident:
		if isOfPattern(x) { // the name of a field
			return true
		}
	case *ast.ListLit:
		return !filter.Any(x.Elts, func(x ast.Expr) bool { return !isLeaf(x) })
	}
	return isType(x, true)
}

// isCheck reports whether a call of a function of CUE's standard library gives no struct, such as
// strings.MinRunes(3) or list.MaxItems(5).
func isCheck(fun ast.Expr) bool {
	switch path, name := syntax.Function(fun); path {
	case "strings", "regexp", "math", "net", "time":
		return true
	case "list":
		return strings.HasPrefix(name, "Min") || strings.HasPrefix(name, "Max") || name == "UniqueItems"
	}
	return false
}
