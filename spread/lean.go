package spread

import (
	"maps"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
)

// lean is the unit of a package without its plain roles, which CUE does not get
// to see: they are read from the sources. It is nil where there are none, where
// one refers to what is not there, or where anything else is wrong.
func (r *runner) lean(p *Package) *unit {
	if r.opts.NoPartial || r.symbolic {
		return nil
	}
	src := readSources(p, r.eval.stubbable(p))
	if src == nil || len(src.plain) == 0 {
		return nil
	}
	v := r.eval.leanValue(p, src)
	if v.Err() != nil {
		r.eval.forgetFailed()
		return nil
	}
	u := newUnit(p, v.LookupPath(artifactPath))
	u.shared, u.partial, u.read, u.src = true, true, true, src
	quiet := newRunner(r.eval, r.opts)
	quiet.checkResources(u)
	if quiet.found > 0 || u.artifact.Validate() != nil || !u.placePassed() {
		return nil
	}
	return u
}

// placePassed gives what is passed to plain roles its place. It is false if the
// config has not got it, or if it cannot become a part of a text.
func (u *unit) placePassed() bool {
	known := map[string]bool{}
	for _, role := range u.src.plain {
		for _, at := range role.passed {
			for _, x := range at.parts {
				key := strings.Join(x.ref, "\x00")
				if x.ref == nil || known[key] && !at.text {
					continue
				}
				if known[key] = u.has(x.ref[1:], at.text); !known[key] {
					return false
				}
			}
			if !at.text {
				role.given.Get(at.path...).Pos = u.declared(at.parts[0].ref[1:]...)
			}
		}
	}
	return true
}

// has tells whether the config has a field, which is a text or number if need be.
func (u *unit) has(path []string, scalar bool) bool {
	v := u.config.LookupPath(stringPath(path))
	return v.Exists() && (!scalar || v.IncompleteKind()&^(cue.StringKind|cue.NumberKind) == 0)
}

// outline is the role without what fills it, and what is known of it.
func (x *plainRole) outline() (*Role, seenRole) {
	role := &Role{Name: labelName(x.field.Label), Pos: x.field.Label.Pos(), Meta: orEmpty(nil)}
	return role, seenRole{given: x.given, ownScale: x.sized, of: x.of, passed: x.passed}
}

// leanValue is like Value, without the plain roles that the sources have.
func (e *Evaluator) leanValue(p *Package, src *sources) cue.Value {
	var v cue.Value
	src.spine.without(src.aside, func() {
		if e.lean[p] == nil {
			e.lean[p] = e.withStubs(p, e.stubbable(p), e.realInstance)
		}
		v = e.build(e.lean[p])
	})
	return v
}

// forgetFailed lets packages in which CUE found something wrong be built again:
// whoever imports them later would be told nothing but that the import failed.
func (e *Evaluator) forgetFailed() {
	maps.DeleteFunc(e.real, func(_ *Package, inst *build.Instance) bool { return inst.Err != nil })
}

// stubbable is that of the package, looked for once.
func (e *Evaluator) stubbable(p *Package) map[*Package]bool {
	stubbed, ok := e.stubbed[p]
	if !ok {
		stubbed = stubbable(p)
		e.stubbed[p] = stubbed
	}
	return stubbed
}
