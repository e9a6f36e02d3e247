package compat

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// section compares a section of two configs. Where its fields have something to
// do with each other, what they take by themselves and their relations are
// compared one after the other.
func (c *comparison) section(path string, was, is cue.Value, at diag.Pos) {
	a, ok := separate(c.ctx, was, path)
	b, again := separate(c.ctx, is, path)
	if !ok || !again {
		if !same(was, is) {
			c.report(Major, at, path, "nothing proves that all it took is still taken: fields refer to each other, and CUE can't tell them apart")
		}
		return
	}
	if len(a.relations) == 0 && len(b.relations) == 0 {
		c.fields(path, was, is, at)
		return
	}
	before := len(c.changes)
	c.fields(path, a.free, b.free, at)
	found := c.changes[before:]
	for i := range found {
		found[i].Pos = placeIn(is, was, path, found[i].Path, at)
	}
	r := related{section: path, was: was, is: is, old: a, new: b, at: at}
	c.relate(r, found)
}

// placeIn is where a field of a section is written, in the new version or the old.
func placeIn(is, was cue.Value, section, path string, at diag.Pos) diag.Pos {
	rest := strings.TrimPrefix(strings.TrimPrefix(path, section), ".")
	if rest == "" || strings.Contains(rest, "[") {
		return at
	}
	var p cue.Path
	for _, name := range strings.Split(rest, ".") {
		p = cue.MakePath(append(p.Selectors(), cue.Str(name).Optional())...)
	}
	for _, side := range []cue.Value{is, was} {
		if v := side.LookupPath(p); v.Exists() && v.Pos().IsValid() && !value.IsModel(fromcue.Pos(v)) {
			return fromcue.Pos(v)
		}
	}
	return at
}

// related is a section whose relations are compared.
type related struct {
	section  string
	was, is  cue.Value
	old, new separated
	at       diag.Pos
}

// of is the path and the place of a relation. What is in a definition counts as
// being in the section.
func (s related) of(r relation) (string, diag.Pos) {
	path := s.section
	if strings.HasPrefix(r.path, path) {
		path = r.path
	}
	return path, placeIn(s.is, s.was, s.section, path, s.at)
}

// relate compares relations. One that stays is no harm as long as what it refers
// to stays; one that goes, if it did nothing but forbid; one that comes, if it
// only adds what nobody has to give. Anything else may be, but is not proved.
func (c *comparison) relate(s related, found []Change) {
	gone, stay := apart(s.old.relations, s.new.relations)
	come, _ := apart(s.new.relations, s.old.relations)
	for _, r := range stay {
		c.referred(r, found)
	}
	for _, r := range gone {
		path, pos := s.of(r)
		if r.relaxes(s.old.free, s.new.free, s.section) {
			c.report(Minor, pos, path, "a relation is gone: %s", short(r.text))
			continue
		}
		c.refuses(s, r, "without")
	}
	for _, r := range come {
		path, pos := s.of(r)
		names, ok := r.adds(c.ctx, s.old, s.new, s.section)
		if !ok {
			c.refuses(s, r, "with")
			continue
		}
		for _, name := range names {
			c.report(Minor, pos, path+"."+name, "the field is new and may be left out: %s", short(r.text))
		}
	}
}

// refuses reports a relation that comes or goes and may refuse what was taken.
func (c *comparison) refuses(s related, r relation, with string) {
	path, pos := s.of(r)
	if w, ok := c.together(r, s.was, s.is, s.old, s.section); ok {
		c.report(Major, pos, path, "it takes less: %s is refused %s %s", w, with, short(r.text)).Witness = w
		return
	}
	c.report(Major, pos, path, "nothing proves that all it took is still taken %s %s", with, short(r.text))
}

