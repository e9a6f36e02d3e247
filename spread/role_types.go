package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
)

// matchRole compares the types of what a service passes to a role with those
// that the role's artifact takes: with stand-ins for values, a wrong type would
// not be seen as one.
func (r *Runner) matchRole(u *Unit, artifact cue.Value, at Place) {
	p := r.Eval.StandsFor(artifact)
	if p == nil {
		return
	}
	child := r.unit(p)
	if child == nil {
		return
	}
	name := at.Path[len(at.Path)-1]
	passed := u.Artifact.LookupPath(cue.MakePath(cue.Str("description"), cue.Str("role"), cue.Str(name), cue.Str("config"), cue.Str("parameter")))
	r.match(passed, child.Config.LookupPath(cue.ParsePath("parameter")), child, []string{"config", "parameter"}, at)
}

func (r *Runner) match(passed, taken cue.Value, child *Unit, path []string, at Place) {
	if !passed.Exists() || !taken.Exists() || taken.IncompleteKind() == cue.TopKind {
		return
	}
	a, b := passed.IncompleteKind(), taken.IncompleteKind()
	if a != cue.BottomKind && b != cue.BottomKind && a&b == 0 && !passed.IsConcrete() {
		r.report(wording.Related(diag.New(diag.Conflict, fromcue.Pos(passed), "%s of %s is %s, but %s takes %s",
			strings.Join(path, "."), at, wording.Of(passed), child, wording.Of(taken)).AtPath(append(slices.Clip(at.Path), path...)...), taken))
		return
	}
	fields, err := fromcue.Fields(passed)
	if err != nil {
		return
	}
	for fields.Next() {
		name := fields.Name()
		r.match(fields.Value(), fromcue.Lookup(taken, []string{name}), child, append(slices.Clip(path), name), at)
	}
}
