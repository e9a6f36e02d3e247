package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// reportAll turns the problems of one value into diagnostics: word says it in
// the words of the value's level. What follows from a problem that is reported
// already is put under that.
//
// A value that is only not known cannot follow from a stand-in, which is known:
// it follows from unfilled, the first value of the level's config for which
// there was no stand-in, or from nothing (nil).
func (r *runner) reportAll(problems []problem, unfilled *cause, word func(p problem) diag.List) {
	for _, p := range problems {
		found := diag.List(nil)
		if d, isCycle := r.cycle(p.value); d != nil {
			found = diag.List{d.AtPath(p.path...)}
		} else if !isCycle {
			found = word(p)
		}
		c := unfilled
		if p.kind == conflict {
			c = r.causeOf(p.value)
		}
		if c != nil {
			if c.reported != nil {
				c.reported.Consequences = append(c.reported.Consequences, found...)
			}
			if own := r.causeAt(p.standIn); own != nil {
				own.reported = c.reported // what follows from this follows from that
			}
			continue
		}
		if own := r.causeAt(p.standIn); own != nil && len(found) > 0 {
			own.reported = found[0]
		}
		r.report(found...)
	}
}

// reportConfig words the problems of a config that was unified with the
// artifact's: at is where the config was given.
func (r *runner) reportConfig(u *unit, problems []problem, at place) {
	r.reportAll(problems, nil, func(p problem) diag.List {
		switch p.kind {
		case incomplete, required:
			if r.symbolic && len(at.path) == 0 {
				return nil // a deployment will give it
			}
			d := u.missing(p, at)
			d.Fixes = r.addition(d.Pos, at, p)
			return diag.List{d}
		case notData:
			return diag.List{isNotData(p, at)}
		}
		found := u.conflict(p, at)
		for _, d := range found {
			d.Pos = r.valueOf(d.Pos)
		}
		return found
	})
}

// missing says which field is missing, what it is, and where to write it.
func (u *unit) missing(p problem, at place) *diag.Diagnostic {
	what := words(p.value)
	if text := meaning(p.value); text != "" {
		what += ": " + text
	}
	d := diag.New(diag.Missing, at.nearest(p.path[1:]), "%s is missing; %s needs it (%s): write %s in %s",
		joined(p.path), u, what, example(p.path, p.value), at.config())
	d.AtPath(at.field(p.path[0], p.path[1:]...)...)
	if use := u.useOf(p.path); use.pos.IsValid() {
		d.With(use.pos, "used here, for %s", use.what)
	}
	return related(d, p.value)
}

// conflict says what was given and what the artifact takes.
func (u *unit) conflict(p problem, at place) diag.List {
	schema := lookup(u.config, p.path[1:])
	found := at.given.Get(p.path[1:]...)
	if found == nil || !schema.Exists() || schema.IncompleteKind() == cue.BottomKind {
		return translate(p.value.Validate(), u.artifact)
	}
	d := diag.New(diag.Conflict, found.leafPos(), "%s is %s, but %s takes %s%s",
		joined(p.path), short(found.JSON()), u, words(schema), nearValue(found, schema))
	d.AtPath(at.field(p.path[0], p.path[1:]...)...)
	d.Cause = p.value.Err()
	return diag.List{related(d, schema)}
}

func isNotData(p problem, at place) *diag.Diagnostic {
	return diag.New(diag.NotData, first(positions(p.value)), "%s of %s is %s, which JSON cannot hold; config is pure data: write a string, number, bool, list or struct",
		joined(p.path), at, p.value.IncompleteKind()).AtPath(at.field(p.path[0], p.path[1:]...)...)
}

