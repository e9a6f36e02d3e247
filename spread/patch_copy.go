package spread

import (
	"reflect"
	"slices"

	"cuelang.org/go/cue/ast"
)

// copyFiles copies files, with other expressions in place of those that are keys of
// instead. What refers to a node of the originals refers to its copy.
func copyFiles(files []*ast.File, instead map[ast.Expr]ast.Expr) []*ast.File {
	c := copier{instead: instead, made: map[any]reflect.Value{}}
	out := c.value(reflect.ValueOf(files)).Interface().([]*ast.File)
	for _, f := range out {
		dropUnused(f)
	}
	return out
}

type copier struct {
	instead map[ast.Expr]ast.Expr
	made    map[any]reflect.Value // by the original
}

func (c *copier) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(c.value(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(c.value(v.Index(i)))
		}
		return out
	case reflect.Pointer:
		if _, ok := v.Interface().(ast.Node); ok && !v.IsNil() {
			return c.node(v)
		}
	}
	return v
}

// node copies what a pointer leads to, once: names lead to the fields and imports
// that they stand for.
func (c *copier) node(v reflect.Value) reflect.Value {
	if x, ok := v.Interface().(ast.Expr); ok && c.instead[x] != nil {
		return c.node(reflect.ValueOf(c.instead[x]))
	}
	if out, ok := c.made[v.Interface()]; ok {
		return out
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(v.Elem())
	c.made[v.Interface()] = out
	for i := range out.Elem().NumField() {
		if f := out.Elem().Field(i); f.CanSet() {
			f.Set(c.value(f))
		}
	}
	return out
}

// dropUnused takes the imports out of a file that nothing in it refers to any more,
// which CUE minds.
func dropUnused(f *ast.File) {
	used := map[ast.Node]bool{}
	ast.Walk(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Node] = true
		}
		return true
	}, nil)
	unused := func(s *ast.ImportSpec) bool { return !used[s] }
	for _, d := range f.Decls {
		if d, ok := d.(*ast.ImportDecl); ok {
			d.Specs = slices.DeleteFunc(d.Specs, unused)
		}
	}
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		x, ok := d.(*ast.ImportDecl)
		return ok && len(x.Specs) == 0
	})
}
