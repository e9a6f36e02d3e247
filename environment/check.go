package environment

import (
	"fmt"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// checker looks for ids that an environment does not have.
type checker struct {
	*Environment
	solution *solution.Solution
	found    map[[2]string]bool // that have been told, by kind and id
	problems diag.List
}

// config looks at the resources of a deployment, or of a role of it.
func (c *checker) config(deployment, role string, config solution.Config) {
	for _, key := range targets.Keys(config.Resource) {
		c.resource(deployment, role, []string{"config", "resource", key}, config.Resource[key])
	}
}

func (c *checker) resource(deployment, role string, path []string, r *solution.Resource) {
	if r == nil {
		return
	}
	volume := ""
	if r.Volume != nil {
		volume = r.Volume.ID
	}
	for _, x := range []struct {
		kind, id string
		known    []string
	}{
		{"domain", r.Domain, targets.Keys(c.Resource.Domain)},
		{"port", r.Port, targets.Keys(c.Resource.Port)},
		{"volume", volume, targets.Keys(c.Resource.Volume)},
		{"secret", r.Secret, targets.Keys(c.Resource.Secret)},
		{"certificate", r.Certificate, targets.Keys(c.Resource.Certificate)},
		{"ca", r.CA, targets.Keys(c.Resource.CA)},
	} {
		c.id(deployment, role, path, x.kind, x.id, x.known)
	}
	for _, member := range targets.Keys(r.Group) {
		c.resource(deployment, role, append(path[:len(path):len(path)], member), r.Group[member])
	}
}

// id reports an id of a kind that is not among those that are known.
func (c *checker) id(deployment, role string, path []string, kind, id string, known []string) {
	key := [2]string{kind, id}
	if id == "" || c.found[key] || filter.Contains(known, id) {
		return
	}
	c.found[key] = true
	hint := "; it has no " + kind
	if len(known) > 0 {
		hint = "; it has " + strings.Join(known, ", ")
	}
	if near, ok := diag.Nearest(id, known); ok {
		hint = "; did you mean " + near + "?"
	}
	what := fmt.Sprintf("%s %q", kind, id)
	pos := c.solution.Position(deployment, role, path...)
	if !pos.IsValid() { // of a file: the field says where it is named
		what += ", " + strings.Join(path, ".") + " of " + deployment + ","
	}
	d := diag.New(diag.NotRegistered, pos, "%s is not registered in environment %s%s", what, c.Name, hint)
	c.problems = append(c.problems, d.With(c.Pos, "register it here: resource: %s: %s: {…}", kind, strconv.Quote(id)).AtPath(append([]string{"deployments", deployment}, path...)...))
}
