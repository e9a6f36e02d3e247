package spread

import (
	"slices"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// halves pairs the roles of a service that have a config and no artifact with
// those that have an artifact and no config though it needs one: one role,
// spelt in two ways. The map leads from either to the other.
func (r *Runner) halves(roles map[string]cue.Value) map[string]string {
	has := map[string]bool{}
	for name, v := range roles {
		if r.Eval.HasArtifact(v.LookupPath(ArtifactField)) {
			has[name] = true
		}
	}
	if len(has) == len(roles) {
		return nil
	}
	var configs, artifacts []string
	for _, name := range sorting.Ordered(roles) {
		v := roles[name]
		configured := hasConfig(v)
		switch {
		case configured && !has[name]:
			configs = append(configs, name)
		case has[name] && !configured && r.needsConfig(v.LookupPath(ArtifactField)):
			artifacts = append(artifacts, name)
		}
	}
	out := map[string]string{}
	for _, name := range configs {
		other, near := diag.Nearest(name, artifacts)
		if !near && len(artifacts) == 1 {
			other, near = artifacts[0], true
		}
		if near && out[other] == "" {
			out[name], out[other] = other, name
		}
	}
	return out
}

// half reports, once, that two roles are probably one.
func (r *Runner) half(u *Unit, name string, v cue.Value, whole string, at Place) *value.Role {
	role := &value.Role{Name: name, Pos: fromcue.WrittenPos(v), Meta: value.OrEmpty(nil)}
	if r.Eval.HasArtifact(v.LookupPath(ArtifactField)) {
		r.judgeAlone(r.Eval.StandsFor(v.LookupPath(ArtifactField)))
		role.Node = &value.Node{Package: asPackage(r.Eval.StandsFor(v.LookupPath(ArtifactField))), Config: value.OrEmpty(nil), Description: value.NewStruct(role.Pos), Pos: role.Pos, Unknown: true}
		return role
	}
	f := &Finisher{origin: Origins(Givers(at.level), value.Origin{By: value.FromRole})}
	r.checkRoleResources(u, Place{Path: append(slices.Clip(at.Path), name), Given: f.Sections(v.LookupPath(ConfigPath), []string{"config"})})
	r.report(diag.New(diag.RoleWithoutArtifact, role.Pos, "role %s has a config and no artifact, role %s an artifact and no config: they are probably meant to be one; give both parts the same name", name, whole).
		In(u.Package.Path, "role", name).AtPath(append(slices.Clip(at.Path), "role", name)...))
	return role
}

// judgeAlone reports what is wrong with an artifact whatever its config is.
func (r *Runner) judgeAlone(p *Package) {
	if r.opts.Alone != nil {
		r.report(r.opts.Alone(r.Eval, p, r.opts)...)
	}
}

// hasConfig reports whether somebody wrote parameters or resources for the role.
func hasConfig(role cue.Value) bool {
	for _, section := range []string{"config.parameter", "config.resource"} {
		if len(fromcue.FieldNames(role.LookupPath(cue.ParsePath(section)))) > 0 {
			return true
		}
	}
	return false
}

// needsConfig reports whether an artifact has a parameter or resource without a
// default.
func (r *Runner) needsConfig(artifact cue.Value) bool {
	p := r.Eval.StandsFor(artifact)
	if p == nil {
		return false
	}
	u := r.whole(r.unit(p))
	if u == nil {
		return false
	}
	f := &Finisher{}
	f.Sections(u.Config, []string{"config"})
	return filter.Any(f.Problems, func(p problem) bool { return p.path[1] == "parameter" || p.path[1] == "resource" })
}
