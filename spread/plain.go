package spread

import (
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// plainRole is a role of which the sources say everything, so that CUE need not
// be asked: written in one place, filled by the artifact of another package, with
// a config of values and expressions over the service's config. The model takes
// any parameter and resource there, whatever its type, and any number of
// instances; so nothing can be wrong with it but an expression that refers to
// what the service's config does not have, which [runner.lean] looks for.
type plainRole struct {
	field  *ast.Field
	of     *Package
	given  *value.Data // its config, with a null in place of what is passed
	passed []passedAt
	meta   *value.Data
	sized  bool // it says how many instances there are
}

// readPlain tells the plain roles from the candidates; the others are left to the
// walk.
func (s *sources) readPlain(candidates []*ast.Field, stubbed map[*Package]bool) {
	others := false
	for _, f := range candidates {
		if role := s.plainRole(f, stubbed); role != nil {
			s.plain = append(s.plain, role)
			continue
		}
		delete(s.aside, f)
		s.fields, others = []string{"#Artifact", "description", "role"}, true
		ast.Walk(f, s.collect, s.leave)
	}
	s.fields = nil
	if others {
		s.resolveAliases()
	}
}

// plainRole reads a role from its field, nil if the role is not plain.
func (s *sources) plainRole(field *ast.Field, stubbed map[*Package]bool) *plainRole {
	r := &plainRole{field: field}
	seen := 0
	ok := eachPlain(field.Value, func(f *ast.Field) bool {
		seen++
		switch labelName(f.Label) {
		case "artifact":
			r.of = s.stubbed(f.Value, stubbed)
			return r.of != nil
		case "config":
			return s.plainConfig(r, f)
		case "meta":
			seen--
			again := r.meta != nil
			passed := len(r.passed)
			r.meta = s.plainData(r, f, []string{"meta"})
			return !again && r.meta != nil && r.meta.Kind == value.Struct && len(r.passed) == passed
		}
		return false
	})
	slices.SortFunc(r.passed, func(a, b passedAt) int { return slices.Compare(a.path, b.path) })
	if !ok || seen != 2 || r.of == nil || r.given == nil {
		return nil
	}
	return r
}

// stubbed is the package whose #Artifact x names, nil if no stub stands for it.
func (s *sources) stubbed(x ast.Expr, stubbed map[*Package]bool) *Package {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || labelName(sel.Sel) != "#Artifact" {
		return nil
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	if imp, ok := s.pkg.importOf(id); ok && stubbed[imp] && !imp.Missing && !imp.Broken {
		return imp
	}
	return nil
}

func (s *sources) plainConfig(r *plainRole, config *ast.Field) bool {
	scale := &value.Data{Kind: value.Struct}
	fields := []value.Field{}
	ok := eachPlain(config.Value, func(f *ast.Field) bool {
		switch name := labelName(f.Label); name {
		case "parameter", "resource":
			if _, ok := f.Value.(*ast.StructLit); !ok {
				return false
			}
			d := s.plainData(r, f, []string{name})
			fields = append(fields, value.Field{Name: name, Value: d})
			return d != nil && (name == "parameter" || !d.HasText())
		case "resilience":
			d := s.plainData(r, f, []string{name})
			fields = append(fields, value.Field{Name: name, Value: d})
			return d != nil && d.Kind == value.Null && slices.Equal(r.passed[len(r.passed)-1].copies(), []string{"config", "resilience"})
		case "scale":
			again := r.sized
			scale, r.sized = s.plainScale(f), true
			return scale != nil && !again
		}
		return false
	})
	slices.SortFunc(fields, func(a, b value.Field) int { return strings.Compare(a.Name, b.Name) })
	r.given = value.NewStruct(fromcue.Pos(config.Label), append(fields, value.Field{Name: "scale", Value: scale})...)
	return ok && isSet(r.given)
}

// plainScale reads  scale: hsize: 3,  nil for anything else.
func (s *sources) plainScale(scale *ast.Field) *value.Data {
	out := value.NewStruct(fromcue.Pos(scale.Label))
	ok := eachPlain(scale.Value, func(f *ast.Field) bool {
		lit, ok := f.Value.(*ast.BasicLit)
		if !ok || labelName(f.Label) != "hsize" || lit.Kind != token.INT || !plainNumber.MatchString(lit.Value) {
			return false
		}
		// The model has a type for it: the value lies where it is written.
		out.Fields = append(out.Fields, value.Field{Name: "hsize", Value: &value.Data{Kind: value.Int, Text: lit.Value, Pos: fromcue.Pos(lit)}})
		return true
	})
	if !ok || len(out.Fields) != 1 {
		return nil
	}
	return out
}

// plainData reads the value of a field at a path of a role's config, nil if it is
// neither data nor an expression over the service's config. A leaf lies where its
// field does, as it is all that is said of that.
func (s *sources) plainData(r *plainRole, f *ast.Field, path []string) *value.Data {
	switch x := f.Value.(type) {
	case *ast.StructLit:
		out := &value.Data{Kind: value.Struct, Pos: fromcue.Pos(f.Label), Fields: make([]value.Field, 0, len(x.Elts))}
		ok := eachPlain(x, func(f *ast.Field) bool {
			name := labelName(f.Label)
			if looksHidden(name) {
				return false
			}
			d := s.plainData(r, f, append(slices.Clip(path), name))
			out.Fields = append(out.Fields, value.Field{Name: name, Value: d})
			return d != nil
		})
		slices.SortFunc(out.Fields, func(a, b value.Field) int { return strings.Compare(a.Name, b.Name) })
		if !ok || !isSet(out) {
			return nil
		}
		return out
	case *ast.BasicLit:
		return plainLeaf(x, fromcue.Pos(f))
	}
	p, ok := s.expression(f.Value)
	if !ok {
		return nil
	}
	r.passed = append(r.passed, passedAt{path: path, passed: p})
	return &value.Data{Kind: value.Null, Pos: fromcue.Pos(f)}
}

// isSet tells whether no two fields of a struct, which are sorted, have one name.
func isSet(d *value.Data) bool {
	for i := range d.Fields {
		if i > 0 && d.Fields[i-1].Name == d.Fields[i].Name {
			return false
		}
	}
	return true
}

// plainNumber is how CUE writes whole numbers, of those that are not too large for
// any doubt.
var plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})$`)

// plainLeaf is the value of a literal, nil where CUE might write it otherwise.
func plainLeaf(x *ast.BasicLit, pos diag.Pos) *value.Data {
	switch x.Kind {
	case token.TRUE, token.FALSE:
		return &value.Data{Kind: value.Bool, Text: x.Value, Pos: pos}
	case token.INT:
		if plainNumber.MatchString(x.Value) {
			return &value.Data{Kind: value.Int, Text: x.Value, Pos: pos}
		}
	case token.STRING:
		if text, err := literal.Unquote(x.Value); err == nil && x.Value[0] == '"' {
			return &value.Data{Kind: value.String, Text: text, Pos: pos}
		}
	}
	return nil
}

// copies is the field of config that the expression is, nil for a text.
func (p passed) copies() []string {
	if p.text || len(p.parts) == 0 {
		return nil
	}
	return p.parts[0].ref
}
