package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// Place is where in the tree an artifact is used.
type Place struct {
	Path  []string    // of role names; empty at the top
	Pos   diag.Pos    // of the deployment or role
	Given *value.Data // what the deployment or role states as config
	By    *Package    // the service that has the role, nil at the top
	level *value.Data // the finished config of the artifact, nil before it is
}

func (p Place) String() string {
	if len(p.Path) == 0 {
		return "the deployment"
	}
	return fmt.Sprintf("role %s", strings.Join(p.Path, "."))
}

// nearest is where the config was given that a path would belong to: the
// innermost struct on the path that is there.
func (p Place) nearest(path []string) diag.Pos {
	for n := len(path); n >= 0; n-- {
		d := p.Given.Get(path[:n]...)
		if d != nil && d.Pos.IsValid() && !value.IsStandIn(d.Pos) && !value.IsModel(d.Pos) {
			return d.Pos
		}
	}
	return p.Pos
}

// String names the artifact for people: "component web".
func (u *Unit) String() string {
	kind, _ := u.Artifact.LookupPath(cue.ParsePath("ref.kind")).String()
	name, _ := u.Artifact.LookupPath(cue.ParsePath("ref.name")).String()
	if builtin, _ := u.Artifact.LookupPath(cue.ParsePath("description.builtin")).Bool(); builtin {
		kind = "builtin"
	}
	if kind == "" {
		kind = "artifact"
	}
	if name == "" {
		name = u.Package.Path
	}
	return kind + " " + name
}

// artifact names the artifact for people, with the role that it fills.
func (p Place) artifact(u *Unit) string {
	if len(p.Path) == 0 {
		return u.String()
	}
	return fmt.Sprintf("%s of role %s", u, strings.Join(p.Path, "."))
}

// container names what a missing field has to be written in.
func (p Place) container(path []string) string {
	for i := len(path) - 2; i > 0; i-- {
		if _, ok := value.Index(path[i]); ok {
			return wording.Path(path[:i+1])
		}
	}
	return p.String()
}

// field is the path of a field from the top of the solution.
func (p Place) field(first string, rest ...string) []string {
	return append(append(slices.Clip(p.Path), first), rest...)
}

// Who names the place as the giver of a value.
func (p Place) Who() string { return strings.Join(p.Path, ".") }

// PlaceParameters gives structs and lists in the parameters of a role's config that have no place, as items of a list that list.Concat makes, that of what
// is around them.
func PlaceParameters(config *value.Data) *value.Data {
	parameter := config.Get("parameter")
	if parameter == nil || placedWithin(parameter) {
		return config
	}
	return config.Set("parameter", placedIn(parameter, config.Pos))
}

func placedIn(d *value.Data, around diag.Pos) *value.Data {
	if !d.IsComposite() {
		return d
	}
	out := *d
	if !out.Pos.IsValid() {
		out.Pos = around
	}
	out.Fields, out.Items = slices.Clone(d.Fields), slices.Clone(d.Items)
	for i, f := range d.Fields {
		out.Fields[i].Value = placedIn(f.Value, out.Pos)
	}
	for i, x := range d.Items {
		out.Items[i] = placedIn(x, out.Pos)
	}
	return &out
}

// IsPlaced reports whether every struct and list within the sections of a config has a
// place. CUE finds one for those that nobody has written, such as those that only
// the model speaks of.
func IsPlaced(d *value.Data) bool {
	for _, section := range d.Each() {
		if filter.Any(section.Value.Members(), func(m value.Field) bool { return !placedWithin(m.Value) }) {
			return false
		}
	}
	return true
}

func placedWithin(d *value.Data) bool {
	if d.Kind != value.Struct && d.Kind != value.List {
		return true
	}
	return d.Pos.IsValid() && !filter.Any(d.Fields, func(f value.Field) bool { return !placedWithin(f.Value) }) &&
		!filter.Any(d.Items, func(x *value.Data) bool { return !placedWithin(x) })
}
