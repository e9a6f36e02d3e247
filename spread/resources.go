package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// ResourcesFit reports whether nothing is wrong with the resources of an artifact.
func (r *Runner) ResourcesFit(u *Unit) bool {
	quiet := newRunner(r.Eval, r.opts)
	quiet.checkResources(u)
	return quiet.found == 0
}

// checkResources reports what an artifact may not say about its resources: a
// default, or an id, which mean something in one cluster only.
func (r *Runner) checkResources(u *Unit) {
	resources := u.Config.LookupPath(resourcePath)
	if !u.declaresKinds(resources) {
		r.checkResourceTree(u, resources, []string{"config", "resource"})
	}
}

func (r *Runner) checkResourceTree(u *Unit, v cue.Value, path []string) {
	if d, ok := settledChoice(v); ok {
		pos := fromcue.OwnPos(v)
		r.report(diag.New(diag.ResourceDefault, pos, "%s of %s has the default %s: a resource means something in one cluster only; declare it without a default, as k.#Volume, k.#Secret or the like",
			wording.Path(path), u, wording.Source(d)).AtPath(path...))
		return
	}
	fields, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil {
		return
	}
	for fields.Next() {
		name := fields.Name()
		at := append(slices.Clip(path), name)
		if id, err := fields.Value().String(); err == nil && wording.Resource(name) != "" {
			r.report(resourceID(fromcue.ValuePos(fields.Value()), u.String(), at, id))
			continue
		}
		r.checkResourceTree(u, fields.Value(), at)
	}
}

// declaresKinds reports whether there are resources, and all that is said of each is that it is one of the model, such as k.#Secret.
// None of those has a default, or an id.
func (u *Unit) declaresKinds(resources cue.Value) (is bool) {
	fields, err := fromcue.Fields(resources, cue.Optional(true))
	if err != nil {
		return false
	}
	for ; fields.Next(); is = true {
		of := strings.Fields(u.DefinitionAt([]string{"resource", fields.Name()})) // section, import and name
		if len(of) != 3 {
			return false
		}
		imp := u.Package.Imports[strings.Trim(of[1], `"`)]
		if imp == nil || !imp.IsModel() || wording.Resource(strings.ToLower(strings.TrimPrefix(of[2], "#"))) == "" {
			return false
		}
	}
	return is
}

// settledChoice returns the value that a choice has if nobody gives one; false if v
// is no choice, or has no such value. CUE does not call it a default where another
// alternative takes it as well.
func settledChoice(v cue.Value) (cue.Value, bool) {
	d, ok := v.Default()
	if ok && d.Exists() {
		return d, true
	}
	f := &Finisher{Places: Nowhere}
	settled := v.Exists() && f.Finish(v, nil) != nil && len(f.Problems) == 0
	return d, settled && hasAlternatives(v, 3)
}

// checkRoleResources reports the ids of resources that a service writes into
// the config of a role.
func (r *Runner) checkRoleResources(u *Unit, at Place) {
	eachResourceID(at.Given.Get("resource"), func(path []string, d *value.Data) {
		if d.Origin.By == value.FromRole {
			r.report(resourceID(d.Pos, u.String(), append(append(slices.Clip(at.Path), "config", "resource"), path...), d.Text))
		}
	})
}

// NamesResources reports whether the resources of a config are some that are registered in a
// cluster.
func NamesResources(resource *value.Data) (names bool) {
	eachResourceID(resource, func([]string, *value.Data) { names = true })
	return names
}

func eachResourceID(resource *value.Data, f func(path []string, id *value.Data)) {
	resource.Walk(nil, func(path []string, d *value.Data) bool {
		if n := len(path); n > 0 && d.Kind == value.String && wording.Resource(path[n-1]) != "" {
			f(path, d)
		}
		return true
	})
}

func resourceID(pos diag.Pos, who string, path []string, id string) *diag.Diagnostic {
	kind := path[len(path)-1]
	name := "k.#" + strings.ToUpper(kind[:1]) + kind[1:]
	if kind == "ca" {
		name = "k.#CA"
	}
	return diag.New(diag.ResourceInArtifact, pos, "%s names the registered resource %q in %s, which only a deployment may: declare a resource of type %s in the artifact's own config.resource and refer to it",
		who, id, wording.Path(path), name).AtPath(path...)
}
