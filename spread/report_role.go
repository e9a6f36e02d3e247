package spread

import (
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
)

// reportRole words the problems of a role's config as the service states it:
// with the service's own config known, all of it has to be known.
func (r *Runner) reportRole(u *Unit, problems []problem, at Place) {
	r.reportAll(problems, func(p problem) diag.List {
		path := at.field(p.path[0], p.path[1:]...)
		pos := fromcue.OwnPos(p.value)
		if !pos.IsValid() {
			pos = wording.NearestPos(u.Artifact, append([]string{"description"}, u.inRole(at, p.path)...))
		}
		switch {
		case p.kind == notData:
			return diag.List{isNotData(p, at)}
		case refersToOwn(p.value):
			return diag.List{diag.New(diag.OwnConfig, pos, "%s of %s refers to the role's own config: in a role, config is the role's; write description.%s for the service's", wording.Path(p.path), at, strings.Join(ownReference(p.value), ".")).AtPath(path...).In(u.Package.Path, u.inRole(at, p.path)...)}
		case p.kind == conflict:
			return r.scoped(u.Package, wording.Translate(p.value.Validate(), u.Artifact))
		}
		d := diag.New(diag.RoleNotConcrete, pos, "%s of %s is left open (%s): give it a value, or refer to a field of %s's config that has one",
			wording.Path(p.path), at, wording.OfOpen(p.value), u)
		d.In(u.Package.Path, u.inRole(at, p.path)...)
		return diag.List{wording.Related(d.AtPath(path...), p.value)}
	})
}

// inRole is the path of a role's config field from the service's description.
func (u *Unit) inRole(at Place, path []string) []string {
	return append([]string{"role", at.Path[len(at.Path)-1]}, path...)
}

// refersToOwn reports whether a field of a role's config refers to the role's own
// config, which leads back to itself.
func refersToOwn(v cue.Value) bool { return ownReference(v) != nil }

// ownReference is the path, from config on, of the field in the role's own
// config that v refers to; nil if it refers to none.
func ownReference(v cue.Value) []string {
	_, path := v.ReferencePath()
	sels := path.Selectors()
	for i := range sels {
		if i+2 < len(sels) && sels[i].String() == "role" && sels[i+2].String() == "config" {
			var out []string
			for _, sel := range sels[i+2:] {
				out = append(out, sel.String())
			}
			return out
		}
	}
	return nil
}
