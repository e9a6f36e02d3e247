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
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// plainRole is a role of which the sources say everything, so that CUE need not
// be asked: written in one place, filled by the artifact of another package, with
// a config of values and expressions over the service's config. The model takes
// any parameter and resource there, whatever its type, and any number of
// instances; so nothing can be wrong with it but an expression that refers to
// what the service's config does not have, which [runner.lean] looks for.
type plainRole struct {
	name   string
	field  *ast.Field
	of     *Package
	given  *value.Data // its config, with a null in place of what is passed
	passed []passedAt
	meta   *value.Data // likewise
	sized  bool        // it says how many instances there are
}

// plainReader reads one plain role.
type plainReader struct {
	*plainRole
	runner  *runner
	pkg     *Package
	role    depends.Declared
	stubbed map[*Package]bool
}

// readPlain reads a role that p declares, nil if it is not plain. It is filled by one of
// the packages in stubbed.
func (r *runner) readPlain(p *Package, role depends.Declared, stubbed map[*Package]bool) *plainRole {
	if looksHidden(strings.TrimPrefix(role.Name, `"`)) {
		return nil
	}
	s := &plainReader{&plainRole{name: role.Name, field: role.Field}, r, p, role, stubbed}
	written := map[string]bool{}
	ok := eachSaid(role.Field.Value, func(f *ast.Field) bool {
		name := labelName(f.Label)
		again := written[name]
		written[name] = true
		switch {
		case again:
		case name == "artifact":
			s.of = s.filling(f.Value)
			return s.of != nil
		case name == "config":
			return s.config(f)
		case name == "meta":
			s.meta = s.data(f, []string{"meta"})
			return s.meta != nil && s.meta.Kind == value.Struct
		}
		return false
	})
	slices.SortFunc(s.passed, func(a, b passedAt) int { return slices.Compare(a.path, b.path) })
	if !ok || s.of == nil || s.given == nil {
		return nil
	}
	return s.plainRole
}

// filling is the package whose #Artifact x names, nil if no stub stands for it.
func (s *plainReader) filling(x ast.Expr) *Package {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || labelName(sel.Sel) != "#Artifact" {
		return nil
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	if imp, ok := s.pkg.importOf(id); ok && s.stubbed[imp] && !imp.Missing && !imp.Broken {
		return imp
	}
	return nil
}

func (s *plainReader) config(config *ast.Field) bool {
	scale := &value.Data{Kind: value.Struct}
	fields := []value.Field{}
	ok := eachSaid(config.Value, func(f *ast.Field) bool {
		name := labelName(f.Label)
		switch name {
		case "parameter", "resource":
			if _, ok := f.Value.(*ast.StructLit); !ok {
				return false
			}
		case "resilience":
		case "scale":
			again := s.sized
			scale, s.sized = s.scale(f), true
			return scale != nil && !again
		default:
			return false
		}
		before := len(s.passed)
		d := s.data(f, []string{name})
		fields = append(fields, value.Field{Name: name, Value: d})
		switch {
		case d == nil:
			return false
		case name == "resource": // what is written for one is judged where it stands
			return !d.HasText() && !slices.ContainsFunc(s.passed[before:], func(p passedAt) bool { return p.asks })
		case name == "resilience":
			return d.Kind == value.Null && len(s.passed) > before && slices.Equal(s.passed[before].copies(), []string{"config", "resilience"})
		}
		return true
	})
	slices.SortFunc(fields, func(a, b value.Field) int { return strings.Compare(a.Name, b.Name) })
	s.given = value.NewStruct(fromcue.Pos(config.Label), append(fields, value.Field{Name: "scale", Value: scale})...)
	return ok && isSet(s.given)
}

// scale reads  scale: hsize: 3,  nil for anything else.
func (s *plainReader) scale(scale *ast.Field) *value.Data {
	out := value.NewStruct(fromcue.Pos(scale.Label))
	ok := eachSaid(scale.Value, func(f *ast.Field) bool {
		if labelName(f.Label) != "hsize" {
			return false
		}
		d := s.data(f, []string{"scale", "hsize"})
		if d == nil || d.Kind != value.Int && d.Kind != value.Null || strings.HasPrefix(d.Text, "-") {
			return false
		}
		d.Pos = fromcue.Pos(f.Value) // the model has a type for it: it lies where it is written
		out.Fields = append(out.Fields, value.Field{Name: "hsize", Value: d})
		return true
	})
	if !ok || len(out.Fields) != 1 {
		return nil
	}
	return out
}

// data reads the value of a field at a path of a role, nil if that is not known. A leaf
// lies where its field does, as it is all that is said of that.
func (s *plainReader) data(f *ast.Field, path []string) *value.Data {
	x, ok := f.Value.(*ast.StructLit)
	if !ok {
		return s.leaf(f, path)
	}
	out := &value.Data{Kind: value.Struct, Pos: fromcue.Pos(f.Label), Fields: make([]value.Field, 0, len(x.Elts))}
	ok = eachSaid(x, func(f *ast.Field) bool {
		name := labelName(f.Label)
		if looksHidden(name) {
			return false
		}
		d := s.data(f, append(slices.Clip(path), name))
		out.Fields = append(out.Fields, value.Field{Name: name, Value: d})
		return d != nil
	})
	slices.SortFunc(out.Fields, func(a, b value.Field) int { return strings.Compare(a.Name, b.Name) })
	if !ok || !isSet(out) {
		return nil
	}
	return out
}

// leaf reads what is no struct: a literal or a list of some, a value of the service's
// config or a text with some, or what CUE makes of an expression by itself.
func (s *plainReader) leaf(f *ast.Field, path []string) *value.Data {
	pos := fromcue.Pos(f)
	if d := plainLiteral(f.Value, pos); d != nil {
		return d
	}
	if p, ok := formulaOf(depends.Hole{Formula: s.role.Formula(f.Value)}); ok {
		s.passed = append(s.passed, passedAt{path: path, passed: p})
		return &value.Data{Kind: value.Null, Pos: pos}
	}
	closed := s.role.Closed(f, s.in(path)...)
	if closed == nil {
		return nil
	}
	at := append([]string{"description", "role", s.name}, s.in(path)...)
	g := &dependents{set: closed.Set(), from: []depends.Path{at}, paths: [][]string{at}, closed: []*depends.Closed{closed}, known: map[string]made{}}
	if len(g.set) == 0 {
		values := g.alone(s.runner, &unit{}, nil)
		if values == nil {
			return nil
		}
		return values[0]
	}
	s.passed = append(s.passed, passedAt{path: path, asks: true, byCUE: g})
	return &value.Data{Kind: value.Null, Pos: pos}
}

// in is the path of a role that leads to a part of its config, or to its meta.
func (s *plainReader) in(path []string) []string {
	if path[0] == "meta" {
		return path
	}
	return append([]string{"config"}, path...)
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

// plainLiteral is the value of a literal, or of a list of them, nil for anything else.
func plainLiteral(x ast.Expr, pos diag.Pos) *value.Data {
	switch x := x.(type) {
	case *ast.BasicLit:
		return plainLeaf(x, pos)
	case *ast.ListLit:
		out := &value.Data{Kind: value.List, Pos: pos}
		for _, e := range x.Elts {
			d := plainLiteral(e, fromcue.Pos(e))
			if d == nil {
				return nil
			}
			out.Items = append(out.Items, d)
		}
		return out
	}
	return nil
}

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
