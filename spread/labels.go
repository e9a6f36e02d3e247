package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// PlaceOf is where the struct v, at a path of the artifact, is written. It is
// [fromcue.WrittenPos], for which CUE takes the value apart, read from the sources where
// they have it in so many words, and asked for once of all structs that a loop makes.
func (u *Unit) PlaceOf(v cue.Value, path ...string) diag.Pos {
	return u.placeOf(v, u.labelled(path), path)
}

// placeOf is [Unit.PlaceOf] for a field of which the sources say x.
func (u *Unit) placeOf(v cue.Value, x *labelled, path []string) diag.Pos {
	if x != nil && x.pos.IsValid() {
		return x.pos
	}
	if key, ok := u.looped(path); ok {
		return u.remembered(key, v)
	}
	return fromcue.WrittenPos(v)
}

// remembered is [fromcue.WrittenPos] of the first value that it is asked for with a key.
func (u *Unit) remembered(key string, v cue.Value) diag.Pos {
	p, ok := u.written[key]
	if !ok {
		p = fromcue.WrittenPos(v)
		u.written[key] = p
	}
	return p
}

// labelled is what the sources say of the field at a path of the artifact, nil if they do not name it.
func (u *Unit) labelled(path []string) *labelled {
	if u.labels == nil {
		u.labels = u.labelsOf()
	}
	return u.labels.at(u.within()).at(path)
}

// within is the path, from the artifact that the package defines, of one that is written
// out in a role of it.
func (u *Unit) within() (path []string) {
	if len(u.chain) == 1 {
		return slices.Clip(u.chain[0].path[1:])
	}
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
	x := u.labelled(path)
	if x != nil && x.fixed && !x.pos.IsValid() {
		return u.remembered(strings.Join(path, "\x00"), v)
	}
	return u.placeOf(v, x, path)
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

// At is [fromcue.Lookup] in the config. It remembers what it has found.
func (u *Unit) At(path []string) cue.Value {
	if len(path) == 0 {
		return u.Config
	}
	key := strings.Join(path, "\x00")
	v, known := u.found[key]
	if !known {
		n := len(path) - 1
		v = fromcue.Lookup(u.At(path[:n]), path[n:])
		u.found[key] = v
	}
	return v
}

// Declared is where the artifact declares a part of its config.
func (u *Unit) Declared(path ...string) diag.Pos {
	key := strings.Join(path, "\x00")
	p, ok := u.declarations[key]
	if !ok {
		p = u.Place(u.At(path), append([]string{"description", "config"}, path...))
		u.declarations[key] = p
	}
	return p
}

// looped is a key for the structs that one declaration in a loop makes at a path of the artifact, apart from the names that it
// computes: they are all written in the same places. It is false for any other struct, and where the sources do not
// have all of it in so many words.
func (u *Unit) looped(path []string) (key string, ok bool) {
	if len(path) < 3 || path[1] == "config" { // which is joined with what is given
		return "", false
	}
	path = append(u.within(), path...)
	made, in := slices.Clone(path), u.labels
	for i, name := range path {
		if in != nil && in.loose {
			return "", false
		}
		x := in.field(name)
		if in != nil && in.computed > 0 {
			if x != nil || in.computed > 1 {
				return "", false
			}
			made[i], x, ok = "", in.field(""), true
		}
		if ok && (x == nil || x.times != 1 || x.loose) {
			return "", false
		}
		in = x
	}
	return "loop\x00" + strings.Join(made, "\x00"), ok
}

// labelled is what the sources say of a field of #Artifact that they declare by name.
type labelled struct {
	pos   diag.Pos // of its label, if it is declared once, as a plain struct
	fixed bool     // no declaration of it is in a comprehension
	times int      // that it is declared
	// computed is how many declarations of fields with computed names are in it.
	computed int
	// loose tells that it has more than fields: it is also what a reference leads to, or has something embedded or a pattern.
	loose bool
	// fields are the fields in it, by name. Those whose names are computed are one field, whose name is empty.
	fields map[string]*labelled
}

// field is what is said of a field; nil if the sources do not name that, or x.
func (x *labelled) field(name string) *labelled {
	if x == nil {
		return nil
	}
	return x.fields[name]
}

// at is what is said of the field at a path from x.
func (x *labelled) at(path []string) *labelled {
	for _, name := range path {
		x = x.field(name)
	}
	return x
}

// labelsOf returns what the sources say of #Artifact and its fields. Plain roles are left out:
// their positions are known.
func (u *Unit) labelsOf() *labelled {
	l := labelSearch{uses: uses{u.Package}, artifact: &labelled{}, aside: u.Aside}
	files := u.Package.Files
	if u.Package.Made.Unrolled {
		files = u.Package.Source().Files
	}
	for _, f := range files {
		if !value.IsModel(fromcue.Pos(f)) {
			ast.Walk(f, l.before, l.after)
		}
	}
	return l.artifact
}

type labelSearch struct {
	uses
	artifact *labelled
	in       []*labelled         // the fields that the walk is in, nil for what lies in no #Artifact
	aside    map[*ast.Field]bool // that are passed over
	within   int                 // so many comprehensions, whose structs CUE places elsewhere
}

func (l *labelSearch) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Comprehension:
		l.within++
	case *ast.EmbedDecl:
		if in := l.inside(); in != nil {
			_, isStruct := x.Expr.(*ast.StructLit)
			in.loose = in.loose || !isStruct
		}
	case *ast.Field:
		return l.field(x)
	}
	return true
}

// inside is the field of #Artifact that the walk is in, nil if it is in none.
func (l *labelSearch) inside() *labelled {
	if len(l.in) == 0 {
		return nil
	}
	return l.in[len(l.in)-1]
}

func (l *labelSearch) field(x *ast.Field) bool {
	if l.aside[x] {
		return false
	}
	now := l.named(x.Label)
	l.in = append(l.in, now)
	if now == nil {
		return true
	}
	_, isStruct := x.Value.(*ast.StructLit)
	now.fixed = l.within == 0 && (now.times == 0 || now.fixed)
	now.pos = diag.NoPos
	if isStruct && now.times == 0 && now.fixed {
		now.pos = fromcue.Pos(x.Label)
	}
	now.times++
	now.loose = now.loose || !l.isPlain(x.Value)
	return true
}

// named is what is known of the field of a label, nil if that lies in no #Artifact.
func (l *labelSearch) named(label ast.Label) *labelled {
	name, in := syntax.LabelName(label), l.inside()
	if in == nil {
		if len(l.in) == 0 && name == "#Artifact" {
			return l.artifact
		}
		return nil
	}
	if _, isPattern := label.(*ast.ListLit); isPattern {
		in.loose = true
	} else if name == "" {
		in.computed++
	}
	now := in.fields[name]
	if now == nil {
		now = &labelled{}
		if in.fields == nil {
			in.fields = map[string]*labelled{}
		}
		in.fields[name] = now
	}
	return now
}

// isPlain reports whether an expression is structs, and types of the model.
func (l *labelSearch) isPlain(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.StructLit:
		return true
	case *ast.ParenExpr:
		return l.isPlain(x.X)
	case *ast.BinaryExpr:
		return x.Op == token.AND && l.isPlain(x.X) && l.isPlain(x.Y)
	case *ast.SelectorExpr:
		imp := l.imported(x.X)
		return imp != nil && imp.IsModel()
	}
	return false
}

func (l *labelSearch) after(n ast.Node) {
	switch n.(type) {
	case *ast.Field:
		l.in = l.in[:len(l.in)-1]
	case *ast.Comprehension:
		l.within--
	}
}
