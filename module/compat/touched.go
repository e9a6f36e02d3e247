package compat

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
)

// What an artifact does with its config can refuse what the config takes: a
// computed field, the config of a role, an if, a hidden check. Each statement of
// the new version that depends on the config has to be one that the old version
// has too and that nothing around it has changed, or one of which it is proved
// that it refuses nothing.

// beyond compares what two versions of an artifact do with their config. Found are
// the changes of the config itself.
func (c *comparison) beyond(was, is described, found []Change) {
	before, ok := statements(was.Program.Root)
	after, again := statements(is.Program.Root)
	if !ok || !again {
		if packageText(was.Program.Root, map[*spread.Package]bool{}) != packageText(is.Program.Root, map[*spread.Package]bool{}) {
			c.report(Major, is.Node.Pos, "", "nothing proves that all it took is still taken: its sources have forms that are not compared")
		}
		return
	}
	v := c.newView(is.Program.Root, is.Artifact, after)
	v.new = is
	v.change(before, found)
	v.judge()
	c.roles(before, after, is)
}

// roles compares which roles there are. What a role that is gone ran, with its
// volumes, goes from every deployment.
func (c *comparison) roles(before, after []*statement, is described) {
	was, now := rolesOf(before), rolesOf(after)
	for _, name := range sorted(was) {
		if !now[name] {
			c.report(Major, is.Node.Pos, "role."+name, "the role is gone: what it runs is removed from all deployments")
		}
	}
	for _, name := range sorted(now) {
		if !was[name] {
			c.report(Minor, is.Node.Pos, "role."+name, "the role is new")
		}
	}
}

func rolesOf(all []*statement) map[string]bool {
	out := map[string]bool{}
	for _, s := range all {
		if len(s.path) > 2 && s.path[0] == "description" && s.path[1] == "role" && s.path[2] != anyLabel && !s.local {
			out[s.path[2]] = true
		}
	}
	return out
}

// view is the new version of an artifact, and what is different in it.
type view struct {
	*comparison
	new        described
	pkg        *spread.Package
	statements []*statement
	// tainted are the statements that depend on the config, changed those that the
	// old version has not.
	tainted, changed map[*statement]bool
	// affected are the paths of what may have another value than before; names
	// those of lets.
	affected, names [][]string
	// evaluator evaluates the artifacts that fill roles, views are those.
	evaluator *spread.Evaluator
	views     map[*spread.Package]*view
	path      []*spread.Package // the artifacts around it
	// free are the parameters by themselves, relations what they have to do with
	// each other.
	free      cue.Value
	relations []relation
	whole     bool // whether free and relations are known
}

// newView returns a view of an artifact, with what depends on its config.
func (c *comparison) newView(p *spread.Package, artifact cue.Value, all []*statement) *view {
	v := &view{comparison: c, pkg: p, statements: all, evaluator: spread.NewEvaluator(c.ctx), views: map[*spread.Package]*view{}}
	parameters, ok := separate(c.ctx, artifact.LookupPath(cue.ParsePath("description.config.parameter")), "config.parameter")
	v.free, v.relations, v.whole = parameters.free, parameters.relations, ok
	v.taint()
	return v
}

// taint finds the statements that depend on the config.
func (v *view) taint() {
	v.tainted = map[*statement]bool{}
	reached := make([][]string, 0, len(sections))
	for _, name := range sections {
		reached = append(reached, append(slices.Clip(configPath), name))
	}
	for _, s := range v.statements {
		// What is said of all of it may hold anything.
		v.tainted[s] = len(s.path) < len(configPath) && !s.structural && !s.local
	}
	for grown := true; grown; {
		grown = false
		for _, s := range v.statements {
			if leads := s.leads(reached); !v.tainted[s] && len(leads) > 0 {
				v.tainted[s], grown = true, true
				reached = append(reached, leads...)
			}
		}
	}
}

