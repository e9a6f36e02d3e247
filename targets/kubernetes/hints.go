package kubernetes

import (
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// hints reads the meta of a role.
func (b *builder) hints(at place, meta any) targets.Hints {
	h := targets.ReadHints(meta, func(path []string, problem string) {
		b.lost(diag.LostMeta, at, append([]string{"meta"}, path...), "meta.%s of %v %s", strings.Join(path, "."), at, problem)
	})
	if h.Restart == "on-failure" || h.Restart == "never" {
		b.lost(diag.LostMeta, at, []string{"meta", "restart"}, "Kubernetes always restarts the instances of a role: %v has meta.restart %q", at, h.Restart)
	}
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
