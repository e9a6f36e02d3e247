package wording

import (
	"cmp"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// Translate words CUE's errors about an artifact or deployment, one diagnostic
// a path: the dozens of lines that an enumeration makes are one mistake. What
// the model has no words for is passed on as CUE has it.
func Translate(err error, root cue.Value) diag.List {
	var order []string
	groups := map[string][]errors.Error{}
	out, errs := closedToModel(errors.Errors(err), root)
	for _, e := range errs {
		e = Topmost(e, root)
		key := strings.Join(e.Path(), "\x00")
		if _, ok := groups[key]; !ok {
			order = append(order, key)
		}
		groups[key] = append(groups[key], e)
	}
	for _, key := range order {
		g := groups[key]
		if filter.Any(g, func(e errors.Error) bool { return filter.Any(fromcue.Positions(e), value.IsStandIn) }) {
			continue
		}
		out = append(out, group(g, root)...)
	}
	return out
}

// group words the errors of one path.
func group(errs []errors.Error, root cue.Value) diag.List {
	for _, e := range errs {
		if IsRefusal(e) {
			return diag.List{cmp.Or(noName(e, root), unknownField(e, root))}
		}
		if name, ok := undefinedField(e); ok {
			return diag.List{located(root, diag.UnknownReference, errs, "%s"+refersToField+"%s"+isNotThere, modelPath(e.Path()), name)}
		}
		if name, ok := optionalField(e); ok {
			return diag.List{located(root, diag.UnknownReference, errs, "%s"+refersToField+"%s, which is optional and not given; ask for it first, if config.parameter.%s != _|_", modelPath(e.Path()), name, name)}
		}
		if name, ok := unknownName(e); ok {
			return diag.List{located(root, diag.UnknownReference, errs, "%q"+foundNowhere(name), name)}
		}
		if isEndless(e) {
			return diag.List{located(root, diag.Cycle, errs, "%s contains itself without end; a value is finite, so write out what it holds", modelPath(e.Path()))}
		}
	}
	if d := contradiction(errs, root); d != nil {
		return diag.List{d}
	}
	out := fromcue.Problems(diag.CUE, join(errs))
	for _, d := range out {
		d.Message = fromcue.WithoutLevels(d.Message) + remedyOfCUE(d.Message)
		d.Related = filter.Out(d.Related, func(r diag.Related) bool { return r.Pos.Filename() == fromcue.LevelFile })
	}
	return out
}
