package spread

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"
)

// standInFile is the place of every stand-in. What has a problem because of a
// value from there is a consequence of a problem that is reported already.
var standInFile = token.NewFile("stand-in", -1, 1)

func standInPos() token.Pos { return standInFile.Pos(0, token.NoRelPos) }

func isStandIn(p token.Pos) bool { return p.File() == standInFile }

// standIn returns a value that the artifact takes in place of one that is
// missing or wrong, so that what depends on it can be looked at all the same.
// It returns nil when it finds none.
func (r *runner) standIn(u *unit, p problem) *Data {
	schema := u.config.LookupPath(stringPath(p.path[1:]))
	if !schema.Exists() {
		schema = p.value
	}
	for _, x := range candidates(schema) {
		if schema.Unify(r.eval.ctx.BuildExpr(x.Expr())).Validate() == nil {
			return x
		}
	}
	return nil
}

// candidates are values that are worth trying for a schema.
func candidates(schema cue.Value) []*Data {
	pos := standInPos()
	var out []*Data
	add := func(v cue.Value) {
		if d, _ := v.Default(); d.IsConcrete() {
			if x := (&finisher{}).finish(d, nil); x != nil {
				out = append(out, x.at(pos))
			}
		}
	}
	add(schema)
	if op, args := schema.Expr(); op == cue.OrOp || op == cue.AndOp {
		for _, a := range args {
			add(a)
		}
	}
	kind := schema.IncompleteKind()
	for _, c := range []struct {
		kind  cue.Kind
		texts []string
		as    Kind
	}{
		{cue.StringKind, []string{"stand-in", "a", "", "1", "http://stand.in", "/stand-in", "a@b.c", "127.0.0.1", "1.0.0"}, String},
		{cue.IntKind, []string{"1", "0", "80", "1024", "8080", "100", "-1"}, Int},
		{cue.FloatKind, []string{"0.5", "1.5", "0.0"}, Float},
		{cue.BoolKind, []string{"true", "false"}, Bool},
		{cue.ListKind, []string{""}, List},
		{cue.StructKind, []string{""}, Struct},
		{cue.NullKind, []string{"null"}, Null},
	} {
		if kind&c.kind == 0 {
			continue
		}
		for _, text := range c.texts {
			out = append(out, &Data{Kind: c.as, Text: text, Pos: pos})
		}
	}
	return out
}

// at returns a copy of d in which everything has the position.
func (d *Data) at(pos token.Pos) *Data {
	out := *d
	out.Pos = pos
	out.Fields = slices.Clone(d.Fields)
	for i := range out.Fields {
		out.Fields[i].Value = out.Fields[i].Value.at(pos)
	}
	out.Items = slices.Clone(d.Items)
	for i := range out.Items {
		out.Items[i] = out.Items[i].at(pos)
	}
	return &out
}

// isConsequence tells whether the problem comes from a stand-in.
func isConsequence(v cue.Value) bool {
	for _, p := range errors.Positions(v.Err()) {
		if isStandIn(p) {
			return true
		}
	}
	return dependsOnStandIn(v, 4)
}

// dependsOnStandIn follows the references of v's expression, as far as CUE
// shows them, down to depth.
func dependsOnStandIn(v cue.Value, depth int) bool {
	d, _ := v.Default()
	if isStandIn(d.Pos()) || isStandIn(v.Pos()) || isStandIn(cue.Dereference(v).Pos()) {
		return true
	}
	if depth == 0 {
		return false
	}
	op, args := v.Expr()
	if op == cue.NoOp || op == cue.SelectorOp && len(args) == 0 {
		return false
	}
	for _, a := range args {
		if dependsOnStandIn(a, depth-1) {
			return true
		}
	}
	return false
}
