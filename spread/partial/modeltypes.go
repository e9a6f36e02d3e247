package partial

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// modelTypes are the types that the model has for the parts of a description, as Go checks them without CUE. They are
// read from the sources of the model, which say all that they say in a few forms. A type in any other form is left to CUE.
type modelTypes struct{ model *spread.Package }

// modelTypesOf are those of the model that a package imports, itself or by way of what it imports.
func modelTypesOf(p *spread.Package) (m modelTypes) {
	p.Within(func(p *spread.Package) bool {
		if p.IsModel() {
			m.model = p
		}
		return m.model == nil
	})
	return m
}

// at returns the type of the value at a path of the artifact, and whether an artifact may do without that value. The type
// is nil if there is none for the path.
func (m modelTypes) at(path []string) (s *schema, optional bool) {
	if m.model == nil || len(path) < 2 || path[0] != "description" {
		return nil, false
	}
	in := "#ComponentBody"
	if path[1] == "srv" {
		in, path = "#MicroService", path[1:]
	}
	s = m.definition(in)
	for _, name := range path[1:] {
		s, optional = s.member(name)
	}
	return s, optional
}

// hasDefault reports whether the type at a path has a default, or one of its parts has.
func (m modelTypes) hasDefault(path []string) bool {
	s, _ := m.at(path)
	return s.hasDefault()
}

func (s *schema) hasDefault() bool {
	return s != nil && (s.sibling != nil || s.fallback != nil || s.named != "" || s.each.hasDefault() ||
		filter.Any(s.fields, func(f schemaField) bool { return f.schema.hasDefault() }))
}

// member returns the type of the field with a name, and whether the field is optional. A map has one type for all its fields. The type
// is nil if there is no such field, or if the receiver is nil.
func (s *schema) member(name string) (of *schema, optional bool) {
	switch {
	case s == nil:
		return nil, false
	case s == anything || s == inAnything:
		return inAnything, true
	case s.each != nil:
		return s.each, true
	}
	for _, f := range s.fields {
		if f.name == name {
			return f.schema, f.optional
		}
	}
	return nil, false
}

// definition returns the type that a definition of the model stands for.
func (m modelTypes) definition(name string) *schema {
	all := m.model.Definitions(name)
	if len(all) != 1 {
		return nil
	}
	return m.of(all[0].Value, "")
}

// of returns the type that an expression of the model describes, nil if it has a form that is not known here. If the expression is the
// value of a pattern such as [Name=string], name is "Name".
func (m modelTypes) of(x ast.Expr, name string) *schema {
	switch x := syntax.Unparen(x).(type) {
	case *ast.StructLit:
		s := &schema{place: fromcue.Pos(x)}
		if !m.declare(s, x.Elts, "", name) || s.each != nil && s.fields != nil {
			return nil
		}
		return s
	case *ast.BinaryExpr:
		s := &schema{place: fromcue.Pos(x)}
		if x.Op == token.AND && m.embed(s, x.X, name) && m.embed(s, x.Y, name) {
			return s
		}
	case *ast.Ident:
		if isDefinition(x) {
			return m.definition(x.Name)
		}
	}
	if id, ok := x.(*ast.Ident); ok && id.Name == "_" {
		return anything
	}
	leaf := m.inlined(x)
	s := &schema{check: checkExpr(leaf)}
	if s.check == nil {
		return nil
	}
	if lit, ok := chosen(leaf).(*ast.BasicLit); ok {
		s.fallback = fromcue.Literal(lit, fromcue.Pos(lit))
	}
	return s
}

// chosen returns the default of a type with alternatives, nil if none of them is marked. A type without alternatives is returned as it is.
func chosen(x ast.Expr) ast.Expr {
	if or, ok := x.(*ast.BinaryExpr); !ok || or.Op != token.OR {
		return x
	}
	of, _, _ := syntax.WithDefault(x)
	return of
}

// anything is the type _ of the model, and inAnything that of what lies in such a value.
var (
	anything   = &schema{check: func(d *value.Data) bool { return !isEmpty(d) }}
	inAnything = &schema{check: func(*value.Data) bool { return true }}
)

func isDefinition(x *ast.Ident) bool { return strings.HasPrefix(x.Name, "#") }

