package check

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/guards"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// outcome is what becomes of one configuration.
type outcome struct {
	given assignment // completed by what the artifact asks for besides
	node  *value.Node
	// open are the problems that an artifact has with a configuration that it
	// takes: something is not known, or not as the model wants it.
	open diag.List
	// plain are contradictions of what the artifact says itself with the model, or
	// with the artifact of a role; against are all others: by them an artifact may
	// refuse a configuration.
	plain, against diag.List
	// lacking tells that something is missing for which no value was found.
	lacking bool
	cycles  diag.List
}

func (o *outcome) refused() bool { return o.node == nil || o.lacking || len(o.against) > 0 }

// taken reports whether the artifact takes the configuration.
func (o *outcome) taken() bool { return !o.refused() && len(o.plain) == 0 }

// maxRounds bounds how often a configuration is completed: what is given may be
// what other fields are there for.
const maxRounds = 6

// run gives the artifact a configuration.
func (c *checker) run(a assignment) *outcome {
	a = maps.Clone(a)
	o := &outcome{given: a}
	for round := 0; ; round++ {
		t := c.give(c.config(a))
		o.node = t.Node
		for _, d := range t.Problems {
			if d.Code == diag.Cycle {
				o.cycles = append(o.cycles, d)
			}
		}
		missing := c.missing(o.node)
		if len(missing) == 0 {
			missing = c.unloaded(o.node, t.Problems)
		}
		added := false
		for path, d := range missing {
			if ch := c.choiceAt(path); c.valueOf(ch, a) == nil { // else it is not taken
				a[ch], added = d.MovedTo(ch.pos), true
			}
		}
		if added && round < maxRounds {
			continue
		}
		o.lacking = len(missing) > 0
		c.judge(o, t.Problems)
		if o.taken() && len(o.open) == 0 {
			c.runs.Keep(t)
		}
		return o
	}
}

// give gives the artifact a config. What is wrong with the artifacts that were met for the
// first time, whatever their config is, is reported.
func (c *checker) give(given *value.Data) *spread.Trial {
	t := c.runs.Give(c.unit, given)
	c.work += t.Evaluated
	c.keepAlways(c.runs.Flaws())
	return t
}

// missing are the parts of a config for which the spread had to stand in itself,
// by path: those that do not follow from others; or else the scale of roles that
// nobody gives; or else one of those that follow.
func (c *checker) missing(n *value.Node) map[string]*value.Data {
	if n == nil {
		return nil
	}
	direct, computed := map[string]*value.Data{}, map[string]*value.Data{}
	n.Config.Walk(nil, func(path []string, d *value.Data) bool {
		if !value.IsStandIn(d.Pos) && (d.Kind != value.List || !d.HasStandIn()) {
			return true
		}
		if whole := c.whole(path); len(whole) < len(path) {
			path, d = whole, resourceValues(wording.ResourceKind(c.schemaAt(whole)))[0]
		}
		to := direct
		if c.sources.Computed(path) {
			to = computed
		}
		to[pathKey(path)] = d
		return false
	})
	if len(direct) == 0 {
		unscaled(n, direct)
	}
	if len(direct) > 0 || len(computed) == 0 {
		return direct
	}
	first := slices.Min(slices.Collect(maps.Keys(computed)))
	return map[string]*value.Data{first: computed[first]}
}

// unscaled adds the scale that nobody gives.
func unscaled(n *value.Node, to map[string]*value.Data) {
	if n.Ref.Kind == "component" && !n.Builtin && n.Config.Get("scale", "hsize") == nil {
		to[pathKey([]string{"scale", "hsize"})] = value.NewInt(diag.NoPos, 1)
	}
	unscaledRoles(n, []string{"scale", "detail"}, to)
}

// unscaledRoles adds what nobody says of the scale of roles: that is for the
// deployer to give, at the top.
func unscaledRoles(n *value.Node, path []string, to map[string]*value.Data) {
	for _, role := range n.Roles {
		if role.Node == nil || role.Node.Builtin || role.Node.Unknown {
			continue
		}
		at, scale := append(slices.Clip(path), role.Name), role.Node.Config.Get("scale")
		if role.Node.Ref.Kind == "component" && scale.Get("hsize") == nil {
			to[pathKey(append(slices.Clip(at), "hsize"))] = value.NewInt(diag.NoPos, 1)
		}
		scale.Walk(at, func(path []string, d *value.Data) bool {
			if value.IsStandIn(d.Pos) {
				to[pathKey(path)] = d
			}
			return !value.IsStandIn(d.Pos)
		})
		unscaledRoles(role.Node, append(at, "detail"), to)
	}
}

// unloaded are the parts of the load (scale.qos) that nobody gives, and without
// which something is not known. No schema has their names: an artifact that reads
// one unconditionally asks for it.
func (c *checker) unloaded(n *value.Node, problems diag.List) map[string]*value.Data {
	out := map[string]*value.Data{}
	if n == nil {
		return out
	}
	for _, d := range problems {
		reads, _ := c.readsOf(d, n)
		for _, p := range reads {
			if isOfArtifact(d) && len(p) > 2 && p[0] == "scale" && p[1] == "qos" && n.Config.Get(p...) == nil {
				out[pathKey(p)] = value.NewInt(diag.NoPos, 1)
			}
		}
	}
	return out
}

