package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Reading is how the sources of an artifact show its config: the values that are a part of it
// or a text with some, and the others that depend on it.
type Reading struct {
	// Sources are those that were read, Package what they are of: the artifact's, or that without
	// what config decides by itself.
	Sources *depends.Sources
	Package *Package
	// Described are values of the description, by their path from it, and Passed those of the
	// configs of roles, by role and path from the config. A path is joined by NUL.
	Described map[string]Passed
	Passed    map[string]map[string]Passed
	// Others are made in another way.
	Others []dependentValue
}

// dependentValue is a value that depends on config.
type dependentValue struct {
	depends.Hole
	// Path leads to it from the artifact. There is none where only whether it is right counts.
	Path []string
}

// Passed is an expression over the artifact's config: a reference, or a text
// with references in it.
type Passed struct {
	// Parts are texts and references by turns; one reference alone is the value
	// itself, anything else is a text.
	Parts []Piece
	// Text reports whether it is a text.
	Text bool
	// Expr is the expression as it is written.
	Expr ast.Expr
	// Types are the names of types that are said of the value besides, see [depends.Formula].
	Types []string
	// Set are the parts of config that it depends on, if HasSet: else those were not looked for.
	Set    depends.Set
	HasSet bool
}

// Piece is a text, or the path of a config field.
type Piece struct {
	Literal string
	Ref     []string
}

// Reads reports whether a section of config is read.
func (p Passed) Reads(section string) bool {
	return filter.Any(p.Parts, func(x Piece) bool { return x.Ref != nil && x.Ref[1] == section })
}

// ReadConfig finds in the sources which values depend on config, and how. It is nil where more
// does than values in the description, and in the configs and the meta of roles.
func ReadConfig(d *depends.Sources) *Reading {
	r := &Reading{Sources: d, Described: map[string]Passed{}, Passed: map[string]map[string]Passed{}}
	if filter.Any(d.Holes(), func(h depends.Hole) bool { return !r.Add(h) }) {
		return nil
	}
	return r
}

// Add adds a part of the artifact that depends on config. It is false for one that is not a value in the description, or in
// the config or the meta of a role.
func (r *Reading) Add(h depends.Hole) bool {
	path := h.Path
	switch {
	case filter.Any(path, syntax.IsAside):
		r.Others = append(r.Others, dependentValue{Hole: h})
	case len(path) < 2 || path[0] != "description" || path[1] == "builtin" || len(path) < 5 && path[1] == "role":
		return false
	case filter.Any(path, func(name string) bool { return strings.HasPrefix(name, `"`) }):
		return false // a field whose name looks like that of a hidden one
	case path[1] != "role":
		if f, ok := FormulaOf(h); ok && !f.Reads("resource") {
			r.Described[strings.Join(path[1:], "\x00")] = f
			return true
		}
		r.Others = append(r.Others, dependentValue{h, path})
	case path[3] == "config":
		f, ok := FormulaOf(h)
		if path[4] == "resilience" && (len(path) > 5 || !slices.Equal(f.Copies(), []string{"config", "resilience"})) {
			return false
		}
		if ok {
			if r.Passed[path[2]] == nil {
				r.Passed[path[2]] = map[string]Passed{}
			}
			r.Passed[path[2]][strings.Join(path[4:], "\x00")] = f
			return true
		}
		if path[4] == "resource" {
			return false // what is written for one is judged where it stands
		}
		r.Others = append(r.Others, dependentValue{h, path})
	case path[3] == "meta":
		r.Others = append(r.Others, dependentValue{h, path})
	default:
		return false
	}
	return true
}

// FormulaOf is the expression by which a value is made, false if Go does not know it.
func FormulaOf(h depends.Hole) (Passed, bool) {
	if h.Formula == nil {
		return Passed{}, false
	}
	out := Passed{Text: h.Formula.Text, Expr: h.Formula.Expr, Types: h.Formula.Types, Set: h.Set, HasSet: true}
	for _, x := range h.Formula.Pieces {
		p := Piece{Literal: x.Text}
		if x.Path != nil {
			p.Ref = append([]string{"config"}, x.Path...)
		}
		out.Parts = append(out.Parts, p)
	}
	return out, true
}

// Copies is the field of config that the expression is, nil for a text.
func (p Passed) Copies() []string {
	if p.Text || len(p.Parts) == 0 {
		return nil
	}
	return p.Parts[0].Ref
}

// Copied is the value of config that the expression is, nil for a text.
func (p Passed) Copied(config *value.Data) *value.Data {
	if p.Text || len(p.Parts) == 0 {
		return nil
	}
	return config.Get(p.Parts[0].Ref[1:]...)
}

// IsInText reports whether CUE puts a value into a text exactly as it is in d.Text.
func IsInText(d *value.Data) bool {
	return d != nil && (d.Kind == value.String || d.Kind == value.Int || d.Kind == value.Bool)
}

// Value is the expression's value with the given config, nil if there is none
// or if its text is for CUE to write. A text lies where old, the one that CUE
// made with another config, does.
func (p Passed) Value(config, old *value.Data, origin value.Origin) *value.Data {
	if !p.Text {
		d := config.Get(p.Parts[0].Ref[1:]...)
		if p.Parts[0].Ref[1] == Context {
			return d.WithOrigin(func(*value.Data) value.Origin { return origin }) // nobody gave it
		}
		return d
	}
	var b strings.Builder
	for _, x := range p.Parts {
		if x.Ref == nil {
			b.WriteString(x.Literal)
			continue
		}
		d := config.Get(x.Ref[1:]...)
		if !IsInText(d) {
			return nil
		}
		b.WriteString(d.Text)
	}
	return &value.Data{Kind: value.String, Text: b.String(), Pos: old.Pos, Origin: origin}
}