// change finds what is different, and what refers to that.
func (v *view) change(before []*statement, found []Change) {
	v.changed = map[*statement]bool{}
	for _, s := range v.statements {
		v.changed[s] = true
	}
	left := map[string][]*statement{}
	for _, s := range v.statements {
		left[s.key()] = append(left[s.key()], s)
	}
	seen := map[string]bool{}
	for _, s := range before {
		if same := left[s.key()]; len(same) > 0 {
			for _, x := range same {
				delete(v.changed, x)
			}
		} else if !seen[s.key()] {
			seen[s.key()] = true
			v.affect(s, s.path)
		}
	}
	for _, s := range v.statements {
		if v.changed[s] {
			v.affect(s, s.path)
		}
	}
	for _, change := range found {
		if path := strings.Split(change.Path, "."); path[0] == "config" && change.Step == Minor && !change.wider {
			v.affected = append(v.affected, append([]string{"description"}, path...))
		}
	}
	for grown := true; grown; {
		grown = false
		for _, s := range v.statements {
			for _, p := range append(s.leads(v.affected), s.leads(v.names)...) {
				grown = v.affect(s, p) || grown
			}
		}
	}
}

// affect notes that what a statement is about may have another value. What is said
// of the config counts only where others can refer to it by a name of its own: its
// values are compared with those of the old version.
func (v *view) affect(s *statement, path []string) bool {
	to := &v.affected
	if s.local || s.inConfig() {
		to = &v.names
		if !s.local && !filter.Any(s.path, isUnseen) {
			return false
		}
	}
	if filter.Any(*to, func(p []string) bool { return slices.Equal(p, path) }) {
		return false
	}
	*to = append(*to, path)
	return true
}

// judge reports what may refuse what was taken.
func (v *view) judge() {
	reported := map[string]bool{}
	for _, s := range v.statements {
		if s.local || s.inConfig() && !v.bindsConfig(s) || reported[strings.Join(s.path, ".")] || !v.touched(s) || v.harmless(s) {
			continue
		}
		reported[strings.Join(s.path, ".")] = true
		v.unproved(s.pos, s.path, s.said)
	}
	v.roles()
}

func (v *view) unproved(at diag.Pos, path []string, text string) {
	v.report(Major, v.ownPlace(at), strings.Join(path[min(1, len(path)):], "."), "nothing proves that all it took is still taken: it depends on %s", short(text))
}

func (v *view) ownPlace(at diag.Pos) diag.Pos {
	if at.IsValid() {
		return at
	}
	return v.new.Node.Pos
}

// bindsConfig reports whether a statement within the scale or resilience refers to
// the config, which nothing else compares.
func (v *view) bindsConfig(s *statement) bool {
	return len(s.path) > 2 && (s.path[2] == "scale" || s.path[2] == "resilience") && v.tainted[s] && v.changed[s]
}

// touched reports whether a statement depends on the config and something about it
// is different.
func (v *view) touched(s *statement) bool {
	if v.tainted[s] {
		return v.changed[s] || refersToAny(s, v.affected) || refersToAny(s, v.names) || filter.Any(v.affected, func(p []string) bool { return overlap(p, s.path) })
	}
	// It may tie what is different to what depends on the config: matchN, a disjunction.
	if s.structural || !v.changed[s] && !filter.Any(v.affected, func(p []string) bool { return overlap(p, s.path) }) {
		return false
	}
	return filter.Any(v.statements, func(t *statement) bool { return v.tainted[t] && !t.local && !t.inConfig() && overlap(t.path, s.path) })
}

// leads are the paths at which a statement makes something of what is at one of the
// paths: its own, or what a let is another name for.
func (s *statement) leads(paths [][]string) (out [][]string) {
	name, index, isName := chainOf(s.expr)
	isName = isName && s.local && len(index) == 0 && len(s.chains) == 1
	for _, chain := range s.chains {
		for _, p := range paths {
			for i := range p {
				switch {
				case !overlap(chain, p[i:]):
				case isName && len(name) < len(p)-i:
					out = append(out, append(slices.Clip(s.path), p[i+len(name):]...))
				default:
					out = append(out, s.path)
				}
			}
		}
	}
	return out
}

// refersToAny reports whether a statement refers to what is at one of the paths.
func refersToAny(s *statement, paths [][]string) bool { return len(s.leads(paths)) > 0 }

// overlap reports whether one of two paths leads to the other.
func overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != anyLabel && b[i] != anyLabel {
			return false
		}
	}
	return true
}
