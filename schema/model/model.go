// Package model tells what can be written in artifacts and deployments: every field of
// the schema with its type, its default and its comment, an example that compiles, and
// what that becomes on each target. kumiki explain and docs/reference are made of it.
//
// Fields are read in the schema's sources. Examples are in examples.txtar; what they
// become is in becomes.txtar, which a test makes by compiling them.
package model

import (
	"slices"
	"strings"
	"sync"

	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// Field is a field that an author or a deployer can write.
type Field struct {
	// Path is where it is written, without "description": NAME stands for a name that
	// the author chooses.
	Path []string
	// Definition is the schema's name for what it holds, such as "#Container"; "" for
	// none.
	Definition string
	// Type is what it takes, as CUE.
	Type string
	// Default is what it is when nobody says anything, as CUE; "" for nothing.
	Default string
	// Optional tells that it can be left out although it has no default.
	Optional bool
	// When is the condition under which the schema has it, "" for always.
	When string
	// Doc is its comment in the schema, a paragraph or example an element.
	Doc []Paragraph
	// Fields are those that it holds.
	Fields []*Field

	declared token.Pos // where the schema declares it, maybe for several places
}

// Paragraph is a part of a comment: a text, or lines of CUE.
type Paragraph struct {
	Text string
	Code bool
}

// Name is the path as a text.
func (f *Field) Name() string { return strings.Join(f.Path, ".") }

// Need says in a word or two whether somebody has to give the field.
func (f *Field) Need() string {
	switch {
	case f.Default != "":
		return "default " + f.Default
	case f.Optional:
		return "optional"
	case follows[f.Name()] != "":
		return follows[f.Name()]
	case f.fixed():
		return "need not be written"
	case f.When != "":
		return "required if " + f.When
	case f.Type == "struct" || f.Type == "_" || f.Path[0] == "environment" && f.isMany():
		return ""
	}
	return "required"
}

// fixed reports whether the schema gives the only value that the field can have.
func (f *Field) fixed() bool {
	return len(f.Type) > 1 && f.Type[0] == '"' && strings.Count(f.Type, `"`) == 2
}

// isMany reports whether the field takes any number of members or elements.
func (f *Field) isMany() bool {
	return strings.HasPrefix(f.Type, "by name") || strings.HasPrefix(f.Type, "list of") || strings.HasPrefix(f.Type, "[...")
}

// follows are the fields that have a value without anybody giving one, and what it
// comes of.
var follows = map[string]string{
	"config.resilience":  "0 unless somebody says otherwise",
	"context.deployment": "filled in by kumiki",
	"context.path":       "filled in by kumiki",
	"context.role":       "filled in by kumiki",
	"code.NAME.name":     "follows from the key",
	"ref.domain":         "follows from the module",
	"ref.kind":           "follows from the package's name",
	"ref.module":         "follows from the module",
	"ref.version":        "follows from the module",
	"role.NAME.name":     "follows from the key",
	"spec":               "[1, 0]",
}

// Sentence is the first sentence of the comment.
func (f *Field) Sentence() string {
	for _, p := range f.Doc {
		if p.Code {
			continue
		}
		if text, _, ok := strings.Cut(p.Text, ". "); ok {
			return text + "."
		}
		if text, _, ok := strings.Cut(p.Text, ": "); ok && strings.HasSuffix(p.Text, ":") {
			return text + "."
		}
		return strings.TrimSuffix(p.Text, ":")
	}
	return ""
}

// All are the fields in the order of the schema, those that hold others before these.
var All = sync.OnceValue(func() []*Field {
	var out []*Field
	var add func(list []*Field)
	add = func(list []*Field) {
		for _, f := range list {
			out = append(out, f)
			add(f.Fields)
		}
	}
	for _, page := range Pages() {
		add(page.Fields)
	}
	return out
})

// Page is a part of the model, with the fields at its top.
type Page struct {
	Name, Title string
	// Doc is the comment of what it is about.
	Doc    []Paragraph
	Fields []*Field
}

// Pages are the parts of the model.
var Pages = sync.OnceValue(func() []*Page {
	s := readSchema()
	return []*Page{
		{"deployment", "Deployments", s.doc("#Deployment"), s.fieldsOf("#Deployment", "deployment")},
		{"artifact", "Artifacts", s.doc("#Artifact"), s.fieldsOf("#Artifact")},
		{"config", "Config", s.doc("#Configurable"), s.config()},
		{"context", "The context of an artifact", s.doc("#Context"), s.fieldsOf("#Context", "context")},
		{"channels", "Channels", s.doc("#MicroService"), s.fieldsOf("#MicroService", "srv")},
		{"component", "Components", s.doc("#Component"), s.fieldsOf("#ComponentBody")},
		{"service", "Services", s.doc("#Service"), s.fieldsOf("#ServiceBody")},
		{"hints", "Hints", s.doc("#Hints"), s.fieldsOf("#Hints", "meta")},
		{"inbound", "The inbound", docOf(s.builtin), s.inbound()},
		{"from", "Values of other deployments", s.doc("#From"), s.fieldsOf("#From", "from")},
		{"environment", "Environments", s.doc("#Environment"), s.fieldsOf("#Environment", "environment")},
		{"policy", "Policies", s.doc("#Policy"), s.fieldsOf("#Policy", "policy")},
		{"template", "Templates", s.doc("#Template"), s.fieldsOf("#Template", "template")},
	}
})

// Lookup returns the field of a name.
func Lookup(name string) *Field {
	i := slices.IndexFunc(All(), func(f *Field) bool { return f.Name() == name })
	if i < 0 {
		return nil
	}
	return All()[i]
}

// PageOf is the page that a field is on.
func PageOf(f *Field) *Page {
	for _, p := range Pages() {
		if filter.Any(p.Fields, func(top *Field) bool { return top == f || holds(top, f) }) {
			return p
		}
	}
	return nil
}

func holds(top, f *Field) bool {
	return filter.Any(top.Fields, func(in *Field) bool { return in == f || holds(in, f) })
}
