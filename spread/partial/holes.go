package partial

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// depend adds the value at a path of the artifact to the group that depends on the same fields
// of config. Without a path, only whether it is right counts.
func (s *sources) depend(h depends.Hole, path ...string) {
	formula, isFormula := spread.FormulaOf(h)
	isFormula = isFormula && len(h.Formula.Types) == 0 && len(path) == 0
	g := s.groupOf(h, isFormula)
	g.from = append(g.from, h.Path)
	if isFormula {
		g.formulas = append(g.formulas, formula)
	}
	if !slices.EqualFunc(g.set, h.Set, slices.Equal) {
		g.set = append(g.set, h.Set...)
	}
	if h.Closed != nil {
		g.closed = append(g.closed, h.Closed)
	}
	if h.Check != nil {
		g.check = append(g.check, h.Check)
	}
	if len(path) > 0 {
		g.paths = append(g.paths, path)
	}
}

// groupOf is the group that a value is in: texts are one, and the fields of computed names in a
// struct are one by themselves. Formulas are not with others, and neither are parts of config that it chooses itself. What CUE has to make in
// roles is one, whatever it depends on: a service may have a thousand of them, and is seldom made twice.
func (s *sources) groupOf(h depends.Hole, isFormula bool) *dependents {
	key := fmt.Sprint(h.Closed != nil, isPart(h.Closed), h.Check != nil, isFormula, h.Set)
	switch {
	case isFormula && h.Formula.Text:
		key = "texts"
	case h.Beside != nil:
		key = fmt.Sprint(h.Path)
	case h.Closed == nil && h.Check == nil && !isFormula && len(h.Path) > 3 && h.Path[1] == "role":
		key = "roles"
	}
	if s.groups[key] == nil {
		s.groups[key] = &dependents{set: slices.Clip(h.Set), beside: h.Beside, known: map[string]made{}}
		s.order = append(s.order, s.groups[key])
	}
	return s.groups[key]
}

// isPart reports whether an expression is  config.parameter[x] , a part of config that x chooses.
func isPart(c *depends.Closed) bool {
	return c != nil && filter.Any(c.Exprs, func(x ast.Expr) bool { _, ok := syntax.Unparen(x).(*ast.IndexExpr); return ok })
}

// holesOf groups the values of an artifact that depend on config.
func holesOf(x *spread.Reading) *sources {
	return newHoles(x.Package, x.Sources).grouping(x)
}

// newHoles is what can be told before it is known which values depend on config.
func newHoles(p *spread.Package, d *depends.Sources) *sources {
	groups, size, ok := d.Together()
	return &sources{pkg: p, groupsOfConfig: groups, size: sizeAt(size), together: !ok, groups: map[string]*dependents{}, aside: map[*ast.Field]bool{}}
}

func (s *sources) grouping(x *spread.Reading) *sources {
	s.Reading = x
	for _, h := range x.Others {
		s.depend(h.Hole, h.Path...)
	}
	return s
}

// sizeAt is where a config has the number of instances that it makes of its parameters; nil if
// it makes none.
func sizeAt(h *depends.Hole) *passedAt {
	if h == nil {
		return nil
	}
	out := &passedAt{path: h.Path[2:]}
	if f, ok := spread.FormulaOf(*h); ok {
		out.Passed = f
		return out
	}
	out.asks, out.byCUE = true, dependentAt(h.Path, h.Set)
	out.byCUE.closed = []*depends.Closed{h.Closed}
	return out
}

// readRest is [spread.ReadConfig] for an artifact whose roles, connectors and variables are read from the sources
// as far as they are plain; nil if none is. What is left is for CUE, and so are roles of the names in unwritten.
func (r *runner) readRest(p *spread.Package, stubbed map[*spread.Package]spread.Stub, unwritten map[string]bool) *sources {
	if syntax.HasWrongNames(p.Files) {
		return nil // CUE minds
	}
	d := r.Eval.Sources(p)
	s := newHoles(p, d)
	plain, constants := map[*ast.Field]*plainRole{}, map[*ast.Field]plainField{}
	var fields []depends.Part
	reader := plainReader{runner: r, pkg: p, stubbed: stubbed, constants: map[string]*value.Data{}}
	for _, x := range d.Once("description", "role") {
		if unwritten[x.Name] {
			continue
		}
		if role := reader.readPlain(x); role != nil {
			plain[x.ByName()] = role
			fields = append(fields, x)
		}
	}
	constant := func(path []string, x depends.Part, d *value.Data) {
		if d != nil {
			constants[x.ByName()] = plainField{path, value.Field{Name: x.Name, Value: d}}
			fields = append(fields, x)
		}
	}
	for _, code := range d.Once("description", "code") {
		path := []string{"code", code.Name, "mapping", "env"}
		for _, x := range d.Once(append([]string{"description"}, path...)...) {
			constant(path, x, plainVariable(x))
		}
	}
	connector := newConnectorReader(p)
	for _, x := range d.Once("description", "connect") {
		constant([]string{"connect"}, x, connector.read(x))
	}
	if len(fields) == 0 {
		return nil
	}
	fields = d.LeaveOut(fields)
	x := spread.ReadConfig(d)
	if x == nil || len(fields) == 0 {
		return nil
	}
	s.grouping(x)
	for _, x := range fields {
		if role := plain[x.ByName()]; role != nil {
			s.plain = append(s.plain, role)
		} else {
			s.constants = append(s.constants, constants[x.ByName()])
		}
		for _, f := range x.Fields {
			s.aside[f] = true
		}
	}
	if filter.Any(s.constants, s.replaces) {
		return nil
	}
	s.rest = &spread.Package{Path: p.Path, Name: p.Name, Module: p.Module, Imports: p.Imports, Files: d.Rest(fields)}
	return s
}

// replaces reports whether a value that depends on config is all of a struct that a plain field is in: it would be put in
// place of that, without the field.
func (s *sources) replaces(c plainField) bool {
	at := append([]string{"description"}, c.path...)
	for key := range s.Described {
		if isWithin(c.path, strings.Split(key, "\x00")) {
			return true
		}
	}
	for _, h := range s.Others {
		if h.Beside == nil && len(h.Path) > 0 && isWithin(at, h.Path) {
			return true
		}
	}
	return false
}

// open are the paths of groups, from the artifact or, of what lies in one, from a role
// on: CUE is not asked for them when it evaluates the artifact without a config.
func (s *sources) open(role string) map[string]bool {
	out := map[string]bool{}
	for _, g := range s.order {
		for _, path := range g.paths {
			if role == "" && path[1] != "role" && g.beside == nil {
				out[strings.Join(path, "\x00")] = true
			} else if role != "" && path[1] == "role" && path[2] == role {
				out[strings.Join(path[3:], "\x00")] = true
			}
		}
	}
	return out
}

// plainRoles are the plain roles by name.
func (s *sources) plainRoles() map[string]*plainRole {
	out := map[string]*plainRole{}
	for _, x := range s.plain {
		out[x.name] = x
	}
	return out
}

// isPlain reports whether a role, or what lies in one, is read from the sources.
func (s *sources) isPlain(path []string) bool {
	if len(path) < 3 || path[1] != "role" {
		return false
	}
	role := path[2]
	return filter.Any(s.plain, func(x *plainRole) bool { return x.name == role })
}

// fills reports whether what fills a role does not depend on config.
func (s *sources) fills(role string) bool {
	return s.Sources == nil || s.isPlain([]string{"description", "role", role}) || len(s.Sources.Of("description", "role", role, "artifact")) == 0
}
