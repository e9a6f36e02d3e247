package spread

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
)

// roles evaluates the roles of a service, in the order of their names.
func (r *runner) roles(u *unit, c configured, at place) []*Role {
	fields, err := c.value.LookupPath(descriptionPath).LookupPath(rolesPath).Fields()
	if err != nil {
		return []*Role{}
	}
	values := map[string]cue.Value{}
	for fields.Next() {
		values[fields.Selector().Unquoted()] = fields.Value()
	}
	out := []*Role{}
	known := givers(c.config)
	halves := r.halves(u, values)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if whole, ok := halves[name]; ok {
			out = append(out, r.half(u, name, values[name], whole, at))
			continue
		}
		if role := r.role(u, name, values[name], c, known, at); role != nil {
			out = append(out, role)
		}
	}
	return out
}

func (r *runner) role(u *unit, name string, v cue.Value, c configured, known map[diag.Pos]Origin, parent place) *Role {
	at := place{path: append(slices.Clip(parent.path), name), pos: u.placeOf(v, "description", "role", name), by: u.pkg}
	origin := origins(known, Origin{FromRole, strings.Join(at.path, ".")})
	f := &finisher{origin: origin, newCause: r.newCause, standIn: func(p problem, pos diag.Pos) *Data {
		if isNotAllowed(p.value) && !refersToOwn(p.value) {
			return nil
		}
		return &Data{Kind: Null, Text: "null", Pos: pos} // the artifact has a better one
	}}
	f.places = u.placesInRole(name)
	given := f.sections(v.LookupPath(configPath), []string{"config"})
	if src := u.sources(); src != nil {
		given = u.copies(given, src.passed[name], c.config, passedOn)
	}
	seen := seenRole{given: given, ownScale: len(given.Get("scale").Each()) > 0, of: r.eval.standsFor(v.LookupPath(artifactField))}
	if scale := r.scale(f, v, c.config.Get("scale", "detail", name)); scale != nil {
		given = given.Set("scale", scale)
	}
	meta := v.LookupPath(metaPath)
	role := &Role{Name: name, Pos: at.pos, Meta: orEmpty(nil)}
	if meta.Exists() {
		role.Meta = orEmpty(f.finish(meta, []string{"meta"}))
	}
	at.given = given
	r.reportRole(u, f.problems, at)
	r.checkRoleResources(u, at)
	artifact := v.LookupPath(artifactField)
	if r.isUnknown(artifact) {
		role.Node = unknown(u.pkg, given, at)
		return role
	}
	if !r.hasArtifact(artifact) {
		r.report(diag.New(diag.RoleWithoutArtifact, at.pos, "%s has no artifact: write artifact: x.#Artifact, where x is the import of a component or service", at).In(u.pkg.Path, "role", name))
		return role
	}
	if r.symbolic {
		r.matchRole(u, artifact, at)
	}
	if u.seen == nil {
		u.seen = map[string]seenRole{}
	}
	u.seen[name] = seen
	role.Node = r.fill(artifact, u.pkg, c.chain.into("description", "role", name, "artifact"), given, at)
	r.pass(role, r.eval.standsFor(artifact), given)
	return role
}

// hasArtifact tells whether somebody gave the role an artifact; the schema
// alone leaves its name unknown.
func (r *runner) hasArtifact(artifact cue.Value) bool {
	if r.eval.standsFor(artifact) != nil {
		return true
	}
	name := artifact.LookupPath(namePath)
	return name.Exists() && name.IsConcrete() || artifact.LookupPath(srvPath).Exists()
}

// scale joins what the role states for its scale with what the level above
// has for it in scale.detail; nil if only the role states any.
func (r *runner) scale(f *finisher, role cue.Value, detail *Data) *Data {
	own := role.LookupPath(scalePath)
	fields, err := own.Fields()
	if err != nil || !fields.Next() {
		return detail
	}
	if detail == nil {
		return nil
	}
	return f.finish(own.FillPath(cue.Path{}, detail.Expr()), []string{"config", "scale"})
}

// givers tells who gave the leaves of a level's config, by their positions.
func givers(config *Data) map[diag.Pos]Origin {
	known := map[diag.Pos]Origin{}
	config.Walk(nil, func(_ []string, d *Data) bool {
		if d.Pos.IsValid() && d.Origin != (Origin{}) {
			known[d.Pos] = d.Origin
		}
		return true
	})
	return known
}

// origins returns who gave the value at a position: one of those that are
// known, everything else was written by other.
func origins(known map[diag.Pos]Origin, other Origin) func(diag.Pos) Origin {
	return func(p diag.Pos) Origin {
		if IsStandIn(p) {
			return Origin{}
		}
		if o, ok := known[p]; ok {
			return o
		}
		return other
	}
}
