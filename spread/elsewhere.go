package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// declaration is where else a field that an artifact does not have is declared.
type declaration struct {
	hint  string
	meant []string // path in the artifact's config, nil if it is not there
}

// elsewhere looks for a field that the artifact's config does not have at path:
// in its other sections, and in the artifacts of its roles, whose config is for
// the service to pass on.
func (r *Runner) elsewhere(u *Unit, path []string) declaration {
	name := path[len(path)-1]
	for _, section := range []string{"parameter", "resource"} {
		field := fromcue.Lookup(u.Config, []string{section, name})
		if path[0] != section && !u.Bare[section] && field.Exists() {
			meant := []string{section, name}
			text := fmt.Sprintf("; %s is a %s: write %s", name, section, wording.Example(append([]string{"config"}, meant...), field))
			return declaration{text, meant}
		}
	}
	var have []string
	for role, p := range r.rolePackages(u) {
		inner := r.whole(r.unit(p))
		if inner != nil && !inner.Bare[path[0]] && fromcue.Lookup(inner.Config, path).Exists() {
			have = append(have, fmt.Sprintf("%s of role %s", inner, role))
		}
	}
	if len(have) == 0 || path[0] != "parameter" && path[0] != "resource" {
		return declaration{}
	}
	slices.Sort(have)
	verb := "has"
	if len(have) > 1 {
		verb = "have"
	}
	names := fromcue.FieldNames(u.Config.LookupPath(PathOf(path[:len(path)-1])))
	return declaration{hint: fmt.Sprintf("; %s %s it, but %s does not pass it on: it has %s", strings.Join(have, " and "), verb, u, strings.Join(slices.Sorted(slices.Values(names)), ", "))}
}

// rolePackages are the packages of the artifacts that fill the unit's roles, by
// role, as far as they are artifacts of other packages.
func (r *Runner) rolePackages(u *Unit) map[string]*Package {
	out := map[string]*Package{}
	fields, err := fromcue.Fields(u.Artifact.LookupPath(cue.ParsePath("description.role")))
	if err != nil {
		return out
	}
	for fields.Next() {
		if p := r.Eval.StandsFor(fields.Value().LookupPath(ArtifactField)); p != nil {
			out[fields.Name()] = p
		}
	}
	return out
}

// wrongKind reports whether path, in a config, gives a resource as one kind that
// the artifact declares as another.
func (u *Unit) wrongKind(path []string, config cue.Value) (kind, wanted string) {
	if len(path) != 3 || path[0] != "resource" || wording.Resource(path[2]) == "" {
		return "", ""
	}
	wanted = wording.ResourceKind(fromcue.Lookup(config, path[:2]))
	if wanted == "" {
		wanted = wording.ResourceKind(fromcue.Lookup(u.Config, path[:2]))
	}
	return path[2], wanted
}

// reportKind says that a resource is of another kind than the artifact declares,
// or of two kinds at once.
func (r *Runner) reportKind(u *Unit, path []string, kind, wanted string, given *value.Data, at Place) *diag.Diagnostic {
	schema := fromcue.Lookup(u.Config, path[:2])
	is, todo := wording.Resource(kind), fmt.Sprintf("write %s: \"…\"", wanted)
	if given.Get(append(slices.Clip(path[:2]), wanted)...) != nil {
		is, todo = wording.Resource(wanted)+" and "+is, "leave "+kind+" out"
	}
	d := diag.New(diag.Conflict, r.labelOf(given.Get(path...).LeafPos()).pos, "config.%s is %s, but %s takes %s: %s",
		wording.Path(path[:2]), is, u, wording.Of(schema), todo)
	r.report(wording.Related(d.AtPath(at.field("config", path...)...), schema))
	return d
}
