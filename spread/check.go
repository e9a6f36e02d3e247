package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/internal/diag"
)

// maxVariants bounds the configurations that Check tries.
const maxVariants = 64

// Check looks at an artifact before there is any deployment of it: whether all
// of it becomes concrete once its config is, whatever the config, and whether
// the configs of its roles match the artifacts that fill them.
//
// What deployers will have to give is stood in for. Where the artifact's form
// depends on values, the values that it names itself are tried: every
// alternative of an enumeration, both booleans, every optional field given and
// left out, one at a time.
//
// The tree is that of the first configuration, nil when the artifact cannot be
// evaluated.
func Check(e *Evaluator, p *Package, opts Options) (*Tree, diag.List) {
	r := newRunner(e, opts)
	r.symbolic = true
	u := r.unit(p)
	if u == nil {
		return nil, r.problems
	}
	at := place{pos: u.pos}
	root := r.node(u, nil, at)
	for _, given := range r.variants(u) {
		at.given = given
		r.node(u, given, at)
	}
	name, _ := u.artifact.LookupPath(cue.ParsePath("ref.name")).String()
	return &Tree{Name: name, Meta: orEmpty(nil), Root: root, Pos: at.pos}, r.problems.Sorted()
}

// variants are configurations that give one parameter one of its values.
func (r *runner) variants(u *unit) []*Data {
	var out []*Data
	var walk func(v cue.Value, path []string)
	walk = func(v cue.Value, path []string) {
		fields, err := v.Fields(cue.Optional(true))
		if err != nil {
			for _, x := range r.alternativesOf(v) {
				out = append(out, orEmpty(nil).with(path, x))
			}
			return
		}
		for fields.Next() {
			at := append(slices.Clip(path), fields.Selector().Unquoted())
			if fields.FieldType()&cue.OptionalConstraint != 0 {
				if x := r.standIn(fields.Value(), r.newCause()); x != nil {
					out = append(out, orEmpty(nil).with(at, x))
				}
			}
			walk(fields.Value(), at)
		}
	}
	walk(u.config.LookupPath(cue.ParsePath("parameter")), []string{"parameter"})
	return out[:min(len(out), maxVariants)]
}

// alternativesOf are the values of an enumeration or boolean.
func (r *runner) alternativesOf(v cue.Value) []*Data {
	var out []*Data
	if _, ok := alternatives(v); ok {
		_, args := v.Expr()
		for _, a := range args {
			if x := (&finisher{}).finish(a, nil); x != nil {
				out = append(out, x.at(r.newCause()))
			}
		}
	} else if v.IncompleteKind() == cue.BoolKind && !v.IsConcrete() {
		for _, text := range []string{"true", "false"} {
			out = append(out, &Data{Kind: Bool, Text: text, Pos: r.newCause()})
		}
	}
	return out
}

// matchRole compares the types of what a service passes to a role with those
// that the role's artifact takes: with stand-ins for values, a wrong type would
// not be seen as one.
func (r *runner) matchRole(u *unit, artifact cue.Value, at place) {
	p := r.eval.standsFor(artifact)
	if p == nil {
		return
	}
	child := r.unit(p)
	if child == nil {
		return
	}
	name := at.path[len(at.path)-1]
	passed := u.artifact.LookupPath(cue.MakePath(cue.Str("description"), cue.Str("role"), cue.Str(name), cue.Str("config"), cue.Str("parameter")))
	r.match(passed, child.config.LookupPath(cue.ParsePath("parameter")), child, []string{"config", "parameter"}, at)
}

func (r *runner) match(passed, taken cue.Value, child *unit, path []string, at place) {
	if !passed.Exists() || !taken.Exists() || taken.IncompleteKind() == cue.TopKind {
		return
	}
	a, b := passed.IncompleteKind(), taken.IncompleteKind()
	if a != cue.BottomKind && a&b == 0 && !passed.IsConcrete() {
		r.report(related(diag.New(diag.Conflict, passed.Pos(), "%s of %s is %s, but %s takes %s",
			strings.Join(path, "."), at, words(passed), child, words(taken)).AtPath(append(slices.Clip(at.path), path...)...), taken))
		return
	}
	fields, err := passed.Fields()
	if err != nil {
		return
	}
	for fields.Next() {
		name := fields.Selector().Unquoted()
		r.match(fields.Value(), lookup(taken, []string{name}), child, append(slices.Clip(path), name), at)
	}
}
