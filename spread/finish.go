package spread

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// problem is a value that could not be finished.
type problem struct {
	path  []string
	value cue.Value
	kind  problemKind
	// standIn is the position of what stands in for the value.
	standIn diag.Pos
}

type problemKind int

const (
	// incomplete: there is a type, but neither a value nor a default.
	incomplete problemKind = iota
	// required: a field marked with ! that nobody gave.
	required
	// conflict: what was given contradicts itself or the type.
	conflict
	// notData: a value that JSON cannot hold.
	notData
)

// Finisher makes plain data of values: it chooses defaults, keeps positions,
// and collects everything that has no concrete value instead of stopping at
// the first.
type Finisher struct {
	// origin says who gave the leaf that is written at pos.
	origin func(pos diag.Pos) value.Origin
	// Any reports whether an unconstrained value (_) counts as an empty struct.
	Any bool
	// standIn, if set, returns what to go on with in place of a value that has
	// a problem; it may return nil. newCause makes the position for it.
	standIn  func(problem, diag.Pos) *value.Data
	newCause func() diag.Pos
	// Places, if set, finds the place of the struct or list at a path.
	Places func(v cue.Value, path []string) diag.Pos
	// Bare reports whether the value was made by a slice without the model. If Places is nil, the
	// position of a struct or list is then that of its first conjunct. The position of a leaf
	// that is a reference is that of the value it refers to.
	Bare bool
	// Given is what a config was given, nil for nothing: a value lies where that does.
	// CUE places it at one of the fields around it.
	Given *value.Data
	// Shown, if set, returns what is left at a path whose value is not asked for,
	// nil for all others.
	Shown func(v cue.Value, path []string) *value.Data
	// Problems are the values that have one, in the order in which they were met.
	Problems []problem
	// Defaulted counts the leaves whose value is a default.
	Defaulted int
}

// Finish returns the data of v; parts that have a problem are left out of it.
func (f *Finisher) Finish(v cue.Value, path []string) *value.Data {
	if f.Shown != nil {
		if d := f.Shown(v, path); d != nil {
			return d
		}
	}
	d, isDefault := v.Default()
	switch d.Kind() {
	case cue.StructKind:
		return f.structure(d, path)
	case cue.ListKind:
		return f.list(d, path)
	case cue.BottomKind:
		return f.bottom(v, d, path)
	}
	if isDefault {
		f.Defaulted++
	}
	leaf := fromcue.Scalar(d)
	if leaf == nil {
		return f.report(problem{path: path, value: v, kind: notData})
	}
	leaf.Pos = f.leafPlace(d)
	if g := f.Given.Get(path[min(1, len(path)):]...); g != nil && g.Kind == leaf.Kind && g.Text == leaf.Text && g.Pos.IsValid() {
		leaf.Pos = g.Pos
	}
	if f.origin != nil {
		leaf.Origin = f.origin(leaf.Pos)
	}
	return leaf
}

func (f *Finisher) structure(d cue.Value, path []string) *value.Data {
	out := &value.Data{Kind: value.Struct, Pos: f.place(d, path)}
	fields, err := fromcue.Fields(d, cue.Optional(true))
	if err != nil {
		f.Problems = append(f.Problems, problem{path: path, value: d, kind: conflict})
		return out
	}
	for fields.Next() {
		name := fields.Name()
		at := append(slices.Clip(path), name)
		switch fields.FieldType() & (cue.OptionalConstraint | cue.RequiredConstraint) {
		case cue.OptionalConstraint:
		case cue.RequiredConstraint:
			if x := f.report(problem{path: at, value: fields.Value(), kind: required}); x != nil {
				out.Fields = append(out.Fields, value.Field{Name: name, Value: x})
			}
		default:
			if x := f.Finish(fields.Value(), at); x != nil {
				out.Fields = append(out.Fields, value.Field{Name: name, Value: x})
			}
		}
	}
	value.SortFields(out.Fields)
	return out
}

