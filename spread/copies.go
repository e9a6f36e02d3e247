package spread

import (
	"maps"
	"slices"
	"strings"

	"kumiki.dev/value"
)

// copies puts the values of config where a level shows them, so that a copy lies
// where the value was given, however it got there: CUE places it at one of the
// fields that it went through. It does so for the places that the sources show;
// the level is made without CUE for those only.
func (u *unit) copies(d *value.Data, expressions map[string]passed, config *value.Data, place func(*value.Data, passed) *value.Data) *value.Data {
	for _, key := range slices.Sorted(maps.Keys(expressions)) {
		p := expressions[key]
		path := strings.Split(key, "\x00")
		old := d.Get(path...)
		if p.text || old == nil {
			continue
		}
		if value := config.Get(p.parts[0].ref[1:]...); value != nil && value.JSON() == old.JSON() {
			d = d.With(path, place(value, p))
		}
	}
	return d
}

// passedOn is a value of config as a role gets it.
func passedOn(d *value.Data, _ passed) *value.Data { return d }

// shownValue is a value of config as a description shows it: nobody asks who gave
// it, and what is a struct or list lies where config declares it.
func (u *unit) shownValue(d *value.Data, p passed) *value.Data {
	out := d.WithOrigin(func(*value.Data) value.Origin { return value.Origin{} })
	if out.Kind == value.Struct || out.Kind == value.List {
		out.Pos = u.declared(p.parts[0].ref[1:]...)
	}
	return out
}

// shows is how the unit's sources show its config, read once; nil if they tell too little.
func (u *unit) shows(e *Evaluator) *reading {
	if !u.read {
		u.read = true
		if u.shared {
			u.reading = readConfig(e.library.sources(e.apartFrom(u.pkg)))
		}
	}
	return u.reading
}
