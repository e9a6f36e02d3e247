package depends

import (
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// Each describes a struct whose fields are made by loops over lists and maps of config. Values in it are
// copies, texts, literals, and structs of those, so Go can make the struct without CUE:
//
//	for name, body in config.parameter.scripts {"/opt/\(name)": {data: value: body, mode: 0o755}}
type Each struct{ Loops []Loop }

// Loop makes fields for every member of a list or map in config.
type Loop struct {
	At     *ast.Comprehension
	Source Path // of the list or map, in config
	Fields []Made
}

// Made is a field that a loop makes, or the value of one.
type Made struct {
	// Name is the name of the field, in pieces; Label is its label in the sources.
	Name  []Piece
	Label ast.Label
	// At is where the value is written.
	At ast.Node
	// Value is set if the value is a copy or a text, Literal if it is a literal, and Fields if it is
	// a struct.
	Value   *Formula
	Literal *ast.BasicLit
	Fields  []Made
}

// Each returns how the struct at a path is made. If the fields with computed names are kept apart from the
// others, see [Hole.Beside], it is about those only. It is nil if anything but loops makes fields, or if
// a closed struct or definition might not allow the fields.
func (s *Sources) Each(path Path) *Each {
	n, exact := s.at(path)
	if !exact {
		return nil
	}
	n.expand()
	alone := len(n.fields) == 0 || s.reader.parted[n]
	if !alone || !n.certain || n.config != nil || !n.isOpen() {
		return nil
	}
	out := &Each{}
	for _, c := range n.bodies {
		l := s.reader.loop(c)
		if l == nil {
			return nil
		}
		out.Loops = append(out.Loops, *l)
	}
	other := func(c *conjunct) bool { return !c.isModels() && !slices.Contains(n.bodies, c.via[0]) }
	if len(out.Loops) == 0 || slices.ContainsFunc(n.patterns, other) {
		return nil
	}
	return out
}

// isOpen reports whether no definition of the artifact's author can close a struct: the struct and
// everything around it are plain struct literals without conditions. The model allows any field there.
func (n *node) isOpen() bool {
	for ; n.up != nil; n = n.up {
		if slices.ContainsFunc(n.said, func(c *conjunct) bool { return !c.isModels() && (len(c.given) > 0 || !c.isWritten()) }) {
			return false
		}
	}
	return true
}

// isWritten reports whether a conjunct is made of nothing but struct literals, types of the model, and _.
func (c *conjunct) isWritten() bool {
	_, p := c.scope.pkg()
	return !slices.ContainsFunc(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.StructLit:
			return slices.ContainsFunc(x.Elts, isEmbedding)
		case *ast.Ident:
			return x.Name != "_"
		case *ast.SelectorExpr:
			id, ok := x.X.(*ast.Ident)
			return !ok || !p.isModel(id)
		}
		return true
	})
}

// loop reads a comprehension. It is nil unless that is a single loop over a part of config, and Go can
// make all of its fields.
func (r *reader) loop(c *conjunct) *Loop {
	x := c.decl.(*ast.Comprehension)
	if len(x.Clauses) != 1 || len(c.given) != 1 || x.Fallback != nil {
		return nil
	}
	clause, ok := x.Clauses[0].(*ast.ForClause)
	body, isStruct := x.Value.(*ast.StructLit)
	if !ok || !isStruct {
		return nil
	}
	t := turn{reader: r, clause: clause, scope: c.given[0].scope}
	out := &Loop{At: x, Source: r.ofConfig(clause.Source, t.scope), Fields: t.fields(body)}
	if out.Source == nil || out.Fields == nil || slices.ContainsFunc(body.Elts, hasName) {
		return nil
	}
	return out
}

// hasName reports whether a declaration is a field with a fixed name.
func hasName(d ast.Decl) bool {
	f, ok := d.(*ast.Field)
	if !ok {
		return false
	}
	_, named := nameOf(labelOf(f))
	return named
}

// turn reads the body of a loop.
type turn struct {
	reader *reader
	clause *ast.ForClause
	scope  *scope // of the clause
}

// fields reads a struct. It is nil if there are no fields in it, or anything that Go cannot make.
func (t turn) fields(lit *ast.StructLit) (out []Made) {
	for _, d := range lit.Elts {
		f, ok := d.(*ast.Field)
		if !ok || !syntax.HasOnlyValue(f) {
			return nil
		}
		m, ok := t.value(f.Value)
		if !ok {
			return nil
		}
		if m.Name, m.Label = t.label(f.Label), f.Label; m.Name == nil {
			return nil
		}
		out = append(out, m)
	}
	return out
}

func (t turn) label(l ast.Label) []Piece {
	switch x := l.(type) {
	case *ast.Ident, *ast.BasicLit:
		if name, ok := nameOf(x); ok && !isHidden(name) {
			return []Piece{{Text: name}}
		}
	case *ast.ParenExpr:
		if p, ok := t.piece(x.X); ok {
			return []Piece{p}
		}
	case *ast.Interpolation:
		return text(x, t.piece)
	}
	return nil
}

// value reads the value of a field. It is false if Go cannot make the value.
func (t turn) value(x ast.Expr) (Made, bool) {
	out := Made{At: x}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return t.value(x.X)
	case *ast.BasicLit:
		out.Literal = x
		return out, true
	case *ast.StructLit:
		out.Fields = t.fields(x)
		return out, out.Fields != nil
	case *ast.Interpolation:
		pieces := text(x, t.piece)
		out.Value = &Formula{Expr: x, Pieces: pieces, Text: true}
		return out, pieces != nil
	}
	p, ok := t.piece(x)
	out.Value = &Formula{Expr: x, Pieces: []Piece{p}}
	return out, ok
}

// piece reads an expression that is a variable of the loop, a field of config, or a text; false for any
// other.
func (t turn) piece(x ast.Expr) (Piece, bool) {
	if id, ok := x.(*ast.Ident); ok && id.Node != nil {
		switch id.Node {
		case ast.Node(t.clause.Value):
			return Piece{Of: Member}, true
		case ast.Node(t.clause.Key):
			return Piece{Of: Key}, true
		}
	}
	return t.reader.piece(x, t.scope)
}