func (f *Finisher) list(d cue.Value, path []string) *value.Data {
	out := &value.Data{Kind: value.List, Pos: f.place(d, path)}
	items, err := d.List()
	if err != nil {
		f.Problems = append(f.Problems, problem{path: path, value: d, kind: conflict})
		return out
	}
	for i := 0; items.Next(); i++ {
		if x := f.Finish(items.Value(), append(slices.Clip(path), value.Element(i))); x != nil {
			out.Items = append(out.Items, x)
		}
	}
	return out
}

// items is [Finisher.list] for a list that counts as bottom because an item
// does, which CUE shows as a struct with indices for labels.
func (f *Finisher) items(d cue.Value, path []string) *value.Data {
	out := &value.Data{Kind: value.List, Pos: f.place(d, path)}
	fields, err := d.Fields()
	if err != nil {
		return nil
	}
	for i := 0; fields.Next(); i++ {
		if x := f.Finish(fields.Value(), append(slices.Clip(path), value.Element(i))); x != nil {
			out.Items = append(out.Items, x)
		}
	}
	return out
}

// place is where the struct or list at path is written.
func (f *Finisher) place(d cue.Value, path []string) diag.Pos {
	if f.Places != nil {
		return f.Places(d, path)
	}
	if f.Bare {
		return firstPos(d)
	}
	return fromcue.WrittenPos(d)
}

// leafPlace is the position of a leaf. For a leaf whose only conjunct is a reference, CUE returns that
// of the field. A bare slice needs that of the value that the reference leads to.
func (f *Finisher) leafPlace(d cue.Value) diag.Pos {
	for f.Bare && isReference(d) {
		to := fromcue.Dereference(d)
		if to == d {
			break
		}
		d = to
	}
	return fromcue.ValuePos(d)
}

// isReference reports whether the only conjunct of a field is a reference.
func isReference(v cue.Value) bool {
	field, ok := v.Source().(*ast.Field)
	if ok {
		switch field.Value.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			return true
		}
	}
	return false
}

// bottom handles what has no concrete value. A struct counts as bottom when
// one of its members fails, so its members are looked at for the real places.
func (f *Finisher) bottom(v, d cue.Value, path []string) *value.Data {
	before := len(f.Problems)
	var out *value.Data
	onlyStruct := d.IncompleteKind() == cue.StructKind || d.IncompleteKind() == cue.BottomKind
	if fields, err := d.Fields(cue.Optional(true)); err == nil && onlyStruct && fields.Next() {
		members := f.structure
		if fields.Selector().LabelType() == cue.IndexLabel {
			members = f.items
		}
		if out = members(d, path); len(f.Problems) > before {
			return out
		}
	}
	if f.Any && d.IncompleteKind() == cue.TopKind && d.Err() == nil {
		return &value.Data{Kind: value.Struct, Pos: fromcue.ValuePos(d)}
	}
	kind := incomplete
	if isConflict(d) {
		kind = conflict
	}
	if x := f.report(problem{path: path, value: v, kind: kind}); out == nil {
		return x
	}
	return out // the struct itself fails, and has members all the same
}

// report keeps a problem and returns what to go on with.
func (f *Finisher) report(p problem) *value.Data {
	if f.standIn == nil {
		f.Problems = append(f.Problems, p)
		return nil
	}
	p.standIn = f.newCause()
	f.Problems = append(f.Problems, p)
	return f.standIn(p, p.standIn)
}

// isConflict tells a contradiction from a value that is only not known yet. CUE
// calls both errors, but only the first does it mind while values are missing.
func isConflict(v cue.Value) bool { return v.Validate() != nil }

// firstPos is the position of a value's first conjunct: of its label if there is only one conjunct, of
// its expression if there are more. So [Finisher.Bare] gives the two different positions.
func firstPos(v cue.Value) diag.Pos {
	if v.Source() == nil {
		if op, args := fromcue.ExprOf(v); op == cue.AndOp {
			if f, ok := args[0].Source().(*ast.Field); ok {
				return fromcue.Pos(f.Value)
			}
			return fromcue.ValuePos(args[0])
		}
	}
	return fromcue.ValuePos(v)
}
