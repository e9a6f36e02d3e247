package spread

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// nameless words an artifact that nobody has given a name, nil for any other
// problem: there is no place in it to point to.
func (u *Unit) nameless(p problem, at Place) *diag.Diagnostic {
	if !slices.Equal(p.path, []string{"ref", "name"}) || u.Package == nil {
		return nil
	}
	if pos := cmp.Or(fromcue.ValuePositions(p.value)...); pos.IsValid() && !value.IsModel(pos) {
		return nil
	}
	dir, _, _ := strings.Cut(path.Base(u.Package.Path), ":")
	dir, _, _ = strings.Cut(dir, "@")
	d := diag.New(diag.Hole, posOf(u.Package, "#Artifact"), "the artifact has no name: write ref: name: %q", dir)
	return d.AtPath(append(slices.Clip(at.Path), p.path...)...)
}
