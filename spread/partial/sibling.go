package partial

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// In a struct of config, the default of a field may be another field:
//
//	#Size: {cpu: int, mincpu: *cpu | int}

// sibling is such a field: the path of the value that is its default, from the struct on, and the check
// for a value that is given.
type sibling struct {
	path  []string
	check func(*value.Data) bool
}

// siblingOf reads  name: *other.part | T,  where T is a type of numbers, texts and the like; nil for
// any other field.
func siblingOf(f *ast.Field) *sibling {
	chosen, other, ok := syntax.WithDefault(f.Value)
	if !ok || !syntax.IsPlainField(f) || !isScalarType(other) {
		return nil
	}
	path, check := pathBeside(f, chosen), checkExpr(other)
	if path == nil || check == nil {
		return nil
	}
	return &sibling{path, check}
}

// isScalarType reports whether a type has no default, and takes no lists and no structs.
func isScalarType(x ast.Expr) bool {
	is := true
	ast.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ListLit, *ast.StructLit:
			is = false
		case *ast.UnaryExpr:
			is = is && n.Op != token.MUL
		}
		return is
	}, nil)
	return is
}

// pathBeside returns the path of  name.part,  where name is a field in the same struct as f; nil if name is
// anything else.
func pathBeside(f *ast.Field, x ast.Expr) []string {
	switch x := x.(type) {
	case *ast.Ident:
		lit, ok := x.Scope.(*ast.StructLit)
		if !ok || syntax.IsAside(x.Name) || !filter.Contains(lit.Elts, ast.Decl(f)) {
			return nil
		}
		if filter.Any(lit.Elts, func(d ast.Decl) bool {
			other, ok := d.(*ast.Field)
			return ok && syntax.IsPlainField(other) && syntax.LabelName(other.Label) == x.Name && other.Value == x.Node
		}) {
			return []string{x.Name}
		}
	case *ast.SelectorExpr:
		at, name := pathBeside(f, x.X), syntax.LabelName(x.Sel)
		if at != nil && name != "" && !syntax.IsAside(name) {
			return append(at, name)
		}
	}
	return nil
}

// fallBack adds the fields that nobody gave, with the values of the fields that are their defaults. It is
// false if one of those values is missing, or is a list or a struct.
func fallBack(in *value.Data, fields []schemaField, origin value.Origin) bool {
	var made []value.Field
	for _, f := range fields {
		d := in.Get(f.schema.sibling...)
		if d == nil || d.IsComposite() {
			return false
		}
		made = append(made, value.Field{Name: f.name, Value: &value.Data{Kind: d.Kind, Text: d.Text, Pos: f.schema.pos, Origin: origin}})
	}
	in.Fields = append(in.Fields, made...)
	value.SortFields(in.Fields)
	return true
}
