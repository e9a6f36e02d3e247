package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
)

// depend adds the value at a path of the artifact to the group that depends on the same fields
// of config. Without a path, only whether it is right counts.
func (s *sources) depend(h depends.Hole, path ...string) {
	conditional := h.Conditional
	if len(path) == 0 {
		conditional = nil // whether it is right may depend on leaves
	}
	key := fmt.Sprint(h.Closed != nil, conditional != nil, h.Set)
	g := s.groups[key]
	if g == nil {
		g = &dependents{set: h.Set, known: map[string]made{}}
		s.groups[key] = g
		s.order = append(s.order, g)
	}
	g.from = append(g.from, h.Path)
	if h.Closed != nil {
		g.closed = append(g.closed, h.Closed)
	}
	if conditional != nil {
		g.conditional = append(g.conditional, conditional)
	}
	if len(path) > 0 {
		g.paths = append(g.paths, path)
	}
}

// readHoles finds in the sources which values depend on config, and how. It is nil where more
// does than values in the description, and in the configs and the meta of roles.
func readHoles(p *Package, lib *library) *sources {
	s := newHoles(p, depends.Read(lib.of(p)))
	if !s.readHoles() {
		return nil
	}
	return s
}

func newHoles(p *Package, d *depends.Sources) *sources {
	groups, size, ok := d.Together()
	return &sources{groupsOfConfig: groups, size: sizeAt(size), together: !ok, pkg: p, depends: d, alone: map[string]*dependents{}, passed: map[string]map[string]passed{}, described: map[string]passed{}, groups: map[string]*dependents{}, aside: map[*ast.Field]bool{}}
}

// sizeAt is where a config has the number of instances that it makes of its parameters; nil if
// it makes none.
func sizeAt(h *depends.Hole) *passedAt {
	if h == nil {
		return nil
	}
	out := &passedAt{path: h.Path[2:]}
	if f, ok := formulaOf(*h); ok {
		out.passed = f
		return out
	}
	out.asks, out.byCUE = true, dependentAt(h.Path, h.Set)
	out.byCUE.closed = []*depends.Closed{h.Closed}
	return out
}

func (s *sources) readHoles() bool {
	return !slices.ContainsFunc(s.depends.Holes(), func(h depends.Hole) bool { return !s.hole(h) })
}

// readRest is [readHoles] for a service whose roles are read from the sources as far as they
// are plain; nil if none is. What is left is for CUE.
func (r *runner) readRest(p *Package, stubbed map[*Package]bool) *sources {
	if syntax.HasUnused(p.Files) {
		return nil // CUE minds
	}
	s := newHoles(p, depends.Read(r.eval.library.of(p)))
	plain := map[string]*plainRole{}
	var fields []depends.Part
	for _, x := range s.depends.Once("description", "role") {
		if role := r.readPlain(p, x, stubbed); role != nil {
			plain[x.Name] = role
			fields = append(fields, x)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	fields = s.depends.LeaveOut(fields)
	for _, x := range fields {
		s.plain = append(s.plain, plain[x.Name])
		for _, f := range x.Fields {
			s.aside[f] = true
		}
	}
	if len(s.plain) == 0 || !s.readHoles() {
		return nil
	}
	s.rest = &Package{Path: p.Path, Name: p.Name, Module: p.Module, Imports: p.Imports, Files: s.depends.Rest(fields)}
	return s
}

func (s *sources) hole(h depends.Hole) bool {
	path := h.Path
	switch {
	case slices.ContainsFunc(path, isAside):
		s.depend(h)
	case len(path) < 2 || path[0] != "description" || path[1] == "builtin" || len(path) < 5 && path[1] == "role":
		return false
	case slices.ContainsFunc(path, func(name string) bool { return strings.HasPrefix(name, `"`) }):
		return false // a field whose name looks like that of a hidden one
	case path[1] != "role":
		if f, ok := formulaOf(h); ok && !f.reads("resource") {
			s.described[strings.Join(path[1:], "\x00")] = f
			s.alone[strings.Join(path, "\x00")] = dependentAt(path, h.Set)
			return true
		}
		s.depend(h, path...)
	case path[3] == "config":
		f, ok := formulaOf(h)
		if path[4] == "resilience" && !slices.Equal(f.copies(), []string{"config", "resilience"}) {
			return false
		}
		if ok {
			if s.passed[path[2]] == nil {
				s.passed[path[2]] = map[string]passed{}
			}
			s.passed[path[2]][strings.Join(path[4:], "\x00")] = f
			s.alone[strings.Join(path, "\x00")] = dependentAt(path, h.Set)
			return true
		}
		if path[4] == "resource" {
			return false // what is written for one is judged where it stands
		}
		s.depend(h, path...)
	case path[3] == "meta":
		s.depend(h, path...)
	default:
		return false
	}
	return true
}

// formulaOf is the expression by which a value is made, false if Go does not know it.
func formulaOf(h depends.Hole) (passed, bool) {
	if h.Formula == nil {
		return passed{}, false
	}
	out := passed{text: h.Formula.Text, expr: h.Formula.Expr}
	for _, x := range h.Formula.Pieces {
		p := part{literal: x.Text}
		if x.Path != nil {
			p.ref = append([]string{"config"}, x.Path...)
		}
		out.parts = append(out.parts, p)
	}
	return out, true
}

// open are the paths of groups, from the artifact or, of what lies in one, from a role
// on: CUE is not asked for them when it evaluates the artifact without a config.
func (s *sources) open(role string) map[string]bool {
	out := map[string]bool{}
	for _, g := range s.order {
		for _, path := range g.paths {
			if role == "" && path[1] != "role" {
				out[strings.Join(path, "\x00")] = true
			} else if role != "" && path[1] == "role" && path[2] == role {
				out[strings.Join(path[3:], "\x00")] = true
			}
		}
	}
	return out
}

// isKnown reports whether each value that depends on config is made of a formula or of a closed
// expression, and no slice is needed.
func (s *sources) isKnown() bool {
	return !s.together && len(s.groupsOfConfig) == 0 && !slices.ContainsFunc(s.order, func(g *dependents) bool { return g.closed == nil })
}

// isPlain reports whether a role, or what lies in one, is read from the sources.
func (s *sources) isPlain(path []string) bool {
	if len(path) < 3 || path[1] != "role" {
		return false
	}
	role := path[2]
	return slices.ContainsFunc(s.plain, func(x *plainRole) bool { return x.name == role })
}

// fills reports whether what fills a role does not depend on config.
func (s *sources) fills(role string) bool {
	return s.depends == nil || s.isPlain([]string{"description", "role", role}) || len(s.depends.Of("description", "role", role, "artifact")) == 0
}
