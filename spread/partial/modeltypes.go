package partial

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// modelTypes are the types that the model has for the parts of a description, made of its sources into checks
// that need no CUE. The model is small, and says all that it says of a part in a few forms; of any other form there is no type.
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

// at is the type of what lies at a path of the artifact, nil if there is none, and whether the model takes an artifact without it.
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
		slices.ContainsFunc(s.fields, func(f schemaField) bool { return f.schema.hasDefault() }))
}

// member is the type of a field that a struct names, or of any in a map, and whether the struct need not have it; nil for none.
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

// definition is the type that a definition is.
func (m modelTypes) definition(name string) *schema {
	all := m.model.Definitions(name)
	if len(all) != 1 {
		return nil
	}
	return m.of(all[0].Value, "")
}

// of is the type that an expression is; nil if it has another form than those of the model. Name is the
// alias for the name of the field that it is the value of.
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
	s := &schema{check: checkExpr(m.inlined(x))}
	if s.check == nil {
		return nil
	}
	if lit, ok := chosen(m.inlined(x)).(*ast.BasicLit); ok {
		s.fallback = fromcue.Literal(lit, fromcue.Pos(lit))
	}
	return s
}

// chosen is the default of a type with alternatives, nil for none, or a type that has no alternatives.
func chosen(x ast.Expr) ast.Expr {
	or, ok := x.(*ast.BinaryExpr)
	if !ok || or.Op != token.OR {
		return x
	}
	for ok && or.Op == token.OR {
		if of, _, ok := syntax.WithDefault(or); ok {
			return of
		}
		or, ok = or.X.(*ast.BinaryExpr)
	}
	return nil
}

// anything is the type _ of the model, and inAnything that of what lies in such a value.
var (
	anything   = &schema{check: func(d *value.Data) bool { return !isEmpty(d) }}
	inAnything = &schema{check: func(*value.Data) bool { return true }}
)

func isDefinition(x *ast.Ident) bool { return strings.HasPrefix(x.Name, "#") }

// inlined is the type of a leaf with what its definitions are in place of them.
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

// declare adds to a struct's type what declarations say, which hold if the struct has another field (beside, "" for always). It is false if they say
// more than a type has. That a struct takes other fields, which  ...  says, is left to CUE.
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

// fieldBeside is the field that a comprehension asks for,  if data != _|_ ; "" for any other.
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

// field adds a field to a struct's type, or what is said of all of a map's fields.
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

// embed adds to a struct's type what another one says.
func (m modelTypes) embed(s *schema, x ast.Expr, name string) bool {
	of := m.of(x, name)
	if of == nil || of.fields == nil {
		return false
	}
	if of.named != "" {
		s.named, s.pos = of.named, of.pos
	}
	return !slices.ContainsFunc(of.fields, func(f schemaField) bool { return !s.add(f) })
}

// add adds a field to a struct's type, which may say more of one that is there. It is false if one of the two is no leaf.
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

// withName gives a struct the field whose default is the name of the struct, if its type has one.
func (s *schema) withName(d *value.Data, name string) *value.Data {
	if s.named == "" || d.Kind != value.Struct || d.Get(s.named) != nil {
		return d
	}
	return d.Set(s.named, value.NewString(s.pos, name))
}
