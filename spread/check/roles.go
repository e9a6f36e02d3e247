package check

import (
	"slices"

	"cuelang.org/go/cue"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/guards"
	"kumiki.dev/value"
)

// maxLevels bounds how deep the artifacts of roles are asked what they take.
const maxLevels = 8

// surveyRoles finds out what the artifacts of roles ask of the fields that the
// service passes to them as they are: which values they take, and with which they
// compare them.
func (c *checker) surveyRoles(n *value.Node) {
	for _, a := range c.asked(n, 0) {
		key := pathKey(a.path)
		if a.schema.Exists() && len(a.path) > 1 && len(c.choices) < maxChoices {
			c.demands[key] = append(c.demands[key], a.schema)
			c.choiceAt(key)
		}
		if a.hints != nil {
			c.surveyHints([]*guards.Hints{{Path: a.path, Numbers: a.hints.Numbers, Texts: a.hints.Texts, Patterns: a.hints.Patterns}})
		}
	}
}

// asked is what the artifact of a role asks of a field of the service's config.
type asked struct {
	path   guards.Path
	schema cue.Value     // of the field that gets the value, if there is one
	hints  *guards.Hints // nil if it does not depend on single values
}

// asked is what the artifacts of a service's roles ask of its config.
func (c *checker) asked(n *value.Node, level int) []asked {
	if n == nil || level > maxLevels || len(n.Roles) == 0 || spread.PackageOf(n) == nil {
		return nil
	}
	var out []asked
	sources := c.sourcesOf(spread.PackageOf(n))
	for _, role := range n.Roles {
		if role.Node == nil || role.Node.Unknown || c.runs.Artifact(spread.PackageOf(role.Node)) == nil {
			continue
		}
		for _, a := range append(c.asks(spread.PackageOf(role.Node)), c.asked(role.Node, level+1)...) {
			for _, path := range sources.Given(role.Name, a.path) {
				out = append(out, asked{path, a.schema, a.hints})
			}
		}
	}
	return out
}

// asks is what an artifact asks of its own config.
func (c *checker) asks(p *spread.Package) []asked {
	if out, known := c.askedBy[p]; known {
		return out
	}
	var out []asked
	var walk func(v cue.Value, path guards.Path)
	walk = func(v cue.Value, path guards.Path) {
		out = append(out, asked{path: path, schema: v})
		fields, err := fromcue.Fields(v, cue.Optional(true))
		if err != nil || len(out) > maxChoices {
			return
		}
		for fields.Next() {
			walk(fields.Value(), append(slices.Clip(path), fields.Name()))
		}
	}
	for _, section := range []string{"parameter", "resource"} {
		walk(c.runs.Artifact(p).Config.LookupPath(spread.PathOf([]string{section})), guards.Path{section})
	}
	for _, h := range c.sourcesOf(p).Hints() {
		out = append(out, asked{path: h.Path, hints: h})
	}
	c.askedBy[p] = out
	return out
}
