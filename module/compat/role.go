package compat

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
)

// roles reports what is different in a role, depends on no config itself, and may
// be refused by the artifact of the role together with what does.
func (v *view) roles() {
	done := map[string]bool{}
	for _, p := range v.affected {
		key := strings.Join(p, ".")
		if len(p) < 4 || p[1] != "role" || done[key] || p[3] != "config" && p[3] != "artifact" {
			continue
		}
		done[key] = true
		depends := v.dependents(p[2])
		if p[3] == "artifact" {
			v.anotherArtifact(p, depends)
			continue
		}
		if !v.scaled(p[2]) && len(depends) == 0 || v.taken(p) {
			continue
		}
		s := v.at(p)
		if s == nil {
			s = &statement{path: p, said: key + ", which is gone"}
		}
		if !v.tainted[s] { // else it is judged by itself
			v.unproved(s.pos, p, s.said)
		}
	}
}

// anotherArtifact judges what depends on the config in a role with another artifact.
func (v *view) anotherArtifact(p []string, depends []*statement) {
	for _, s := range depends {
		if s.path[3] == "config" && !v.touched(s) && !v.harmless(s) {
			v.unproved(s.pos, s.path, s.said)
		}
	}
	if len(depends) > 0 && len(p) > 4 {
		v.unproved(depends[0].pos, p, depends[0].said) // the artifact is changed in place
	}
}

// dependents are the statements about a role that depend on the config.
func (v *view) dependents(role string) (out []*statement) {
	for _, s := range v.statements {
		if v.tainted[s] && !s.local && len(s.path) > 3 && overlap(s.path[:3], []string{"description", "role", role}) {
			out = append(out, s)
		}
	}
	return out
}

// at is the statement about a place, nil if there is none.
func (v *view) at(path []string) *statement {
	for _, s := range v.statements {
		if slices.Equal(s.path, path) {
			return s
		}
	}
	return nil
}

// taken reports whether the artifact of a role takes whatever constant it is given
// at a path, whatever else it is given.
func (v *view) taken(path []string) bool {
	name := below(path)
	if name == nil {
		return false
	}
	if s := v.at(path); s != nil {
		given, ok := v.value(s.expr, nil)
		return ok && len(s.clauses) == 0 && v.takes(path[2], name, given, true)
	}
	return v.takes(path[2], name, cue.Value{}, false)
}

// below is the path of a parameter that a role is given.
func below(path []string) []string {
	if len(path) < 6 || path[3] != "config" || path[4] != "parameter" {
		return nil
	}
	return path[5:]
}

// absorbed is [view.harmless] for what a role is given.
func (v *view) absorbed(s *statement, present map[string]bool) bool {
	name := below(s.path)
	given, ok := v.value(s.expr, present)
	return name != nil && ok && v.takes(s.path[2], name, given, len(s.clauses) == 0)
}

// takes reports whether the artifact of a role takes any of the values for one of
// its parameters, whatever its others are.
func (v *view) takes(role string, name []string, given cue.Value, always bool) bool {
	a := v.artifactOf(role)
	if a == nil || !a.whole || filter.Contains(name, anyLabel) {
		return false
	}
	f, ok := field{value: a.free}, true
	for _, n := range name {
		if f, ok = members(f.value).fields[n]; !ok || filter.Any(a.relations, func(r relation) bool { return r.names[n] }) {
			return false
		}
	}
	if !always && f.required || given.Exists() && !accepts(f.value, given, 0) {
		return false
	}
	return a.indifferent(name)
}

// indifferent reports whether all that an artifact makes of a parameter is harmless.
func (v *view) indifferent(name []string) bool {
	reached := [][]string{slices.Concat(configPath, []string{"parameter"}, name)}
	for grown := true; grown; {
		grown = false
		for _, s := range v.statements {
			for _, p := range s.leads(reached) {
				if !s.local && (s.inConfig() || !v.harmless(s)) {
					return false
				}
				if !filter.Any(reached, func(q []string) bool { return slices.Equal(p, q) }) {
					reached, grown = append(reached, p), true
				}
			}
		}
	}
	return true
}

// artifactOf is the artifact that fills a role, nil if that is not certain.
func (v *view) artifactOf(role string) *view {
	if len(v.path) > maxDepth {
		return nil
	}
	s := v.at([]string{"description", "role", role, "artifact"})
	if s == nil || v.disputed(s) {
		return nil
	}
	x, _ := s.expr.(*ast.SelectorExpr)
	if x == nil || labelOf(x.Sel) != "#Artifact" {
		return nil
	}
	id, _ := x.X.(*ast.Ident)
	if id == nil {
		return nil
	}
	p := newReferences(v.pkg).imports[id.Name]
	if p == nil || p.Missing || strings.HasPrefix(p.Module.Path, "kumori.systems/") || filter.Contains(v.path, p) {
		return nil
	}
	return v.viewOf(p)
}

func (v *view) viewOf(p *spread.Package) *view {
	if a, ok := v.views[p]; ok {
		return a
	}
	v.views[p] = nil
	all, ok := statements(p)
	if !ok {
		return nil
	}
	a := v.newView(p, v.evaluator.Value(p).LookupPath(cue.MakePath(cue.Def("Artifact"))), all)
	a.path, a.views, a.evaluator = append(slices.Clip(v.path), p), v.views, v.evaluator
	v.views[p] = a
	return a
}

// scaled reports whether what the artifact of a role takes may depend on how many
// instances it has, which deployments say.
func (v *view) scaled(role string) bool {
	a := v.artifactOf(role)
	if a == nil {
		return true
	}
	return filter.Any(a.statements, func(s *statement) bool {
		return refersToAny(s, [][]string{{"description", "config", "scale"}, {"description", "config", "resilience"}})
	})
}
