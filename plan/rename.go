package plan

import (
	"cmp"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// likeness is how much alike two deployments or roles are; false if one cannot
// be the other under a new name.
type likeness func(a, b string) (score [2]int, ok bool)

// renames pairs what is gone with what is new, by the new names: those of the
// same artifact, whatever its version, first the pairs whose configs have most
// values in common, then those whose names end alike, then by name. Each is in
// one pair at most.
func renames[T any](old, new map[string]*T, like func(old, new map[string]*T) likeness) map[string]string {
	gone := filter.Out(sorting.Ordered(old), func(name string) bool { return new[name] != nil })
	made := filter.Out(sorting.Ordered(new), func(name string) bool { return old[name] != nil })
	was := map[string]string{}
	if len(gone) == 0 || len(made) == 0 {
		return was
	}
	type pair struct {
		from, to string
		score    [2]int
	}
	var pairs []pair
	measure := like(old, new)
	for _, from := range gone {
		for _, to := range made {
			if score, ok := measure(from, to); ok {
				pairs = append(pairs, pair{from, to, score})
			}
		}
	}
	sorting.By(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.score[0], a.score[0]), cmp.Compare(b.score[1], a.score[1]))
	})
	taken := map[string]bool{}
	for _, p := range pairs {
		if was[p.to] == "" && !taken[p.from] {
			was[p.to], taken[p.from] = p.from, true
		}
	}
	return was
}

func sameDeployment(old, new map[string]*solution.Deployment) likeness {
	leaves := memo()
	return func(a, b string) ([2]int, bool) {
		o, n := old[a], new[b]
		if artifactName(o.Artifact.Ref) != artifactName(n.Artifact.Ref) {
			return [2]int{}, false
		}
		return [2]int{common(leaves(o.Config), leaves(n.Config)), tail(a, b)}, true
	}
}

func sameRole(old, new map[string]*solution.Role) likeness {
	leaves := memo()
	return func(a, b string) ([2]int, bool) {
		o, n := old[a], new[b]
		if artifactName(o.Artifact.Ref) != artifactName(n.Artifact.Ref) {
			return [2]int{}, false
		}
		return [2]int{common(leaves(merged(o)), leaves(merged(n))), tail(a, b)}, true
	}
}

// memo flattens a config once, however many others it is compared with.
func memo() func(solution.Config) map[string]string {
	known := map[string]map[string]string{}
	return func(c solution.Config) map[string]string {
		text := string(canonical(c))
		if known[text] == nil {
			known[text] = map[string]string{}
			flatten(nil, plain(c), known[text])
		}
		return known[text]
	}
}

// common is how many values two configs share.
func common(a, b map[string]string) int {
	n := 0
	for path, value := range a {
		if other, ok := b[path]; ok && other == value {
			n++
		}
	}
	return n
}

// tail is how many parts two names end with alike: shop.eu.cache and
// store.eu.cache have two.
func tail(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}
