package solution

import "slices"

// layout checks that every deployment and role has one place in the layout.
func (v *verifier) layout() {
	l, p := v.s.Layout, root.in("layout")
	v.needs(l.Deployment == v.s.Top, p.in("deployment"), "is %q: the layout begins at the top, %q", l.Deployment, v.s.Top)
	reached := map[Place]bool{}
	if l.Role != "" {
		// A component at the top has got a service of its own around it.
		reached[Place{Deployment: l.Deployment}] = true
	}
	v.layoutOf(p, l, reached)
	for name, d := range each(v, v.s.Deployments) {
		v.needs(reached[Place{Deployment: name}], root.in("deployments").in(name), "is not in the layout")
		if d != nil && d.Artifact != nil {
			for role := range each(v, d.Artifact.Description.Role) {
				v.needs(reached[Place{Deployment: name, Role: role}], root.in("deployments").in(name).in("artifact").in("description").in("role").in(role), "is not in the layout")
			}
		}
	}
}

// layoutOf checks one role of the layout and what is below it, and adds where
// they went to reached.
func (v *verifier) layoutOf(p *at, l *Layout, reached map[Place]bool) {
	artifact, ok := v.placed(p, l)
	if !ok {
		return
	}
	place := Place{Deployment: l.Deployment, Role: l.Role}
	v.needs(!reached[place], p, "leads to a place where another role already is")
	reached[place] = true
	if artifact != nil {
		v.needs(sameRef(l.Artifact, artifact.Ref), p.in("artifact"), "is %s, but the deployments have %s there", refText{l.Artifact}, refText{artifact.Ref})
	}
	v.needs(l.Role == "" || len(l.Roles) == 0, p.in("roles"), "is not empty: a component has no roles")
	for name, below := range each(v, l.Roles) {
		if q := p.in("roles").in(name); v.needs(below != nil, q, "is null") {
			v.layoutOf(q, below, reached)
		}
	}
}

// placed returns the artifact at a place of the layout, nil if it is missing,
// which is reported with the deployment; false if there is no such place.
func (v *verifier) placed(p *at, l *Layout) (*Artifact, bool) {
	d, ok := v.s.Deployments[l.Deployment]
	if !v.needs(ok, p.in("deployment"), "is %s, which is no deployment of the solution%s", quoted(l.Deployment), nearby(l.Deployment, v.s.Deployments)) {
		return nil, false
	}
	if d == nil || d.Artifact == nil {
		return nil, true
	}
	if l.Role == "" {
		return d.Artifact, true
	}
	roles := d.Artifact.Description.Role
	r, ok := roles[l.Role]
	v.needs(ok, p.in("role"), "is %s, which is no role of %s%s", quoted(l.Role), l.Deployment, nearby(l.Role, roles))
	if r == nil {
		return nil, ok
	}
	return r.Artifact, true
}

func sameRef(a, b Ref) bool {
	return a.Domain == b.Domain && a.Module == b.Module && a.Name == b.Name && a.Kind == b.Kind &&
		a.Prerelease == b.Prerelease && a.BuildMetadata == b.BuildMetadata && slices.Equal(a.Version, b.Version)
}

// refText writes all of a ref down, so that two that differ look different.
type refText struct{ Ref }

func (r refText) String() string {
	text := r.Kind + " " + r.Domain + "/" + r.Module + "/" + r.Name + "@"
	for i, n := range r.Version {
		if i > 0 {
			text += "."
		}
		text += itoa(n)
	}
	if r.Prerelease != "" {
		text += "-" + r.Prerelease
	}
	if r.BuildMetadata != "" {
		text += "+" + r.BuildMetadata
	}
	return text
}
