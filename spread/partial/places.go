package partial

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// places are those that one evaluation has for those of another that is the same otherwise. They
// are the ones of the sources, so they hold for other configs; what lies where a config gives it
// does so in both, unless one of them was seen to have it elsewhere. A nil places knows of none yet.
type places struct {
	of *unit                 // whose config it is
	at map[diag.Pos]diag.Pos // nil where one place was two, or there was a new one too often
	// copies are places of values that the other evaluation has where the config gives them; with
	// the path of the value in the config.
	copies map[diag.Pos][]string
	// ofConfig is where the other evaluation has copies of values of the config, by [givenAt.key]. It is no place for those that lie
	// where the config has them.
	ofConfig map[string]diag.Pos
	moves    bool // some lie elsewhere, so where a copy lies has to be known
	// learnt is how often something was not known.
	learnt int
}

// maxLearnt is how often places are looked for that are not known.
const maxLearnt = 24

func (p *places) isUnclear() bool { return p != nil && p.at == nil }

// learn returns places that know those of values too, which the other evaluation has in others.
func (p *places) learn(u *unit, values, others []*value.Data, config *value.Data) *places {
	if p.isUnclear() {
		return p
	}
	out := &places{of: u, at: map[diag.Pos]diag.Pos{}, copies: map[diag.Pos][]string{}, ofConfig: map[string]diag.Pos{}, learnt: 1}
	if p != nil {
		out.at, out.copies, out.ofConfig, out.moves, out.learnt = maps.Clone(p.at), maps.Clone(p.copies), maps.Clone(p.ofConfig), p.moves, p.learnt+1
	}
	given, clear := u.placesIn(config), true
	for i, v := range values {
		clear = clear && (v == nil) == (others[i] == nil) && (v == nil || v.JSON() == others[i].JSON())
		v.Walk(nil, func(path []string, x *value.Data) bool {
			other := others[i].Get(path...)
			clear = clear && other != nil && out.learnOne(x, other, given)
			return clear
		})
	}
	if !clear || out.learnt > maxLearnt {
		out.at = nil
	}
	return out
}

// learnOne learns the place of one value. It is false if other configs may have it elsewhere.
func (p *places) learnOne(x, other *value.Data, given map[diag.Pos]givenAt) bool {
	if from, ok := given[x.Pos]; ok && from.once {
		if _, ok := given[other.Pos]; ok && x.Pos != other.Pos {
			return false
		}
		key, to := from.key, other.Pos
		if x.Pos == other.Pos {
			to = diag.NoPos
		}
		old, known := p.ofConfig[key]
		p.ofConfig[key], p.moves = to, p.moves || to.IsValid()
		return !known || old == to
	}
	old, known := p.at[x.Pos]
	copied, isCopy := p.copies[x.Pos]
	_, isGiven := given[x.Pos]
	from, movesToConfig := given[other.Pos]
	switch {
	case x.Pos == other.Pos || (!isGiven || !x.IsComposite()) && !movesToConfig: // several values of config may have one default
		p.at[x.Pos] = other.Pos
		return !isCopy && (!known || old == other.Pos)
	case isGiven || x.IsComposite():
		return false
	}
	p.copies[x.Pos] = from.path
	return !known && (!isCopy || slices.Equal(copied, from.path))
}

// place puts values where the other evaluation would. It is nil if one place is neither known nor
// that of something in the config.
func (p *places) place(values []*value.Data, config *value.Data) (out []*value.Data) {
	if p == nil || p.at == nil {
		return nil
	}
	moved := p.at
	if p.moves || len(p.copies) > 0 {
		moved = maps.Clone(p.at)
	}
	var given map[diag.Pos]givenAt // made when it is asked for, because most places are known
	isGiven := func(at diag.Pos) (givenAt, bool) {
		if given == nil {
			given = p.of.placesIn(config)
		}
		from, ok := given[at]
		return from, ok
	}
	isUnknown := func(x *value.Data) bool {
		if p.moves || x.IsComposite() && !p.knows(x) {
			if from, ok := isGiven(x.Pos); ok {
				if !from.once {
					return x.IsComposite() || !p.knows(x)
				}
				to, known := p.ofConfig[from.key]
				if to.IsValid() {
					moved[x.Pos] = to
				}
				return !known
			}
		}
		_, known := p.at[x.Pos]
		if path := p.copies[x.Pos]; path != nil {
			if from := onlyOne(config, x, path); from != nil {
				moved[x.Pos], known = from.Pos, true
			}
		}
		if !known {
			_, known = isGiven(x.Pos)
		}
		return !known
	}
	if filter.Any(values, func(v *value.Data) bool { return v.Holds(isUnknown) }) {
		return nil
	}
	move := func(at diag.Pos) diag.Pos {
		if to, known := moved[at]; known {
			return to
		}
		return at
	}
	out = make([]*value.Data, len(values)) // nil would mean that the places are not known
	for i, v := range values {
		if v != nil {
			out[i] = v.Moved(move)
		}
	}
	return out
}

// knows reports whether it is known where a value lies that was made and not copied from config.
func (p *places) knows(x *value.Data) bool {
	_, known := p.at[x.Pos]
	return known
}

