package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// reportConfig words the problems of a config that was unified with the
// artifact's: at is where the config was given.
func (r *runner) reportConfig(u *unit, problems []problem, at place) {
	for _, p := range problems {
		if isConsequence(p.value) {
			continue
		}
		switch p.kind {
		case incomplete, required:
			r.reportMissing(u, p, at)
		case notData:
			r.report(r.notData(p, at))
		default:
			r.reportConflict(u, p, at)
		}
	}
}

// reportMissing says which field is missing, of what type, and where to write it.
func (r *runner) reportMissing(u *unit, p problem, at place) {
	d := diag.New(diag.Missing, at.nearest(p.path[1:]), "%s is missing: %s needs it%s; write %s in %s",
		joined(p.path), u, typed(p.value), example(p.path, p.value), at.config())
	d.AtPath(at.field(p.path[0], p.path[1:]...)...)
	r.report(related(d, p.value))
}

// reportConflict says what was given and what the artifact takes.
func (r *runner) reportConflict(u *unit, p problem, at place) {
	schema := u.config.LookupPath(stringPath(p.path[1:]))
	found := at.given.Get(p.path[1:]...)
	if found == nil || !schema.Exists() {
		r.report(fromCUE(p.value.Err())...)
		return
	}
	d := diag.New(diag.Conflict, found.leafPos(), "%s is %s, but %s takes %s",
		joined(p.path), short(found.JSON()), u, typeOf(schema))
	d.AtPath(at.field(p.path[0], p.path[1:]...)...)
	d.Cause = p.value.Err()
	r.report(related(d, schema))
}

func (r *runner) notData(p problem, at place) *diag.Diagnostic {
	return diag.New(diag.NotData, first(positions(p.value)), "%s of %s is %s, which JSON cannot hold; config is pure data: write a string, number, bool, list or struct",
		joined(p.path), at, p.value.IncompleteKind()).AtPath(at.field(p.path[0], p.path[1:]...)...)
}

// reportRole words the problems of a role's config as the service states it:
// with the service's own config known, all of it has to be known.
func (r *runner) reportRole(u *unit, problems []problem, at place) {
	for _, p := range problems {
		switch {
		case isConsequence(p.value):
		case p.kind == conflict:
			r.report(fromCUE(p.value.Err())...)
		case p.kind == notData:
			r.report(r.notData(p, at))
		default:
			d := diag.New(diag.RoleNotConcrete, first(positions(p.value)), "%s of %s is left open%s: give it a value or refer to a field of %s's config that has one",
				joined(p.path), at, typed(p.value), u)
			r.report(related(d.AtPath(at.field(p.path[0], p.path[1:]...)...), p.value))
		}
	}
}

// reportArtifact words holes of an artifact: what is not concrete although its
// config is.
func (r *runner) reportArtifact(u *unit, problems []problem, at place) {
	for _, p := range problems {
		switch {
		case isConsequence(p.value):
		case p.kind == conflict:
			r.report(fromCUE(p.value.Err())...)
		default:
			d := diag.New(diag.Hole, first(positions(p.value)), "%s of %s has no value%s although its config is known: give it one, or take it from config",
				joined(p.path), u, typed(p.value))
			r.report(related(d.AtPath(append(slices.Clip(at.path), p.path...)...), p.value))
		}
	}
}

// reportDeployment words what is not concrete in the manifest itself.
func (r *runner) reportDeployment(problems []problem) {
	for _, p := range problems {
		switch p.kind {
		case conflict:
			r.report(fromCUE(p.value.Err())...)
		case notData:
			r.report(r.notData(p, place{}))
		default:
			d := diag.New(diag.DeploymentNotConcrete, first(positions(p.value)), "%s of the deployment has no value%s: a deployment is plain data, write one",
				joined(p.path), typed(p.value))
			r.report(related(d.AtPath(p.path...), p.value))
		}
	}
}

// fromCUE passes CUE's own errors on, without those about stand-ins.
func fromCUE(err error) diag.List {
	return slices.DeleteFunc(diag.FromCUE(diag.CUE, err), func(d *diag.Diagnostic) bool {
		return isStandIn(d.Pos) || slices.ContainsFunc(d.InputPositions(), isStandIn)
	})
}

// related adds every place where v was declared, other than the diagnostic's.
func related(d *diag.Diagnostic, v cue.Value) *diag.Diagnostic {
	for _, p := range positions(v) {
		if p != d.Pos && !isStandIn(p) {
			d.With(p, "declared here")
		}
	}
	return d
}

// nearest is where the config was given that a path would belong to: the
// innermost struct on the path that is there.
func (p place) nearest(path []string) token.Pos {
	for n := len(path); n >= 0; n-- {
		if d := p.given.Get(path[:n]...); d != nil && d.Pos.IsValid() && !isStandIn(d.Pos) {
			return d.Pos
		}
	}
	return p.pos
}

// config names the place where the config has to be written.
func (p place) config() string {
	if len(p.path) == 0 {
		return "the deployment's config"
	}
	return fmt.Sprintf("the config of role %s", strings.Join(p.path, "."))
}

// field is the path of a field from the top of the solution.
func (p place) field(first string, rest ...string) []string {
	return append(append(slices.Clip(p.path), first), rest...)
}

// who names the place as the giver of a value.
func (p place) who() string { return strings.Join(p.path, ".") }

// String names the artifact for people: "component web".
func (u *unit) String() string {
	kind, _ := u.artifact.LookupPath(cue.ParsePath("ref.kind")).String()
	name, _ := u.artifact.LookupPath(cue.ParsePath("ref.name")).String()
	if kind == "" {
		kind = "artifact"
	}
	if name == "" {
		name = u.pkg.Path
	}
	return kind + " " + name
}

// leafPos is the place of d, or of its first member for a struct without one.
func (d *Data) leafPos() token.Pos {
	for d != nil && !d.Pos.IsValid() && len(d.Fields) > 0 {
		d = d.Fields[0].Value
	}
	if d == nil {
		return token.NoPos
	}
	return d.Pos
}

// typeOf describes the values that a schema takes, as CUE writes it.
func typeOf(v cue.Value) string {
	b, err := format.Node(v.Syntax(cue.Docs(false), cue.Attributes(false)), format.Simplify())
	text := strings.Join(strings.Fields(string(b)), " ")
	if err != nil || text == "" || len(text) > 120 {
		return v.IncompleteKind().String()
	}
	return text
}

func typed(v cue.Value) string {
	if t := typeOf(v); t != "_|_" {
		return " (" + t + ")"
	}
	return ""
}

// example shows how the field at path is written.
func example(path []string, v cue.Value) string {
	values := map[cue.Kind]string{cue.StringKind: `"…"`, cue.IntKind: "1", cue.NumberKind: "1", cue.BoolKind: "true", cue.ListKind: "[…]", cue.StructKind: "{…}"}
	text, ok := values[v.IncompleteKind()]
	if !ok {
		text = "…"
	}
	return strings.Join(path, ": ") + ": " + text
}

func fieldNames(v cue.Value) []string {
	var names []string
	if fields, err := v.Fields(cue.Optional(true)); err == nil {
		for fields.Next() {
			names = append(names, fields.Selector().Unquoted())
		}
	}
	return names
}

func joined(path []string) string { return strings.Join(path, ".") }

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}

func first(ps []token.Pos) token.Pos {
	for _, p := range ps {
		if p.IsValid() {
			return p
		}
	}
	return token.NoPos
}
