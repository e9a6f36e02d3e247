package depends

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/spread/syntax"
)

// Each is a struct of which every field is made of one member of a list or map of config: by a copy,
// a text or a literal, or a struct of those. Go can make such a struct.
//
//	for name, body in config.parameter.scripts {"/opt/\(name)": {data: value: body, mode: 0o755}}
type Each struct{ Loops []Loop }

// Loop makes fields of every member of what config has at a path.
type Loop struct {
	At     ast.Node // the comprehension
	Source Path
	Fields []Made
}

// Made is a field that a loop makes, or the value of one.
type Made struct {
	// Name is the text of the field's name, in pieces, and Label where it is written.
	Name  []Piece
	Label ast.Label
	// At is where the value is written.
	At ast.Node
	// Value is a copy of something, or a text.
	Value *Formula
	// Literal is the value if it is written in so many words.
	Literal *ast.BasicLit
	// Fields are those of a struct; nil for any other value.
	Fields []Made
}

// Each tells how the struct at a path is made; of one whose fields of computed names are apart from the
// others, how those are. It is nil if the struct is made in other ways too, or if something that is
// closed might not take the fields.
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
	out, own := &Each{}, map[ast.Decl]bool{}
	for _, c := range n.bodies {
		l := s.reader.loop(c)
		if l == nil {
			return nil
		}
		for _, d := range l.At.(*ast.Comprehension).Value.(*ast.StructLit).Elts {
			own[d] = true
		}
		out.Loops = append(out.Loops, *l)
	}
	other := func(c *conjunct) bool { return !own[c.decl] && !c.isModels() }
	if len(out.Loops) == 0 || slices.ContainsFunc(n.patterns, other) {
		return nil
	}
	return out
}

// isOpen reports whether a struct, and all that it lies in, is written in so many words and without
// conditions, but for the model, which takes any field there: no definition closes it.
func (n *node) isOpen() bool {
	for ; n.up != nil; n = n.up {
		if slices.ContainsFunc(n.said, func(c *conjunct) bool { return !c.isModels() && (len(c.given) > 0 || !c.isWritten()) }) {
			return false
		}
	}
	return true
}

// isWritten reports whether a conjunct is structs in so many words, types of the model, or anything.
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

// loop reads a comprehension; nil if it is anything but one loop over config.
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

// hasName reports whether a declaration is a field whose name is not computed.
func hasName(d ast.Decl) bool {
	f, ok := d.(*ast.Field)
	if !ok {
		return false
	}
	_, named := nameOf(labelOf(f))
	return named
}

// turn is one of a loop.
type turn struct {
	reader *reader
	clause *ast.ForClause
	scope  *scope // of the clause
}

// fields reads the fields of a struct; nil if there are none, or other declarations.
func (t turn) fields(lit *ast.StructLit) (out []Made) {
	for _, d := range lit.Elts {
		f, ok := d.(*ast.Field)
		if !ok || f.Alias != nil || f.Value == nil || f.Constraint != token.ILLEGAL || len(f.Attrs) > 0 {
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

// value reads an expression; false if it is of any other kind.
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
	return out, ok // and no text: that is a literal
}

// piece is what a name in the loop stands for; false if that is no member, key or field of config.
func (t turn) piece(x ast.Expr) (Piece, bool) {
	if id, ok := x.(*ast.Ident); ok && id.Node != nil {
		switch id.Node {
		case ast.Node(t.clause.Value):
			return Piece{Of: Member}, true
		case ast.Node(t.clause.Key):
			return Piece{Of: Key}, true
		}
	}
	if path := t.reader.ofConfig(x, t.scope); path != nil {
		return Piece{Path: path}, true
	}
	s, ok := plainText(x)
	return Piece{Text: s}, ok
}
