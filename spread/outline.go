package spread

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// outline is an artifact without roles as it is before it is given a config: its
// node, but for the config and the places that show it. It is nil where more than
// those depends on config, or anything is wrong: then CUE has to see a config.
func (r *runner) outline(u *unit) *Node {
	src := u.sources()
	if src == nil || !u.shared || u.flawed {
		return nil
	}
	n := &Node{Package: u.pkg, Pos: u.pos}
	f := &finisher{places: nowhere}
	n.identify(f, u.artifact)
	desc := u.artifact.LookupPath(descriptionPath)
	n.Builtin, _ = desc.LookupPath(builtinPath).Bool()
	if n.Ref.Kind == "service" && !n.Builtin {
		return nil
	}
	f.places = u.place
	f.shown = func(v cue.Value, path []string) *Data {
		if p, ok := src.described[strings.Join(path[1:], "\x00")]; ok {
			return &Data{Kind: Null, Pos: u.shownPos(v, p)}
		}
		return nil
	}
	var err error
	if n.Description, err = f.description(desc); err != nil || len(f.problems) > 0 {
		return nil
	}
	return n
}

// shownPos is where a value lies that an expression over config gives: a text
// where it is written, a struct or list where the config declares it.
func (u *unit) shownPos(v cue.Value, p passed) token.Pos {
	if !p.text {
		path := append([]string{"description"}, p.parts[0].ref...)
		return u.place(lookup(u.artifact, path), path)
	}
	if field, ok := v.Source().(*ast.Field); ok && field.Value == p.expr {
		return field.Pos()
	}
	return p.expr.Pos()
}
