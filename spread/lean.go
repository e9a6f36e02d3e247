package spread

import (
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/value"
)

// lean is the unit of a package without what is plain in it, which CUE does not
// get to see: that is read from the sources. It is nil where there is nothing of
// the kind, where a role refers to what is not there, or where anything else is
// wrong.
func (r *runner) lean(p *Package) *unit {
	if r.opts.NoPartial || r.opts.NoLean || r.symbolic || r.eval.isPatched(p) {
		return nil
	}
	stubbed := r.eval.stubbable(p)
	var src *sources
	if len(stubbed) > 0 {
		src = r.readRest(p, stubbed)
	} else {
		src = readLean(p)
	}
	if src == nil || len(src.aside) == 0 {
		return nil
	}
	v := leanValue(r.eval, p, src)
	if v.Err() != nil {
		r.eval.forgetFailed()
		return nil
	}
	u := newUnit(p, v.LookupPath(artifactPath))
	u.shared, u.partial, u.src = true, true, src
	u.reading, u.read, u.aside = src.reading, true, src.aside
	kind, _ := u.artifact.LookupPath(kindPath).String()
	if len(src.plain) > 0 && kind != "service" {
		return nil // roles are not for it
	}
	if !r.resourcesFit(u) || u.artifact.Validate() != nil || !u.placePassed() {
		return nil
	}
	return u
}

// readLean reads the sources of p with what is plain taken aside.
func readLean(p *Package) *sources {
	s := newSources(p)
	if s.spine == nil {
		return nil
	}
	out := s.read()
	if out != nil {
		s.readConstants()
		out.variables, out.parameters, out.from = s.variables, s.parameters, s.from
	}
	return out
}

// placePassed gives what is passed to plain roles its place. It is false if the
// config has not got it, or if it cannot become a part of a text.
func (u *unit) placePassed() bool {
	known := map[string]bool{}
	for _, role := range u.src.plain {
		for i, at := range role.passed {
			role.passed[i].asks = at.asks || u.showsChoice(at.passed)
			for _, x := range at.parts {
				key := strings.Join(x.ref, "\x00")
				if x.ref == nil || known[key] && !at.text {
					continue
				}
				if known[key] = u.has(x.ref[1:], at.text); !known[key] {
					return false
				}
			}
			if !at.text && at.byCUE == nil {
				hole, _ := holeAt(role.given, role.meta, at.path)
				hole.Pos = u.declared(at.parts[0].ref[1:]...)
			}
		}
	}
	return true
}

// has reports whether the config has a field, which is a text or number if need be.
func (u *unit) has(path []string, scalar bool) bool {
	v := lookup(u.config, path)
	return v.Exists() && (!scalar || v.IncompleteKind()&^(cue.StringKind|cue.NumberKind|cue.BoolKind) == 0)
}

// outline is the role without what fills it, and what is known of it.
func (x *plainRole) outline() (*value.Role, seenRole) {
	role := &value.Role{Name: x.name, Pos: x.pos, Meta: value.OrEmpty(x.meta)}
	return role, seenRole{given: x.given, ownScale: x.sized, of: x.of}
}

// leanValue is like Value, without what the sources have aside.
func leanValue(e *Evaluator, p *Package, src *sources) cue.Value {
	if src.rest != nil {
		return e.Value(src.rest)
	}
	var v cue.Value
	src.spine.without(src.aside, src.from, func() {
		v = e.asItIs(p)
	})
	return v
}
