package partial

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/spread"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/compute"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// plainRole is a role of which the sources say everything, so that CUE need not
// be asked: filled by the artifact of another package, with a config of values and
// expressions over the service's config. The model takes any parameter and resource
// there, whatever its type, and any number of instances; so nothing can be wrong with
// it but an expression that refers to what the service's config does not have, which
// [runner.pruned] looks for.
type plainRole struct {
	name   string
	pos    diag.Pos
	of     *spread.Package
	given  *value.Data // its config, with a null in place of what is passed
	passed []passedAt
	meta   *value.Data // likewise
	sized  bool        // it says how many instances there are
	open   bool        // its scale takes any other field that the model has
}

// plainReader reads the plain roles of a package, one at a time.
type plainReader struct {
	*plainRole
	runner  *runner
	pkg     *spread.Package
	stubbed map[*spread.Package]spread.Stub
	// constants are values of expressions that roles share, see [plainReader.constant].
	constants map[string]*value.Data
}

// readPlain reads a role that the package declares, nil if it is not plain. It is filled by one of
// the packages in stubbed.
func (s plainReader) readPlain(role depends.Part) *plainRole {
	if !isOrdinary(role) {
		return nil // an optional role is not there, for example
	}
	s.plainRole = &plainRole{name: role.Name, pos: structPos(role)}
	ok := eachOf(role, func(x depends.Part) bool {
		if isAside(x) {
			return isRight(x)
		}
		switch x.Name {
		case "artifact":
			s.of = s.filling(x)
			return s.of != nil
		case "config":
			return s.config(x)
		case "meta":
			s.meta = s.data(x, []string{"meta"})
			return s.meta != nil && s.meta.Kind == value.Struct
		}
		return false
	})
	sorting.By(s.passed, func(a, b passedAt) int { return slices.Compare(a.path, b.path) })
	if !ok || s.of == nil || s.given == nil {
		return nil
	}
	return s.plainRole
}

// eachPart calls f with the fields of a struct. It is false if x is something else, if not
// all that is in it is known, or if f is false of one.
func eachPart(x depends.Part, f func(depends.Part) bool) bool {
	return eachOf(x, func(x depends.Part) bool { return !isAside(x) && f(x) })
}

// eachOf is [eachPart] with hidden fields and definitions among the fields.
func eachOf(x depends.Part, f func(depends.Part) bool) bool {
	parts, ok := x.Parts()
	return ok && x.IsStruct() && !filter.Any(parts, func(x depends.Part) bool {
		return filter.Any(x.Fields, isSpecial) || !f(x)
	})
}

// isAside reports whether a field is hidden or a definition, or would look so without quotes.
func isAside(x depends.Part) bool { return syntax.IsAside(strings.TrimPrefix(x.Name, `"`)) }

// isRight reports whether Go evaluates a hidden field or a definition without config, and it is no error.
func isRight(x depends.Part) bool {
	if strings.HasPrefix(x.Name, `"`) {
		return false // its name is in quotes: it is data
	}
	c := x.Check()
	return c != nil && len(c.Set()) == 0 && newComputed(c).hidden(nil) != nil
}

// structOfParts is a struct with a value for each field of x, nil if one has none.
func structOfParts(x depends.Part, of func(depends.Part) *value.Data) *value.Data {
	if len(x.Fields) > 1 && (filter.Any(x.Fields, isEmptyStruct) || !isStruct(x.Fields[0])) {
		return nil // CUE places it there, or elsewhere
	}
	fields := []value.Field{}
	ok := eachPart(x, func(x depends.Part) bool {
		d := of(x)
		fields = append(fields, value.Field{Name: x.Name, Value: d})
		return d != nil
	})
	if !ok {
		return nil
	}
	return value.NewStruct(structPos(x), fields...)
}

func isStruct(f *ast.Field) bool {
	_, ok := f.Value.(*ast.StructLit)
	return ok
}

func isEmptyStruct(f *ast.Field) bool {
	lit, ok := f.Value.(*ast.StructLit)
	return ok && len(lit.Elts) == 0
}

// isOrdinary reports whether a field is not hidden, would not look so without quotes, and is nothing but a name and values.
func isOrdinary(x depends.Part) bool { return !isAside(x) && !filter.Any(x.Fields, isSpecial) }

// isSpecial reports whether there is more to a field than a name and a value.
func isSpecial(f *ast.Field) bool {
	return f.Constraint != token.ILLEGAL || f.Value == nil || len(f.Attrs) > 0
}

// structPos is where a struct lies: at the label of the first field that declares it by its name.
func structPos(x depends.Part) diag.Pos { return fromcue.Pos(x.ByName().Label) }

