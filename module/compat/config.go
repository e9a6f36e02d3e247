package compat

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
)

// maxDepth bounds how deep schemas are taken apart.
const maxDepth = 20

// field is how a config field is given.
type field struct {
	value    cue.Value
	required bool
	optional bool   // marked so
	def      string // the default in CUE, "" for none
	pos      diag.Pos
}

// fields compares two structs of a config, field by field: CUE by itself takes
// a field with a default for one that has to be there.
func (c *comparison) fields(path string, was, is cue.Value, at diag.Pos) {
	before, after := members(was), members(is)
	for _, name := range before.names {
		p := path + "." + name
		a := before.fields[name]
		b, has := after.fields[name]
		if !has {
			c.missing(p, a, is)
			continue
		}
		c.field(p, a, b)
	}
	for _, name := range after.names {
		b := after.fields[name]
		if _, had := before.fields[name]; had {
			continue
		}
		switch pattern := anyName(was); {
		case b.required:
			c.report(Major, b.pos, path+"."+name, "the field is new and has to be given")
		case pattern.Exists():
			c.field(path+"."+name, field{value: pattern}, b)
		default:
			c.report(Minor, b.pos, path+"."+name, "the field is new and may be left out")
		}
	}
	c.patterns(path, was, is, at)
}

// missing is a field that the new version does not name: its pattern may still
// take it.
func (c *comparison) missing(path string, a field, is cue.Value) {
	pattern := anyName(is)
	if pattern.Exists() {
		c.field(path, a, field{value: pattern, pos: fromcue.Pos(pattern)})
		return
	}
	c.report(Major, a.pos, path, "the field is gone: deployments that give it are refused")
}

// patterns compares what fields of any name take.
func (c *comparison) patterns(path string, was, is cue.Value, at diag.Pos) {
	a, b := anyName(was), anyName(is)
	switch {
	case a.Exists() && b.Exists():
		c.values(path+".[string]", a, b, at)
	case a.Exists():
		c.report(Major, at, path, "fields of any name were taken, now only those that are declared are")
	case b.Exists():
		c.report(Minor, at, path, "fields of any name are taken")
	}
}

func (c *comparison) field(path string, a, b field) {
	c.necessity(path, a, b)
	c.values(path, a.value, b.value, b.pos)
}

// necessity compares whether a field has to be given and what it is otherwise.
func (c *comparison) necessity(path string, a, b field) {
	switch {
	case b.required && !a.required:
		c.report(Major, b.pos, path, "the field has to be given, it might be left out before")
	case a.required && !b.required:
		c.report(Minor, b.pos, path, "the field may be left out, it had to be given before")
	case a.def != b.def:
		c.report(Minor, b.pos, path, "the default was %s, is %s", orNone(a.def), orNone(b.def))
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// values compares what a field takes.
func (c *comparison) values(path string, was, is cue.Value, at diag.Pos) {
	if plainStruct(was) && plainStruct(is) && strings.Count(path, ".") < maxDepth {
		c.fields(path, was, is, at)
		return
	}
	forth, back := accepts(is, was, 0), accepts(was, is, 0)
	switch {
	case forth && back:
	case forth:
		c.report(Minor, at, path, "it takes more: was %s, is %s", text(was), text(is)).wider = true
	default:
		w, found := witness(c.ctx, was, is)
		if !found {
			c.report(Major, at, path, "nothing proves that all it took is still taken: was %s, is %s", text(was), text(is))
			return
		}
		c.report(Major, at, path, "it takes less: %s is refused; was %s, is %s", w, text(was), text(is)).Witness = w
	}
}

// membership is the named fields of a struct in the order of their declaration.
type membership struct {
	names  []string
	fields map[string]field
}

func members(v cue.Value) membership {
	m := membership{fields: map[string]field{}}
	if v.IncompleteKind()&cue.StructKind == 0 {
		return m
	}
	it, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil {
		return m
	}
	for it.Next() {
		name, value := it.Name(), it.Value()
		f := field{value: value, pos: fromcue.Pos(value), optional: it.IsOptional()}
		if !it.IsOptional() {
			f.def = defaultOf(value)
			f.required = f.def == "" && needed(value)
		}
		m.names = append(m.names, name)
		m.fields[name] = f
	}
	return m
}

// defaultOf is what a field is when nobody gives it, "" for nothing.
func defaultOf(v cue.Value) string {
	if plainStruct(v) {
		return "" // its fields have theirs
	}
	d, _ := v.Default()
	if d.Validate(cue.Concrete(true), cue.Final()) != nil {
		return ""
	}
	b, err := d.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(b)
}

// needed reports whether a regular field without a default has to be given: a
// struct has not if none of its fields has.
func needed(v cue.Value) bool {
	if !plainStruct(v) {
		return true
	}
	for _, f := range members(v).fields {
		if f.required {
			return true
		}
	}
	return false
}

func hasDefault(v cue.Value) bool {
	_, ok := v.Default()
	return ok
}

// text is a schema on one line.
func text(v cue.Value) string {
	s := strings.Join(strings.Fields(fmt.Sprint(v.Eval())), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
