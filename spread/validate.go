package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/spread/wording"
)

// validate reports what CUE finds wrong with a level as a whole and nobody has
// come by: a check in a hidden field or a definition, two values that exclude
// each other where no data is read, a comprehension whose condition or source is
// not there. What is only open is found where the data is read.
func (r *Runner) validate(u *Unit, level cue.Value, at Place) {
	all := ErrorsOf(level)
	if fresh := r.unnoted(level, all); fresh != nil {
		r.found++
		r.report(r.inConfig(u, at, wording.Translate(fresh, u.Artifact))...)
	}
	if u.Flawed {
		r.report(r.inConfig(u, at, wording.Translate(u.refused(), u.Artifact))...)
	}
	if !r.Problems.HasErrors() { // after these, CUE has no levels of roles
		r.reportNew(u, those(all, func(e errors.Error) bool { return ofRolesArtifact(e.Path()) && !isBelow(u.Package, e) }), at)
	}
}

// those returns the errors for which is reports true, nil if there are none.
func those(all []errors.Error, is func(errors.Error) bool) (out errors.Error) {
	for _, e := range all {
		if is(e) {
			out = errors.Append(out, e)
		}
	}
	return out
}

// reportNew reports errors of a level, but for those that were told at the same places. Values that exclude each other can exclude
// one of several kinds of artifacts, and the errors of the others say nothing.
func (r *Runner) reportNew(u *Unit, err errors.Error, at Place) {
	found := r.inConfig(u, at, wording.Translate(err, u.Artifact))
	isConflict := func(d *diag.Diagnostic) bool { return d.Code == diag.Conflict }
	excludes := filter.Any(found, isConflict)
	for _, d := range found {
		told := filter.Any(r.Problems, func(p *diag.Diagnostic) bool { return p.Pos == d.Pos && p.Code == d.Code })
		if !told && (!excludes || isConflict(d)) {
			r.report(d)
		}
	}
}

// contradicts reports what is wrong in a level of which CUE shows no field: something in it contradicts itself, be it in the
// artifact that a role writes. What was told of the artifact without a config, or of the level around, is not told again.
func (r *Runner) contradicts(u *Unit, level cue.Value, at Place) bool {
	if level.LookupPath(refPath).Exists() {
		return false
	}
	here, _, _ := strings.Cut(level.Path().String(), ".")
	isHere := func(e errors.Error) bool {
		path := e.Path()
		return (!fromcue.IsLevel(path) || path[0] == here) && !isBelow(u.Package, e)
	}
	r.reportNew(u, those(errors.Errors(level.Validate()), isHere), at)
	return r.Problems.HasErrors()
}

// refused are the fields of an artifact that the model does not have, whatever the
// config is. CUE does not look for them where something else is wrong.
func (u *Unit) refused() (out errors.Error) {
	for _, e := range errors.Errors(u.Artifact.Validate()) {
		e = wording.Topmost(e, u.Artifact)
		path := fromcue.FieldPath(e.Path())
		if wording.IsRefusal(e) && !isWithin(asValue(path), "description.config") && writesField(u.Package, append([]string{"#Artifact"}, path...)) {
			out = errors.Append(out, e)
		}
	}
	return out
}

// writesField reports whether the sources of a package have a field at a path, under no
// condition.
func writesField(p *Package, path []string) (found bool) {
	s := newSight(p, true)
	visit := func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			s.labels = append(s.labels, s.label(f))
			found = found || slices.Equal(s.labels, path)
		}
		_, conditional := n.(*ast.Comprehension)
		return !conditional
	}
	for _, f := range p.Files {
		ast.Walk(f, visit, s.leave)
	}
	return found
}

// refersToNone reports whether a value refers to a field that is not there.
func refersToNone(v cue.Value) bool {
	return filter.Any(ErrorsOf(v), wording.RefersToNothing)
}

// unnoted returns those of a level's errors that nobody has come by. If it has none (all is
// empty), it may have failed as a whole.
func (r *Runner) unnoted(level cue.Value, all []errors.Error) errors.Error {
	if len(all) == 0 {
		all = errors.Errors(Failed(level))
	}
	return those(all, func(e errors.Error) bool {
		path := e.Path()
		return !ofRolesArtifact(path) && !r.isNoted(asValue(path)) && (fromcue.IsLevel(path) || len(r.noted) == 0)
	})
}

// ErrorsOf are the contradictions anywhere in a value.
func ErrorsOf(v cue.Value) []errors.Error {
	return errors.Errors(v.Validate(cue.Hidden(true), cue.Definitions(true)))
}

// ofRolesArtifact reports whether an error is about the artifact of a role, which is judged
// with the config that it gets.
func ofRolesArtifact(path []string) bool {
	path = fromcue.FieldPath(path)
	return len(path) > 3 && path[0] == "description" && path[1] == "role" && path[3] == "artifact"
}

// isBelow reports whether an error is about the artifact of a role and has no position in a file of the package that has the role:
// it is reported when that artifact is given its config.
func isBelow(p *Package, e errors.Error) bool {
	return ofRolesArtifact(e.Path()) && !filter.Any(errors.Positions(e), func(pos token.Pos) bool { return p.HasFile(pos.Filename()) })
}

// asValue writes a path of an error's as those of values are.
func asValue(path []string) string {
	return strings.ReplaceAll(strings.Join(fromcue.Elements(path), "."), ".[", "[")
}

// isNoted reports whether a value, or one in it or around it, has a problem that
// was found before.
func (r *Runner) isNoted(path string) bool {
	return filter.Any(r.noted, func(other string) bool {
		return isWithin(path, other) || isWithin(other, path)
	})
}

// isWithin reports whether a path, as CUE writes it, is another one or leads below it.
func isWithin(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Failed returns the errors of values that have none because of what they are
// made of. An open type is no error; see [Finisher].
func Failed(level cue.Value) (out errors.Error) {
	around, parts := PartsOf(level)
	for _, v := range around {
		for _, e := range errors.Errors(v.Err()) {
			out = errors.Append(out, e)
		}
	}
	for _, v := range parts {
		for _, e := range errors.Errors(v.Validate(cue.Concrete(true))) {
			if !wording.IsOpen(e) {
				out = errors.Append(out, e)
			}
		}
	}
	return out
}

// PartsOf takes a level apart into what is judged as a whole, and the structs around
// that. The artifacts of roles and deployments are left out: they depend on a config
// that is yet to come. They cannot be told from the paths of errors, which may lead
// to a definition that a value shares.
func PartsOf(level cue.Value) (around, parts []cue.Value) {
	each := func(v cue.Value, visit func(name string, v cue.Value)) {
		around = append(around, v)
		fields, err := fromcue.Fields(v)
		if err != nil {
			return
		}
		for fields.Next() {
			visit(fields.Name(), fields.Value())
		}
	}
	whole := func(v cue.Value) { parts = append(parts, v) }
	inRole := func(name string, v cue.Value) {
		if name != "artifact" {
			whole(v)
		}
	}
	each(level, func(name string, v cue.Value) {
		switch name {
		case "artifact":
		case "description":
			each(v, func(name string, v cue.Value) {
				if name != "role" {
					whole(v)
					return
				}
				each(v, func(_ string, v cue.Value) { each(v, inRole) })
			})
		default:
			whole(v)
		}
	})
	return around, parts
}

// failedChecks returns the errors of hidden fields and definitions within a value.
func failedChecks(v cue.Value) (out errors.Error) {
	for _, e := range ErrorsOf(v) {
		if path := e.Path(); len(path) > 0 && syntax.IsAside(path[len(path)-1]) {
			out = errors.Append(out, e)
		}
	}
	return out
}
