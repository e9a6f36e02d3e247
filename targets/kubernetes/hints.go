package kubernetes

import (
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// hints reads the meta of a role.
func (b *builder) hints(at place, meta any) targets.Hints {
	h := targets.ReadHints(meta, func(path []string, problem string) {
		b.lost(diag.LostMeta, at, append([]string{"meta"}, path...), "meta.%s of %v %s", strings.Join(path, "."), at, problem)
	})
	h.Placement = slices.Concat(h.Placement, targets.Around(b.solution, at.deployment, b.wrongAround), b.options.Placement)
	return h
}

// given is what a hint says, the zero value where it says nothing.
func given[T any](hint *T) (value T) {
	if hint != nil {
		value = *hint
	}
	return value
}

// seconds is a time in milliseconds, rounded up.
func seconds(ms int64) int32 { return int32(min((ms+999)/1000, 1<<31-1)) }

// wrongAround tells once of a constraint of a whole deployment that is none.
func (b *builder) wrongAround(deployment string, path []string, problem string) {
	if key := deployment + " " + problem; !b.around[key] {
		b.around[key] = true
		b.lost(diag.LostMeta, place{deployment, ""}, append([]string{"meta"}, path...), "meta.%s of %s %s", strings.Join(path, "."), deployment, problem)
	}
}
