package query

import (
	"cmp"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Made is an object of a target, and the place that it was made for.
type Made struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Runs tells that instances are started from it.
	Runs bool `json:"runs,omitempty"`
	Place
}

// MadeOf says of each object of a solution what it was made for.
func MadeOf(s *solution.Solution, objects []targets.Object) []Made {
	out := []Made{}
	for _, o := range objects {
		p := Owner(s, o.Deployment, o.Role)
		p.Digest = s.Digest
		out = append(out, Made{o.Kind, o.Name, running(o) != nil, p})
	}
	return out
}

// ArtifactImpact is what a change of an artifact, or of a module, touches in a solution.
type ArtifactImpact struct {
	Solution string `json:"solution"`
	Digest   string `json:"digest,omitempty"`
	// Entry is its number in a history; 0 for the current one.
	Entry int `json:"entry,omitempty"`
	// Instances are the places that the artifact fills, or artifacts of the module.
	// There may be none: then the solution was made of the module in another way.
	Instances []Instance `json:"instances"`
	// Objects are those that are made for these places.
	Objects []Made `json:"objects"`
}

// Restarts are the objects whose instances are started anew for a place.
func (a ArtifactImpact) Restarts(at Instance) []string {
	var out []string
	for _, o := range a.Objects {
		if o.Runs && o.madeFor(at) {
			out = append(out, o.Kind+"/"+o.Name)
		}
	}
	return out
}

// madeFor reports whether the object was made for a place; that of a component which is
// deployed by itself is the role of its name.
func (m Made) madeFor(at Instance) bool {
	return m.Type == at.Type && m.Deployment == at.Deployment && (m.Path == at.Path || at.Path == "")
}

// ImpactOf says which of the solutions a change of an artifact or a module touches, and
// where. The name of an artifact is told as for [Instances], that of a module whole, with
// a version or without. The objects are told by the digests of the solutions.
func ImpactOf(all []Facts, made map[string][]Made, name string) []ArtifactImpact {
	out := []ArtifactImpact{}
	for _, f := range all {
		module := filter.Any(f.Modules, func(m string) bool { return isModule(m, name) })
		x := ArtifactImpact{Solution: f.Solution, Digest: f.Digest, Entry: f.Entry, Instances: []Instance{}, Objects: []Made{}}
		for _, one := range f.Instances {
			if isType(one.Type, name) || ofModule(one.Type, name) {
				x.Instances = append(x.Instances, one)
			}
		}
		for _, o := range made[f.Digest] {
			if filter.Any(x.Instances, o.madeFor) {
				x.Objects = append(x.Objects, o)
			}
		}
		if module || len(x.Instances) > 0 {
			out = append(out, x)
		}
	}
	sorting.By(out, func(a, b ArtifactImpact) int {
		return cmp.Or(strings.Compare(a.Solution, b.Solution), cmp.Compare(a.Entry, b.Entry))
	})
	return out
}

// isModule reports whether a name is that of a module, PATH@VERSION.
func isModule(module, name string) bool {
	path, version, versioned := strings.Cut(name, "@")
	is, of, _ := strings.Cut(module, "@")
	return path == is && (!versioned || version == of || strings.HasPrefix(of, version+"."))
}

// ofModule reports whether a type, DOMAIN/MODULE/NAME@VERSION:KIND, is one of a module.
func ofModule(full, module string) bool {
	path, version, versioned := strings.Cut(module, "@")
	cutKind(&full)
	name, is, _ := strings.Cut(full, "@")
	return strings.HasPrefix(name, path+"/") && (!versioned || version == is || strings.HasPrefix(is, version+"."))
}
