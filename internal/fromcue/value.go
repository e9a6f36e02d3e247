package fromcue

import (
	"encoding/json"
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/value"
)

// ExprOf is [cue.Value.Expr] for every value. CUE (v0.17.1) panics at some that are wrong, such as a slice
// out of a list's range: these have no parts here.
func ExprOf(v cue.Value) (op cue.Op, args []cue.Value) {
	defer func() {
		if recover() != nil {
			op, args = cue.NoOp, []cue.Value{v}
		}
	}()
	return v.Expr()
}

// Conjuncts are the values that v is the unification of: v itself if that is one alone.
func Conjuncts(v cue.Value) []cue.Value {
	if op, args := ExprOf(v); op == cue.AndOp {
		return args
	}
	return []cue.Value{v}
}

// Dereference is [cue.Dereference] for every value: CUE (v0.17.1) panics at those that it has not
// evaluated because something around them is wrong.
func Dereference(v cue.Value) (to cue.Value) {
	defer func() {
		if recover() != nil {
			to = v
		}
	}()
	return cue.Dereference(v)
}

// Lookup returns the field at path, optional or not.
func Lookup(v cue.Value, path []string) cue.Value {
	for _, name := range path {
		if i, ok := value.Index(name); ok {
			next := v.LookupPath(cue.MakePath(cue.Index(i)))
			if !next.Exists() {
				next = v.LookupPath(cue.MakePath(cue.AnyIndex))
			}
			v = next
			continue
		}
		next := v.LookupPath(cue.MakePath(cue.Str(name)))
		if !next.Exists() {
			next = v.LookupPath(cue.MakePath(cue.Str(name).Optional()))
		}
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && !next.Exists() { // as errors have the index of an item
			next = v.LookupPath(cue.MakePath(cue.Index(i)))
		}
		v = next
	}
	return v
}

// Named goes through the fields of a struct that have a name.
type Named struct{ *cue.Iterator }

// Fields are the fields of v that have a name. CUE (v0.17.1) lists one more for each label that turned out
// to be no text, such as (null) or (5), which makes an error of the struct.
func Fields(v cue.Value, options ...cue.Option) (Named, error) {
	fields, err := v.Fields(options...)
	return Named{fields}, err
}

// Next goes to the next field and reports whether there is one.
func (n Named) Next() bool {
	for n.Iterator.Next() {
		if n.Selector().LabelType() == cue.StringLabel {
			return true
		}
	}
	return false
}

// Name is the name of the field at hand, without quotes.
func (n Named) Name() string { return n.Selector().Unquoted() }

// FieldNames are the names of the fields of a struct, with the optional ones, and none for
// anything else.
func FieldNames(v cue.Value) []string {
	var names []string
	if fields, err := Fields(v, cue.Optional(true)); err == nil {
		for fields.Next() {
			names = append(names, fields.Name())
		}
	}
	return names
}

// Choices are the alternatives of a schema, none if it is no choice.
func Choices(schema cue.Value) []cue.Value {
	op, args := ExprOf(schema)
	switch op {
	case cue.OrOp:
		return args
	case cue.AndOp: // maybe with what the model says, which is less
		args = filter.Out(args, func(a cue.Value) bool { return a.IncompleteKind() == cue.TopKind })
		if len(args) == 1 {
			return Choices(args[0])
		}
	}
	return nil
}

// WritesAlternatives reports whether v is written as alternatives, joined with |. [cue.Value.Expr] (CUE v0.17.1) does not show them where one
// alternative includes the default, as in  *{a: 1} | {...} .
func WritesAlternatives(v cue.Value) bool {
	node := v.Source()
	if f, ok := node.(*ast.Field); ok {
		node = f.Value
	}
	for {
		x, ok := node.(*ast.ParenExpr)
		if !ok {
			break
		}
		node = x.X
	}
	x, ok := node.(*ast.BinaryExpr)
	return ok && x.Op == token.OR
}

// Scalar returns the leaf that v holds, nil when JSON has no such value.
func Scalar(v cue.Value) *value.Data {
	switch v.Kind() {
	case cue.NullKind:
		return &value.Data{Kind: value.Null, Text: "null"}
	case cue.BoolKind:
		b, err := v.Bool()
		if err != nil {
			return nil
		}
		return &value.Data{Kind: value.Bool, Text: strconv.FormatBool(b)}
	case cue.StringKind:
		s, err := v.String()
		if err != nil {
			return nil
		}
		return &value.Data{Kind: value.String, Text: s}
	case cue.IntKind, cue.FloatKind, cue.NumberKind:
		text, err := v.MarshalJSON()
		if err != nil || !json.Valid(text) {
			return nil // a number too large for CUE is NaN
		}
		kind := value.Float
		if v.Kind() == cue.IntKind {
			kind = value.Int
		}
		return &value.Data{Kind: kind, Text: string(text)}
	default:
		return nil // bytes and functions: config has to be representable as JSON
	}
}