// filling is the package whose #Artifact is all that is said of a field, nil if no stub
// stands for it.
func (s *plainReader) filling(x depends.Part) *spread.Package {
	if len(x.Fields) != 1 {
		return nil
	}
	sel, ok := x.Fields[0].Value.(*ast.SelectorExpr)
	if !ok || syntax.LabelName(sel.Sel) != "#Artifact" {
		return nil
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	if imp, ok := s.pkg.ImportOf(id); ok && s.stubbed[imp] != spread.NoStub && !imp.Missing && !imp.Broken {
		return imp
	}
	return nil
}

func (s *plainReader) config(config depends.Part) bool {
	scale := &value.Data{Kind: value.Struct}
	fields := []value.Field{}
	ok := eachPart(config, func(x depends.Part) bool {
		switch x.Name {
		case "parameter", "resource":
			if !x.IsStruct() {
				return false
			}
		case "resilience":
		case "scale":
			scale, s.sized, s.open = s.scale(x), true, x.IsLiteral()
			return scale != nil
		default:
			return false
		}
		before := len(s.passed)
		d := s.data(x, []string{x.Name})
		fields = append(fields, value.Field{Name: x.Name, Value: d})
		switch {
		case d == nil:
			return false
		case x.Name == "resource": // what is written for one is judged where it stands
			return !spread.NamesResources(d) && !filter.Any(s.passed[before:], func(p passedAt) bool { return p.asks })
		case x.Name == "resilience":
			if len(s.passed) > before {
				return d.Kind != value.Struct && slices.Equal(s.passed[before].Copies(), []string{"config", "resilience"})
			}
			return d.Kind == value.Int && !strings.HasPrefix(d.Text, "-")
		}
		return true
	})
	value.SortFields(fields)
	s.given = value.NewStruct(structPos(config), append(fields, value.Field{Name: "scale", Value: scale})...)
	return ok
}

// scale reads  scale: hsize: 3,  and a quality of service of literals; nil for anything else.
func (s *plainReader) scale(scale depends.Part) *value.Data {
	out := value.NewStruct(structPos(scale))
	ok := eachPart(scale, func(x depends.Part) bool {
		before := len(s.passed)
		d := s.data(x, []string{"scale", x.Name})
		switch {
		case d == nil:
			return false
		case x.Name == "hsize":
			if d.Kind != value.Int && d.Kind != value.Null || strings.HasPrefix(d.Text, "-") {
				return false
			}
		case x.Name != "qos" || d.Kind != value.Struct || len(s.passed) > before:
			return false
		}
		out.Fields = append(out.Fields, value.Field{Name: x.Name, Value: d})
		return true
	})
	if !ok || len(out.Fields) == 0 {
		return nil
	}
	return out
}

// data reads the value at a path of a role, nil if that is not known. A leaf lies where its
// field does, as it is all that is said of that.
func (s *plainReader) data(x depends.Part, path []string) *value.Data {
	if !x.IsStruct() {
		return s.leaf(x, path)
	}
	if d := s.fields(x, path); d != nil {
		return d
	}
	if _, ok := x.Parts(); ok {
		return nil
	}
	return s.made(x, path)
}

// fields reads a struct of nothing but fields with names, nil for any other.
func (s *plainReader) fields(x depends.Part, path []string) *value.Data {
	return structOfParts(x, func(x depends.Part) *value.Data { return s.data(x, append(slices.Clip(path), x.Name)) })
}

// embedding reads a struct that has copies of structs of config in it without a name, besides the rest. Whether the copies have fields of
// the rest is found out later, when the types of the config are known: see [unit.unread].
func (s *plainReader) embedding(rest depends.Part, copies []*depends.Formula, path []string) *value.Data {
	for _, f := range copies {
		p, _ := spread.FormulaOf(depends.Hole{Formula: f})
		s.passed = append(s.passed, passedAt{path: path, Passed: p, embeds: true, beside: writtenIn(rest.Fields[0])})
	}
	return s.fields(rest, path)
}

// writtenIn are the places of literals and texts in a struct literal, by the names of their fields.
func writtenIn(of *ast.Field) map[string]diag.Pos {
	out := map[string]diag.Pos{}
	for _, d := range of.Value.(*ast.StructLit).Elts {
		f := d.(*ast.Field)
		switch f.Value.(type) {
		case *ast.BasicLit, *ast.Interpolation:
			out[syntax.LabelName(f.Label)] = fromcue.Pos(f.Value)
		}
	}
	return out
}

// made is a list or struct of parameters that Go makes of config, nil if Go cannot.
func (s *plainReader) made(x depends.Part, path []string) *value.Data {
	if path[0] != "parameter" {
		return nil
	}
	if rest, copies, ok := x.Embedding(); ok {
		return s.embedding(rest, copies, path)
	}
	c := x.Written()
	if c == nil {
		return nil
	}
	g := dependentAt(append([]string{"description", "role", s.name}, s.in(path)...), c.Set())
	g.written, g.place = compute.NewLiteral(c), structPos(x)
	if g.written == nil {
		return nil
	}
	s.passed = append(s.passed, passedAt{path: path, asks: true, byCUE: g})
	return &value.Data{Kind: value.Null, Pos: g.place}
}

// leaf reads what is no struct: a literal or a list of some, a value of the service's
// config or a text with some, or what CUE makes of an expression by itself.
func (s *plainReader) leaf(x depends.Part, path []string) *value.Data {
	if len(x.Fields) != 1 {
		return typedLiteral(x.Fields)
	}
	pos, typed := fromcue.Pos(x.Fields[0]), path[0] == "resilience" || slices.Equal(path, []string{"scale", "hsize"})
	if at := fromcue.Pos(x.Fields[0].Value); typed || at.Filename() != pos.Filename() {
		pos = at // the model has a type, so it lies where it is written; or it is a value of an artifact, which does too
	}
	if d := plainLiteral(x.Fields[0].Value, pos); d != nil {
		return d
	}
	if p, ok := spread.FormulaOf(depends.Hole{Formula: x.Formula()}); ok {
		s.passed = append(s.passed, passedAt{path: path, Passed: p})
		return &value.Data{Kind: value.Null, Pos: pos}
	}
	closed := x.Closed()
	if closed == nil {
		return s.made(x, path)
	}
	if d := closedLiteral(closed, typed); d != nil {
		return d
	}
	if typed {
		closed.Decl = nil
	}
	at := append([]string{"description", "role", s.name}, s.in(path)...)
	g := dependentAt(at, closed.Set())
	g.closed = []*depends.Closed{closed}
	if len(g.set) == 0 {
		return s.constant(g)
	}
	s.passed = append(s.passed, passedAt{path: path, asks: true, byCUE: g})
	return &value.Data{Kind: value.Null, Pos: pos}
}

// typedLiteral returns the value of a field of which one declaration is a literal and all others are types that take it. It is nil for any
// other field.
func typedLiteral(fields []*ast.Field) (out *value.Data) {
	var types []func(*value.Data) bool
	for _, f := range fields {
		if lit, ok := f.Value.(*ast.BasicLit); ok {
			again := out != nil
			if out = fromcue.Literal(lit, fromcue.Pos(lit)); again || out == nil {
				return nil
			}
			continue
		}
		types = append(types, checkExpr(f.Value))
	}
	if out == nil || filter.Any(types, func(takes func(*value.Data) bool) bool { return takes == nil || !takes(out) }) {
		return nil
	}
	return out
}

// constant is the value of an expression that does not depend on config; nil if CUE cannot evaluate it.
// Roles that have the same expression over the same lists share one evaluation of CUE's.
func (s *plainReader) constant(g *dependents) *value.Data {
	c := g.closed[0]
	if d := newComputed(c).value(nil); d != nil {
		return d
	}
	key := keyOf(c)
	if d := s.constants[key]; d != nil {
		return d.MovedTo(fromcue.Pos(c.Decl))
	}
	values := evaluateClosed(s.runner, g.closed, nil)
	if values == nil {
		return nil
	}
	if key != "" {
		s.constants[key] = values[0]
	}
	return values[0]
}

// keyOf is the same for expressions of one file that have the same value; "" for one that is not compared.
func keyOf(c *depends.Closed) string {
	if c.Decl == nil || len(c.Exprs) != 1 {
		return ""
	}
	text, err := format.Node(c.Exprs[0])
	if err != nil {
		return ""
	}
	key := fmt.Sprint(fromcue.Pos(c.Decl).Filename(), "\x00", string(text))
	for _, k := range c.Constants {
		key += fmt.Sprintf("\x00%p", k.Is)
	}
	return key
}

// closedLiteral is the value of an expression that is but another name for a literal; nil for any other. It has the position of the
// field that the literal is the value of or, if the model has a type for the place (typed), that of the literal.
func closedLiteral(c *depends.Closed, typed bool) *value.Data {
	lit, ok := syntax.Unparen(c.Exprs[0]).(*ast.BasicLit)
	switch {
	case !ok || c.Decl == nil:
		return nil
	case typed:
		return onlyIf(lit.Kind == token.INT, fromcue.Literal(lit, fromcue.Pos(lit)))
	}
	return fromcue.Literal(lit, fromcue.Pos(c.Decl))
}

// in is the path of a role that leads to a part of its config, or to its meta.
func (s *plainReader) in(path []string) []string {
	if path[0] == "meta" {
		return path
	}
	return append([]string{"config"}, path...)
}

// plainLiteral is the value of a literal, or of a list of them or of structs of them, nil for
// anything else.
func plainLiteral(x ast.Expr, pos diag.Pos) *value.Data {
	switch x := x.(type) {
	case *ast.BasicLit:
		return fromcue.Literal(x, pos)
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
	case *ast.StructLit:
		return literalStruct(x, pos)
	}
	return nil
}

// literalStruct is an item of a list.
func literalStruct(x *ast.StructLit, pos diag.Pos) *value.Data {
	out := value.NewStruct(pos)
	ok := eachPlain(x, func(f *ast.Field) bool {
		name := syntax.LabelName(f.Label)
		d := plainLiteral(f.Value, fromcue.Pos(f))
		if _, isStruct := f.Value.(*ast.StructLit); isStruct {
			d = plainLiteral(f.Value, fromcue.Pos(f.Label))
		}
		if d == nil || syntax.IsAside(name) || out.Get(name) != nil {
			return false
		}
		out.Fields = append(out.Fields, value.Field{Name: name, Value: d})
		return true
	})
	if !ok {
		return nil
	}
	value.SortFields(out.Fields)
	return out
}
