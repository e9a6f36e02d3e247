package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"

	"kumiki.dev/internal/diag"
)

// words says in plain language what a schema takes: `one of "debug", "info"
// (default)`, "a whole number >0 and <=100".
func words(v cue.Value) string {
	if values, ok := alternatives(v); ok {
		return "one of " + strings.Join(values, ", ")
	}
	if v.IsConcrete() && v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		return "nothing but " + source(v)
	}
	text := kindWords(v.IncompleteKind())
	if text == "" {
		return source(v)
	}
	if limits := bounds(v, 4); len(limits) > 0 {
		text += " " + strings.Join(limits, " and ")
	}
	if d, ok := v.Default(); ok && d.IsConcrete() {
		text += fmt.Sprintf(" (default %s)", source(d))
	}
	return text
}

// kindWords names the kinds that k consists of; "" for what JSON does not have.
func kindWords(k cue.Kind) string {
	if k == cue.TopKind {
		return "any value"
	}
	if k&cue.BytesKind != 0 {
		return ""
	}
	names := []struct {
		kind cue.Kind
		text string
	}{
		{cue.NullKind, "null"}, {cue.BoolKind, "true or false"}, {cue.NumberKind, "a number"}, {cue.IntKind, "a whole number"},
		{cue.FloatKind, "a decimal number"}, {cue.StringKind, "a string"}, {cue.ListKind, "a list"}, {cue.StructKind, "a struct"},
	}
	var text []string
	for _, n := range names {
		if k&n.kind == n.kind {
			text = append(text, n.text)
			k &^= n.kind
		}
	}
	return strings.Join(text, " or ")
}

// alternatives lists the values of an enumeration, the default marked.
func alternatives(v cue.Value) ([]string, bool) {
	op, args := v.Expr()
	if op != cue.OrOp {
		return nil, false
	}
	d, hasDefault := v.Default()
	var out []string
	for _, a := range args {
		if !a.IsConcrete() || a.IncompleteKind()&(cue.StructKind|cue.ListKind) != 0 {
			return nil, false
		}
		text := source(a)
		if hasDefault && d.Equals(a) {
			text += " (default)"
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out, len(out) > 1
}

// bounds are the limits that a schema sets to a number or string, looked for
// down to depth.
func bounds(v cue.Value, depth int) []string {
	if depth == 0 {
		return nil
	}
	op, args := v.Expr()
	switch op {
	case cue.AndOp, cue.NoOp: // CUE shows a default beside a type as no operation
		var out []string
		for _, a := range args {
			for _, b := range bounds(a, depth-1) {
				if !slices.Contains(out, b) {
					out = append(out, b)
				}
			}
		}
		return out
	case cue.OrOp: // a default beside a type
		if len(args) == 2 {
			return append(bounds(args[0], depth-1), bounds(args[1], depth-1)...)
		}
	case cue.LessThanOp, cue.LessThanEqualOp, cue.GreaterThanOp, cue.GreaterThanEqualOp, cue.NotEqualOp:
		return []string{fmt.Sprintf("%s%s", op, source(args[0]))}
	case cue.RegexMatchOp:
		return []string{"that matches " + source(args[0])}
	case cue.NotRegexMatchOp:
		return []string{"that does not match " + source(args[0])}
	}
	return nil
}

// source writes v as CUE, on one line; its kind if that is too long.
func source(v cue.Value) string {
	b, err := format.Node(v.Syntax(cue.Docs(false), cue.Attributes(false)), format.Simplify())
	text := strings.Join(strings.Fields(string(b)), " ")
	if err != nil || text == "" || len(text) > 100 {
		return v.IncompleteKind().String()
	}
	return text
}

// meaning is the first sentence of the doc comment of a field.
func meaning(v cue.Value) string {
	for _, group := range v.Doc() {
		text := strings.Join(strings.Fields(group.Text()), " ")
		if text == "" {
			continue
		}
		if i := strings.Index(text, ". "); i > 0 {
			text = text[:i]
		}
		return strings.TrimSuffix(text, ".")
	}
	return ""
}

// example shows how the field at path is written.
func example(path []string, v cue.Value) string {
	values := map[cue.Kind]string{cue.StringKind: `"…"`, cue.IntKind: "1", cue.NumberKind: "1", cue.BoolKind: "true", cue.ListKind: "[…]", cue.StructKind: "{…}"}
	text, ok := values[v.IncompleteKind()]
	if !ok {
		text = "…"
	}
	if v.IncompleteKind() == cue.StringKind|cue.StructKind {
		text = `"…"` // a volume: its id
	}
	if d, ok := alternatives(v); ok {
		text = strings.TrimSuffix(d[0], " (default)")
	}
	var b strings.Builder
	for _, name := range path {
		b.WriteString(label(name) + ": ")
	}
	return b.String() + text
}

// label quotes a field name where CUE needs that.
func label(name string) string {
	return cue.MakePath(cue.Str(name)).String()
}

// nearValue proposes the alternative that a wrong string was meant to be.
func nearValue(found *Data, schema cue.Value) string {
	_, args := schema.Expr()
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
