package spread

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// reportAll turns the problems of one value into diagnostics: word says it in
// the words of the value's level. What follows from a problem that is reported
// already is put under that.
//
// A value that is only not known cannot follow from a stand-in, which is known,
// but for one that stands in for what nothing is known of.
func (r *Runner) reportAll(problems []problem, word func(p problem) diag.List) {
	r.found += len(problems)
	for _, p := range problems {
		r.noted = append(r.noted, p.value.Path().String())
		found := diag.List(nil)
		if d, isCycle := r.cycle(p.value); d != nil {
			found = diag.List{d.AtPath(p.path...)}
		} else if !isCycle {
			found = word(p)
		}
		c := r.openCause(p.value)
		if c == nil && p.kind == conflict {
			c = r.causeOf(p.value)
		}
		if c != nil {
			if c.reported != nil && (p.kind == conflict || !c.open) { // a hole is what stands in itself
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
func (r *Runner) reportConfig(u *Unit, problems []problem, at Place) {
	r.reportAll(problems, func(p problem) diag.List {
		switch p.kind {
		case incomplete, required:
			if r.symbolic && len(at.Path) == 0 {
				return nil // a deployment will give it
			}
			if p.kind == incomplete && p.value.Err() != nil {
				return r.inConfig(u, at, wording.Translate(p.value.Err(), u.Artifact))
			}
			p = u.asResource(p)
			d := u.missing(p, at)
			if !r.renamed[at.String()+" "+wording.Path(p.path)] {
				d.Fixes = wording.Addition(r.file(d.Pos.Filename()), at.Path, p.path, p.value)
			}
			return diag.List{d}
		case notData:
			return diag.List{isNotData(p, at)}
		}
		return r.conflict(u, p, at)
	})
}

// missing says which field is missing, what it is, and where to write it.
func (u *Unit) missing(p problem, at Place) *diag.Diagnostic {
	what := wording.Of(p.value)
	if text := wording.Meaning(p.value); text != "" {
		what += ": " + text
	}
	d := diag.New(diag.Missing, at.nearest(p.path[1:]), "%s is missing; %s needs it (%s): write %s in %s",
		wording.Path(p.path), u, what, wording.Example(p.path, p.value), at.container(p.path))
	d.AtPath(at.field(p.path[0], p.path[1:]...)...)
	for _, use := range u.usesOf(p.path) {
		d.With(use.pos, "used here, for %s", use.what)
	}
	return wording.Related(d, p.value)
}

// asResource makes a problem with the id of a resource one with the resource,
// which is what the artifact's author has declared and described.
func (u *Unit) asResource(p problem) problem {
	n := len(p.path) - 1
	if n < 3 || p.path[1] != "resource" || wording.Resource(p.path[n]) == "" {
		return p
	}
	if schema := fromcue.Lookup(u.Config, p.path[1:n]); wording.ResourceKind(schema) == p.path[n] {
		p.path, p.value = p.path[:n], schema
	}
	return p
}

// conflict says what was given and what the artifact takes. A value that
// several artifacts do not take is one mistake.
func (r *Runner) conflict(u *Unit, p problem, at Place) diag.List {
	schema := fromcue.Lookup(u.Config, p.path[1:])
	found := at.Given.Get(p.path[1:]...)
	if found == nil || !schema.Exists() {
		return r.inConfig(u, at, wording.Translate(p.value.Validate(), u.Artifact))
	}
	if l := failedChecks(p.value); l != nil {
		return r.inConfig(u, at, wording.Translate(l, u.Artifact))
	}
	path, takes := p.path, ""
	if schema.IncompleteKind() == cue.BottomKind {
		if takes = u.said(p.path).Expr; takes == "" {
			return r.inConfig(u, at, wording.Translate(p.value.Validate(), u.Artifact))
		}
	} else {
		path, found, schema = wording.Narrow(p.path, found, schema, r.Eval.takes)
		takes = wording.Takes(path[len(path)-1], found, schema, r.Eval.takes)
	}
	pos := r.valueOf(found.LeafPos())
	if !pos.IsValid() || schema.IncompleteKind() != cue.BottomKind && r.Eval.takes(schema, found) {
		return r.inConfig(u, at, wording.Translate(p.value.Validate(), u.Artifact)) // something else in the artifact forbids it
	}
	for _, prior := range r.Problems {
		if prior.Code == diag.Conflict && prior.Pos == pos && pos.IsValid() && u.Pos.IsValid() {
			return diag.List{prior.With(u.Pos, "%s takes %s", at.artifact(u), takes)}
		}
	}
	d := diag.New(diag.Conflict, pos, "%s is %s, but %s takes %s", wording.Path(path), wording.Short(found.JSON()), at.artifact(u), takes)
	d.AtPath(at.field(path[0], path[1:]...)...)
	d.Cause = fromcue.Detached(p.value.Err())
	return diag.List{wording.Related(d.In(u.inConfig(at), path...), schema)}
}

// said is what the artifact's sources say of a field, for a schema or a value that CUE cannot show because nothing satisfies it yet. It is
// empty if they say nothing in one place.
func (u *Unit) said(path []string) Written {
	full := append([]string{"#Artifact", "description"}, path...)
	for _, w := range WrittenIn(u.Package, full...) {
		if !value.IsModel(w.Pos) && w.Expr != "" {
			return w
		}
	}
	return Written{}
}

// inConfig is the scope of a problem with the config of one role: other roles
// of the same artifact may have the same.
func (u *Unit) inConfig(at Place) string { return u.Package.Path + "@" + at.Who() }

// inConfig gives problems of an artifact that come from the config of a role
// the scope of that.
func (r *Runner) inConfig(u *Unit, at Place, l diag.List) diag.List {
	for _, d := range r.scoped(u.Package, l) {
		nameCheck(u.Package, "#Artifact", at.artifact(u), d, at)
		if d.Code == diag.UnknownField {
			d.Pos = cmp.Or(placeOf(at.Given, d.At), d.Pos)
		}
		if path := fromcue.FieldPath(d.At); len(path) < 2 || path[1] != "role" { // what is made of it for a role is mended there
			wording.GivenFirst(d, Givers(at.Given))
		}
		if len(d.Scope.Path) > 0 && d.Scope.Path[0] == "config" {
			d.Scope.Artifact = u.inConfig(at)
		}
	}
	return l
}

// placeOf is where a config gives what is at a path of an artifact, as an error of
// CUE's has it, where elements of lists are numbers.
func placeOf(d *value.Data, at []string) diag.Pos {
	if len(at) < 3 || at[1] != "config" {
		return diag.NoPos
	}
	for _, name := range at[2:] {
		next := d.Get(name)
		if i, err := strconv.Atoi(name); err == nil && next == nil {
			next = d.Get(value.Element(i))
		}
		d = next
	}
	return d.LeafPos()
}

// isNotData words a value that is none of JSON's.
func isNotData(p problem, at Place) *diag.Diagnostic {
	return wording.NotData(at.String(), p.path, p.value).AtPath(at.field(p.path[0], p.path[1:]...)...)
}

// reportArtifact words holes of an artifact: what is not concrete although its
// config is.
func (r *Runner) reportArtifact(u *Unit, filled cue.Value, problems []problem, at Place) {
	r.reportAll(problems, func(p problem) diag.List {
		if p.kind == conflict {
			return r.scoped(u.Package, wording.Translate(p.value.Validate(), u.Artifact))
		}
		return diag.List{r.hole(u, filled, p, at)}
	})
}

// hole says what in an artifact is not known although its config is. Where the
// author has written nothing of a struct, the struct is what is missing.
func (r *Runner) hole(u *Unit, filled cue.Value, p problem, at Place) *diag.Diagnostic {
	if d := u.nameless(p, at); d != nil {
		return d
	}
	pos := fromcue.OwnPos(p.value)
	for n := len(p.path) - 1; !pos.IsValid() && n > 0; n-- {
		if above := fromcue.WrittenPos(fromcue.Lookup(filled, p.path[:n])); above.IsValid() && !value.IsModel(above) {
			pos = above
			p.path, p.value = p.path[:n+1], fromcue.Lookup(filled, p.path[:n+1])
		}
	}
	what := fmt.Sprintf("has no value (%s) although its config is known: give it one, or take it from config", wording.Of(p.value))
	if strings.Contains(wording.Of(p.value), "_|_") {
		what = "has no value: something that it refers to is not there; ask for an optional field first, if config.parameter.x != _|_"
		if w := u.said(p.path[1:]); w.Expr != "" {
			what = fmt.Sprintf("is written %s, of which something is not there; ask for an optional field first, if config.parameter.x != _|_", wording.Short(w.Expr))
			if own := wording.OwnNameIn(w.x); own != "" {
				what = fmt.Sprintf("is written %s: %s", wording.Short(w.Expr), own)
			}
		}
	}
	if !pos.IsValid() {
		pos = cmp.Or(u.Pos, at.Pos)
	}
	if d := wording.Bytes(u.String(), p.path, p.value); d != nil {
		return d.AtPath(append(slices.Clip(at.Path), p.path...)...).In(u.Package.Path, p.path[1:]...)
	}
	d := diag.New(diag.Hole, pos, "%s of %s %s", wording.Path(p.path), u, what)
	d.AtPath(append(slices.Clip(at.Path), p.path...)...).In(u.Package.Path, p.path[1:]...)
	return d
}

// scoped says of problems in an artifact where they are in it, and takes away
// the places that only name the model's definition.
func (r *Runner) scoped(p *Package, l diag.List) diag.List {
	for _, d := range l {
		if !d.Pos.IsValid() {
			d.Pos = cmp.Or(posOf(p, "#Artifact"), posOf(p, "#Deployment"), posOf(p, "#Environment"), posOf(p, "#Policy"), posOf(p, "#Template"))
		}
		if word, ok := strings.CutSuffix(d.Message, wording.NotFoundHere); ok {
			if say, meant := importCalled(p, strings.Trim(word, `"`), d.Pos); say != "" {
				d.Message = word + say
				d.Scope.Import = meant
			} else if near, ok := diag.Nearest(strings.Trim(word, `"`), importNames(p)); ok {
				d.Message = word + fmt.Sprintf(" is neither a field here nor an import; did you mean %s?", near)
				d.Scope.Import = near
			} else if name, whole := expressionAt(p, d.Pos); name != whole {
				d.Scope.Import = diag.AnyImport // something is taken from it
			}
		}
		wording.NearField(p.Files, d)
		ownConfig(p, d)
		r.atLabel(d)
		if len(d.At) > 1 && d.At[0] == "description" {
			d.In(p.Path, d.At[1:]...)
		}
		var kept []diag.Related
		for _, place := range d.Related {
			switch {
			case r.isDefinition(place.Pos):
			case r.isDefinition(d.Pos):
				d.Pos = place.Pos
			default:
				kept = append(kept, place)
			}
		}
		d.Related = kept
	}
	return l
}

// atLabel moves a problem to the field that it is about, if that is written at one
// of its places: a struct around it may be among them, and come first.
func (r *Runner) atLabel(d *diag.Diagnostic) {
	if len(d.At) == 0 {
		return
	}
	is := func(pos diag.Pos) bool {
		f := r.fieldAt(pos)
		return f != nil && syntax.LabelName(f.Label) == d.At[len(d.At)-1]
	}
	if is(d.Pos) {
		return
	}
	for i, place := range d.Related {
		if is(place.Pos) && !value.IsModel(place.Pos) {
			d.Pos, d.Related[i].Pos = place.Pos, d.Pos
			return
		}
	}
}

// ownConfig sees a field of the service's config behind a name that a role's
// config does not have.
func ownConfig(p *Package, d *diag.Diagnostic) {
	name, ok := wording.AbsentField(d)
	if !ok || !wording.OfRoleConfig(d.At) {
		return
	}
	for _, section := range []string{"parameter", "resource"} {
		if len(WrittenIn(p, "#Artifact", "description", "config", section, name)) > 0 {
			d.Code = diag.OwnConfig
			d.Message = fmt.Sprintf("%s of role %s takes %s from the role's own config, which does not have it: in a role, config is the role's; write description.config.%s.%s for the service's",
				wording.Path(d.At[3:]), d.At[2], name, section, name)
		}
	}
}

// isDefinition reports whether pos is that of a definition's name, as in
// #Artifact: k.#Component & {…}: CUE takes part in every mistake below by it.
func (r *Runner) isDefinition(pos diag.Pos) bool { return r.indexOf(pos.Filename()).definitions[pos] }

// reportDeployment words what is not concrete in the manifest itself.
func (r *Runner) reportDeployment(problems []problem, deployment cue.Value) {
	r.reportAll(problems, func(p problem) diag.List {
		switch p.kind {
		case conflict:
			return r.sections(r.scoped(r.sources[0], wording.Translate(p.value.Validate(), deployment)), deployment)
		case notData:
			return diag.List{isNotData(p, Place{})}
		}
		pos := fromcue.OwnPos(p.value)
		if !pos.IsValid() {
			pos = fromcue.WrittenPos(deployment)
		}
		if u := r.deployed(deployment.LookupPath(ArtifactField)); u != nil && p.path[0] == "config" && p.value.IncompleteKind() == cue.TopKind && p.value.Err() == nil {
			if schema := fromcue.Lookup(u.Config, p.path[1:]); schema.Exists() {
				d := u.missing(problem{path: p.path, value: schema}, Place{Pos: pos})
				return diag.List{d}
			}
		}
		d := diag.New(diag.DeploymentNotConcrete, pos, "%s of the deployment has no value (%s): a deployment is plain data, write %s",
			wording.Path(p.path), wording.Of(p.value), wording.Example(p.path, p.value))
		return diag.List{d.AtPath(p.path...)}
	})
}

// sections says where a field belongs that stands in config itself.
func (r *Runner) sections(l diag.List, deployment cue.Value) diag.List {
	for _, d := range l {
		if len(d.At) != 2 || d.At[0] != "config" || d.Code != diag.UnknownField {
			continue
		}
		if u := r.deployed(deployment.LookupPath(ArtifactField)); u != nil {
			if other := r.elsewhere(u, d.At[1:]); other.meant != nil {
				d.Message = d.At[1] + " is not a section of config" + other.hint
			}
		}
	}
	return l
}
