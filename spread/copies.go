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
func (u *Unit) copies(d *value.Data, expressions map[string]Passed, config *value.Data, place func(*value.Data, Passed) *value.Data) *value.Data {
	for _, key := range slices.Sorted(maps.Keys(expressions)) {
		p := expressions[key]
		path := strings.Split(key, "\x00")
		old := d.Get(path...)
		if p.Text || old == nil {
			continue
		}
		if value := config.Get(p.Parts[0].Ref[1:]...); value != nil && value.JSON() == old.JSON() {
			d = d.With(path, place(value, p))
		}
	}
	return d
}

// passedOn is a value of config as a role gets it.
func passedOn(d *value.Data, _ Passed) *value.Data { return d }

// shownValue is a value of config as a description shows it: nobody asks who gave
// it, and what is a struct or list lies where config declares it.
func (u *Unit) shownValue(d *value.Data, p Passed) *value.Data {
	out := d.WithOrigin(func(*value.Data) value.Origin { return value.Origin{} })
	if out.Kind == value.Struct || out.Kind == value.List {
		out.Pos = u.Declared(p.Parts[0].Ref[1:]...)
	}
	return out
}

// Shows is how the unit's sources show its config, read once; nil if they tell too little.
func (u *Unit) Shows(e *Evaluator) *Reading {
	if !u.Read {
		u.Read = true
		if u.Shared {
			u.Reading = ReadConfig(e.library.sources(e.apartFrom(u.Package)))
		}
	}
	return u.Reading
}
