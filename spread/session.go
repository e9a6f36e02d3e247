package spread

import "kumiki.dev/value"

// Session is what runs share that differ in nothing but what a deployment is given from
// outside: its environment's values, a name. Their evaluator is the same. What is known of
// an artifact is found once, and what equal configs make of it. A session is for runs in
// which nothing is found wrong; after one in which something is, it is of no use.
type Session struct {
	units  map[*Package]*Unit
	mended map[*Package]bool
	memo   map[memoKey]*value.Node
	first  map[*value.Node]*value.Data
}

// NewSession returns a session for the runs of one evaluator.
func NewSession() *Session {
	return &Session{units: map[*Package]*Unit{}, mended: map[*Package]bool{}, memo: map[memoKey]*value.Node{}, first: map[*value.Node]*value.Data{}}
}

// maxNodes bounds the nodes that a session keeps.
const maxNodes = 2000

// sharing makes the runner find what earlier runs of the session know, nil for none.
func (r *Runner) sharing(s *Session) *Runner {
	if s == nil {
		return r
	}
	if len(s.memo) > maxNodes {
		clear(s.memo)
		clear(s.first)
	}
	r.units, r.mended, r.memo, r.first = s.units, s.mended, s.memo, s.first
	return r
}
