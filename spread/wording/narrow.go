package wording

import (
	"fmt"
	"slices"
	"strconv"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// Taking reports whether a schema takes a value.
type Taking func(schema cue.Value, d *value.Data) bool

// Narrow follows a wrong value down to the part of it that is wrong: of a
// struct or list, the members that the schema does not take.
func Narrow(path []string, found *value.Data, schema cue.Value, takes Taking) ([]string, *value.Data, cue.Value) {
	schema = matching(found, schema)
	for _, m := range found.Members() {
		part := fromcue.Lookup(schema, []string{m.Name})
		if part.Exists() && !takes(part, m.Value) {
			return Narrow(append(slices.Clip(path), m.Name), m.Value, part, takes)
		}
	}
	return path, found, schema
}

// matching is the one alternative of the schema that is of the value's kind,
// the schema itself if there is not exactly one.
func matching(found *value.Data, schema cue.Value) cue.Value {
	kinds := map[value.Kind]cue.Kind{value.Struct: cue.StructKind, value.List: cue.ListKind}
	if kinds[found.Kind] == 0 {
		return schema
	}
	var fit []cue.Value
	for _, a := range fromcue.Choices(schema) {
		if a.IncompleteKind() == kinds[found.Kind] {
			fit = append(fit, a)
		}
	}
	if len(fit) > 1 {
		fit = filter.Out(fit, func(a cue.Value) bool { return isTold(found, a) })
	}
	if len(fit) != 1 {
		return schema
	}
	return fit[0]
}

// isTold reports whether a value says in so many words that it is another
// alternative: by a field that is but one value there.
func isTold(found *value.Data, alternative cue.Value) bool {
	return filter.Any(found.Fields, func(m value.Field) bool {
		part := fromcue.Lookup(alternative, []string{m.Name})
		return part.IsConcrete() && m.Value.Kind != value.Struct && m.Value.Kind != value.List && Source(part) != m.Value.JSON()
	})
}

// Takes says what the field of a name takes in place of a value that it does not
// take, and how that value is written right where it is known.
func Takes(name string, found *value.Data, schema cue.Value, takes Taking) string {
	return Of(schema) + nearValue(found, schema) + rewritten(found, schema, takes) + declaredAs(name, schema)
}

// rewritten says how a value of the wrong type is written right: a number that
// stands in quotes, a resource that lacks its kind.
func rewritten(found *value.Data, schema cue.Value, takes Taking) string {
	if kind := ResourceKind(schema); kind != "" {
		id := found.JSON()
		if found.Kind != value.String {
			id = `"…"`
		}
		return "; write " + kind + ": " + id
	}
	if found.Kind == value.Null {
		if _, ok := schema.Default(); ok {
			return "; leave it out for the default"
		}
		return "; write " + Example(nil, schema) + " in its place"
	}
	other, where := value.NewString(found.Pos, found.Text), "in"
	if found.Kind == value.String {
		other, where = &value.Data{Kind: value.Float, Text: found.Text, Pos: found.Pos}, "without"
		if _, err := strconv.ParseFloat(found.Text, 64); err != nil {
			other.Kind = value.Bool
		}
		if other.Kind == value.Bool && found.Text != "true" && found.Text != "false" {
			return ""
		}
	}
	if found.IsComposite() || !takes(schema, other) {
		return ""
	}
	return "; write it " + where + " quotes: " + other.JSON()
}

// nearValue proposes the alternative that a wrong string was meant to be.
func nearValue(found *value.Data, schema cue.Value) string {
	_, args := fromcue.ExprOf(schema)
	var names []string
	for _, a := range args {
		if s, err := a.String(); err == nil {
			names = append(names, s)
		}
	}
	if near, ok := diag.Nearest(found.Str(), names); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
