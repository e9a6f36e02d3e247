package partial

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// plainField is a field of the description that its sources give as literals: an environment variable of
// a container,  LOG_LEVEL: parameter: "logLevel",  or a connector. The model says so little of
// either that nothing can be wrong with it.
type plainField struct {
	path  []string // of the struct that it is in, from the description
	field value.Field
}

// variableFields are those of the model's #Env.
var variableFields = []string{"value", "parameter", "secret", "domain", "port", "certificate", "ca"}

// plainParameter is a parameter that nothing in the artifact refers to, other than
// by its name in a mapping, and whose type is read from the sources.
type plainParameter struct {
	name   string
	schema *schema
}

// readConstants takes variables and parameters aside that are read without CUE. No
// part of the description refers to another, where they might be missed.
func (s *sources) readConstants() {
	if s.spine == nil || s.crossing {
		return
	}
	s.readVariables()
	s.readParameters()
}

func (s *sources) readVariables() {
	codes, ok := s.spine.at("code")
	if !ok {
		return
	}
	for _, name := range fieldsOf(codes) {
		path := []string{"code", name, "mapping", "env"}
		structs, ok := s.spine.at(path...)
		if !ok {
			continue
		}
		for _, f := range once(structs) {
			if d := plainVariableOf(f); d != nil {
				s.constants = append(s.constants, plainField{path, value.Field{Name: syntax.LabelName(f.Label), Value: d}})
				s.aside[f] = true
			}
		}
		s.from = append(s.from, structs...)
	}
}

