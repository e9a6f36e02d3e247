package spread

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// roles adds the roles of a service to its level, in the order of their names.
func (r *runner) roles(u *unit, l *level, c configured, at place) {
	l.node.Roles = []*value.Role{}
	fields, err := c.value.LookupPath(descriptionPath).LookupPath(rolesPath).Fields()
	if err != nil {
		return
	}
	values := map[string]cue.Value{}
	for fields.Next() {
		values[fields.Selector().Unquoted()] = fields.Value()
	}
	known := givers(c.config)
	halves := r.halves(values)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var role *value.Role
		var below *filling
		if whole, ok := halves[name]; ok {
			role = r.half(u, name, values[name], whole, at)
		} else {
			role, below = r.role(u, name, values[name], c, known, at)
		}
		l.node.Roles, l.below = append(l.node.Roles, role), append(l.below, below)
	}
}

// role is a role without what fills it, and that.
func (r *runner) role(u *unit, name string, v cue.Value, c configured, known map[diag.Pos]value.Origin, parent place) (*value.Role, *filling) {
	at := place{path: append(slices.Clip(parent.path), name), pos: u.placeOf(v, "description", "role", name), by: u.pkg}
	origin := origins(known, value.Origin{By: value.FromRole, Who: strings.Join(at.path, ".")})
	f := &finisher{origin: origin, newCause: r.newCause, standIn: func(p problem, pos diag.Pos) *value.Data {
		if isNotAllowed(p.value) && !refersToOwn(p.value) {
			return nil
		}
		return &value.Data{Kind: value.Null, Text: "null", Pos: pos} // the artifact has a better one
	}}
	f.places = u.placesInRole(name)
	given := f.sections(v.LookupPath(configPath), []string{"config"})
	if x := u.shows(r.eval); x != nil {
		given = u.copies(given, x.passed[name], c.config, passedOn)
	}
	seen := seenRole{given: given, ownScale: len(given.Get("scale").Each()) > 0, of: r.eval.standsFor(v.LookupPath(artifactField))}
	if scale := r.scale(f, v, c.config.Get("scale", "detail", name)); scale != nil {
		given = given.Set("scale", scale)
	}
	meta := v.LookupPath(metaPath)
	role := &value.Role{Name: name, Pos: at.pos, Meta: value.OrEmpty(nil)}
	if meta.Exists() {
		role.Meta = value.OrEmpty(f.finish(meta, []string{"meta"}))
	}
	at.given = given
	r.reportRole(u, f.problems, at)
	r.checkRoleResources(u, at)
	artifact := v.LookupPath(artifactField)
	if r.isUnknown(artifact) {
		role.Node = unknown(u.pkg, given, at)
		return role, nil
	}
	if !r.eval.hasArtifact(artifact) {
		r.report(diag.New(diag.RoleWithoutArtifact, at.pos, "%s has no artifact: write artifact: x.#Artifact, where x is the import of a component or service", at).In(u.pkg.Path, "role", name))
		return role, nil
	}
	if r.symbolic {
		r.matchRole(u, artifact, at)
	}
	if u.seen == nil {
		u.seen = map[string]seenRole{}
	}
	u.seen[name] = seen
	return role, r.filling(artifact, u.pkg, c.chain.into("description", "role", name, "artifact"), at)
}

// hasArtifact reports whether somebody gave the role an artifact; the schema
// alone leaves its name unknown.
func (e *Evaluator) hasArtifact(artifact cue.Value) bool {
	if e.standsFor(artifact) != nil {
		return true
	}
	name := artifact.LookupPath(namePath)
	return name.Exists() && name.IsConcrete() || artifact.LookupPath(srvPath).Exists()
}

// scale joins what the role states for its scale with what the level above
// has for it in scale.detail; nil if only the role states any.
func (r *runner) scale(f *finisher, role cue.Value, detail *value.Data) *value.Data {
	own := role.LookupPath(scalePath)
	fields, err := own.Fields()
	if err != nil || !fields.Next() {
		return detail
	}
	if detail == nil {
		return nil
	}
	return f.finish(own.FillPath(cue.Path{}, Expr(detail)), []string{"config", "scale"})
}

// givers tells who gave the leaves of a level's config, by their positions. It is asked for each
// role, and needs no paths.
func givers(config *value.Data) map[diag.Pos]value.Origin {
	known := map[diag.Pos]value.Origin{}
	var each func(d *value.Data)
	each = func(d *value.Data) {
		if d.Pos.IsValid() && d.Origin != (value.Origin{}) {
			known[d.Pos] = d.Origin
		}
		for _, f := range d.Fields {
			each(f.Value)
		}
		for _, x := range d.Items {
			each(x)
		}
	}
	if config != nil {
		each(config)
	}
	return known
}

// origins returns who gave the value at a position: one of those that are
// known, everything else was written by other.
func origins(known map[diag.Pos]value.Origin, other value.Origin) func(diag.Pos) value.Origin {
	return func(p diag.Pos) value.Origin {
		if value.IsStandIn(p) {
			return value.Origin{}
		}
		if o, ok := known[p]; ok {
			return o
		}
		return other
	}
}

// seenRole is what the first evaluation of a service has shown of a role.
type seenRole struct {
	given    *value.Data
	ownScale bool
	of       *Package // whose artifact fills it, nil if that is written out
}
