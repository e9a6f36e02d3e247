package spread

import (
	"cmp"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// Overlay is what the command line adds to a manifest: the outermost level of
// the spread.
type Overlay struct {
	// Values has the shape of a #Deployment; nil for none.
	Values *value.Data
	// Sets are single values; later ones replace earlier ones, and all of them
	// replace what Values has.
	Sets []Set
	// Environment are the values of config that the environment has; of them count those
	// that the artifact declares, where Values and Sets say nothing. nil for none.
	Environment *value.Data
	// Template are values of config that a template gives some environments. They win over
	// Environment, and Values and Sets over them; nil for none.
	Template *value.Data
	// Name, if not "", replaces the manifest's name.
	Name string
}

// Set is one value given as text, whose type follows from the field it is for.
type Set struct {
	Path []string // from the deployment: "config", "parameter", "port"
	Text string
	Pos  diag.Pos
	// Replaces puts it in place of a value that the manifest's package says.
	Replaces bool
}

// Base evaluates the deployment's package and finishes its own level: what the
// manifest states together with the overlay. An overlay value joins the
// manifest's as any two CUE values do: it fills what is open, wins over a
// default, and contradicts another concrete value, unless it is a set that replaces that.
//
// The result is nil when there is nothing to deploy.
func Base(e *Evaluator, p *Package, overlay Overlay) (*Top, diag.List) {
	defer e.Enter(p)()
	if filter.Any(overlay.Sets, func(s Set) bool { return s.Replaces }) {
		p = newRunner(e, Options{}).overwritten(p, overlay.Sets)
	}
	if apart := e.deployedApart(p); apart != nil {
		if top, problems := base(e, apart, overlay); len(problems) == 0 {
			top.Package = p
			top.whole = func() *Top { top, _ := base(e, p, overlay); return top }
			return top, nil
		}
	}
	return base(e, p, overlay)
}

func base(e *Evaluator, p *Package, overlay Overlay) (*Top, diag.List) {
	r := newRunner(e, Options{})
	r.sources = append(r.sources, p)
	r.mend(p)
	v := e.Value(p)
	d := v.LookupPath(deploymentPath)
	if err := v.Err(); err != nil && !d.Exists() {
		v = r.patched(p, v, deploymentPath)
		if d = v.LookupPath(deploymentPath); !d.Exists() {
			return nil, r.Problems
		}
	}
	if d.Err() != nil {
		v = r.finite(p, v)
		d = v.LookupPath(deploymentPath)
	}
	values := r.apply(overlay, d.LookupPath(ArtifactField))
	pos := fromcue.WrittenPos(d) // what is filled has no place of its own
	joined, added := split(d, values)
	steps := chain{{path: []string{"#Deployment"}}}
	if joined != nil {
		steps = steps.with(nil, joined)
		d = e.level(p, false, steps)
	}
	top := r.base(p, d, Origins(Givers(values), value.Origin{By: value.FromDeployment, Who: ""}))
	for _, d := range r.Problems {
		wording.GivenFirst(d, Givers(values))
	}
	top.chain = steps.into("artifact")
	wording.Overlaid(r.Problems, Givers(values), values, v.LookupPath(deploymentPath))
	top.Pos, top.Config = pos, top.Config.Merge(added.Get("config"))
	if top.Written = top.Name; overlay.Name != "" {
		top.Name = overlay.Name
	}
	if !r.Eval.HasArtifact(top.Artifact) {
		if r.Problems.HasErrors() {
			return nil, r.Problems // it may be there, under another name
		}
		r.report(diag.New(diag.NoArtifact, top.Pos, "the deployment has no artifact: write artifact: x.#Artifact, where x is the import of the service or component to deploy"))
		return nil, r.Problems
	}
	return top, r.Problems
}

// finite evaluates a deployment's package again, with what contains itself without end
// replaced: of a struct around that, CUE says nothing else.
func (r *Runner) finite(p *Package, v cue.Value) cue.Value {
	for range maxPatched {
		d := v.LookupPath(deploymentPath)
		problems := filter.Out(r.scoped(p, wording.Translate(d.Validate(), d)), func(d *diag.Diagnostic) bool { return d.Code != diag.Cycle })
		wrong := r.replaceValues(p, problems)
		if len(wrong) == 0 {
			break
		}
		r.report(wrong...)
		r.Eval.forget()
		v = r.Eval.Value(p)
	}
	return v
}

var ArtifactField = cue.ParsePath("artifact")

// base finishes the values of the deployment d.
func (r *Runner) base(p *Package, d cue.Value, origin func(diag.Pos) value.Origin) *Top {
	f := &Finisher{origin: origin, newCause: r.Eval.NewCause, standIn: func(problem problem, pos diag.Pos) *value.Data {
		if wording.IsRefused(problem.value) {
			return nil
		}
		if u := r.deployed(d.LookupPath(ArtifactField)); u != nil && problem.path[0] == "config" {
			return r.standInConfig(u, problem, pos)
		}
		if problem.path[0] == "name" {
			return value.NewString(pos, cmp.Or(quotedAt(p, fromcue.OwnPos(problem.value)), "stand-in"))
		}
		return nil
	}}
	top := &Top{Package: p, Artifact: d.LookupPath(ArtifactField)}
	top.Config = f.Sections(d.LookupPath(ConfigPath), []string{"config"})
	field := func(name string) *value.Data {
		v := d.LookupPath(PathOf([]string{name}))
		if !v.Exists() {
			return nil
		}
		return f.Finish(v, []string{name})
	}
	top.Name = field("name").Str()
	top.Meta = field("meta")
	top.Links, top.Accepts, top.Labels = field("links"), field("accepts"), field("labels")
	if up := field("up"); up != nil && up.Kind == value.String {
		top.Up, top.UpPos = &up.Text, up.Pos
	}
	top.SLA, top.Objects = field("sla"), field("objects")
	r.reportDeployment(f.Problems, d)
	r.report(notFields(d)...)
	r.report(Optionals(p.OwnFiles(), d, "config", "meta", "sla", "objects")...)
	r.report(roleOptionals(p)...)
	r.validateDeployment(d)
	return top
}

// validateDeployment reports what is wrong with a deployment as a whole. What its
// artifact takes, and whether that is right itself, is found with the artifact.
func (r *Runner) validateDeployment(d cue.Value) {
	var fresh errors.Error
	for _, e := range errors.Errors(r.unnoted(d, ErrorsOf(d))) {
		if !wording.IsRefusal(e) && !isInArtifact(e.Path()) {
			fresh = errors.Append(fresh, e)
		}
	}
	if fresh != nil {
		r.found++
		problems := r.scoped(r.sources[0], wording.Translate(fresh, d))
		for _, problem := range problems {
			nameCheck(r.sources[0], "#Deployment", "the deployment", problem, Place{})
		}
		r.report(problems...)
	}
}

// isInArtifact reports whether a path of CUE's leads into the artifact of a deployment.
func isInArtifact(path []string) bool {
	path = fromcue.FieldPath(path)
	return len(path) > 0 && path[0] == "artifact"
}

// deploymentFields are those that the model has.
var deploymentFields = []string{"name", "artifact", "config", "meta", "up", "links", "accepts", "labels", "sla", "objects"}

// notFields reports the fields of a deployment that the model does not have;
// what is below them is for the artifact to judge. CUE's own errors say nothing of
// them where something else is wrong.
func notFields(d cue.Value) diag.List {
	var extra errors.Error
	for _, name := range fromcue.FieldNames(d) {
		if !filter.Contains(deploymentFields, name) {
			pos := fromcue.Lookup(d, []string{name}).Pos()
			extra = errors.Append(extra, wording.Refusal([]string{"#Deployment", name}, pos))
		}
	}
	if extra == nil {
		return nil
	}
	return wording.Translate(extra, d)
}

// split parts the values that CUE can unify with the manifest's from those for
// fields that the manifest does not mention: a #Deployment is a definition,
// hence closed, but which fields there are is for the artifact to say. Either
// part may be nil.
func split(manifest cue.Value, values *value.Data) (joined, added *value.Data) {
	if values == nil || values.Kind != value.Struct || manifest.IncompleteKind()&^cue.StructKind != 0 {
		return values, nil
	}
	for _, f := range values.Fields {
		if !manifest.Allows(cue.Str(f.Name)) {
			added = value.OrEmpty(added).Set(f.Name, f.Value)
			continue
		}
		j, a := split(fromcue.Lookup(manifest, []string{f.Name}), f.Value)
		if j != nil {
			joined = value.OrEmpty(joined).Set(f.Name, j)
		}
		if a != nil {
			added = value.OrEmpty(added).Set(f.Name, a)
		}
	}
	if joined == nil && added == nil {
		return values, nil // an empty struct
	}
	return joined, added
}

// apply joins the overlay's parts, nil when there are none.
func (r *Runner) apply(o Overlay, artifact cue.Value) *value.Data {
	values := o.Values
	for _, s := range o.Sets {
		if leaf := r.parse(s, artifact); leaf != nil {
			values = value.OrEmpty(values).With(s.Path, leaf)
		}
	}
	for _, aside := range asides(values.Get("config")) {
		// What is called so is a field here, and would be taken for the definition.
		r.report(ContextWritten(aside.Value.LeafPos()).AtPath("config", aside.Name))
		values = values.Without([]string{"config", aside.Name})
	}
	var template *value.Data
	if o.Template != nil {
		template = value.NewStruct(o.Template.Pos, value.Field{Name: "config", Value: from(value.FromTemplate, o.Template)})
	}
	return r.ofEnvironment(o.Environment, artifact).Merge(template).Merge(from(value.FromFlag, values))
}

// from marks each value as given by a kind of giver, in the file or flag that it stands in.
func from(by value.Giver, values *value.Data) *value.Data {
	if values == nil {
		return nil
	}
	return values.WithOrigin(func(x *value.Data) value.Origin { return value.Origin{By: by, Who: x.Pos.Filename()} })
}

// parse reads the text of a set value: as it stands where the field takes a
// string and nothing else, as a CUE literal otherwise, and as a string again
// when it is none.
func (r *Runner) parse(s Set, artifact cue.Value) *value.Data {
	kind := cue.TopKind
	if u := r.deployed(artifact); u != nil {
		if len(s.Path) > 1 && s.Path[0] == "config" {
			if field := fromcue.Lookup(u.Config, s.Path[1:]); field.Exists() {
				kind = field.IncompleteKind()
			}
		}
	}
	text := value.NewString(s.Pos, s.Text)
	if kind == cue.StringKind {
		return text
	}
	x, err := parser.ParseExpr(s.Pos.Filename(), s.Text)
	if err == nil {
		if far := fromcue.BadLiterals(x); len(far) > 0 {
			far[0].Pos = s.Pos
			r.report(far[0])
			return nil
		}
		f := &Finisher{}
		if data := f.Finish(r.Eval.ctx.BuildExpr(x), s.Path); len(f.Problems) == 0 {
			return data.MovedTo(s.Pos)
		}
	}
	return text
}

// deployed returns the artifact of a deployment, nil when it is not to be had.
// Its own problems are not reported here.
func (r *Runner) deployed(artifact cue.Value) *Unit {
	p := r.Eval.StandsFor(artifact)
	if p == nil {
		return nil
	}
	quiet := newRunner(r.Eval, Options{NoPartial: true})
	return quiet.unit(p)
}

// Finish returns the plain data of a value that is meant to be data already, a
// values file for example, and what in it is not.
func Finish(v cue.Value) (*value.Data, diag.List) {
	f := &Finisher{}
	d := f.Finish(v, nil)
	var l diag.List
	for _, p := range f.Problems {
		l = append(l, diag.New(diag.NotData, cmp.Or(fromcue.ValuePositions(p.value)...), "%s is not plain data (%s): write a value", wording.Path(p.path), wording.Of(p.value)))
	}
	return d, l
}
