package wording

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/value"
)

// Of says in plain language what a schema takes: `one of "debug", "info"
// (default)`, "a whole number >0 and <=100".
func Of(v cue.Value) string {
	if values, ok := Alternatives(v); ok {
		return "one of " + strings.Join(values, ", ")
	}
	if v.IsConcrete() && v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		return "nothing but " + Source(v)
	}
	if kind := ResourceKind(v); kind != "" {
		return Resource(kind)
	}
	text := kindWords(v.IncompleteKind())
	if text == "" {
		return Source(v)
	}
	if v.IncompleteKind() == cue.StructKind {
		text += fieldWords(v)
	}
	if limits := bounds(v, 4); len(limits) > 0 {
		text += " " + strings.Join(limits, " and ")
	}
	if v.IncompleteKind() == cue.ListKind {
		text += itemWords(v)
	}
	if d, ok := v.Default(); ok && d.IsConcrete() && d.Validate(cue.Concrete(true)) == nil && (d.IncompleteKind() != cue.ListKind || !v.Equals(d)) {
		text += fmt.Sprintf(" (default %s)", Source(d))
	}
	return text
}

// OfOpen says what is known of a value that is open: what it takes, how it is
// written, or, of a struct that cannot be made, why.
func OfOpen(v cue.Value) string {
	text := Of(v)
	if l := errors.Errors(v.Err()); len(l) > 0 && strings.HasPrefix(text, "{") {
		message, args := l[0].Msg()
		return fmt.Sprintf(message, args...)
	}
	return text
}

// Alternatives lists the values of an enumeration, the default marked.
func Alternatives(v cue.Value) ([]string, bool) {
	d, hasDefault := v.Default()
	var out []string
	for _, a := range enumerated(v, 4) {
		text := Source(a)
		if hasDefault && d.Equals(a) {
			text += " (default)"
		}
		if !filter.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out, len(out) > 1
}

// Source writes v as CUE, on one line; its kind if that is too long.
func Source(v cue.Value) (text string) {
	defer func() {
		if recover() != nil { // CUE's exporter panics at some references below quoted names
			text = v.IncompleteKind().String()
		}
	}()
	if d, _ := v.Default(); d.IsConcrete() {
		if x := fromcue.Scalar(d); x != nil { // which may be written as an expression
			return x.JSON()
		}
	}
	n := v.Syntax(cue.Docs(false), cue.Attributes(false))
	if f, ok := n.(*ast.File); ok { // a validator, with the import that it needs
		n = lastEmbedded(f)
	}
	b, err := format.Node(n, format.Simplify())
	text = strings.Join(strings.Fields(string(b)), " ")
	if f, ok := v.Source().(*ast.Field); ok && strings.Contains(text, "//cue:path:") {
		text = OneLine(f.Value) // CUE copies what it refers to
	}
	if err != nil || text == "" || len(text) > 100 {
		return v.IncompleteKind().String()
	}
	return text
}

// Meaning is the first sentence of the doc comment of a field.
func Meaning(v cue.Value) string {
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

// Example shows how the field at path is written.
func Example(path []string, v cue.Value) string {
	values := map[cue.Kind]string{cue.StringKind: `"…"`, cue.IntKind: "1", cue.NumberKind: "1", cue.BoolKind: "true", cue.ListKind: "[…]", cue.StructKind: "{…}"}
	text, ok := values[v.IncompleteKind()]
	if !ok {
		text = "…"
	}
	if kind := ResourceKind(v); kind != "" {
		text = kind + `: "…"`
	}
	if d, ok := Alternatives(v); ok {
		text = strings.TrimSuffix(d[0], " (default)")
	}
	if v.IncompleteKind()&cue.NumberKind != 0 {
		text = fitting(v, text)
	}
	for i, name := range path {
		if _, ok := value.Index(name); ok && i < len(path)-1 {
			path = path[i+1:]
			break
		}
	}
	var b strings.Builder
	for _, name := range path {
		b.WriteString(label(name) + ": ")
	}
	return b.String() + text
}

// itemWords says what a list holds, "" if it may be anything.
func itemWords(v cue.Value) string {
	plural := map[cue.Kind]string{
		cue.StringKind: " of strings", cue.IntKind: " of whole numbers", cue.NumberKind: " of numbers", cue.BoolKind: " of true or false", cue.StructKind: " of structs",
	}
	return plural[v.LookupPath(cue.MakePath(cue.AnyIndex)).IncompleteKind()]
}

// fieldWords names the fields of a struct, "" if they are many or not known.
func fieldWords(v cue.Value) string {
	names := fromcue.FieldNames(v)
	if len(names) == 0 || len(names) > 6 {
		return ""
	}
	slices.Sort(names)
	return " with " + strings.Join(names, ", ")
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

// enumerated are the values of an enumeration, looked for down to depth: where it is one of
// several things that hold, those that the others let through. nil if it is none.
func enumerated(v cue.Value, depth int) (out []cue.Value) {
	op, args := fromcue.ExprOf(v)
	switch {
	case depth == 0:
	case op == cue.OrOp:
		for _, a := range args {
			if !a.IsConcrete() || a.IncompleteKind()&(cue.StructKind|cue.ListKind) != 0 {
				return nil
			}
		}
		return args
	case op == cue.AndOp:
		for _, a := range args {
			if some := enumerated(a, depth-1); some != nil {
				return filter.Out(some, func(x cue.Value) bool { return v.Unify(x).Err() != nil })
			}
		}
	}
	return nil
}

// bounds are the limits that a schema sets to a number or string, looked for
// down to depth.
func bounds(v cue.Value, depth int) []string {
	if depth == 0 {
		return nil
	}
	op, args := fromcue.ExprOf(v)
	switch op {
	case cue.AndOp, cue.NoOp: // CUE shows a default beside a type as no operation
		var out []string
		for _, a := range args {
			for _, b := range bounds(a, depth-1) {
				if !filter.Contains(out, b) {
					out = append(out, b)
				}
			}
		}
		return out
	case cue.OrOp: // a default beside a type
		if len(args) == 2 {
			return append(bounds(args[0], depth-1), bounds(args[1], depth-1)...)
		}
	case cue.CallOp:
		return []string{"with " + Source(v)} // a validator such as strings.MaxRunes(4)
	case cue.LessThanOp, cue.LessThanEqualOp, cue.GreaterThanOp, cue.GreaterThanEqualOp, cue.NotEqualOp:
		return []string{fmt.Sprintf("%s%s", op, Source(args[0]))}
	case cue.RegexMatchOp:
		return []string{"that matches " + Source(args[0])}
	case cue.NotRegexMatchOp:
		return []string{"that does not match " + Source(args[0])}
	}
	return nil
}

// lastEmbedded is the expression that a file consists of besides its imports.
func lastEmbedded(f *ast.File) ast.Node {
	if n := len(f.Decls); n > 0 {
		if x, ok := f.Decls[n-1].(*ast.EmbedDecl); ok {
			return x.Expr
		}
	}
	return f
}

// fitting returns a number that a type takes: the one that is proposed, a limit that
// it sets, or "…".
func fitting(v cue.Value, text string) string {
	for _, n := range append([]string{text}, limit().FindAllString(strings.Join(bounds(v, 4), " "), -1)...) {
		for _, step := range []string{"", "+1", "-1"} {
			x := cuecontext.New().CompileString(n + step)
			if literal, err := x.MarshalJSON(); err == nil && v.Unify(x).Validate(cue.Concrete(true)) == nil {
				return string(literal)
			}
		}
	}
	return "…"
}

var limit = lazyregexp.New(`-?[0-9.]+`)
