package plan

import (
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/volumepath"
)

// Allowed says what may happen though it speaks against a plan; the zero value is the safe
// one.
type Allowed struct {
	// Data are the paths of volumes, or what these begin with, that may be lost.
	Data []string
	// Gone are deployments, and channels and fields of them, that may go though other
	// solutions name them.
	Gone []string
	// Orphans are deployments that may go though others hang from them (up).
	Orphans []string
}

// Problems are what speaks against the plan: losses of data that nobody has allowed, and
// names that other solutions use.
func (p *Plan) Problems(a Allowed) diag.List {
	var problems diag.List
	for _, e := range p.Entries {
		for _, l := range e.Losses {
			if !volumepath.Covers(a.Data, l.Path) {
				problems = append(problems, diag.New(diag.PlanDataLoss, diag.NoPos,
					"%s: data is lost: %s; keep it, or say --allow-data-loss %s", e, l.Why, l.Path).AtPath(e.at()...))
			}
		}
	}
	for _, d := range p.Dangling {
		switch {
		case d.How == up && !a.orphans(d.Removed):
			problems = append(problems, diag.New(diag.PlanDangling, diag.NoPos,
				"%s goes, and %s of solution %s hangs from it (up); remove that first, or say --allow-orphans %s", d.Removed, d.Deployment, d.Solution, d.Removed))
		case d.How != up && !filter.Contains(a.Gone, d.Removed):
			problems = append(problems, diag.New(diag.PlanDangling, diag.NoPos,
				"%s goes, and %s of solution %s names it (%s); change that first, or say --allow-dangling %s", d.Removed, d.Deployment, d.Solution, d.How, d.Removed))
		}
	}
	return problems
}

// orphans reports whether others may be left that hang from a deployment, or from one that
// it was made into: shop.entry of shop.
func (a Allowed) orphans(deployment string) bool {
	return filter.Any(a.Orphans, func(name string) bool {
		return deployment == name || strings.HasPrefix(deployment, name+".")
	})
}

// at is the path of a place in a solution.
func (p Place) at() []string {
	at := []string{"deployments", p.Deployment}
	if p.Role != "" {
		at = append(at, "role", p.Role)
	}
	return at
}
