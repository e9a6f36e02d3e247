package spread

import (
	"cmp"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
)

// configCycles are the fields of a level's config that refer back to themselves.
func (r *Runner) configCycles(level cue.Value) (out diag.List) {
	for _, p := range cyclic(level) {
		if d, _ := r.cycle(p.value); d != nil {
			out = append(out, d.AtPath(p.path...))
		}
	}
	r.report(out...)
	return out
}

// cyclic are the fields of an artifact's config that have no value because they refer
// back to themselves.
func cyclic(artifact cue.Value) []problem {
	f := &Finisher{Places: Nowhere}
	f.Sections(artifact.LookupPath(filledPath), []string{"config"})
	return filter.Out(f.Problems, func(p problem) bool {
		return p.value.Err() == nil || findCycle(p.value, p.value.Path(), []string{p.value.Path().String()}, 12) == nil
	})

}

// cycle reports a value that has none because it refers back to itself, with
// the whole way; nil if that is not why. A way is reported once, for whichever
// of its fields is met first.
func (r *Runner) cycle(v cue.Value) (d *diag.Diagnostic, isCycle bool) {
	way := findCycle(v, v.Path(), []string{v.Path().String()}, 12)
	if way == nil || len(way) == 1 && refersToOwn(v) {
		return nil, false
	}
	members := slices.Sorted(slices.Values(way))
	key := strings.Join(slices.Compact(members), " ")
	if r.cycles[key] {
		return nil, true
	}
	r.cycles[key] = true
	if f, ok := v.Source().(*ast.Field); ok && len(way) == 1 {
		if own := wording.OwnName(f); own != "" {
			return diag.New(diag.Cycle, cmp.Or(fromcue.ValuePositions(v)...), "%s refers to itself: %s", fromcue.WithoutLevels(way[0]), own), true
		}
	}
	names := make([]string, 0, len(way)+1)
	for _, path := range append(way, way[0]) {
		names = append(names, fromcue.WithoutLevels(path))
	}
	return diag.New(diag.Cycle, cmp.Or(fromcue.ValuePositions(v)...), "%s refers to itself: %s; give one of them a value of its own", names[0], strings.Join(names, " → ")), true
}

// findCycle follows the references of v and returns the paths on the way back
// to start, nil if none leads there within depth.
func findCycle(v cue.Value, start cue.Path, way []string, depth int) []string {
	if depth == 0 {
		return nil
	}
	for _, ref := range references(v, 4) {
		path := ref.Path().String()
		if path == start.String() {
			return way
		}
		if filter.Contains(way, path) {
			continue
		}
		if found := findCycle(ref, start, append(slices.Clip(way), path), depth-1); found != nil {
			return found
		}
	}
	return nil
}

// references are the values that v's expression refers to.
func references(v cue.Value, depth int) []cue.Value {
	if root, path := v.ReferencePath(); root.Exists() && len(path.Selectors()) > 0 {
		return []cue.Value{root.LookupPath(path)}
	}
	op, args := fromcue.ExprOf(v)
	if depth == 0 || op == cue.NoOp {
		return nil
	}
	var out []cue.Value
	for _, a := range args {
		out = append(out, references(a, depth-1)...)
	}
	return out
}
