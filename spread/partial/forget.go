package partial

import (
	"maps"
	"slices"

	"cuelang.org/go/cue"

	"kumiki.dev/internal/filter"
)

// forget drops what CUE has made of the artifact where the residual tells all that
// is asked of it.
func (u *unit) forget() {
	res := u.residual
	if res == nil || res.depends != nil ||
		filter.Any(slices.Collect(maps.Values(res.schema)), (*schema).asks) ||
		filter.Any(res.described, func(x describedAt) bool { return x.asks }) {
		return
	}
	for _, s := range res.schema {
		s.forget()
	}
	u.src, u.first, u.defined = nil, nil, nil
	u.LetGo()
}

func (s *schema) forget() {
	s.value = cue.Value{}
	if s.each != nil {
		s.each.forget()
	}
	for _, f := range s.fields {
		if f.schema != nil {
			f.schema.forget()
		}
	}
}
