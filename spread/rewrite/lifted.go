package rewrite

import (
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Roles may refine an artifact each with values of its own:
//
//	role: api: artifact: w.#Artifact & {description: code: main: image: tag: "1.0"}
//	role: web: artifact: w.#Artifact & {description: code: main: image: tag: "1.1"}
//
// Those are one artifact that takes the values from its config, from a definition in it
// that nobody else sees:
//
//	#Artifact: w.#Artifact & {description: code: main: image: tag: description.config.#kumikiLifted.v0}
//	#Artifact: description: config: #kumikiLifted: v0: _

// roleText is an artifact that a role writes out.
type roleText struct {
	role string
	at   []writtenAt
	// literals are the values in it that could come from a config, each with a reference
	// to where they would be.
	literals []liftable
	key      string   // the same for texts that differ in nothing but the literals
	passed   []passed // references to what is around it
	asks     bool     // whether some of that is there
}

// liftable is a literal in a refinement, and the reference to its description.
type liftable struct {
	lit         *ast.BasicLit
	description *ast.Ident
}

// sharedText are roles whose artifacts differ in nothing but the values at some of the
// literals.
type sharedText struct {
	roles   []roleText
	differs []int
}

// share groups texts, in their order.
func share(texts []roleText) (out []*sharedText) {
	known := map[string]*sharedText{}
	for _, t := range texts {
		s := known[t.key]
		if s == nil {
			s = &sharedText{}
			known[t.key] = s
			out = append(out, s)
		}
		s.roles = append(s.roles, t)
	}
	for _, s := range out {
		for i, x := range s.roles[0].literals {
			if filter.Any(s.roles, func(t roleText) bool { return t.literals[i].lit.Value != x.lit.Value }) {
				s.differs = append(s.differs, i)
			}
		}
	}
	return out
}

// instead has references to a config in place of the literals that differ, and of references to what is around the role.
func (s *sharedText) instead() map[ast.Expr]ast.Expr {
	out := map[ast.Expr]ast.Expr{}
	for _, i := range s.differs {
		x := s.roles[0].literals[i]
		out[x.lit] = ownRef(x.description, x.lit.Pos(), liftedField(i))
	}
	for i, x := range s.roles[0].passed {
		out[x.ref] = ownRef(x.description, x.ref.Pos(), x.field(i))
	}
	return out
}

func liftedField(i int) string { return fmt.Sprint("v", i) }

// declared is the definition that the references lead to, nil for none.
func (s *sharedText) declared() ast.Decl {
	t := s.roles[0]
	if len(s.differs) == 0 && len(t.passed) == 0 {
		return nil
	}
	values := &ast.StructLit{}
	for _, i := range s.differs {
		values.Elts = append(values.Elts, &ast.Field{Label: ast.NewIdent(liftedField(i)), Value: ast.NewIdent("_")})
	}
	for i, x := range t.passed {
		f := &ast.Field{Label: &ast.Ident{NamePos: x.ref.Pos(), Name: x.field(i)}, Value: ast.NewIdent("_")}
		if t.asks {
			f.Constraint = token.OPTION
		}
		values.Elts = append(values.Elts, f)
	}
	return &ast.Field{Label: ast.NewIdent("#Artifact"), Value: syntax.Nested(values, "description", "config", depends.Lifted)}
}

// values are those that a role has, nil for none.
func (s *sharedText) values(t roleText) *value.Data {
	if len(s.differs) == 0 {
		return nil
	}
	out := value.NewStruct(fromcue.Pos(t.at[0].expr))
	for _, i := range s.differs {
		lit := t.literals[i].lit
		out = out.Set(liftedField(i), fromcue.Literal(lit, fromcue.Pos(lit)))
	}
	return out
}

// read finds the literals in a text, and gives it its key.
func (t *roleText) read(key string) bool {
	t.key = key
	for _, at := range t.at {
		before := len(t.literals)
		for _, x := range syntax.Conjuncts(at.expr) {
			if lit, ok := x.(*ast.StructLit); ok {
				t.description(lit)
			}
		}
		change := syntax.Change{Instead: map[ast.Expr]ast.Expr{}}
		for _, x := range t.literals[before:] {
			change.Instead[x.lit] = ast.NewIdent("_")
		}
		for i, x := range t.passed {
			change.Instead[x.ref] = ast.NewIdent("_" + x.field(i))
		}
		shape, _ := syntax.CopyExpr(at.expr, change)
		text, err := format.Node(shape)
		if err != nil {
			return false
		}
		t.key += "\x00" + string(text)
	}
	return true
}

// description looks for literals in what a refinement says of the description, but for its
// config, its roles and what connects them.
func (t *roleText) description(lit *ast.StructLit) {
	ref := &ast.Ident{Name: "description", Scope: lit}
	for _, d := range lit.Elts {
		f, ok := d.(*ast.Field)
		if !ok || !isNamed(f, "description") {
			continue
		}
		ref.Node = f.Value // of several, CUE's names lead to the last
		in, ok := f.Value.(*ast.StructLit)
		if !ok {
			continue
		}
		for _, d := range in.Elts {
			if f, ok := d.(*ast.Field); ok && !filter.Any([]string{"config", "builtin", "role", "connect"}, func(name string) bool { return isNamed(f, name) }) {
				t.field(f, ref)
			}
		}
	}
}

// isNamed reports whether a field has a name that is written as such.
func isNamed(f *ast.Field, name string) bool {
	id, ok := f.Label.(*ast.Ident)
	return ok && id.Name == name
}

// field looks for literals in a field with a name of its own.
func (t *roleText) field(f *ast.Field, description *ast.Ident) {
	name, ok := "", false
	switch f.Label.(type) {
	case *ast.Ident, *ast.BasicLit:
		name, ok = syntax.LabelName(f.Label), true
	}
	if !ok || name == "" || syntax.IsAside(name) || f.Constraint != token.ILLEGAL || f.Alias != nil {
		return
	}
	switch x := f.Value.(type) {
	case *ast.StructLit:
		for _, d := range x.Elts {
			if f, ok := d.(*ast.Field); ok && !filter.Any(x.Elts, isCalledDescription) {
				t.field(f, description)
			}
		}
	case *ast.BasicLit:
		if fromcue.Literal(x, fromcue.Pos(x)) != nil {
			t.literals = append(t.literals, liftable{x, description})
		}
	}
}

// isCalledDescription reports whether something in a struct has the name that the references
// begin with.
func isCalledDescription(d ast.Decl) bool {
	switch x := d.(type) {
	case *ast.Field:
		id, ok := x.Label.(*ast.Ident)
		return !ok && syntax.LabelName(x.Label) == "" || ok && id.Name == "description" || x.Alias != nil
	case *ast.LetClause:
		return x.Ident.Name == "description"
	case *ast.Alias:
		return x.Ident.Name == "description"
	}
	return false
}
