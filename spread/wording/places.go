package wording

import (
	"cmp"
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// located makes a diagnostic at the first of the errors' positions that a
// reader can edit, with the others as related places.
func located(root cue.Value, code diag.Code, errs []errors.Error, format string, args ...any) *diag.Diagnostic {
	var own, model []diag.Pos
	for _, e := range errs {
		for _, p := range fromcue.Positions(e) {
			switch {
			case value.IsModel(p):
				model = append(model, p)
			case p.IsValid() && !filter.Contains(own, p):
				own = append(own, p)
			}
		}
	}
	pos := cmp.Or(append(own, model...)...)
	if !pos.IsValid() {
		pos = NearestPos(root, fromcue.FieldPath(errs[0].Path()))
	}
	written := fromcue.ValuePositions(fromcue.Lookup(root, fromcue.FieldPath(errs[0].Path())))
	if i := slices.IndexFunc(written, func(p diag.Pos) bool { return filter.Contains(own, p) }); i >= 0 {
		pos = written[i] // where the value itself is written
	}
	d := diag.New(code, pos, format, args...)
	d.Cause = fromcue.Detached(join(errs))
	d.AtPath(fromcue.FieldPath(errs[0].Path())...)
	for _, p := range own {
		if p != pos {
			d.With(p, "and here")
		}
	}
	return d
}

// NearestPos is where the value at path is written, or else what lies above it:
// some errors of CUE's, about cycles for one, say no place.
func NearestPos(root cue.Value, path []string) diag.Pos {
	for n := len(path); n > 0; n-- {
		if p := fromcue.WrittenPos(fromcue.Lookup(root, path[:n])); p.IsValid() && !value.IsModel(p) {
			return p
		}
	}
	return diag.NoPos
}

// Related adds every place where v was declared, other than the diagnostic's.
func Related(d *diag.Diagnostic, v cue.Value) *diag.Diagnostic {
	places := fromcue.ValuePositions(v)
	written := filter.Out(places, value.IsModel)
	if len(written) > 0 {
		places = written
	}
	line := func(p diag.Pos) string { return fmt.Sprint(p.Filename(), ":", p.Line()) }
	seen := map[string]bool{line(d.Pos): true}
	for _, p := range places {
		if !seen[line(p)] && !value.IsStandIn(p) { // one place a line is enough to find it
			d.With(p, "declared here")
		}
		seen[line(p)] = true
	}
	return d
}

// join makes one error of several.
func join(errs []errors.Error) errors.Error {
	var out errors.Error
	for _, e := range errs {
		out = errors.Append(out, e)
	}
	return out
}

// GivenFirst puts the place of a value that was given before those of what it
// contradicts: that is where it can be mended.
func GivenFirst(d *diag.Diagnostic, given map[diag.Pos]value.Origin) {
	if _, ok := given[d.Pos]; ok {
		return
	}
	for i, place := range d.Related {
		if _, ok := given[place.Pos]; ok {
			d.Related = append([]diag.Related{{Pos: d.Pos, Message: place.Message}}, slices.Delete(d.Related, i, i+1)...)
			d.Pos = place.Pos
			return
		}
	}
}
