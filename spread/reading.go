package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// reading is how the sources of an artifact show its config: the values that are a part of it
// or a text with some, and the others that depend on it.
type reading struct {
	// sources are those that were read.
	sources *depends.Sources
	// described are values of the description, by their path from it, and passed those of the
	// configs of roles, by role and path from the config. A path is joined by NUL.
	described map[string]passed
	passed    map[string]map[string]passed
	// others are made in another way.
	others []dependentValue
}

// dependentValue is a value that depends on config.
type dependentValue struct {
	depends.Hole
	// path leads to it from the artifact. There is none where only whether it is right counts.
	path []string
}

// passed is an expression over the artifact's config: a reference, or a text
// with references in it.
type passed struct {
	// parts are texts and references by turns; one reference alone is the value
	// itself, anything else is a text.
	parts []part
	text  bool
	expr  ast.Expr
	// set are the parts of config that it depends on, if hasSet: else those were not looked for.
	set    depends.Set
	hasSet bool
}

// part is a text, or the path of a config field.
type part struct {
	literal string
	ref     []string
}

// reads reports whether a section of config is read.
func (p passed) reads(section string) bool {
	return slices.ContainsFunc(p.parts, func(x part) bool { return x.ref != nil && x.ref[1] == section })
}

// readConfig finds in the sources which values depend on config, and how. It is nil where more
// does than values in the description, and in the configs and the meta of roles.
func readConfig(d *depends.Sources) *reading {
	r := &reading{sources: d, described: map[string]passed{}, passed: map[string]map[string]passed{}}
	if slices.ContainsFunc(d.Holes(), func(h depends.Hole) bool { return !r.hole(h) }) {
		return nil
	}
	return r
}

func (r *reading) hole(h depends.Hole) bool {
	path := h.Path
	switch {
	case slices.ContainsFunc(path, isAside):
		r.others = append(r.others, dependentValue{Hole: h})
	case len(path) < 2 || path[0] != "description" || path[1] == "builtin" || len(path) < 5 && path[1] == "role":
		return false
	case slices.ContainsFunc(path, func(name string) bool { return strings.HasPrefix(name, `"`) }):
		return false // a field whose name looks like that of a hidden one
	case path[1] != "role":
		if f, ok := formulaOf(h); ok && !f.reads("resource") {
			r.described[strings.Join(path[1:], "\x00")] = f
			return true
		}
		r.others = append(r.others, dependentValue{h, path})
	case path[3] == "config":
		f, ok := formulaOf(h)
		if path[4] == "resilience" && !slices.Equal(f.copies(), []string{"config", "resilience"}) {
			return false
		}
		if ok {
			if r.passed[path[2]] == nil {
				r.passed[path[2]] = map[string]passed{}
			}
			r.passed[path[2]][strings.Join(path[4:], "\x00")] = f
			return true
		}
		if path[4] == "resource" {
			return false // what is written for one is judged where it stands
		}
		r.others = append(r.others, dependentValue{h, path})
	case path[3] == "meta":
		r.others = append(r.others, dependentValue{h, path})
	default:
		return false
	}
	return true
}

// formulaOf is the expression by which a value is made, false if Go does not know it.
func formulaOf(h depends.Hole) (passed, bool) {
	if h.Formula == nil {
		return passed{}, false
	}
	out := passed{text: h.Formula.Text, expr: h.Formula.Expr, set: h.Set, hasSet: true}
	for _, x := range h.Formula.Pieces {
		p := part{literal: x.Text}
		if x.Path != nil {
			p.ref = append([]string{"config"}, x.Path...)
		}
		out.parts = append(out.parts, p)
	}
	return out, true
}

// copies is the field of config that the expression is, nil for a text.
func (p passed) copies() []string {
	if p.text || len(p.parts) == 0 {
		return nil
	}
	return p.parts[0].ref
}

// copied is the value of config that the expression is, nil for a text.
func (p passed) copied(config *value.Data) *value.Data {
	if p.text || len(p.parts) == 0 {
		return nil
	}
	return config.Get(p.parts[0].ref[1:]...)
}

// value is the expression's value with the given config, nil if there is none
// or if its text is for CUE to write. A text lies where old, the one that CUE
// made with another config, does.
func (p passed) value(config, old *value.Data, origin value.Origin) *value.Data {
	if !p.text {
		d := config.Get(p.parts[0].ref[1:]...)
		if p.parts[0].ref[1] == Context {
			return d.WithOrigin(func(*value.Data) value.Origin { return origin }) // nobody gave it
		}
		return d
	}
	var b strings.Builder
	for _, x := range p.parts {
		if x.ref == nil {
			b.WriteString(x.literal)
			continue
		}
		d := config.Get(x.ref[1:]...)
		if d == nil || d.Kind != value.String && d.Kind != value.Int && d.Kind != value.Bool {
			return nil
		}
		b.WriteString(d.Text)
	}
	return &value.Data{Kind: value.String, Text: b.String(), Pos: old.Pos, Origin: origin}
}