// reportRole words the problems of a role's config as the service states it:
// with the service's own config known, all of it has to be known.
func (r *runner) reportRole(u *unit, problems []problem, unfilled *cause, at place) {
	r.reportAll(problems, unfilled, func(p problem) diag.List {
		path := at.field(p.path[0], p.path[1:]...)
		pos := first(positions(p.value))
		switch {
		case p.kind == notData:
			return diag.List{isNotData(p, at)}
		case u.refersToOwn(p):
			return diag.List{diag.New(diag.OwnConfig, pos, "%s of %s refers to the role's own config: in a role, config is the role's; write description.%s for the service's", joined(p.path), at, joined(p.path)).AtPath(path...)}
		case p.kind == conflict:
			return translate(p.value.Validate(), u.artifact)
		}
		d := diag.New(diag.RoleNotConcrete, pos, "%s of %s is left open (%s): give it a value, or refer to a field of %s's config that has one",
			joined(p.path), at, words(p.value), u)
		return diag.List{related(d.AtPath(path...), p.value)}
	})
}

// refersToOwn tells whether a role's config field refers to the role's own
// config, which leads back to itself.
func (u *unit) refersToOwn(p problem) bool {
	_, path := p.value.ReferencePath()
	sels := path.Selectors()
	for i := range sels {
		if i+2 < len(sels) && sels[i].String() == "role" && sels[i+2].String() == "config" {
			return true
		}
	}
	return false
}

// reportArtifact words holes of an artifact: what is not concrete although its
// config is.
func (r *runner) reportArtifact(u *unit, problems []problem, unfilled *cause, at place) {
	r.reportAll(problems, unfilled, func(p problem) diag.List {
		if p.kind == conflict {
			return translate(p.value.Validate(), u.artifact)
		}
		d := diag.New(diag.Hole, first(positions(p.value)), "%s of %s has no value (%s) although its config is known: give it one, or take it from config",
			joined(p.path), u, words(p.value))
		return diag.List{related(d.AtPath(append(slices.Clip(at.path), p.path...)...), p.value)}
	})
}

// reportDeployment words what is not concrete in the manifest itself.
func (r *runner) reportDeployment(problems []problem, deployment cue.Value) {
	r.reportAll(problems, nil, func(p problem) diag.List {
		switch p.kind {
		case conflict:
			return translate(p.value.Validate(), deployment)
		case notData:
			return diag.List{isNotData(p, place{})}
		}
		pos := first(slices.DeleteFunc(positions(p.value), IsModel))
		if !pos.IsValid() {
			pos = writtenPos(deployment)
		}
		if u := r.deployed(deployment.LookupPath(artifactField)); u != nil && p.path[0] == "config" && p.value.IncompleteKind() == cue.TopKind && p.value.Err() == nil {
			if schema := lookup(u.config, p.path[1:]); schema.Exists() {
				d := u.missing(problem{path: p.path, value: schema}, place{pos: pos})
				return diag.List{d}
			}
		}
		d := diag.New(diag.DeploymentNotConcrete, pos, "%s of the deployment has no value (%s): a deployment is plain data, write %s",
			joined(p.path), words(p.value), example(p.path, p.value))
		return diag.List{d.AtPath(p.path...)}
	})
}

// related adds every place where v was declared, other than the diagnostic's.
func related(d *diag.Diagnostic, v cue.Value) *diag.Diagnostic {
	places := positions(v)
	written := slices.DeleteFunc(slices.Clone(places), IsModel)
	if len(written) > 0 {
		places = written
	}
	line := func(p token.Pos) string { return fmt.Sprint(p.Filename(), ":", p.Line()) }
	seen := map[string]bool{line(d.Pos): true}
	for _, p := range places {
		if !seen[line(p)] && !IsStandIn(p) { // one place a line is enough to find it
			d.With(p, "declared here")
		}
		seen[line(p)] = true
	}
	return d
}

// nearest is where the config was given that a path would belong to: the
// innermost struct on the path that is there.
func (p place) nearest(path []string) token.Pos {
	for n := len(path); n >= 0; n-- {
		d := p.given.Get(path[:n]...)
		if d != nil && d.Pos.IsValid() && !IsStandIn(d.Pos) && !IsModel(d.Pos) {
			return d.Pos
		}
	}
	return p.pos
}

// config names the place where the config has to be written.
func (p place) config() string {
	if len(p.path) == 0 {
		return "the deployment"
	}
	return fmt.Sprintf("role %s", strings.Join(p.path, "."))
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
