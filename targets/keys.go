package targets

import (
	"cmp"
	"maps"
	"slices"
)

// Keys are the keys of a map, sorted. The list is made at its length, where
// slices.Sorted lets it grow.
func Keys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := slices.AppendSeq(make([]K, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}
