// Package sorting sorts slices of structs where time does not matter, and the keys of maps.
//
// The compiler makes a [slices.SortFunc] of its own for every type of element, some 15 KB
// each, and there are many: what is not on the way from a manifest to its objects uses this.
package sorting

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"sort"
)

// By sorts s by cmp, which is as for [slices.SortStableFunc]. What is equal stays in order. It is not inlined, for the same
// reason.
//
//go:noinline
func By[S ~[]E, E any](s S, cmp func(a, b E) int) {
	sort.SliceStable(s, func(i, j int) bool { return cmp(s[i], s[j]) < 0 })
}

// Distinct sorts s like [By], and leaves out what is equal to the one before.
func Distinct[S ~[]E, E any](s S, cmp func(a, b E) int) S {
	By(s, cmp)
	out := s[:min(1, len(s))]
	for _, x := range s[len(out):] {
		if cmp(out[len(out)-1], x) != 0 {
			out = append(out, x)
		}
	}
	return out
}

// Texts sorts the keys of a map that are texts, of which [By] would make some more garbage.
func Texts(keys []reflect.Value) { sort.Sort(texts(keys)) }

type texts []reflect.Value

func (t texts) Len() int           { return len(t) }
func (t texts) Less(i, j int) bool { return t[i].String() < t[j].String() }
func (t texts) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// Keys returns the keys of a map in the order that cmp tells.
func Keys[K comparable, V any](m map[K]V, cmp func(a, b K) int) []K {
	keys := slices.Collect(maps.Keys(m))
	By(keys, cmp)
	return keys
}

// Ordered returns the keys of a map in their own order. It is not inlined, because its copies would take 50 KB of kumiki.
//
//go:noinline
func Ordered[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
