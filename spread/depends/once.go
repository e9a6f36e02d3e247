package depends

import (
	"maps"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Once are the fields of the struct at a path of the artifact that are declared by name and
// in so many words, under no condition, and maybe by a pattern for all. What says something
// of fields whose names it computes is not looked at.
func (s *Sources) Once(path ...string) (out []Part) {
	n, exact := s.at(path)
	if !exact || !n.exists() {
		return nil
	}
	if n.expand(); n.opaque || !n.isAllowed() {
		return nil // for CUE, which knows what else is said of the fields, and minds what is not allowed
	}
	for _, name := range sorting.Ordered(n.fields) {
		f := n.fields[name]
		fields, scope, ok := f.own()
		named := filter.Out(fields, isComputed)
		if ok && len(named) > 0 {
			out = append(out, Part{Name: name, Fields: fields, node: f, scope: scope})
		}
	}
	return out
}

// isComputed reports whether a field has no name of its own.
func isComputed(f *ast.Field) bool {
	_, ok := nameOf(labelOf(f))
	return !ok
}

// LeaveOut takes fields out of the sources, as if they were not written. Those that
// anything else in the package refers to, or is made of, stay; the others are returned.
func (s *Sources) LeaveOut(fields []Part) []Part {
	s.separate()
	s.reader.aside = map[*node]bool{}
	for _, d := range fields {
		s.reader.aside[d.node] = true
	}
	if !s.mayMention(fields) {
		return fields
	}
	for {
		w := s.reader.walk()
		w.free, w.leavesOut = nil, true
		w.value(s.reader.root(s.pkg), false)
		before := len(s.reader.aside)
		maps.DeleteFunc(s.reader.aside, func(n *node, _ bool) bool { return w.sees[n] || s.isShared(n) })
		if len(s.reader.aside) == before {
			break
		}
	}
	return filter.Out(fields, func(d Part) bool { return !s.reader.aside[d.node] })
}

// isShared reports whether a declaration of a field is one of another field too, as that of
// a definition that is embedded in two places.
func (s *Sources) isShared(n *node) bool {
	return filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() && !isOfAll(c) && s.reader.isRepeated(c) })
}

// Rest are the files of the artifact's package without the fields that are left out.
func (s *Sources) Rest(fields []Part) []*ast.File {
	return syntax.Copy(s.pkg.Files, without(fields))
}

// Reduce leaves fields out of the files themselves, which nobody else may have.
func (s *Sources) Reduce(fields []Part) { syntax.Edit(s.pkg.Files, without(fields)) }

// without is the change that leaves out fields.
func without(fields []Part) syntax.Change {
	gone := map[ast.Decl]bool{}
	for _, d := range fields {
		for _, f := range d.Fields {
			gone[f] = !isComputed(f)
		}
	}
	repeated := emptied{gone: gone, kept: map[fieldIn]bool{}}
	return syntax.Change{Drop: func(in ast.Node, d ast.Decl) bool { return gone[d] || repeated.drop(in, d) }}
}

// emptied drops fields that would be left with an empty struct, but for the first of each name. Where
// each role is written as  role: NAME: …,  CUE would otherwise unify one empty struct for each.
type emptied struct {
	gone map[ast.Decl]bool // what is left out of the structs
	kept map[fieldIn]bool  // the empty fields so far
}

// fieldIn is the name of a field in a struct or file.
type fieldIn struct {
	in   ast.Node
	name string
}

// drop reports whether a field is to be left out, and remembers it if not.
func (e emptied) drop(in ast.Node, d ast.Decl) bool {
	f, ok := d.(*ast.Field)
	if !ok || !syntax.IsPlainField(f) {
		return false
	}
	lit, ok := f.Value.(*ast.StructLit)
	if !ok || len(lit.Elts) == 0 || filter.Any(lit.Elts, func(d ast.Decl) bool { return !e.gone[d] }) {
		return false
	}
	at := fieldIn{in, syntax.LabelName(f.Label)}
	drop := e.kept[at]
	e.kept[at] = true
	return drop
}

// Declares reports whether the artifact has a field at a path, by a name or by a pattern.
func (s *Sources) Declares(path ...string) bool {
	n, exact := s.at(path)
	return exact && len(n.said) > 0
}