// judge sorts the problems of a run.
func (c *checker) judge(o *outcome, problems diag.List) {
	for _, d := range problems {
		switch {
		case c.always[problemKey(d)]:
		case isOfArtifact(d):
			o.open = append(o.open, d)
		case c.isPlain(d, o.node):
			o.plain = append(o.plain, d)
		default:
			o.against = append(o.against, d)
		}
	}
}

// relevant are the choices that a contradiction has to do with: those whose values
// take part, and those of which the artifact's sources make what it is about. It is
// false where that is not known.
func (c *checker) relevant(d *diag.Diagnostic, n *value.Node) ([]*choice, bool) {
	out := c.blamed(d)
	reads, known := c.readsOf(d, n)
	for _, path := range reads {
		c.choose(path)
		for _, ch := range c.choices {
			if n := min(len(path), len(ch.path)); slices.Equal(path[:n], ch.path[:n]) && !filter.Contains(out, ch) {
				out = append(out, ch)
			}
		}
	}
	return out, known || len(out) > 0
}

// choose makes a choice of a parameter with a scalar default, which nobody need give.
func (c *checker) choose(path guards.Path) {
	if len(path) < 2 || path[0] != "parameter" || len(c.choices) >= maxChoices || c.sources.Computed(path) {
		return
	}
	schema := c.schemaAt(path)
	if _, hasDefault := schema.Default(); hasDefault && schema.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		c.choiceAt(pathKey(path))
	}
}

// blamed are the choices whose values take part in a contradiction.
func (c *checker) blamed(d *diag.Diagnostic) []*choice {
	places := []diag.Pos{d.Pos}
	for _, r := range d.Related {
		places = append(places, r.Pos)
	}
	if err, ok := d.Cause.(errors.Error); ok {
		places = append(places, fromcue.Positions(err)...)
	}
	var out []*choice
	for _, p := range places {
		i := slices.IndexFunc(c.choices, func(ch *choice) bool { return fromcue.Token(p).File() == c.given && p.Offset() == ch.pos.Offset() })
		if i >= 0 && !filter.Contains(out, c.choices[i]) {
			out = append(out, c.choices[i])
		}
	}
	return out
}

// readsOf are the fields of config that the place of a contradiction is made of,
// false if the sources do not tell.
func (c *checker) readsOf(d *diag.Diagnostic, n *value.Node) ([]guards.Path, bool) {
	at := fromcue.FieldPath(d.At)
	switch {
	case len(at) == 0:
		return nil, false
	case at[0] == "config":
		reads, known := c.sources.ReadsAt(append([]string{"#Artifact", "description"}, at...)...)
		return append(reads, at[1:]), known && len(at) > 1
	case hasRole(n, at[0]):
		return c.sources.ReadsAt(append([]string{"#Artifact", "description", "role"}, at...)...)
	case len(at) > 2 && at[0] == "description" && at[1] == "config":
		reads, known := c.sources.ReadsAt(append([]string{"#Artifact"}, at...)...)
		return append(reads, at[2:]), known
	}
	return c.sources.ReadsAt(append([]string{"#Artifact"}, at...)...)
}

func hasRole(n *value.Node, name string) bool {
	return n != nil && filter.Any(n.Roles, func(role *value.Role) bool { return role.Name == name })
}

// isOfArtifact reports whether a problem is one that an artifact has with a
// configuration that it takes: something in it is not known, or not as the model
// wants it.
func isOfArtifact(d *diag.Diagnostic) bool {
	switch d.Code {
	case diag.Hole, diag.RoleNotConcrete, diag.Missing, diag.UnknownReference, diag.OwnConfig, diag.RoleWithoutArtifact,
		diag.ResourceInArtifact, diag.ResourceDefault, diag.NotData, diag.Cycle, diag.TooDeep, diag.Internal:
		return true
	case diag.CUE:
		return wording.SaysNoValue(d.Message)
	}
	return d.Severity == diag.Warning
}

// isPlain reports whether a contradiction is one of something that the artifact
// says itself with the model, or with the artifact of a role. An artifact may
// contradict itself in order to refuse a configuration.
func (c *checker) isPlain(d *diag.Diagnostic, node *value.Node) bool {
	switch {
	case len(c.blamed(d)) > 0 || filter.Any(d.At, func(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") }):
		return false
	case d.Code == diag.UnknownField:
		return true
	case d.Code != diag.Conflict && d.Code != diag.Undeclared || len(d.At) < 2:
		return false
	case d.At[0] == "description":
		return d.At[1] != "config" && !wording.SaysTwoValues(d.Message)
	}
	return hasRole(node, d.At[0])
}

func pathKey(path []string) string { return strings.Join(path, "\x00\x00") }

func pathOf(key string) []string { return strings.Split(key, "\x00\x00") }