// fieldsOf are the names of the fields in plain structs.
func fieldsOf(structs []*ast.StructLit) []string {
	var names []string
	for _, lit := range structs {
		for _, d := range lit.Elts {
			names = append(names, syntax.LabelName(d.(*ast.Field).Label))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plainVariable is a variable that is all literals; nil for any other.
func plainVariable(x depends.Part) *value.Data {
	if len(x.Fields) != 1 || !isOrdinary(x) || !x.IsInOpen() {
		return nil
	}
	return plainVariableOf(x.Fields[0])
}

func plainVariableOf(f *ast.Field) *value.Data {
	out := &value.Data{Kind: value.Struct, Pos: fromcue.Pos(f.Label)}
	ok := !syntax.IsAside(syntax.LabelName(f.Label)) && eachPlain(f.Value, func(f *ast.Field) bool {
		lit, ok := f.Value.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || !filter.Contains(variableFields, syntax.LabelName(f.Label)) {
			return false
		}
		d := fromcue.Literal(lit, fromcue.Pos(lit)) // the model has a type for it
		out.Fields = append(out.Fields, value.Field{Name: syntax.LabelName(f.Label), Value: d})
		return d != nil
	})
	if !ok {
		return nil
	}
	return value.Distinct(out.Pos, out.Fields...)
}

func (s *sources) readParameters() {
	structs, ok := s.spine.at("config", "parameter")
	if !ok || len(s.aliases) > 0 {
		return
	}
	read := s.readFields()
	for _, f := range once(structs) {
		name := syntax.LabelName(f.Label)
		if read[""] || read[name] || syntax.IsAside(name) {
			continue
		}
		if x := schemaOf(f); x != nil {
			s.parameters = append(s.parameters, plainParameter{name, x})
			s.aside[f] = true
		}
	}
	s.from = append(s.from, structs...)
}

// readFields are the parameters that expressions refer to; "" is all of them.
func (s *sources) readFields() map[string]bool {
	out := map[string]bool{}
	note := func(p spread.Passed) {
		for _, x := range p.Parts {
			if len(x.Ref) > 1 && x.Ref[1] == "parameter" {
				out[strings.Join(x.Ref[2:min(3, len(x.Ref))], "")] = true
			}
		}
	}
	for _, p := range s.Described {
		note(p)
	}
	for _, h := range s.Others {
		for _, path := range h.Set {
			if len(path) == 0 || path[0] == "parameter" {
				out[strings.Join(path[min(1, len(path)):min(2, len(path))], "")] = true
			}
		}
	}
	for _, role := range s.Passed {
		for _, p := range role {
			note(p)
		}
	}
	for _, role := range s.plain {
		for _, p := range role.passed {
			note(p.Passed)
		}
	}
	return out
}

// typed is a declaration taken apart into its alternatives.
type typed struct {
	fallback *ast.BasicLit
	literals []string // other than the fallback
	types    int
}

// schemaOf is the schema of a parameter whose type is a name, a number within
// bounds, values, or several of those, one of which may be a value that it falls
// back to; nil for anything else.
func schemaOf(f *ast.Field) *schema {
	t := typed{}
	if !t.read(f.Value) {
		return nil
	}
	s := &schema{check: checkExpr(f.Value)}
	single := len(t.literals) == 1 && t.types == 0
	literal, _ := f.Value.(*ast.BasicLit)
	switch {
	case s.check == nil, single && t.fallback == nil && literal == nil:
		return nil
	case t.fallback != nil:
		s.fallback = fromcue.Literal(t.fallback, fromcue.Pos(f))
	case literal != nil:
		s.fixed, s.fallback = true, fromcue.Literal(literal, fromcue.Pos(f))
	case t.types > 0 && t.types+len(t.literals) > 1:
		return nil // the same value may be among them twice
	}
	return s
}

// read takes x apart, false if it is something else than alternatives.
func (t *typed) read(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.OR {
			return t.read(x.X) && t.read(x.Y)
		}
	case *ast.UnaryExpr:
		if lit, ok := x.X.(*ast.BasicLit); ok && x.Op == token.MUL {
			marked := t.fallback != nil
			t.fallback = lit
			return !marked && fromcue.Literal(lit, fromcue.Pos(lit)) != nil
		}
	case *ast.BasicLit:
		d := fromcue.Literal(x, fromcue.Pos(x))
		again := filter.Contains(t.literals, d.JSON())
		t.literals = append(t.literals, d.JSON())
		return d != nil && !again
	case *ast.Ident:
		t.types++
		return checkName(x) != nil
	case *ast.ParenExpr:
		marked := t.fallback
		_, ok := x.X.(*ast.BinaryExpr)
		return ok && t.read(x.X) && t.fallback == marked // a mark within has another meaning
	}
	t.types++
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	return withinBounds(x, &low, &high) && low < high
}

// withinBounds narrows a range by what  int & >=1 & <=10  says, false for anything else.
func withinBounds(x ast.Expr, low, high *int64) bool {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		return x.Op == token.AND && withinBounds(x.X, low, high) && withinBounds(x.Y, low, high)
	case *ast.Ident:
		if x.Name == "uint" {
			*low = max(*low, 0)
		}
		return x.Node == nil && (x.Name == "int" || x.Name == "uint")
	case *ast.UnaryExpr:
		lit, ok := x.X.(*ast.BasicLit)
		if !ok || !fromcue.PlainNumber().MatchString(lit.Value) {
			return false
		}
		n, err := strconv.ParseInt(lit.Value, 10, 64)
		switch x.Op {
		case token.GEQ:
			*low = max(*low, n)
		case token.GTR:
			*low = max(*low, n+1)
		case token.LEQ:
			*high = min(*high, n)
		case token.LSS:
			*high = min(*high, n-1)
		default:
			return false
		}
		return err == nil
	}
	return false
}

// describe adds the plain fields to a description that lacks them.
func (s *sources) describe(desc *value.Data) *value.Data {
	for i := 0; i < len(s.constants); {
		path := s.constants[i].path
		in := *value.OrEmpty(desc.Get(path...))
		in.Fields = slices.Clone(in.Fields)
		for ; i < len(s.constants) && slices.Equal(s.constants[i].path, path); i++ {
			in.Fields = append(in.Fields, s.constants[i].field)
		}
		value.SortFields(in.Fields)
		desc = desc.With(path, &in)
	}
	return desc
}

// declare adds the parameters to a schema that lacks them, false if that is none
// of a struct.
func (s *sources) declare(parameters *schema) bool {
	if len(s.parameters) == 0 {
		return true
	}
	if parameters == nil || parameters.fields == nil {
		return false
	}
	for _, p := range s.parameters {
		parameters.fields = append(parameters.fields, schemaField{name: p.name, schema: p.schema})
	}
	sorting.By(parameters.fields, func(a, b schemaField) int { return strings.Compare(a.name, b.name) })
	return true
}
