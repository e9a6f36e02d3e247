package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// roles adds the roles of a service to its level, in the order of their names.
func (r *Runner) roles(u *Unit, l *Level, c configured, at Place) {
	l.Node.Roles = []*value.Role{}
	fields, err := fromcue.Fields(c.value.LookupPath(DescriptionPath).LookupPath(RolesPath))
	if err != nil {
		return
	}
	values := map[string]cue.Value{}
	for fields.Next() {
		values[fields.Name()] = fields.Value()
	}
	known := Givers(c.config)
	halves := r.halves(values)
	for _, name := range sorting.Ordered(values) {
		var role *value.Role
		var below *Filling
		if whole, ok := halves[name]; ok {
			role = r.half(u, name, values[name], whole, at)
		} else {
			role, below = r.role(u, name, values[name], c, known, at)
		}
		l.Node.Roles, l.Below = append(l.Node.Roles, role), append(l.Below, below)
	}
}

// role is a role without what fills it, and that.
func (r *Runner) role(u *Unit, name string, v cue.Value, c configured, known map[diag.Pos]value.Origin, parent Place) (*value.Role, *Filling) {
	at := Place{Path: append(slices.Clip(parent.Path), name), Pos: u.PlaceOf(v, "description", "role", name), By: u.Package}
	origin := Origins(known, value.Origin{By: value.FromRole, Who: strings.Join(at.Path, ".")})
	f := &Finisher{origin: origin, newCause: r.Eval.NewCause, standIn: func(p problem, pos diag.Pos) *value.Data {
		if wording.IsRefused(p.value) && !refersToOwn(p.value) {
			return nil
		}
		return &value.Data{Kind: value.Null, Text: "null", Pos: pos} // the artifact has a better one
	}}
	f.Places = u.PlacesInRole(name)
	given := f.Sections(v.LookupPath(ConfigPath), []string{"config"})
	if x := u.Shows(r.Eval); x != nil {
		given = u.copies(given, x.Passed[name], c.config, passedOn)
	}
	given = PlaceParameters(given)
	seen := SeenRole{Given: given, OwnScale: StatesScale(v, given), Of: r.Eval.StandsFor(v.LookupPath(ArtifactField))}
	if scale := r.scale(f, v, given, c.config.Get("scale", "detail", name)); scale != nil {
		given = given.Set("scale", scale)
	}
	meta := v.LookupPath(MetaPath)
	role := &value.Role{Name: name, Pos: at.Pos, Meta: value.OrEmpty(nil)}
	if meta.Exists() {
		role.Meta = value.OrEmpty(f.Finish(meta, []string{"meta"}))
	}
	at.Given = given
	r.reportRole(u, f.Problems, at)
	r.checkRoleResources(u, at)
	artifact := v.LookupPath(ArtifactField)
	if r.isUnknown(artifact) {
		role.Node = unknown(u.Package, given, at)
		return role, nil
	}
	if !r.Eval.HasArtifact(artifact) {
		r.report(noArtifact(artifact, at).In(u.Package.Path, "role", name))
		return role, nil
	}
	if r.symbolic {
		r.matchRole(u, artifact, at)
	}
	if u.Seen == nil {
		u.Seen = map[string]SeenRole{}
	}
	u.Seen[name] = seen
	return role, r.filling(artifact, u.Package, c.chain.into("description", "role", name, "artifact"), at)
}

// noArtifact is the problem that a role has no artifact. It shows what the role has in place of one, if it has anything.
func noArtifact(artifact cue.Value, at Place) *diag.Diagnostic {
	pos, instead := at.Pos, ""
	for _, part := range fromcue.Conjuncts(artifact) {
		if field, ok := part.Source().(*ast.Field); ok && !value.IsModel(fromcue.Pos(field)) {
			pos, instead = fromcue.Pos(field.Value), ", as "+wording.OneLine(field.Value)+" is none"
		}
	}
	return diag.New(diag.RoleWithoutArtifact, pos, "%s has no artifact%s: write artifact: x.#Artifact, where x is the import of a component or service", at, instead)
}

// HasArtifact reports whether somebody gave the role an artifact; the schema
// alone leaves its name unknown.
func (e *Evaluator) HasArtifact(artifact cue.Value) bool {
	if e.StandsFor(artifact) != nil {
		return true
	}
	name := artifact.LookupPath(namePath)
	return name.Exists() && name.IsConcrete() || artifact.LookupPath(srvPath).Exists()
}

// scale joins what the role states for its scale with what the level above
// has for it in scale.detail; nil if only the role states any.
func (r *Runner) scale(f *Finisher, role cue.Value, given, detail *value.Data) *value.Data {
	if detail == nil || !StatesScale(role, given) {
		return detail
	}
	joined := role.LookupPath(scalePath).FillPath(cue.Path{}, Expr(detail))
	if len(given.Get("scale").Each()) == 0 && joined.Validate() == nil {
		return detail // the role only says what it may be
	}
	return f.Finish(joined, []string{"config", "scale"})
}

// StatesScale reports whether a role, which gives a config, says anything of its scale.
func StatesScale(role cue.Value, given *value.Data) bool {
	return len(given.Get("scale").Each()) > 0 || fromcue.OwnPos(role.LookupPath(scalePath)).IsValid()
}

// Givers tells who gave the leaves of a level's config, by their positions. It is asked for each
// role, and needs no paths.
func Givers(config *value.Data) map[diag.Pos]value.Origin {
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

// Origins returns who gave the value at a position: one of those that are
// known, everything else was written by other.
func Origins(known map[diag.Pos]value.Origin, other value.Origin) func(diag.Pos) value.Origin {
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

// SeenRole is what the first evaluation of a service has shown of a role.
type SeenRole struct {
	// Given is its config, as the service states it.
	Given *value.Data
	// OwnScale tells that the service states something of its scale.
	OwnScale bool
	// Of is the package whose artifact fills it, nil if that is written out.
	Of *Package
}
