package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/internal/sorting"
)

// Edge says that one deployment has to be there before another.
type Edge struct {
	From string `json:"from"` // the one that needs the other
	To   string `json:"to"`
	// Why is "up", or the field that takes its value from the other deployment.
	Why string `json:"why"`
}

// Ordering is the order in which solutions are applied.
type Ordering struct {
	// Levels are the names of solutions; those of a level need only such of the
	// levels before.
	Levels [][]string `json:"levels"`
	Edges  []Edge     `json:"edges"`
	// Outside are deployments that are needed and that no solution has.
	Outside []string `json:"outside"`
}

// Order sorts solutions by what they need of each other: the values that they
// take, and the deployment that governs their life cycle. The error shows the
// whole way round a circle.
func Order(all []Facts) (Ordering, error) {
	o := Ordering{Levels: [][]string{}, Edges: []Edge{}, Outside: []string{}}
	owner := map[string]string{}
	for _, f := range all {
		for _, name := range f.Deployments {
			if other, ok := owner[name]; ok {
				return o, fmt.Errorf("two solutions, %s and %s, have deployment %s", min(other, f.Solution), max(other, f.Solution), name)
			}
			owner[name] = f.Solution
		}
	}
	needs := map[string]map[string]bool{}
	for _, f := range all {
		needs[f.Solution] = map[string]bool{}
		for _, m := range f.Mentions {
			if m.isLink() {
				continue // links may go in a circle
			}
			o.Edges = append(o.Edges, Edge{f.Solution, m.Of, m.At})
			switch top, ok := owner[m.Of]; {
			case !ok:
				o.Outside = append(o.Outside, m.Of)
			default:
				needs[f.Solution][top] = true
			}
		}
	}
	sorting.By(o.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Why, b.Why))
	})
	slices.Sort(o.Outside)
	o.Outside = slices.Compact(o.Outside)
	if circle := circle(needs); circle != nil {
		return o, fmt.Errorf("deployments need each other in a circle: %s", strings.Join(circle, " → "))
	}
	o.Levels = levels(needs)
	return o, nil
}

// circle is a way from a solution back to itself, nil if there is none. Of
// several, it is one from the first name.
func circle(needs map[string]map[string]bool) []string {
	const open, done = 1, 2
	state := map[string]int{}
	var trail []string
	var visit func(string) []string
	visit = func(name string) []string {
		state[name], trail = open, append(trail, name)
		for _, next := range sorting.Ordered(needs[name]) {
			if state[next] == open {
				return append(slices.Clone(trail[slices.Index(trail, next):]), next)
			}
			if state[next] != done {
				if found := visit(next); found != nil {
					return found
				}
			}
		}
		state[name], trail = done, trail[:len(trail)-1]
		return nil
	}
	for _, name := range sorting.Ordered(needs) {
		if state[name] == 0 {
			if found := visit(name); found != nil {
				return found
			}
		}
	}
	return nil
}

// levels takes away, again and again, what needs nothing that is left.
func levels(needs map[string]map[string]bool) [][]string {
	out := [][]string{}
	placed := map[string]bool{}
	for len(placed) < len(needs) {
		var level []string
		for _, name := range sorting.Ordered(needs) {
			ready := !placed[name]
			for other := range needs[name] {
				ready = ready && placed[other]
			}
			if ready {
				level = append(level, name)
			}
		}
		for _, name := range level {
			placed[name] = true
		}
		out = append(out, level)
	}
	return out
}
