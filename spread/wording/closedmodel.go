package wording

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// modelTypes are the model's definitions for parts of an artifact, by their paths.
var modelTypes = []struct {
	path []string
	name string
}{
	{[]string{"description", "code", "*", "size"}, "ContainerSize"},
	{[]string{"description", "code", "*", "image"}, "Image"},
	{[]string{"description", "code", "*", "mapping"}, "Mapping"},
	{[]string{"description", "code", "*"}, "Container"},
	{[]string{"description", "size"}, "ComponentSize"},
	{[]string{"description", "probe", "*", "readiness"}, "Check"},
	{[]string{"description", "probe", "*"}, "Probe"},
	{[]string{"description", "profile"}, "Profile"},
	{[]string{"description", "role", "*", "config"}, "Configurable"},
	{[]string{"description", "role", "*"}, "Role"},
	{[]string{"description", "connect", "*"}, "Connector"},
	{[]string{"description", "vset", "*"}, "VersionSet"},
	{[]string{"description", "srv", "client", "*"}, "Client"},
	{[]string{"description", "srv", "server", "*"}, "Server"},
	{[]string{"description", "srv", "duplex", "*"}, "Server"},
	{[]string{"description", "srv"}, "MicroService"},
	{[]string{"description", "config"}, "Configurable"},
}

// closedPart is a part of an artifact that a definition of the author's own closes
// to fields which the model adds.
type closedPart struct {
	path  []string
	name  string // of the model's definition
	lacks []string
	errs  []errors.Error
}

// closedToModel words the fields of the model's own that a definition of the
// author's refuses, one problem a part. It returns the errors that are others.
func closedToModel(all []errors.Error, root cue.Value) (out diag.List, rest []errors.Error) {
	var refused []errors.Error
	for _, e := range all {
		places := fromcue.Positions(e)
		if IsRefusal(e) && len(places) > 0 && !filter.Any(places, func(p diag.Pos) bool { return !value.IsModel(p) }) {
			refused = append(refused, e)
		} else {
			rest = append(rest, e)
		}
	}
	sorting.By(refused, func(a, b errors.Error) int { return len(a.Path()) - len(b.Path()) })
	var parts []*closedPart
	for _, e := range refused {
		path := fromcue.FieldPath(e.Path())
		i := slices.IndexFunc(parts, func(p *closedPart) bool { return len(path) > len(p.path) && slices.Equal(path[:len(p.path)], p.path) })
		if i < 0 {
			part := partOf(path[:len(path)-1])
			if part == nil || !NearestPos(root, part.path).IsValid() {
				rest = append(rest, e)
				continue
			}
			parts, i = append(parts, part), len(parts)
		}
		parts[i].lacks = append(parts[i].lacks, Path(path[len(parts[i].path):]))
		parts[i].errs = append(parts[i].errs, e)
	}
	for _, p := range parts {
		out = append(out, p.word(root))
	}
	return out, rest
}

// partOf is the innermost part of the model that a path leads to or into, nil for
// none.
func partOf(path []string) *closedPart {
	for n := len(path); n > 0; n-- {
		for _, t := range modelTypes {
			if like(path[:n], t.path) {
				return &closedPart{path: path[:n], name: t.name}
			}
		}
	}
	return nil
}

func (p *closedPart) word(root cue.Value) *diag.Diagnostic {
	slices.Sort(p.lacks)
	d := diag.New(diag.UnknownField, NearestPos(root, p.path), "%s is given a definition that leaves no room for the model's own %s: define it as k.#%s & {…}, k being the model",
		Path(p.path), strings.Join(slices.Compact(p.lacks), ", "), p.name)
	d.Cause = fromcue.Detached(join(p.errs))
	return d.AtPath(p.path...)
}
