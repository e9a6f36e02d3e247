package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// draw chooses n mutants, evenly over the files. Whatever is edited elsewhere in
// the sources, a mutant keeps its rank: that is a hash of its key and the seed.
func draw(all []*mutant, seed uint64, n int) []*mutant {
	byFile := map[*source][]*mutant{}
	var files []*source
	for _, m := range all {
		if byFile[m.src] == nil {
			files = append(files, m.src)
		}
		byFile[m.src] = append(byFile[m.src], m)
	}
	rank := func(s string) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, s))) }
	slices.SortFunc(files, func(a, b *source) int { return cmp.Compare(rank(a.name), rank(b.name)) })
	for _, f := range files {
		slices.SortFunc(byFile[f], func(a, b *mutant) int { return cmp.Compare(rank(a.key()), rank(b.key())) })
	}
	var out []*mutant
	for round := 0; len(out) < min(n, len(all)); round++ {
		for _, f := range files {
			if round < len(byFile[f]) && len(out) < n {
				out = append(out, byFile[f][round])
			}
		}
	}
	return out
}
