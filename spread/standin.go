package spread

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/guards"
	"kumiki.dev/value"
)

// A stand-in takes the place of a value that is missing or wrong, so that what
// depends on it can be looked at all the same. It carries a position in
// standInFile, at the offset that is the number of its cause: what has a
// problem because of a value from there is a consequence of that cause.
var standInFile = token.NewFile(value.StandInFile, -1, 1<<24)

// cause is a problem that stand-ins were made for.
type cause struct {
	reported *diag.Diagnostic // nil until it is, or if it is a consequence itself
	// open tells that nothing is known of what stands in; see [patch].
	open bool
}

// NewCause returns the position for the stand-ins of a new cause. What has a problem
// because of a value at this position is a consequence, and is not reported.
func (e *Evaluator) NewCause() diag.Pos {
	e.causes = append(e.causes, &cause{})
	return diag.At(standInFile.Pos(len(e.causes)%standInFile.Size(), token.NoRelPos))
}

// causeAt returns the cause that a stand-in's position stands for.
func (r *Runner) causeAt(p diag.Pos) *cause {
	if i := p.Offset(); value.IsStandIn(p) && i >= 1 && i <= len(r.Eval.causes) {
		return r.Eval.causes[i-1]
	}
	return nil
}

// StandIn returns a value at pos that the schema takes. It is null if none is found:
// its position still tells what comes of it.
func (e *Evaluator) StandIn(schema cue.Value, pos diag.Pos) *value.Data {
	for _, x := range Candidates(schema, pos) {
		switch {
		case x.Kind == value.Struct && len(x.Fields) == 0:
			x = e.StandInStruct(schema, pos)
		case x.Kind == value.List && len(x.Items) == 0:
			x = e.standInList(schema, pos)
		}
		if e.Takes(schema, x) {
			return x
		}
	}
	for _, a := range fromcue.Choices(schema) {
		if x := e.StandIn(a, pos); x.Kind == value.Struct || x.Kind == value.List {
			return x
		}
	}
	return &value.Data{Kind: value.Null, Text: "null", Pos: pos}
}

// Takes reports whether the schema takes the value.
func (e *Evaluator) Takes(schema cue.Value, x *value.Data) bool {
	return schema.Unify(e.ctx.BuildExpr(Expr(x))).Validate() == nil
}

// StandInStruct returns a struct at pos with the fields that the schema asks for.
func (e *Evaluator) StandInStruct(schema cue.Value, pos diag.Pos) *value.Data {
	out := value.NewStruct(pos)
	fields, err := fromcue.Fields(schema)
	if err != nil {
		return out
	}
	for fields.Next() {
		if v := fields.Value(); !v.IsConcrete() && fields.Selector().LabelType() == cue.StringLabel {
			out = out.Set(fields.Name(), e.StandIn(v, pos))
		}
	}
	return out
}

// standInList returns a list with the items that the schema asks for.
func (e *Evaluator) standInList(schema cue.Value, pos diag.Pos) *value.Data {
	out := &value.Data{Kind: value.List, Pos: pos}
	items, err := schema.List()
	if err != nil {
		return out
	}
	for items.Next() {
		out.Items = append(out.Items, e.StandIn(items.Value(), pos))
	}
	return out
}

// guesses are values that many schemas take, by kind.
var guesses = []struct {
	kind  cue.Kind
	texts []string
	as    value.Kind
}{
	{cue.StringKind, []string{"stand-in", "a", "", "1", "http://stand.in", "/stand-in", "a@b.c", "127.0.0.1", "1.0.0", "stand.in", "1s", "2006-01-02T15:04:05Z"}, value.String},
	{cue.IntKind, []string{"1", "0", "80", "1024", "8080", "100", "-1"}, value.Int},
	{cue.FloatKind, []string{"0.5", "1.5", "0.0"}, value.Float},
	{cue.BoolKind, []string{"true", "false"}, value.Bool},
	{cue.ListKind, []string{""}, value.List},
	{cue.StructKind, []string{""}, value.Struct},
	{cue.NullKind, []string{"null"}, value.Null},
}

