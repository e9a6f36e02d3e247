package depends

import (
	"maps"
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// Declared is a field that is written in one place, under no condition; only the model
// says something of it besides. What says something of fields whose names it computes is
// not looked at.
type Declared struct {
	Name  string
	Field *ast.Field
	node  *node
	scope *scope
}

// Formula reads an expression within the field, nil if it is none.
func (d Declared) Formula(x ast.Expr) *Formula { return d.node.reader.formula(x, d.scope) }

// Closed is what a field at a path in the field says, written out; nil if that is not
// possible, or if it may be a list or a struct.
func (d Declared) Closed(f *ast.Field, path ...string) *Closed {
	n, through := d.node, []*node{}
	for _, name := range path {
		exact := false
		if n, exact = n.field(name, &through); !exact {
			return nil
		}
	}
	i := slices.IndexFunc(n.said, func(c *conjunct) bool { return c.decl == f })
	if i < 0 || isLiteral(f.Value) {
		return nil
	}
	r, s := n.reader, n.said[i].scope
	c := &closer{reader: r, instead: map[ast.Expr]ast.Expr{}, config: map[ast.Expr]Path{}}
	if !c.expr(term{x: f.Value, scope: s}) {
		return nil
	}
	out := c.finish([]ast.Expr{f.Value})
	out.Decl = r.decl(f, s, maxWritten)
	return out
}

// Once are the fields of that kind in the struct at a path of the artifact.
func (s *Sources) Once(path ...string) (out []Declared) {
	n, exact := s.at(path)
	if !exact {
		return nil
	}
	n.expand()
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		f := n.fields[name]
		if c := f.once(); c != nil {
			out = append(out, Declared{name, c.decl.(*ast.Field), f, c.scope})
		}
	}
	return out
}

// once is the only conjunct that is not the model's, nil if there are several or none.
func (n *node) once() (own *conjunct) {
	for _, c := range n.said {
		field, ok := c.decl.(*ast.Field)
		if ok {
			if _, named := nameOf(field.Label); !named && !isPattern(field.Label) {
				continue
			}
		}
		if _, p := c.scope.pkg(); p.Model {
			continue
		}
		if own != nil || !ok || len(c.given) > 0 || isPattern(field.Label) || n.reader.times[field] > 1 {
			return nil
		}
		own = c
	}
	return own
}

func isPattern(label ast.Label) bool {
	if a, ok := label.(*ast.Alias); ok {
		label, _ = a.Expr.(ast.Label)
	}
	_, ok := label.(*ast.ListLit)
	return ok
}

// LeaveOut takes fields out of the artifact, as if they were not written. Those that
// anything else refers to stay; the others are returned.
func (s *Sources) LeaveOut(fields []Declared) []Declared {
	s.reader.aside = map[*node]bool{}
	for _, d := range fields {
		s.reader.aside[d.node] = true
	}
	for {
		w := s.reader.walk()
		w.free = nil
		w.value(s.artifact, false)
		if len(w.sees) == 0 {
			break
		}
		for n := range w.sees {
			delete(s.reader.aside, n)
		}
	}
	return slices.DeleteFunc(slices.Clone(fields), func(d Declared) bool { return !s.reader.aside[d.node] })
}

// Rest are the files of the artifact's package without the fields that are left out.
func (s *Sources) Rest(fields []Declared) []*ast.File {
	gone := map[ast.Decl]bool{}
	for _, d := range fields {
		gone[d.Field] = true
	}
	return syntax.Copy(s.pkg.Files, syntax.Change{Drop: func(_ ast.Node, d ast.Decl) bool { return gone[d] }})
}
