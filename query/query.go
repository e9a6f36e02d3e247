// Package query answers questions about solutions, without their sources: which
// artifacts are in use ([Types]), where ([Instances]), and for which role an
// object was made ([Owner]).
package query

import (
	"cmp"
	"strconv"
	"strings"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Type is an artifact that is in use.
type Type struct {
	// Type is its name: DOMAIN/MODULE/NAME@VERSION:KIND.
	Type string `json:"type"`
	// Instances is how many roles and deployments it fills, Solutions in how many
	// solutions.
	Instances int `json:"instances"`
	Solutions int `json:"solutions"`
}

// Instance is a place that an artifact fills.
type Instance struct {
	// Name is the role's; that of the deployment for what is deployed itself.
	Name string `json:"name"`
	Type string `json:"type"`
	// Deployment is the one that the role is, or is in.
	Deployment string `json:"deployment"`
	// Solution is the name of the solution.
	Solution string `json:"solution"`
	// Path is the roles on the way there from the top, joined with dots; "" at
	// the top.
	Path string `json:"path"`
	// Digest is that of the solution, which tells its manifest and versions apart.
	Digest string `json:"digest,omitempty"`
	// Entry is the number of the solution in a history; 0 for the current one.
	Entry int `json:"entry,omitempty"`
}

// TypeName is the name of an artifact in one word.
func TypeName(r solution.Ref) string {
	var version []string
	for _, n := range r.Version {
		version = append(version, strconv.Itoa(n))
	}
	text := r.Domain + "/" + r.Module + "/" + r.Name + "@" + strings.Join(version, ".")
	if r.Prerelease != "" {
		text += "-" + r.Prerelease
	}
	if r.BuildMetadata != "" {
		text += "+" + r.BuildMetadata
	}
	return text + ":" + r.Kind
}

// Types lists the artifacts of the solutions, by name.
func Types(all []Facts) []Type {
	types, in := map[string]*Type{}, map[string]map[int]bool{}
	for i, f := range all {
		for _, x := range f.Instances {
			if types[x.Type] == nil {
				types[x.Type], in[x.Type] = &Type{Type: x.Type}, map[int]bool{}
			}
			types[x.Type].Instances++
			in[x.Type][i] = true
		}
	}
	out := []Type{}
	for _, name := range sorting.Ordered(types) {
		types[name].Solutions = len(in[name])
		out = append(out, *types[name])
	}
	return out
}

// Instances lists the places in the solutions that an artifact fills; all for
// "". The artifact is told by as much of its name as is needed: web, shop/web,
// web@2.0.0, kumiki.example/shop/web@2.0.0:component.
func Instances(all []Facts, name string) []Instance {
	out := []Instance{}
	for _, f := range all {
		for _, x := range f.Instances {
			if name == "" || isType(x.Type, name) {
				x.Digest, x.Entry = f.Digest, f.Entry
				out = append(out, x)
			}
		}
	}
	return out
}

// isType reports whether a short name, maybe without domain, module, version or
// kind, can mean the type.
func isType(full, short string) bool {
	if kind, ok := cutKind(&short); ok && !strings.HasSuffix(full, ":"+kind) {
		return false
	}
	cutKind(&full)
	name, version, versioned := strings.Cut(short, "@")
	path, is, _ := strings.Cut(full, "@")
	if versioned && version != is && !strings.HasPrefix(is, version+".") {
		return false
	}
	return path == name || strings.HasSuffix(path, "/"+name)
}

func cutKind(name *string) (string, bool) {
	before, kind, ok := strings.Cut(*name, ":")
	*name = before
	return kind, ok
}

// instances lists all places of a solution: by its layout, or, for files of
// other tools, which have none, by its deployments and roles.
func instances(s *solution.Solution) []Instance {
	var out []Instance
	if s.Layout == nil {
		for _, name := range sorting.Ordered(s.Deployments) {
			a := s.Deployments[name].Artifact
			out = append(out, Instance{Name: name, Type: TypeName(a.Ref), Deployment: name, Solution: s.Top})
			for _, role := range sorting.Ordered(a.Description.Role) {
				ref := a.Description.Role[role].Artifact.Ref
				out = append(out, Instance{Name: role, Type: TypeName(ref), Deployment: name, Solution: s.Top, Path: role})
			}
		}
		return out
	}
	var walk func(l *solution.Layout, name, path string)
	walk = func(l *solution.Layout, name, path string) {
		out = append(out, Instance{Name: name, Type: TypeName(l.Artifact), Deployment: l.Deployment, Solution: s.Top, Path: path})
		for _, role := range sorting.Ordered(l.Roles) {
			walk(l.Roles[role], role, strings.TrimPrefix(path+"."+role, "."))
		}
	}
	walk(s.Layout, s.Top, "")
	return out
}

// Place is what an object was made for.
type Place struct {
	Solution   string `json:"solution"`
	Deployment string `json:"deployment,omitempty"`
	Role       string `json:"role,omitempty"`
	// Type is the artifact of the role, or of the deployment where there is none.
	Type string `json:"type,omitempty"`
	// Service is the artifact that has the role.
	Service string `json:"service,omitempty"`
	// Path is the roles on the way there from the top, joined with dots.
	Path string `json:"path"`
	// Digest is that of the solution, Entry its number in a history; 0 for the current
	// one.
	Digest string `json:"digest,omitempty"`
	Entry  int    `json:"entry,omitempty"`
}

// Owner says what a role of a deployment is part of; both are "" for the whole
// solution, and the role is for a deployment.
func Owner(s *solution.Solution, deployment, role string) Place {
	p := Place{Solution: s.Top, Deployment: deployment, Role: role}
	d := s.Deployments[deployment]
	if d == nil {
		return p
	}
	p.Type = TypeName(d.Artifact.Ref)
	if r := d.Artifact.Description.Role[role]; r != nil {
		p.Service, p.Type = p.Type, TypeName(r.Artifact.Ref)
	}
	p.Path = cmp.Or(wayTo(s.Layout, deployment, role), role)
	return p
}

// wayTo is the roles from l down to one of a deployment; "" if it is not there,
// or is l itself.
func wayTo(l *solution.Layout, deployment, role string) string {
	if l == nil || l.Deployment == deployment && l.Role == role {
		return ""
	}
	for _, name := range sorting.Ordered(l.Roles) {
		next := l.Roles[name]
		if next.Deployment == deployment && next.Role == role {
			return name
		}
		if way := wayTo(next, deployment, role); way != "" {
			return name + "." + way
		}
	}
	return ""
}

// Short is the name of a type without domain, module, version and kind.
func Short(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return name[strings.LastIndex(name, "/")+1:]
}
