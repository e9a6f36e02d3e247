package partial

import (
	"maps"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// places are those that one evaluation has for those of another that is the same otherwise. They
// are the ones of the sources, so they hold for other configs; what lies where a config gives it
// does so in both. A nil places knows of none yet.
type places struct {
	at map[diag.Pos]diag.Pos // nil where one place was two, or there was a new one too often
	// learnt is how often something was not known.
	learnt int
}

// maxLearnt is how often places are looked for that are not known.
const maxLearnt = 4

func (p *places) isUnclear() bool { return p != nil && p.at == nil }

// learn returns places that know those of values too, which the other evaluation has in others.
func (p *places) learn(values, others []*value.Data, config *value.Data) *places {
	if p.isUnclear() {
		return p
	}
	at, learnt := map[diag.Pos]diag.Pos{}, 1
	if p != nil {
		at, learnt = maps.Clone(p.at), p.learnt+1
	}
	given, clear := placesIn(config), true
	for i, v := range values {
		v.Walk(nil, func(path []string, x *value.Data) bool {
			other := others[i].Get(path...)
			if other == nil {
				clear = false
				return false
			}
			old, known := at[x.Pos]
			at[x.Pos] = other.Pos
			clear = clear && (!known || old == other.Pos) && (x.Pos == other.Pos || !given[x.Pos] && !given[other.Pos])
			return clear
		})
	}
	if !clear || learnt > maxLearnt {
		at = nil
	}
	return &places{at, learnt}
}

// place puts values where the other evaluation would. It is nil if one place is neither known nor
// that of something in the config.
func (p *places) place(values []*value.Data, config *value.Data) (out []*value.Data) {
	if p == nil || p.at == nil {
		return nil
	}
	given, clear := placesIn(config), true
	move := func(at diag.Pos) diag.Pos {
		if to, known := p.at[at]; known {
			return to
		}
		return at
	}
	for _, v := range values {
		v.Walk(nil, func(_ []string, x *value.Data) bool {
			_, known := p.at[x.Pos]
			clear = clear && (known || given[x.Pos])
			return clear
		})
		if v != nil {
			v = v.Moved(move)
		}
		out = append(out, v)
	}
	if !clear {
		return nil
	}
	return out
}

// scope is a slice that levels are made of. In its scope CUE makes one in half the time, but may
// place values otherwise: it does so from the second level on, where it is known what place that
// is.
type scope struct {
	again bool
	at    *places // of levels, for those in scope
}

// level has CUE make a level, and values of it; false where that cannot be.
func (s *scope) level(r *runner, slice *spread.Package, config *value.Data, values func(cue.Value) ([]*value.Data, bool)) ([]*value.Data, bool) {
	imported := func() ([]*value.Data, bool) {
		r.Work.Sliced++
		return values(r.Eval.Imported(slice, config))
	}
	if again := s.again; !again || s.at.isUnclear() {
		s.again = true
		return imported()
	}
	r.Work.Sliced++
	scoped, ok := values(r.Eval.InScope(slice, config))
	if !ok {
		return scoped, false
	}
	if out := s.at.place(scoped, config); out != nil {
		return out, true
	}
	others, ok := imported()
	if ok {
		s.at = s.at.learn(scoped, others, config)
	}
	return others, ok
}

// placesIn are the places of all that is in a config.
func placesIn(config *value.Data) map[diag.Pos]bool {
	out := map[diag.Pos]bool{}
	config.Walk(nil, func(_ []string, x *value.Data) bool {
		out[x.Pos] = true
		return true
	})
	return out
}
