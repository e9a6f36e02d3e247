package plan

import (
	"slices"

	"kumiki.dev/diag"
)

// Problems are what speaks against the plan: losses of data that nobody has
// allowed, by their paths or what these begin with, and names that other
// solutions use, unless they are forced.
func (p *Plan) Problems(allowed, forced []string) diag.List {
	var problems diag.List
	for _, e := range p.Entries {
		for _, l := range e.Losses {
			if !covers(allowed, l.Path) {
				problems = append(problems, diag.New(diag.PlanDataLoss, diag.NoPos,
					"%s: data is lost: %s; keep it, or say --allow-data-loss %s", e, l.Why, l.Path).AtPath(e.at()...))
			}
		}
	}
	for _, d := range p.Dangling {
		if !slices.Contains(forced, d.Removed) {
			problems = append(problems, diag.New(diag.PlanDangling, diag.NoPos,
				"%s goes, and %s of solution %s names it (%s); change that first, or say --force %s", d.Removed, d.Deployment, d.Solution, d.How, d.Removed))
		}
	}
	return problems
}

// at is the path of a place in a solution.
func (p Place) at() []string {
	at := []string{"deployments", p.Deployment}
	if p.Role != "" {
		at = append(at, "role", p.Role)
	}
	return at
}
