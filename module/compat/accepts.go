package compat

import (
	"bytes"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// accepts reports whether it is proved that a takes every value that b does.
func accepts(a, b cue.Value, depth int) bool {
	if depth > maxDepth {
		return false
	}
	if tangled(a) || tangled(b) {
		return same(a, b)
	}
	if plainStruct(a) && plainStruct(b) {
		return acceptsStruct(a, b, depth)
	}
	left := disjuncts(a, 0)
	for _, y := range disjuncts(b, 0) {
		if !filter.Any(left, func(x cue.Value) bool { return acceptsPlain(x, y, depth+1) }) || ambiguous(left, y) && !same(a, b) {
			return false
		}
	}
	return true
}

// same reports whether two schemas are written alike once they are evaluated.
func same(a, b cue.Value) bool {
	x, err := format.Node(a.Eval().Syntax(cue.All(), cue.Raw()))
	y, again := format.Node(b.Eval().Syntax(cue.All(), cue.Raw()))
	return err == nil && again == nil && bytes.Equal(x, y)
}

// ambiguous reports whether several alternatives go with a struct, of which CUE
// then takes none.
func ambiguous(alternatives []cue.Value, y cue.Value) bool {
	if y.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		return false
	}
	n := 0
	for _, x := range alternatives {
		if overlaps(x, y) {
			n++
		}
	}
	return n > 1
}

// overlaps reports whether something that b takes may go with a, b's fields being
// given and no others. What is in an artifact is closed, even if CUE does not
// say so of each alternative.
func overlaps(a, b cue.Value) bool {
	if !plainStruct(a) || !plainStruct(b) {
		return a.Unify(b).Validate() == nil
	}
	left, right := members(a), members(b)
	for _, name := range right.names {
		x, ok := left.fields[name]
		switch {
		case !right.fields[name].required: // may be left out
		case !ok && !anyName(a).Exists():
			return false
		case ok && !overlaps(x.value, right.fields[name].value):
			return false
		}
	}
	return true
}

// anyName is what fields of any name take.
func anyName(v cue.Value) cue.Value { return v.LookupPath(cue.MakePath(cue.AnyString)) }

// acceptsPlain is accepts for values without alternatives.
func acceptsPlain(a, b cue.Value, depth int) bool {
	switch {
	case plainStruct(a) && plainStruct(b):
		return acceptsStruct(a, b, depth)
	case a.IncompleteKind() == cue.ListKind && b.IncompleteKind() == cue.ListKind:
		return acceptsList(a, b, depth)
	}
	return a.Subsume(b, cue.Raw()) == nil
}

// acceptsList is accepts for lists, since CUE's own comparison does not look at
// what follows the elements that a list has to have.
func acceptsList(a, b cue.Value, depth int) bool {
	left, right := elements(a), elements(b)
	if len(left) > len(right) {
		return false
	}
	rest, others := a.LookupPath(cue.MakePath(cue.AnyIndex)), b.LookupPath(cue.MakePath(cue.AnyIndex))
	for i, y := range right {
		x := rest
		if i < len(left) {
			x = left[i]
		}
		if !x.Exists() || !accepts(x, y, depth+1) {
			return false
		}
	}
	return !others.Exists() || rest.Exists() && accepts(rest, others, depth+1)
}

// elements are those that a list has to have.
func elements(v cue.Value) []cue.Value {
	it, err := v.List()
	if err != nil {
		return nil
	}
	var out []cue.Value
	for it.Next() {
		out = append(out, it.Value())
	}
	return out
}

// acceptsStruct is accepts for structs without alternatives. What has a default
// may be left out, which CUE's own comparison does not know.
func acceptsStruct(a, b cue.Value, depth int) bool {
	left, right := members(a), members(b)
	pattern, others := anyName(a), anyName(b)
	for _, name := range right.names {
		x, ok := left.fields[name]
		y := right.fields[name]
		if !ok {
			if !pattern.Exists() {
				return false
			}
			x = field{value: pattern}
		}
		if x.required && !y.required || !accepts(x.value, y.value, depth+1) {
			return false
		}
	}
	for _, name := range left.names {
		x := left.fields[name]
		if _, ok := right.fields[name]; !ok && (x.required || others.Exists() && !accepts(x.value, others, depth+1)) {
			return false
		}
	}
	return !others.Exists() || pattern.Exists() && accepts(pattern, others, depth+1)
}

// plainStruct reports whether v is a struct without alternatives.
func plainStruct(v cue.Value) bool {
	return v.IncompleteKind() == cue.StructKind && len(disjuncts(v, 0)) == 1
}

// disjuncts are the alternatives of a value, without marks of defaults. Those
// that are written are preferred to those that are evaluated: CUE takes lists
// for equal that differ only in what may follow, and keeps one of them.
func disjuncts(v cue.Value, depth int) []cue.Value {
	if v.IncompleteKind() == cue.BoolKind && !v.Eval().IsConcrete() {
		return []cue.Value{cuecontext.New().CompileString("true"), cuecontext.New().CompileString("false")}
	}
	op, args := cue.Dereference(v).Expr()
	if op != cue.OrOp {
		op, args = v.Eval().Expr()
	}
	switch {
	case depth < 4 && op == cue.OrOp:
		var out []cue.Value
		for _, a := range args {
			out = append(out, disjuncts(a, depth+1)...)
		}
		return out
	case depth < 4 && op == cue.NoOp && len(args) == 1 && hasDefault(v):
		return disjuncts(args[0], depth+1)
	}
	return []cue.Value{v.Eval()}
}

// tangled reports whether v joins alternatives of structs or lists with something
// else, so that there is no telling them apart.
func tangled(v cue.Value) bool {
	if v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		return false
	}
	op, args := cue.Dereference(v).Expr()
	if op != cue.OrOp && fromcue.WritesAlternatives(cue.Dereference(v)) {
		return true
	}
	return op == cue.AndOp && filter.Any(args, func(a cue.Value) bool { return len(disjuncts(a, 1)) > 1 })
}
