package spread

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// PlaceOf is where the struct v, at a path of the artifact, is written. It is
// [fromcue.WrittenPos], for which CUE takes the value apart, read from the sources where
// they have it in so many words.
func (u *Unit) PlaceOf(v cue.Value, path ...string) diag.Pos {
	if p := u.labelled(path).pos; p.IsValid() {
		return p
	}
	return fromcue.WrittenPos(v)
}

// labelled is what the sources say of the field at a path of the artifact.
func (u *Unit) labelled(path []string) labelled {
	if u.labels == nil {
		u.labels = u.labelsOf()
	}
	return u.labels[strings.Join(append(u.within(), path...), "\x00")]
}

// within is the path, from the artifact that the package defines, of one that is written
// out in a role of it.
func (u *Unit) within() (path []string) {
	for _, s := range u.chain {
		path = append(path, s.path...)
	}
	return path[1:]
}

// Place is [Unit.PlaceOf] for a value whose position CUE says is in the model. It keeps the position by
// path if every config has the same one.
func (u *Unit) Place(v cue.Value, path []string) diag.Pos {
	if p := fromcue.ValuePos(v); !value.IsModel(p) {
		return p
	}
	if !u.labelled(path).fixed {
		return fromcue.WrittenPos(v)
	}
	key := strings.Join(path, "\x00")
	p, ok := u.written[key]
	if !ok {
		p = u.PlaceOf(v, path...)
		u.written[key] = p
	}
	return p
}

// PlacesInRole finds the places of structs by their path from a role.
func (u *Unit) PlacesInRole(name string) func(cue.Value, []string) diag.Pos {
	return func(v cue.Value, path []string) diag.Pos {
		return u.PlaceOf(v, append([]string{"description", "role", name}, path...)...)
	}
}

// PlaceInConfig is where a struct of the config lies: a section where the artifact
// declares it, anything else where it is given. In a bare slice, the position of what is not
// given is that of its first conjunct.
func (u *Unit) PlaceInConfig(v cue.Value, given *value.Data, path []string, bare bool) diag.Pos {
	if len(path) == 1 {
		if p := u.Declared(path[0]); p.IsValid() {
			return p
		}
	}
	g := given.Get(path...)
	if g != nil && g.Pos.IsValid() {
		return g.Pos
	}
	if p := g.LeafPos(); p.IsValid() && !value.IsStandIn(p) {
		return p // the command line gives no structs
	}
	if bare {
		return firstPos(v)
	}
	return u.Place(v, append([]string{"description", "config"}, path...))
}

// Declared is where the artifact declares a part of its config.
func (u *Unit) Declared(path ...string) diag.Pos {
	key := strings.Join(path, "\x00")
	p, ok := u.declarations[key]
	if !ok {
		p = u.Place(fromcue.Lookup(u.Config, path), append([]string{"description", "config"}, path...))
		u.declarations[key] = p
	}
	return p
}

// labelled is what the sources say of a field of #Artifact that they declare by name.
type labelled struct {
	pos   diag.Pos // of its label, if it is declared once, as a plain struct
	fixed bool     // no declaration of it is in a comprehension
}

// labelsOf returns what the sources say of the fields of #Artifact, by path. Plain roles are left out:
// their positions are known.
func (u *Unit) labelsOf() map[string]labelled {
	l := labelSearch{found: map[string]labelled{}, aside: u.Aside}
	files := u.Package.Files
	if u.Package.Made.Unrolled {
		files = u.Package.Source().Files
	}
	for _, f := range files {
		if !value.IsModel(fromcue.Pos(f)) {
			ast.Walk(f, l.before, l.after)
		}
	}
	return l.found
}

type labelSearch struct {
	fields []string
	aside  map[*ast.Field]bool // that are passed over
	found  map[string]labelled
	within int // so many comprehensions, whose structs CUE places elsewhere
}

func (l *labelSearch) before(n ast.Node) bool {
	x, ok := n.(*ast.Field)
	if !ok {
		if _, ok := n.(*ast.Comprehension); ok {
			l.within++
		}
		return true
	}
	if l.aside[x] {
		return false
	}
	l.fields = append(l.fields, syntax.LabelName(x.Label))
	if len(l.fields) < 2 || l.fields[0] != "#Artifact" {
		return true
	}
	key := strings.Join(l.fields[1:], "\x00")
	old, again := l.found[key]
	_, isStruct := x.Value.(*ast.StructLit)
	now := labelled{fixed: l.within == 0 && (!again || old.fixed)}
	if isStruct && !again && now.fixed {
		now.pos = fromcue.Pos(x.Label)
	}
	l.found[key] = now
	return true
}

func (l *labelSearch) after(n ast.Node) {
	switch n.(type) {
	case *ast.Field:
		l.fields = l.fields[:len(l.fields)-1]
	case *ast.Comprehension:
		l.within--
	}
}
