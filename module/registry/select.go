package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/sorting"
)

// Edge says that one module's file asks for another.
type Edge struct {
	From, To module.Version
}

// Graph is what a module depends on.
type Graph struct {
	// Root is the module itself; it has no version.
	Root module.Version
	// Edges are all requirements that count, sorted.
	Edges []Edge
	// Selected are the versions that are taken, sorted by path: of each module
	// the greatest that anybody asks for (minimal version selection).
	Selected []module.Version
}

// Select reads the module files of everything that is asked for, directly or
// not, and selects the versions.
func Select(ctx context.Context, reg Registry, root module.Version, direct []module.Version) (*Graph, error) {
	g := &Graph{Root: root}
	greatest := map[string]module.Version{}
	seen := map[module.Version]bool{}
	type step struct {
		from module.Version
		to   []module.Version
	}
	for queue := []step{{root, direct}}; len(queue) > 0; queue = queue[1:] {
		for _, v := range queue[0].to {
			g.Edges = append(g.Edges, Edge{queue[0].from, v})
			if old, ok := greatest[v.Path()]; !ok || old.Compare(v) < 0 {
				greatest[v.Path()] = v
			}
			if seen[v] {
				continue
			}
			seen[v] = true
			f, err := reg.ModFile(ctx, v)
			if err != nil {
				return nil, fmt.Errorf("%s, which %s asks for: %w", v, queue[0].from, err)
			}
			next, err := requirements(f)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v, err)
			}
			queue = append(queue, step{v, next})
		}
	}
	sorting.By(g.Edges, func(a, b Edge) int {
		if c := a.From.Compare(b.From); c != 0 {
			return c
		}
		return a.To.Compare(b.To)
	})
	g.Selected = slices.Collect(maps.Values(greatest))
	sorting.By(g.Selected, module.Version.Compare)
	return g, nil
}

// Why returns the shortest chain of requirements from the root to any version
// of the module with the given path, nil if nothing asks for it.
func (g *Graph) Why(path string) []module.Version {
	type chain struct {
		last module.Version
		all  []module.Version
	}
	seen := map[module.Version]bool{g.Root: true}
	for queue := []chain{{g.Root, []module.Version{g.Root}}}; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		if c.last.BasePath() == path || c.last.Path() == path {
			return c.all
		}
		for _, e := range g.Edges {
			if e.From == c.last && !seen[e.To] {
				seen[e.To] = true
				queue = append(queue, chain{e.To, append(slices.Clip(c.all), e.To)})
			}
		}
	}
	return nil
}