// Candidates are values that are worth trying where a schema has to get one: those
// that it names itself, then guesses. The schema need not take them.
func Candidates(schema cue.Value, pos diag.Pos) []*value.Data {
	out := named(schema, pos, 4)
	kind := schema.IncompleteKind()
	if kind == cue.BottomKind {
		kind = cue.TopKind // CUE does not say as long as a bound is not known
	}
	for _, g := range guesses {
		if kind&g.kind == 0 {
			continue
		}
		for _, text := range g.texts {
			out = append(out, &value.Data{Kind: g.as, Text: text, Pos: pos})
		}
	}
	return out
}

// named are values that a schema names: its default, its alternatives, what is on
// its bounds, what its patterns match. It is looked at down to depth.
func named(schema cue.Value, pos diag.Pos, depth int) []*value.Data {
	var out []*value.Data
	if d, _ := schema.Default(); d.IsConcrete() {
		f := &Finisher{}
		if x := f.Finish(d, nil); x != nil && len(f.Problems) == 0 {
			out = append(out, x.MovedTo(pos))
		}
	}
	op, args := fromcue.ExprOf(schema)
	switch op {
	case cue.OrOp, cue.AndOp:
		for _, a := range args {
			if depth > 0 {
				out = append(out, named(a, pos, depth-1)...)
			}
		}
	case cue.GreaterThanEqualOp, cue.LessThanEqualOp:
		out = append(out, named(args[0], pos, 0)...)
	case cue.GreaterThanOp, cue.LessThanOp:
		if n, err := args[0].Int64(); err == nil {
			out = append(out, value.NewInt(pos, n+1), value.NewInt(pos, n-1))
		}
	case cue.RegexMatchOp:
		if pattern, err := args[0].String(); err == nil {
			if text, ok := guards.Match(pattern); ok {
				out = append(out, value.NewString(pos, text))
			}
		}
	case cue.CallOp:
		out = append(out, ofCall(args, pos)...)
	}
	return out
}

// MaxLength is the length of the longest text or list that is made because a schema or a
// condition speaks of a length.
const MaxLength = 64

// ofCall are values for a validator such as strings.MinRunes(4): those of the
// length.
func ofCall(args []cue.Value, pos diag.Pos) []*value.Data {
	var out []*value.Data
	for _, a := range args {
		if n, err := a.Int64(); err == nil && n > 0 && n <= MaxLength {
			out = append(out, value.NewString(pos, strings.Repeat("a", int(n))))
		}
	}
	return out
}

// causeOf returns the cause that v's problem follows from, nil if it is one of
// its own. The stand-in shows among the positions of the error, or at the end
// of one of the references that v is made of.
func (r *Runner) causeOf(v cue.Value) *cause {
	places := fromcue.Positions(v.Err())
	for _, e := range errors.Errors(v.Validate()) {
		places = append(places, fromcue.Positions(e)...)
	}
	if c := r.causeAmong(places); c != nil {
		return c
	}
	return r.causeIn(v, 4)
}

// causeAmong returns the first cause at one of the places, nil if there is none.
func (r *Runner) causeAmong(places []diag.Pos) *cause {
	for _, p := range places {
		if c := r.causeAt(p); c != nil {
			return c
		}
	}
	return nil
}

// placesAround are where a value, its default and what it refers to are written.
func placesAround(v cue.Value) []diag.Pos {
	d, _ := v.Default()
	return []diag.Pos{fromcue.ValuePos(d), fromcue.ValuePos(v), fromcue.ValuePos(fromcue.Dereference(v))}
}

// causeIn follows the references of v's expression, as far as CUE shows them,
// down to depth.
func (r *Runner) causeIn(v cue.Value, depth int) *cause {
	if c := r.causeAmong(placesAround(v)); c != nil {
		return c
	}
	op, args := fromcue.ExprOf(v)
	if depth == 0 || op == cue.NoOp {
		return nil
	}
	for _, a := range args {
		if c := r.causeIn(a, depth-1); c != nil {
			return c
		}
	}
	return nil
}
