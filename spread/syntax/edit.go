package syntax

import (
	"reflect"
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
)

// Edit makes a change in files themselves, which nobody else may have: it saves the copy of [Copy].
// Change.Expand is left alone.
func Edit(files []*ast.File, change Change) {
	e := editor{Change: change, unresolved: map[*ast.Ident]bool{}, done: map[*ast.StructLit]bool{}}
	for _, f := range files {
		for _, id := range f.Unresolved {
			e.unresolved[id] = false
		}
		e.walk(f)
	}
	for _, n := range e.above {
		e.replace(reflect.ValueOf(n).Elem())
	}
	for _, f := range files {
		if specs := e.Imports[f]; specs != nil {
			f.Decls = slices.Insert(f.Decls, len(f.Preamble()), ast.Decl(&ast.ImportDecl{Specs: specs}))
		}
		f.Unresolved = filter.Out(f.Unresolved, func(id *ast.Ident) bool { return !e.unresolved[id] })
		dropUnused(f)
	}
}

// editor makes a change.
type editor struct {
	Change
	parents    []ast.Node          // of what is walked through
	above      []ast.Node          // the parents of what is replaced
	unresolved map[*ast.Ident]bool // whether a name that nothing is known of is there at the end
	done       map[*ast.StructLit]bool
}

// walk drops declarations, and finds what is replaced.
func (e *editor) walk(n ast.Node) { ast.Walk(n, e.before, e.after) }

func (e *editor) before(n ast.Node) bool {
	if x, ok := n.(ast.Expr); ok && e.Instead[x] != nil {
		e.above = append(e.above, e.parents[len(e.parents)-1])
		e.walk(e.last(x))
		return false
	}
	switch x := n.(type) {
	case *ast.Ident:
		if _, ok := e.unresolved[x]; ok {
			e.unresolved[x] = true
		}
		if to, ok := x.Node.(ast.Expr); ok {
			x.Node = e.last(to)
		}
	case *ast.StructLit:
		if e.done[x] {
			return false
		}
		e.done[x] = true
		x.Elts = e.decls(x, x.Elts)
	case *ast.File:
		x.Decls = e.decls(x, x.Decls)
	}
	e.parents = append(e.parents, n)
	return true
}

func (e *editor) after(ast.Node) { e.parents = e.parents[:len(e.parents)-1] }

func (e *editor) decls(in ast.Node, decls []ast.Decl) []ast.Decl {
	if e.Drop == nil {
		return decls
	}
	return filter.Out(decls, func(d ast.Decl) bool { return e.Drop(in, d) })
}

// last is what stands in place of an expression in the end: the expression itself, if nothing does.
func (e *editor) last(x ast.Expr) ast.Expr {
	for e.Instead[x] != nil {
		x = e.Instead[x]
	}
	return x
}

// replace puts what stands in place of expressions into the fields of a node.
func (e *editor) replace(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Interface:
			e.put(f)
		case reflect.Slice:
			for i := range f.Len() {
				e.put(f.Index(i))
			}
		}
	}
}

func (e *editor) put(v reflect.Value) {
	if x, ok := v.Interface().(ast.Expr); ok && v.CanSet() {
		if to := e.last(x); to != x {
			v.Set(reflect.ValueOf(to))
		}
	}
}
