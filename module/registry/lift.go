package registry

import (
	"context"
	"slices"

	"cuelang.org/go/mod/module"
	"golang.org/x/mod/semver"
)

// Lift says that a module is taken in a higher MINOR than was asked for, which
// has other features, since another module needs it.
type Lift struct {
	Asked, Taken, By module.Version
}

// Requirements are the versions that the module file asks for.
func (m *Module) Requirements() ([]module.Version, error) { return requirements(m.File) }

// Lifts returns what was asked for before and is taken in a higher MINOR now
// because of another module.
func (m *Module) Lifts(ctx context.Context, reg Registry, before []module.Version) ([]Lift, error) {
	g, err := m.Graph(ctx, reg)
	if err != nil {
		return nil, err
	}
	return g.lifts(before), nil
}

func (g *Graph) lifts(before []module.Version) []Lift {
	var out []Lift
	for _, taken := range g.Selected {
		i := slices.IndexFunc(before, func(v module.Version) bool { return v.Path() == taken.Path() })
		by, needed := g.neededBy(taken)
		if i >= 0 && needed && semver.Compare(semver.MajorMinor(before[i].Version()), semver.MajorMinor(taken.Version())) < 0 {
			out = append(out, Lift{before[i], taken, by})
		}
	}
	return out
}

// neededBy is the first module but the root that asks for a version.
func (g *Graph) neededBy(v module.Version) (by module.Version, ok bool) {
	i := slices.IndexFunc(g.Edges, func(e Edge) bool { return e.To == v && e.From != g.Root })
	if i < 0 {
		return by, false
	}
	return g.Edges[i].From, true
}
