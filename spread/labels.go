package spread

import (
	"slices"
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
// they have it in so many words, and asked for once of all structs that a loop makes.
func (u *Unit) PlaceOf(v cue.Value, path ...string) diag.Pos {
	if p := u.labelled(path).pos; p.IsValid() {
		return p
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
	if x := u.labelled(path); x.fixed && !x.pos.IsValid() {
		return u.remembered(strings.Join(path, "\x00"), v)
	}
	return u.PlaceOf(v, path...)
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
	made := make([]string, 0, len(path)+1)
	for _, name := range append(u.within(), path...) {
		in := u.labels[strings.Join(made, "\x00")]
		made = append(made, name)
		if in.loose {
			return "", false
		}
		if in.computed > 0 {
			if _, named := u.labels[strings.Join(made, "\x00")]; named || in.computed > 1 {
				return "", false
			}
			made[len(made)-1], ok = "", true
		}
		if x := u.labels[strings.Join(made, "\x00")]; ok && (x.times != 1 || x.loose) {
			return "", false
		}
	}
	return "loop\x00" + strings.Join(made, "\x00"), ok
}

// labelled is what the sources say of a field of #Artifact that they declare by name. A field whose name is computed has
// an empty name in the path.
type labelled struct {
	pos   diag.Pos // of its label, if it is declared once, as a plain struct
	fixed bool     // no declaration of it is in a comprehension
	times int      // that it is declared
	// computed is how many declarations of fields with computed names are in it.
	computed int
	// loose tells that it has more than fields: it is also what a reference leads to, or has something embedded or a pattern.
	loose bool
}

// labelsOf returns what the sources say of the fields of #Artifact, by path. Plain roles are left out:
// their positions are known.
func (u *Unit) labelsOf() map[string]labelled {
	l := labelSearch{uses: uses{u.Package}, found: map[string]labelled{}, aside: u.Aside}
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
	uses
	fields []string
	aside  map[*ast.Field]bool // that are passed over
	found  map[string]labelled
	within int // so many comprehensions, whose structs CUE places elsewhere
}

func (l *labelSearch) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Comprehension:
		l.within++
	case *ast.EmbedDecl:
		if _, isStruct := x.Expr.(*ast.StructLit); !isStruct {
			l.change(func(x *labelled) { x.loose = true })
		}
	case *ast.Field:
		return l.field(x)
	}
	return true
}

func (l *labelSearch) field(x *ast.Field) bool {
	if l.aside[x] {
		return false
	}
	name := syntax.LabelName(x.Label)
	if _, isPattern := x.Label.(*ast.ListLit); isPattern {
		l.change(func(x *labelled) { x.loose = true })
	} else if name == "" {
		l.change(func(x *labelled) { x.computed++ })
	}
	l.fields = append(l.fields, name)
	l.change(func(now *labelled) {
		_, isStruct := x.Value.(*ast.StructLit)
		now.fixed = l.within == 0 && (now.times == 0 || now.fixed)
		now.pos = diag.NoPos
		if isStruct && now.times == 0 && now.fixed {
			now.pos = fromcue.Pos(x.Label)
		}
		now.times++
		now.loose = now.loose || !l.isPlain(x.Value)
	})
	return true
}

// change changes what is known of the field of #Artifact that the walk is in.
func (l *labelSearch) change(change func(*labelled)) {
	if len(l.fields) == 0 || l.fields[0] != "#Artifact" {
		return
	}
	key := strings.Join(l.fields[1:], "\x00")
	x := l.found[key]
	change(&x)
	l.found[key] = x
}

// isPlain reports whether an expression is structs, and types of the model.
func (l *labelSearch) isPlain(x ast.Expr) bool {
	return !slices.ContainsFunc(syntax.Conjuncts(x), func(x ast.Expr) bool {
		if _, isStruct := x.(*ast.StructLit); isStruct {
			return false
		}
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		imp := l.imported(sel.X)
		return imp == nil || !imp.IsModel()
	})
}

func (l *labelSearch) after(n ast.Node) {
	switch n.(type) {
	case *ast.Field:
		l.fields = l.fields[:len(l.fields)-1]
	case *ast.Comprehension:
		l.within--
	}
}
