package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
)

// Data is JSON: map[string]any, []any, string, bool, nil, and json.Number, which
// keeps a number as CUE writes it.

// data takes a finished value as data: defaults are chosen, what is not a regular
// field is left out.
func data(v cue.Value) (any, error) {
	v, _ = v.Default()
	switch v.Kind() {
	case cue.NullKind:
		return nil, nil
	case cue.BoolKind:
		return v.Bool()
	case cue.StringKind:
		return v.String()
	case cue.IntKind, cue.FloatKind, cue.NumberKind:
		text, err := v.MarshalJSON()
		return json.Number(text), err
	case cue.ListKind:
		out := []any{}
		items, err := v.List()
		for err == nil && items.Next() {
			var x any
			x, err = data(items.Value())
			out = append(out, x)
		}
		return out, err
	case cue.StructKind:
		return object(v)
	case cue.BytesKind:
		return nil, fmt.Errorf("%v: %w", v.Path(), errNotData)
	}
	return nil, fmt.Errorf("%v has no value: %v", v.Path(), v)
}

var errNotData = errors.New("JSON has no bytes")

// object takes a struct as data, without the fields that are named.
func object(v cue.Value, but ...string) (map[string]any, error) {
	out := map[string]any{}
	fields, err := v.Fields()
	for err == nil && fields.Next() {
		if name := fields.Selector().Unquoted(); !slices.Contains(but, name) {
			out[name], err = data(fields.Value())
		}
	}
	return out, err
}

// config takes a config as data. Sections that nobody has said anything of are
// left out.
func config(v cue.Value) (map[string]any, error) {
	var unsaid []string
	for _, name := range sections {
		if isUnsaid(v, name) {
			unsaid = append(unsaid, name)
		}
	}
	return object(v, unsaid...)
}

var sections = []string{"parameter", "resource", "scale", "resilience"}

// isUnsaid reports whether a section of a config is as the model leaves it.
func isUnsaid(config cue.Value, section string) bool {
	v := config.LookupPath(cue.MakePath(cue.Str(section)))
	if !isAnything(v, section) || section == "resilience" {
		return isAnything(v, section)
	}
	open := v.Unify(cuecontext.New().CompileString("{...}"))
	fields, err := open.Fields(cue.All())
	return err != nil || !fields.Next()
}

// isAnything reports whether CUE takes a section for anything at all: besides what
// nobody has said anything of, CUE 0.17 does so with a struct that has nothing but
// optional fields and an if.
func isAnything(v cue.Value, section string) bool {
	if section == "resilience" {
		d, _ := v.Default()
		return v.Err() == nil && !d.IsConcrete()
	}
	return v.Err() == nil && v.IncompleteKind() == cue.TopKind
}

// text is data as CUE, which takes JSON.
func text(data any) string {
	return plainJSON(data)
}

// plainJSON writes data as JSON, and < as it is.
func plainJSON(data any) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		panic(err) // it came from CUE
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// get is the member of nested objects at a path, nil if there is none.
func get(x any, path ...string) any {
	for _, name := range path {
		m, _ := x.(map[string]any)
		x = m[name]
	}
	return x
}

// keys are the names of an object's members in order, none if x is no object.
func keys(x any) []string {
	m, _ := x.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}

// merge puts the members of b over those of a, at every depth.
func merge(a, b any) any {
	x, ok := a.(map[string]any)
	y, both := b.(map[string]any)
	if !ok || !both {
		return b
	}
	out := maps.Clone(x)
	for name, value := range y {
		if old, ok := out[name]; ok {
			value = merge(old, value)
		}
		out[name] = value
	}
	return out
}

// orEmpty is x, or {} for nil.
func orEmpty(x any) any {
	if x == nil {
		return map[string]any{}
	}
	return x
}