// referred reports the changes of what a relation refers to, which may be true of
// other configs then. That a field takes more is none: what it took, it takes.
func (c *comparison) referred(r relation, found []Change) {
	for _, change := range slices.Clone(found) {
		name := change.Path[strings.LastIndex(change.Path, ".")+1:]
		if r.names[name] && change.Step == Minor && !change.wider {
			c.report(Major, change.Pos, change.Path, "nothing proves that all it took is still taken, since this refers to it: %s", short(r.text))
		}
	}
}

// apart tells the relations that only the first list has from those that both
// have.
func apart(a, b []relation) (only, both []relation) {
	left := map[string]int{}
	for _, r := range b {
		left[r.path+"\x00"+r.text]++
	}
	for _, r := range a {
		key := r.path + "\x00" + r.text
		if left[key]--; left[key] >= 0 {
			both = append(both, r)
		} else {
			only = append(only, r)
		}
	}
	return only, both
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// relaxes reports whether less is refused without the relation.
func (r relation) relaxes(was, is cue.Value, section string) bool {
	if r.clauses == nil {
		return r.bound
	}
	if r.body == nil || !strings.HasPrefix(r.path, section) {
		return false
	}
	before, after := membersAt(was, r.path, section), membersAt(is, r.path, section)
	for _, d := range r.body.Elts {
		f, ok := d.(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || !onlyBounds(f.Value) {
			return false
		}
		name := labelOf(f.Label)
		_, had := before.fields[name]
		_, has := after.fields[name]
		if !had || !has {
			return false
		}
	}
	return true
}

// membersAt are the fields of the struct at a path.
func membersAt(v cue.Value, path, section string) membership {
	for _, name := range strings.Split(strings.TrimPrefix(path, section), ".") {
		if name == "[]" {
			return membership{}
		}
		if name != "" {
			v = v.LookupPath(cue.MakePath(cue.Str(name).Optional()))
		}
	}
	return members(v)
}

func onlyBounds(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.UnaryExpr:
		return bound(x)
	case *ast.BinaryExpr:
		return x.Op == token.AND && onlyBounds(x.X) && onlyBounds(x.Y)
	case *ast.ParenExpr:
		return onlyBounds(x.X)
	}
	return false
}

// adds are the fields that an if adds, if that is all it does: they have not been
// there, need not be given, and the condition always is true or false.
func (r relation) adds(ctx *cue.Context, was, is separated, section string) ([]string, bool) {
	if r.body == nil || !strings.HasPrefix(r.path, section) {
		return nil, false
	}
	known := membersAt(is.free, r.path, section)
	for _, clause := range r.clauses {
		x, ok := clause.(*ast.IfClause)
		if !ok || !decides(x.Condition, known) {
			return nil, false
		}
	}
	text, err := format.Node(r.body)
	if err != nil {
		return nil, false
	}
	// By itself, so that there are no references.
	body := ctx.CompileBytes(text)
	if body.Validate() != nil || anyName(body).Exists() || anyName(membersOf(was.free, r.path, section)).Exists() {
		return nil, false
	}
	added := members(body)
	if len(added.names) == 0 || len(added.names) != len(r.body.Elts) {
		return nil, false
	}
	for _, name := range added.names {
		if added.fields[name].required || mentions(was.relations, name) || mentions(without(is.relations, r), name) || has(was.free, r, section, name) || has(is.free, r, section, name) {
			return nil, false
		}
	}
	return added.names, true
}

func membersOf(v cue.Value, path, section string) cue.Value {
	for _, name := range strings.Split(strings.TrimPrefix(path, section), ".") {
		if name != "" {
			v = v.LookupPath(cue.MakePath(cue.Str(name).Optional()))
		}
	}
	return v
}

func has(v cue.Value, r relation, section, name string) bool {
	_, ok := membersAt(v, r.path, section).fields[name]
	return ok
}

func mentions(all []relation, name string) bool {
	return filter.Any(all, func(r relation) bool { return r.names[name] })
}

func without(all []relation, r relation) []relation {
	return filter.Out(all, func(x relation) bool { return x.path == r.path && x.text == r.text })
}
