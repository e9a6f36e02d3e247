package params

import (
	"encoding/json"

	"cuelang.org/go/cue"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
)

// JSONSchema describes what the field takes as a JSON schema (2020-12). What
// that language cannot say is left out, so it takes at least what the field
// takes.
func (p Param) JSONSchema() map[string]any {
	out := map[string]any{}
	if p.Schema.Exists() {
		out = jsonSchema(p.Schema)
	} else {
		out["type"], out["minimum"] = "integer", 0 // a scale or resilience
	}
	if p.Doc != "" {
		out["description"] = p.Doc
	}
	if p.Default != nil {
		out["default"] = p.Default
	}
	return out
}

var jsonTypes = []struct {
	kind cue.Kind
	name string
}{
	{cue.NullKind, "null"}, {cue.BoolKind, "boolean"}, {cue.StringKind, "string"},
	{cue.ListKind, "array"}, {cue.StructKind, "object"},
}

func jsonSchema(v cue.Value) map[string]any {
	out := map[string]any{}
	if values, ok := enum(v); ok {
		out["enum"] = values
		return out
	}
	kind := v.IncompleteKind()
	var types []string
	for _, t := range jsonTypes {
		if kind&t.kind != 0 {
			types = append(types, t.name)
		}
	}
	switch {
	case kind&cue.FloatKind != 0:
		types = append(types, "number")
	case kind&cue.IntKind != 0:
		types = append(types, "integer")
	}
	switch {
	case kind == cue.TopKind || len(types) == 0:
		return out
	case len(types) == 1:
		out["type"] = types[0]
	default:
		out["type"] = types
		return out
	}
	limits(v, out)
	switch kind {
	case cue.StructKind:
		structSchema(v, out)
	case cue.ListKind:
		if element := v.LookupPath(cue.MakePath(cue.AnyIndex)); element.Exists() {
			out["items"] = jsonSchema(element)
		}
	}
	return out
}

// enum returns the values of an enumeration.
func enum(v cue.Value) ([]json.RawMessage, bool) {
	if _, ok := wording.Alternatives(v); !ok {
		return nil, false
	}
	_, args := fromcue.ExprOf(v)
	var out []json.RawMessage
	seen := map[string]bool{}
	for _, a := range args {
		b, err := a.MarshalJSON()
		if err != nil {
			return nil, false
		}
		if !seen[string(b)] {
			out = append(out, b)
		}
		seen[string(b)] = true
	}
	return out, true
}

func structSchema(v cue.Value, out map[string]any) {
	fields, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil {
		return
	}
	properties, required := map[string]any{}, []string{}
	for fields.Next() {
		name := fields.Name()
		properties[name] = jsonSchema(fields.Value())
		optional := fields.FieldType()&cue.OptionalConstraint != 0
		if _, hasDefault := fields.Value().Default(); !optional && !hasDefault {
			required = append(required, name)
		}
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = required
	}
}

// limits adds the bounds of a number and the pattern of a string.
func limits(v cue.Value, out map[string]any) {
	op, args := fromcue.ExprOf(v)
	keys := map[cue.Op]string{
		cue.LessThanOp: "exclusiveMaximum", cue.LessThanEqualOp: "maximum",
		cue.GreaterThanOp: "exclusiveMinimum", cue.GreaterThanEqualOp: "minimum",
		cue.RegexMatchOp: "pattern",
	}
	if key, ok := keys[op]; ok {
		if b, err := args[0].MarshalJSON(); err == nil {
			out[key] = json.RawMessage(b)
		}
		return
	}
	if op == cue.AndOp {
		for _, a := range args {
			limits(a, out)
		}
		return
	}
	if op == cue.OrOp && len(args) == 2 { // a default beside a type
		for _, a := range args {
			if !a.IsConcrete() {
				limits(a, out)
			}
		}
	}
}
