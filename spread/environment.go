package spread

import (
	"cmp"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

var (
	environmentPath = cue.ParsePath("#Environment")
	policyPath      = cue.ParsePath("#Policy")
	templatePath    = cue.ParsePath("#Template")
)

// Environment evaluates the #Environment of a package. What comes out is plain data of
// the model's shape, with all defaults; nil where something is wrong.
func Environment(e *Evaluator, p *Package) (*value.Data, diag.List) {
	r := newRunner(e, Options{})
	d := r.declared(p, environmentPath)
	if r.Problems.HasErrors() {
		return nil, r.Problems
	}
	f := &Finisher{}
	data := f.Finish(d, nil)
	for _, problem := range f.Problems {
		r.report(r.openField(p, "environment", diag.EnvironmentNotConcrete, problem))
	}
	if r.Problems.HasErrors() {
		return nil, r.Problems
	}
	return data, r.Problems
}

// templateFields are those of a template that are plain data; the others are for whoever
// deploys it.
var templateFields = []string{"name", "artifact", "environments", "requires", "labels", "overrides", "waves"}

// Template evaluates the #Template of a package. What comes out is plain data, but for what
// is the deployment's own, which is left out; nil where something is wrong.
func Template(e *Evaluator, p *Package) (*value.Data, diag.List) {
	r := newRunner(e, Options{})
	d := r.declared(p, templatePath)
	if r.Problems.HasErrors() {
		return nil, r.Problems
	}
	f := &Finisher{}
	var fields []value.Field
	for _, name := range templateFields {
		fields = append(fields, value.Field{Name: name, Value: f.Finish(fromcue.Lookup(d, []string{name}), []string{name})})
	}
	for _, problem := range f.Problems {
		r.report(r.openField(p, "template", diag.TemplateWord, problem))
	}
	if r.Problems.HasErrors() {
		return nil, r.Problems
	}
	for _, name := range []string{"links", "accepts"} {
		if given := fromcue.Lookup(d, []string{name}); given.Exists() {
			// What is wrong with it is found with the artifact.
			fields = append(fields, value.Field{Name: name, Value: (&Finisher{}).Finish(given, []string{name})})
		}
	}
	return value.NewStruct(posOf(p, templatePath.String()), fields...), r.Problems
}

// Policy evaluates the #Policy of a package: what it says itself is data, what it asks of
// others any CUE. The position is where it is declared.
func Policy(e *Evaluator, p *Package) (cue.Value, diag.Pos, diag.List) {
	r := newRunner(e, Options{})
	d := r.declared(p, policyPath)
	if !r.Problems.HasErrors() {
		f := &Finisher{}
		for _, name := range []string{"environments", "severity", "message"} {
			f.Finish(fromcue.Lookup(d, []string{name}), []string{name})
		}
		for _, problem := range f.Problems {
			r.report(r.openField(p, "policy", diag.PolicyNotConcrete, problem))
		}
	}
	return d, posOf(p, policyPath.String()), r.Problems
}

// declared is a field that a package declares, and the model says more of; what is wrong
// with it, but for what is open, is reported.
func (r *Runner) declared(p *Package, path cue.Path) cue.Value {
	r.sources = append(r.sources, p)
	r.mend(p)
	v := r.Eval.Value(p)
	d := v.LookupPath(path)
	if !d.Exists() {
		d = r.patched(p, v, path).LookupPath(path)
	}
	r.report(r.scoped(p, r.wrongIn(p, d, path))...)
	return d
}

// wrongIn is what is wrong with an environment or a policy but for what is open. Of
// fields that the model does not have, CUE says only some.
func (r *Runner) wrongIn(p *Package, d cue.Value, path cue.Path) diag.List {
	refused := func(d *diag.Diagnostic) bool { return d.Code == diag.UnknownField }
	problems := wording.Translate(d.Validate(), d)
	if filter.Any(problems, func(d *diag.Diagnostic) bool { return refused(d) && value.IsModel(d.Pos) }) {
		// The author has joined it with a definition, which is closed: of the model's
		// fields, none is allowed either.
		d := diag.New(diag.UnknownField, posOf(p, path.String()), "it is joined with a definition, which is closed and takes no fields but its own: call it _shared in place of #Shared, or end it with ...")
		return append(filter.Out(problems, refused), d)
	}
	if extra := extraFields(r.Eval.modelOf(p, path), d, []string{path.String()}); extra != nil {
		problems = append(filter.Out(problems, refused), wording.Translate(extra, d)...)
	}
	return problems
}

// modelOf is the model's environment or policy, which the one of a package is unified with.
func (e *Evaluator) modelOf(p *Package, path cue.Path) cue.Value {
	for _, imported := range p.Imports {
		if strings.HasPrefix(imported.Path, "kumiki.dev/"+strings.ToLower(path.String()[1:])) && !imported.Module.Main {
			return e.Value(imported).LookupPath(path)
		}
	}
	return cue.Value{}
}

// extraFields are the fields of a value at a path that a schema does not have, the
// outermost ones.
func extraFields(schema, v cue.Value, path []string) errors.Error {
	if !schema.Exists() || schema.IncompleteKind()&cue.StructKind == 0 {
		return nil
	}
	var extra errors.Error
	for _, name := range fromcue.FieldNames(v) {
		at, field := append(slices.Clip(path), name), fromcue.Lookup(v, []string{name})
		if !schema.Allows(cue.Str(name)) {
			extra = errors.Append(extra, wording.Refusal(at, field.Pos()))
			continue
		}
		below := fromcue.Lookup(schema, []string{name})
		if !below.Exists() {
			below = schema.LookupPath(cue.MakePath(cue.AnyString))
		}
		extra = errors.Append(extra, extraFields(below, field, at))
	}
	return extra
}

// openField words a field of an environment or a policy that has no value, or none that
// is data.
func (r *Runner) openField(p *Package, what string, code diag.Code, problem problem) *diag.Diagnostic {
	pos := fromcue.OwnPos(problem.value)
	if !pos.IsValid() {
		pos = cmp.Or(posOf(p, "#Environment"), posOf(p, "#Policy"), posOf(p, "#Template"))
	}
	return diag.New(code, pos, "%s of the %s has no value (%s): it is plain data, write %s",
		wording.Path(problem.path), what, wording.Of(problem.value), wording.Example(problem.path, problem.value)).AtPath(problem.path...)
}

// ofEnvironment is what a deployment's artifact declares of the values that an environment
// has: the others are for other deployments.
func (r *Runner) ofEnvironment(config *value.Data, artifact cue.Value) *value.Data {
	if config == nil {
		return nil // the artifact is not looked at for nothing
	}
	u := r.deployed(artifact)
	if u == nil {
		return nil
	}
	extra := Undeclared(u, config)
	var sections []value.Field
	for _, section := range config.Each() {
		var taken []value.Field
		for _, f := range section.Value.Each() {
			if path := []string{section.Name, f.Name}; !filter.Any(extra, func(x []string) bool { return slices.Equal(x, path) }) {
				taken = append(taken, u.ofRoles(path, f))
			}
		}
		if len(taken) > 0 {
			sections = append(sections, value.Field{Name: section.Name, Value: value.NewStruct(section.Value.Pos, taken...)})
		}
	}
	if len(sections) == 0 {
		return nil
	}
	values := value.NewStruct(config.Pos, value.Field{Name: "config", Value: value.NewStruct(config.Pos, sections...)})
	return from(value.FromEnvironment, values)
}

// ofRoles leaves out of scale.detail the roles that an artifact does not have.
func (u *Unit) ofRoles(path []string, f value.Field) value.Field {
	if !slices.Equal(path, []string{"scale", "detail"}) {
		return f
	}
	roles := u.Artifact.LookupPath(cue.ParsePath("description.role"))
	var taken []value.Field
	for _, detail := range f.Value.Each() {
		if fromcue.Lookup(roles, []string{detail.Name}).Exists() {
			taken = append(taken, detail)
		}
	}
	return value.Field{Name: f.Name, Value: value.NewStruct(f.Value.Pos, taken...)}
}