// onlyOne is what a config has at a path, if that is the only value in the config that equals x: x is
// a copy of it then, and of no other.
func onlyOne(config, x *value.Data, path []string) *value.Data {
	equal := 0
	config.Holds(func(c *value.Data) bool {
		if c.Kind == x.Kind && c.Text == x.Text && !c.IsComposite() {
			equal++
		}
		return false
	})
	from := config.Get(path...)
	if equal != 1 || from == nil || from.Kind != x.Kind || from.Text != x.Text {
		return nil
	}
	return from
}

// valuesIn takes the values out of an evaluated level; bare reports whether its slice is without the
// model.
type valuesIn func(v cue.Value, bare bool) ([]*value.Data, bool)

// scope is a slice that levels are made of. CUE evaluates a level in the scope of the slice in half the
// time that an import of it takes, and in that of a bare one in a quarter, but gives values other
// places. So the first level is imported, and the other ways are taken from the second level on, as
// far as it has been learnt which places they have to be moved to.
type scope struct {
	of    *unit // whose config it is given
	again bool
	// imports tells that each level is imported: the slice has a choice, see [source.Package.HasChoice], or
	// shows in which order a struct has its fields, which in scope is another one.
	imports  bool
	complete bool    // what it is given has all fields that it gets
	at       *places // from those of levels in scope to those of imported ones
	bare     *bareScope
	literal  *literalScope
	prepare  func(*scope) // makes bare and literal for the second level; nil if there is nothing to make
}

// level has CUE make a level, and values of it; false where that cannot be. CUE gets the config with its fields by name, or
// as shown if that is not nil.
func (s *scope) level(r *runner, slice *spread.Package, config, shown *value.Data, values valuesIn) ([]*value.Data, bool) {
	given := cmp.Or(shown, config)
	imported := func() ([]*value.Data, bool) {
		r.Work.Sliced++
		return values(r.Eval.Imported(slice, given), false)
	}
	if !s.again {
		s.again, s.imports = true, s.imports || slice.HasChoice(s.complete)
		return imported()
	}
	if s.prepare != nil {
		s.prepare(s)
		s.prepare = nil
	}
	if made := s.literal.level(s.of, config, shown); made != nil {
		return s.placed(&s.literal.at, made, config, imported)
	}
	if s.imports {
		return imported()
	}
	bare := s.bare.level(r, given, values)
	if bare != nil {
		return s.placed(&s.bare.at, bare, config, imported)
	}
	if s.at.isUnclear() || s.bare.isUsable() {
		return imported()
	}
	r.Work.Sliced++
	scoped, ok := values(r.Eval.InScope(slice, given), false)
	if !ok {
		return scoped, false
	}
	return s.placed(&s.at, scoped, config, imported)
}

// placed moves values to the places that they have in an imported level. If those are not known, it
// has that level made, and learns them from it.
func (s *scope) placed(at **places, values []*value.Data, config *value.Data, imported func() ([]*value.Data, bool)) ([]*value.Data, bool) {
	if out := (*at).place(values, config); out != nil {
		return out, true
	}
	others, ok := imported()
	if ok {
		*at = (*at).learn(s.of, values, others, config)
	}
	return others, ok
}

// givenAt is a value of a config, by its path.
type givenAt struct {
	path []string
	key  string // tells apart values that CUE may place in different ways
	once bool   // it is the only one at its place
}

// placesIn are the values of a config, by place.
func (u *unit) placesIn(config *value.Data) map[diag.Pos]givenAt {
	out := map[diag.Pos]givenAt{}
	config.Walk([]string{}, func(path []string, x *value.Data) bool {
		_, isSecond := out[x.Pos]
		out[x.Pos] = givenAt{path, u.placeKey(path, x), !isSecond}
		return true
	})
	return out
}

// placeKey is the path of a value and, for a struct, the names of its fields: where CUE places a struct depends on whether the type and the given value
// have the same fields. The names of a map's fields are left out, because all of those have the same type.
func (u *unit) placeKey(path []string, x *value.Data) string {
	var b strings.Builder
	in := u.writePath(&b, path)
	for _, f := range x.Fields {
		if in.isMap() {
			b.WriteString(" *")
			break
		}
		b.WriteByte(' ')
		b.WriteString(strconv.Quote(f.Name))
	}
	if x.IsComposite() && len(x.Members()) == 0 {
		b.WriteByte('-')
	}
	return b.String()
}

// writePath writes a path of config, with * in place of the names of a map's fields. It returns the type at the path, nil if that is not known.
func (u *unit) writePath(b *strings.Builder, path []string) *schema {
	var in *schema
	for i, name := range path {
		is := in
		if in, _ = is.member(name); i == 0 && u.residual != nil {
			in = u.residual.schema[name]
		}
		if is.isMap() {
			name = "*"
		}
		b.WriteString(strconv.Quote(name))
	}
	return in
}

// isMap reports whether a type is a map, whose fields all have the same type.
func (s *schema) isMap() bool { return s != nil && s.each != nil && s.kind == value.Struct }
