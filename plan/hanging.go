package plan

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Hanging is a solution whose top hangs (up) from a deployment that goes, and which
// therefore goes before it.
type Hanging struct {
	Solution *solution.Solution
	// From is that deployment.
	From string
	// Depth is how far down the tree it is, from 1.
	Depth int
}

// HangingFrom lists the solutions that hang from what old has and new does not, and those
// that hang from these, as a tree is printed: each before those that hang from it. What
// hangs from a deployment that may leave orphans stays.
func HangingFrom(old, new *solution.Solution, others []*solution.Solution, a Allowed) []Hanging {
	if old == nil {
		return nil
	}
	others = slices.Clone(Others(old, new, others))
	sorting.By(others, func(a, b *solution.Solution) int { return strings.Compare(a.Ref.Name, b.Ref.Name) })
	var out []Hanging
	listed := map[*solution.Solution]bool{}
	var below func(goes func(string) bool, depth int)
	below = func(goes func(string) bool, depth int) {
		for _, other := range others {
			top := other.Deployments[other.Top]
			if listed[other] || top.Up == nil || !goes(*top.Up) || a.orphans(*top.Up) {
				continue
			}
			listed[other] = true
			out = append(out, Hanging{other, *top.Up, depth})
			below(func(name string) bool { return other.Deployments[name] != nil }, depth+1)
		}
	}
	below(func(name string) bool {
		return old.Deployments[name] != nil && (new == nil || new.Deployments[name] == nil)
	}, 1)
	return out
}

// Tree prints what hangs from a solution, and in which order all of it goes.
func Tree(top string, hanging []Hanging) string {
	var b strings.Builder
	fmt.Fprintln(&b, top)
	order := []string{top}
	for _, h := range hanging {
		fmt.Fprintf(&b, "%s%s (up: %s)\n", strings.Repeat("  ", h.Depth), h.Solution.Ref.Name, h.From)
		order = append(order, h.Solution.Ref.Name)
	}
	slices.Reverse(order)
	fmt.Fprintf(&b, "they go in this order: %s\n", strings.Join(order, ", "))
	return b.String()
}
