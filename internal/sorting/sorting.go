// Package sorting sorts slices of structs where time does not matter.
//
// The compiler makes a [slices.SortFunc] of its own for every type of element, some 15 KB
// each, and there are many: what is not on the way from a manifest to its objects uses this.
package sorting

import (
	"maps"
	"slices"
	"sort"
)

// By sorts s by cmp, which is as for [slices.SortStableFunc]. What is equal stays in order.
func By[S ~[]E, E any](s S, cmp func(a, b E) int) {
	sort.SliceStable(s, func(i, j int) bool { return cmp(s[i], s[j]) < 0 })
}

// Keys returns the keys of a map in the order that cmp tells.
func Keys[K comparable, V any](m map[K]V, cmp func(a, b K) int) []K {
	keys := slices.Collect(maps.Keys(m))
	By(keys, cmp)
	return keys
}
