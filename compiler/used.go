package compiler

import (
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Used is another deployment that the compilation of one has read.
type Used struct {
	// Name is the deployment's, and Up what it hangs from, "" for nothing.
	Name, Up string
	// Solution contains it; nil if only its existence was checked.
	Solution *solution.Solution
}

// use records that the deployment being compiled has read another one. What that one has
// read in turn is not recorded.
func (r taking) use(name string, s *solution.Solution) {
	if r.in.unlinked || r.in.nameOnly || s == nil && r.used[name] != nil {
		return
	}
	r.used[name] = s
}

// Used returns the deployments that compilations with these others have read: each solution
// once, and those of which only the existence was checked, by name.
func (r *Others) Used() []Used {
	if r == nil {
		return nil
	}
	var out []Used
	seen := map[*solution.Solution]bool{}
	for _, name := range sorting.Ordered(r.used) {
		s := r.used[name]
		switch {
		case s == nil:
			out = append(out, Used{Name: name, Up: r.above(name)})
		case !seen[s]:
			seen[s] = true
			out = append(out, Used{Name: s.Top, Solution: s})
		}
	}
	return out
}
