package spread

import (
	"strings"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// copies puts the values of config where a level shows them, so that a copy lies
// where the value was given, however it got there: CUE places it at one of the
// fields that it went through. It does so for the places that the sources show;
// the level is made without CUE for those only.
func (u *Unit) copies(d *value.Data, expressions map[string]Passed, config *value.Data, place func(*value.Data, Passed) *value.Data) *value.Data {
	for _, key := range sorting.Ordered(expressions) {
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

// Copied returns a description in which each copy of a config value has the position where the value was given. It finds the copies
// in the sources.
func (u *Unit) Copied(e *Evaluator, desc, config *value.Data) *value.Data {
	x := u.Shows(e)
	if x == nil {
		return desc
	}
	return u.copies(desc, x.Described, config, u.shownValue)
}

// passedOn is a value of config as a role gets it.
func passedOn(d *value.Data, _ Passed) *value.Data { return d }

// shownValue is a value of config as a description shows it: nobody asks who gave
// it, and what is a struct or list lies where config declares it.
func (u *Unit) shownValue(d *value.Data, p Passed) *value.Data {
	out := d.WithoutOrigin()
	if out.Kind == value.Struct || out.Kind == value.List {
		return out.At(u.Declared(p.Parts[0].Ref[1:]...))
	}
	return out
}

// Shows is how the unit's sources show its config, read once; nil if they tell too little. What
// config decides by itself is not among it.
func (u *Unit) Shows(e *Evaluator) *Reading {
	if !u.Read {
		u.Read = true
		if u.Shared {
			left, _, _ := e.TakeApart(e.apartFrom(u.Package))
			u.Reading = e.Reading(left)
		}
	}
	return u.Reading
}

// ShowsAll is the same with what config decides by itself.
func (u *Unit) ShowsAll(e *Evaluator) *Reading {
	x, p := u.Shows(e), e.apartFrom(u.Package)
	if x == nil || x.Package == p {
		return x
	}
	return e.Reading(p)
}

// Reading is [ReadConfig] of a package.
func (e *Evaluator) Reading(p *Package) *Reading {
	r := ReadConfig(e.Sources(p))
	if r != nil {
		r.Package = p
	}
	return r
}

// TakeApart returns the package without what [depends.Sources.Apart] takes out of it; all are the
// sources of p as a whole, and holes what was taken out. If nothing was, left is p, and all is nil.
func (e *Evaluator) TakeApart(p *Package) (left *Package, all *depends.Sources, holes []depends.Hole) {
	x, known := e.taken[p]
	if !known {
		x = e.takeApart(p)
		e.taken[p] = x
	}
	return x.left, x.all, x.holes
}

// taken is what [Evaluator.TakeApart] returns.
type taken struct {
	left  *Package
	all   *depends.Sources
	holes []depends.Hole
}

func (e *Evaluator) takeApart(p *Package) taken {
	if !e.mayDecide(p) || syntax.HasWrongNames(p.Files) { // which CUE minds
		return taken{left: p}
	}
	all := e.Sources(p)
	apart := all.Apart()
	if apart == nil {
		return taken{left: p}
	}
	return taken{e.library.Sliced(p, apart.Files), all, apart.Holes}
}

// mayDecide reports whether there is anything in a package that could be taken apart. An artifact without roles may be written in
// the packages that it imports.
func (e *Evaluator) mayDecide(p *Package) bool {
	may, known := e.decides[p]
	if known || p == nil || p.IsModel() {
		return may
	}
	e.decides[p] = false // if it imports itself
	may = depends.MayDecide(p.Files)
	if !syntax.HasLabel(p.Files, "role") {
		for _, imported := range p.Imports {
			may = may || e.mayDecide(imported)
		}
	}
	e.decides[p] = may
	return may
}
