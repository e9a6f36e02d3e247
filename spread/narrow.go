package spread

import (
	"slices"
	"strconv"

	"cuelang.org/go/cue"

	"kumiki.dev/value"
)

// asResource makes a problem with the id of a resource one with the resource,
// which is what the artifact's author has declared and described.
func (u *Unit) asResource(p problem) problem {
	n := len(p.path) - 1
	if n < 3 || p.path[1] != "resource" || resourceKinds[p.path[n]] == "" {
		return p
	}
	if schema := Lookup(u.Config, p.path[1:n]); resourceKind(schema) == p.path[n] {
		p.path, p.value = p.path[:n], schema
	}
	return p
}

// narrow follows a wrong value down to the part of it that is wrong: of a
// struct or list, the members that the schema does not take.
func (r *Runner) narrow(path []string, found *value.Data, schema cue.Value) ([]string, *value.Data, cue.Value) {
	schema = matching(found, schema)
	for _, m := range found.Members() {
		part := Lookup(schema, []string{m.Name})
		if part.Exists() && part.Unify(r.Eval.ctx.BuildExpr(Expr(m.Value))).Validate() != nil {
			return r.narrow(append(slices.Clip(path), m.Name), m.Value, part)
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
	for _, a := range choices(schema) {
		if a.IncompleteKind() == kinds[found.Kind] {
			fit = append(fit, a)
		}
	}
	if len(fit) > 1 {
		fit = slices.DeleteFunc(fit, func(a cue.Value) bool { return isTold(found, a) })
	}
	if len(fit) != 1 {
		return schema
	}
	return fit[0]
}

// choices are the alternatives of a schema, none if it is no choice.
func choices(schema cue.Value) []cue.Value {
	op, args := exprOf(schema)
	switch op {
	case cue.OrOp:
		return args
	case cue.AndOp: // maybe with what the model says, which is less
		args = slices.DeleteFunc(args, func(a cue.Value) bool { return a.IncompleteKind() == cue.TopKind })
		if len(args) == 1 {
			return choices(args[0])
		}
	}
	return nil
}

// isTold reports whether a value says in so many words that it is another
// alternative: by a field that is but one value there.
func isTold(found *value.Data, alternative cue.Value) bool {
	return slices.ContainsFunc(found.Fields, func(m value.Field) bool {
		part := Lookup(alternative, []string{m.Name})
		return part.IsConcrete() && m.Value.Kind != value.Struct && m.Value.Kind != value.List && SourceOf(part) != m.Value.JSON()
	})
}

// rewritten says how a value of the wrong type is written right: a number that
// stands in quotes, a resource that lacks its kind.
func (r *Runner) rewritten(found *value.Data, schema cue.Value) string {
	if kind := resourceKind(schema); kind != "" {
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
		return "; write " + example(nil, schema) + " in its place"
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
	if found.Members() != nil || schema.Unify(r.Eval.ctx.BuildExpr(Expr(other))).Validate() != nil {
		return ""
	}
	return "; write it " + where + " quotes: " + other.JSON()
}

// expression is what the artifact's sources say of a config field, for a
// schema that CUE cannot show because nothing satisfies it yet; "" if they say
// nothing in one place.
func (u *Unit) expression(path []string) string {
	full := append([]string{"#Artifact", "description"}, path...)
	for _, w := range u.Package.Written(full...) {
		if !value.IsModel(w.Pos) && w.Expr != "" {
			return w.Expr
		}
	}
	return ""
}
