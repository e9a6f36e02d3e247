package spread

import (
	"maps"
	"slices"
	"strings"
)

// copies puts the values of config where a level shows them, so that a copy lies
// where the value was given, however it got there: CUE places it at one of the
// fields that it went through. It does so for the places that the sources show;
// the level is made without CUE for those only.
func (u *unit) copies(d *Data, expressions map[string]passed, config *Data, place func(*Data, passed) *Data) *Data {
	for _, key := range slices.Sorted(maps.Keys(expressions)) {
		p := expressions[key]
		path := strings.Split(key, "\x00")
		old := d.Get(path...)
		if p.text || old == nil {
			continue
		}
		if value := config.Get(p.parts[0].ref[1:]...); value != nil && value.JSON() == old.JSON() {
			d = d.with(path, place(value, p))
		}
	}
	return d
}

// passedOn is a value of config as a role gets it.
func passedOn(d *Data, _ passed) *Data { return d }

// shownValue is a value of config as a description shows it: nobody asks who gave
// it, and what is a struct or list lies where config declares it.
func (u *unit) shownValue(d *Data, p passed) *Data {
	out := d.from(func(*Data) Origin { return Origin{} })
	if out.Kind == Struct || out.Kind == List {
		out.Pos = u.declared(p.parts[0].ref[1:]...)
	}
	return out
}