// inlined returns the type of a leaf with the definitions in it replaced by their values.
func (m modelTypes) inlined(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return m.inlined(x.X)
	case *ast.Ident:
		if all := m.model.Definitions(x.Name); isDefinition(x) && len(all) == 1 {
			return m.inlined(all[0].Value)
		}
	case *ast.BinaryExpr:
		out := *x
		out.X, out.Y = m.inlined(x.X), m.inlined(x.Y)
		return &out
	}
	return x
}

// declare adds declarations to a struct's type. If beside is not "", they hold only for a struct that has a field of that name. It returns
// false if one of them has a form that is not known here. The ... of an open struct is ignored: fields that are not declared are left to CUE.
func (m modelTypes) declare(s *schema, decls []ast.Decl, beside, name string) bool {
	for _, d := range decls {
		ok := true
		switch d := d.(type) {
		case *ast.EmbedDecl:
			ok = m.embed(s, d.Expr, name)
		case *ast.Comprehension:
			body, isStruct := d.Value.(*ast.StructLit)
			there := fieldBeside(d)
			ok = isStruct && there != "" && m.declare(s, body.Elts, there, name)
		case *ast.Field:
			ok = m.field(s, d, beside, name)
		}
		if !ok {
			return false
		}
	}
	return true
}

// fieldBeside returns the name of the field that a comprehension asks for:  if data != _|_ . It is "" for any other comprehension.
func fieldBeside(x *ast.Comprehension) string {
	clause, ok := x.Clauses[0].(*ast.IfClause)
	if !ok || len(x.Clauses) > 1 || x.Fallback != nil {
		return ""
	}
	is, ok := clause.Condition.(*ast.BinaryExpr)
	if !ok || is.Op != token.NEQ {
		return ""
	}
	id, _ := syntax.ComparedWithBottom(is).(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

// field adds a declaration to a struct's type: a field, or a pattern, which makes it a map. It returns false as declare does.
func (m modelTypes) field(s *schema, f *ast.Field, beside, name string) bool {
	if pattern, ok := f.Label.(*ast.ListLit); ok && len(pattern.Elts) == 1 {
		label := ""
		if alias, ok := pattern.Elts[0].(*ast.Alias); ok {
			label = alias.Ident.Name
		}
		s.kind, s.each = value.Struct, m.of(f.Value, label)
		return s.each != nil
	}
	if f.Constraint == token.NOT {
		return false
	}
	at := schemaField{name: syntax.LabelName(f.Label), optional: f.Constraint == token.OPTION, beside: beside}
	if chosen, other, ok := syntax.WithDefault(f.Value); ok {
		if x := siblingOf(f); x != nil {
			at.schema = &schema{sibling: x.path, check: x.check, pos: fromcue.Pos(f)}
		} else if id, isName := chosen.(*ast.Ident); isName && id.Name == name && name != "" {
			at.schema = &schema{check: checkExpr(other)}
			s.named, s.pos = at.name, fromcue.Pos(f)
		}
	}
	if at.schema == nil {
		at.schema = m.of(f.Value, "")
	}
	return at.name != "" && at.schema != nil && s.add(at)
}

// embed adds all fields of another struct's type. It returns false as declare does.
func (m modelTypes) embed(s *schema, x ast.Expr, name string) bool {
	of := m.of(x, name)
	if of == nil || of.fields == nil {
		return false
	}
	if of.named != "" {
		s.named, s.pos = of.named, of.pos
	}
	return !filter.Any(of.fields, func(f schemaField) bool { return !s.add(f) })
}

// add adds a field to a struct's type. If the type has the field already, a value has to satisfy both. It returns false if one of the two is
// not the type of a leaf.
func (s *schema) add(f schemaField) bool {
	i := len(s.fields)
	for i > 0 && s.fields[i-1].name >= f.name {
		i--
	}
	if i == len(s.fields) || s.fields[i].name != f.name {
		s.fields = append(s.fields, f)
		copy(s.fields[i+1:], s.fields[i:])
		s.fields[i] = f
		return true
	}
	was, is := s.fields[i].schema.check, f.schema.check
	both := &schema{fallback: f.schema.fallback, check: func(d *value.Data) bool { return was(d) && is(d) }}
	s.fields[i] = schemaField{name: f.name, optional: f.optional && s.fields[i].optional, schema: both}
	return was != nil && is != nil
}

// withName adds the field whose default is the name of the struct, if the type has one and the struct does not say it.
func (s *schema) withName(d *value.Data, name string) *value.Data {
	if s.named == "" || d.Kind != value.Struct || d.Get(s.named) != nil {
		return d
	}
	return d.Set(s.named, value.NewString(s.pos, name))
}
