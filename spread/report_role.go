package spread

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
)

// reportRole words the problems of a role's config as the service states it:
// with the service's own config known, all of it has to be known.
func (r *Runner) reportRole(u *Unit, problems []problem, at Place) {
	r.reportAll(problems, func(p problem) diag.List {
		path := at.field(p.path[0], p.path[1:]...)
		pos := ownPos(p.value)
		if !pos.IsValid() {
			pos = nearestPos(u.Artifact, append([]string{"description"}, u.inRole(at, p.path)...))
		}
		switch {
		case p.kind == notData:
			return diag.List{isNotData(p, at)}
		case refersToOwn(p.value):
			return diag.List{diag.New(diag.OwnConfig, pos, "%s of %s refers to the role's own config: in a role, config is the role's; write description.%s for the service's", joined(p.path), at, strings.Join(ownReference(p.value), ".")).AtPath(path...).In(u.Package.Path, u.inRole(at, p.path)...)}
		case p.kind == conflict:
			return r.scoped(u.Package, translate(p.value.Validate(), u.Artifact))
		}
		d := diag.New(diag.RoleNotConcrete, pos, "%s of %s is left open (%s): give it a value, or refer to a field of %s's config that has one",
			joined(p.path), at, openWords(p.value), u)
		d.In(u.Package.Path, u.inRole(at, p.path)...)
		return diag.List{related(d.AtPath(path...), p.value)}
	})
}

// openWords says what is known of a value that is open: what it takes, how it is
// written, or, of a struct that cannot be made, why.
func openWords(v cue.Value) string {
	text := words(v)
	if l := errors.Errors(v.Err()); len(l) > 0 && strings.HasPrefix(text, "{") {
		message, args := l[0].Msg()
		return fmt.Sprintf(message, args...)
	}
	return text
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
