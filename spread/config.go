package spread

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// Paths of what packages, artifacts and roles have.
var (
	ArtifactPath    = cue.ParsePath("#Artifact")
	deploymentPath  = cue.ParsePath("#Deployment")
	DescriptionPath = cue.ParsePath("description")
	ConfigPath      = cue.ParsePath("config")
	refPath         = cue.ParsePath("ref")
	specPath        = cue.ParsePath("spec")
	BuiltinPath     = cue.ParsePath("builtin")
	RolesPath       = cue.ParsePath("role")
	MetaPath        = cue.ParsePath("meta")
	KindPath        = cue.ParsePath("ref.kind")
	namePath        = cue.ParsePath("ref.name")
	srvPath         = cue.ParsePath("description.srv")
	scalePath       = cue.ParsePath("config.scale")
	resourcePath    = cue.ParsePath("resource")
	resiliencePath  = cue.ParsePath("resilience")
	filledPath      = cue.ParsePath("description.config")
)

// Unit is an artifact that waits for a configuration.
type Unit struct {
	// Package is the one that the artifact is of, or is written in.
	Package *Package
	// Artifact is what CUE made of it, and Config its own config, unfilled.
	Artifact, Config cue.Value
	// Pos is where it is written.
	Pos diag.Pos
	// written remembers the places of structs of the description, which are the
	// same with every configuration and dear to find.
	written map[string]diag.Pos
	// declarations are the places of parts of the config, by their path from it.
	declarations map[string]diag.Pos
	// found is what has been looked up in the config, by path.
	found map[string]cue.Value
	// choices tells of parts of the config whether they have alternatives, or of the
	// definitions that they are.
	choices map[string]bool
	// alternatives are the answers of [Unit.MayBeChoice], by path.
	alternatives map[string]bool
	// definitions are those that fields of the sections of config are said to be.
	definitions map[string]map[string]string
	// labels is what the sources say of #Artifact, nil until it is needed; see [Unit.PlaceOf].
	labels *labelled
	// chain leads to the artifact in its package.
	chain chain
	// Bare names the sections of config that the artifact says nothing about.
	Bare map[string]bool
	// Shared tells that the unit stands for its package, however often it is used.
	Shared bool
	// loose tells that the artifact refers to fields of its config that it does not
	// declare: its config has to be open.
	loose bool
	// Flawed tells that something is wrong with the artifact as long as it has no
	// config: two defaults may exclude each other where a given value does not.
	Flawed bool
	// First is the first evaluation without problems, and Seen what the roles looked like
	// then. A shortcut may learn from both; Learnt is what it knows.
	First  *value.Node
	Seen   map[string]SeenRole
	Learnt any
	// Reading is what the sources show, nil for too little; Read tells that they were read.
	Reading *Reading
	Read    bool
	// Aside are the fields that CUE does not get to see, as they were read.
	Aside map[*ast.Field]bool
	// Partial tells that artifact and config lack something, or all, of what the
	// sources have: CUE has to evaluate them again before it sees a config.
	Partial bool
	// usedAgain tells that the unit was used more than once. A unit that is gone was dropped: it only says that there was one.
	usedAgain, gone bool
}

// NewUnit returns an artifact that CUE has evaluated, of the package that it is of or is written in.
func NewUnit(p *Package, artifact cue.Value) *Unit {
	u := &Unit{Package: p, Artifact: artifact, chain: artifactSteps, Pos: artifactPos(p), written: map[string]diag.Pos{}, declarations: map[string]diag.Pos{}, found: map[string]cue.Value{}, choices: map[string]bool{}, alternatives: map[string]bool{}, definitions: map[string]map[string]string{}, Config: artifact.LookupPath(filledPath), Bare: map[string]bool{}}
	for _, name := range []string{"parameter", "resource", "scale"} {
		v := u.Config.LookupPath(PathOf([]string{name}))
		u.Bare[name] = !v.Exists() || v.IncompleteKind() == cue.TopKind
	}
	resilience, _ := u.Config.LookupPath(resiliencePath).Default()
	u.Bare["resilience"] = !resilience.IsConcrete()
	return u
}

// Complete adds what is the same for every artifact: {} for sections that
// neither side has, 0 for a resilience without a default of the artifact's.
func (u *Unit) Complete(given *value.Data) *value.Data {
	given = value.OrEmpty(given)
	for _, name := range []string{"parameter", "resource", "scale"} {
		if given.Get(name) == nil && u.Bare[name] {
			given = given.Set(name, value.NewStruct(given.Pos))
		}
	}
	if given.Get("resilience") == nil && u.Bare["resilience"] {
		given = given.Set("resilience", value.NewInt(given.Pos, 0))
	}
	return given.Set("resource", Volatile(given.Get("resource")))
}

// Volatile adds kind "storage" to the volumes that are requested on the spot,
// which the model leaves out in the short form.
func Volatile(resource *value.Data) *value.Data {
	if resource == nil || resource.Kind != value.Struct {
		return resource
	}
	changed := false
	fields := slices.Clone(resource.Fields)
	for i, f := range fields {
		x := Volatile(f.Value)
		if f.Name == "volume" && x.Kind == value.Struct && x.Get("size") != nil && x.Get("kind") == nil {
			x = x.Set("kind", value.NewString(x.Pos, "storage"))
		}
		changed = changed || x != f.Value
		fields[i].Value = x
	}
	if !changed {
		return resource
	}
	return &value.Data{Kind: value.Struct, Fields: fields, Pos: resource.Pos}
}

// VolatileBy is [Volatile] with an origin for the values that have none: the kinds that Volatile has added.
func VolatileBy(resource *value.Data, origin value.Origin) *value.Data {
	return Volatile(resource).WithOrigin(func(d *value.Data) value.Origin {
		if d.Origin == (value.Origin{}) && !value.IsStandIn(d.Pos) {
			return origin
		}
		return d.Origin
	})
}

// configured is an artifact that was given a config.
type configured struct {
	// value is the artifact: its references see what was given, and the defaults
	// that CUE chose for the rest.
	value cue.Value
	// config is its finished config.
	config *value.Data
	// chain and open say how the value was made.
	chain chain
	open  bool
}

// configure gives the artifact its configuration. Only what is given is filled
// in, and all defaults are chosen in the one evaluation that follows; with a
// finished config filled in again, fields that refer to each other would
// contradict themselves.
func (r *Runner) configure(u *Unit, given *value.Data, at Place) configured {
	g := &giving{Runner: r, unit: u, at: at, given: u.Complete(given), configured: configured{open: u.loose}}
	g.pass(Undeclared(u, g.given))
	g.evaluate()
	if extra := u.disallowed(g.value, g.given); len(extra) > 0 {
		g.pass(extra)
		g.evaluate()
	}
	problems := g.standIns(g.finish())
	at.level = g.config
	r.reportConfig(u, problems, at)
	if len(problems) == 0 {
		r.abide(u, g.configured, g.given, at)
	}
	r.settle(u, &g.configured, g.given)
	for _, p := range g.unknown {
		g.config = g.config.With(p.path[1:], &value.Data{Kind: value.Null, Text: "null", Pos: p.standIn})
	}
	if x := g.config.Get("resource"); x != nil {
		g.config = g.config.Set("resource", VolatileBy(x, value.Origin{By: value.FromDefault, Who: at.Who()}))
	}
	return g.configured
}

// QuietConfig is the finished config of an artifact, nil where anything is wrong with it, of
// which nothing is reported.
func (r *Runner) QuietConfig(u *Unit, given *value.Data, at Place) *value.Data {
	quiet := newRunner(r.Eval, r.opts)
	c := quiet.configure(u, given, at)
	if quiet.found > 0 || c.open || len(ErrorsOf(c.value)) > 0 || Failed(c.value) != nil {
		return nil
	}
	return c.config
}

// giving is one run of [Runner.configure].
type giving struct {
	*Runner
	unit *Unit
	at   Place
	configured
	given   *value.Data
	unknown []problem // whose values nothing stands in for in what CUE gets
}

// pass leaves out what the artifact does not declare, or opens its config to that.
func (g *giving) pass(extra [][]string) {
	if len(extra) > 0 {
		passed, left := g.undeclared(g.unit, g.given, extra, g.at)
		g.given, g.open = left, g.open || passed
	}
}

// evaluate makes the level of what is given.
func (g *giving) evaluate() {
	g.chain = g.unit.chain.with(ConfigAt, g.given)
	g.value = g.Eval.level(g.unit.Package, g.open, g.chain)
	if !g.open && g.lenient(g.unit.Package) && refersToNone(g.value) {
		g.open = true // what it refers to may be there, and need not
		g.value = g.Eval.level(g.unit.Package, g.open, g.chain)
	}
}

// finish takes the config as data, and returns what is wrong with it.
func (g *giving) finish() []problem {
	f := g.configFinisher(g.unit, g.given, g.at)
	g.config = f.Sections(g.value.LookupPath(filledPath), []string{"config"})
	return f.Problems
}

// standIns gives values that stand in for those with a problem, until there are no
// others that follow from no other. It returns those of the given problems that
// follow from none.
func (g *giving) standIns(problems []problem) []problem {
	var stood []problem
	for now := problems; ; now = g.finish() {
		fresh := g.unit.roots(unlike(now, stood))
		if len(fresh) == 0 {
			break
		}
		for _, p := range fresh {
			stood = append(stood, g.standInFor(p))
		}
		g.evaluate()
	}
	// What is amiss only since something stands in for another value follows from that.
	own := among(stood, problems)
	for _, p := range unlike(stood, own) {
		g.causeAt(p.standIn).reported = &diag.Diagnostic{}
	}
	for _, p := range stood {
		if len(p.path) == 1 {
			g.config = partly(g.given, p.standIn)
		} else if g.config.Get(p.path[1:]...) == nil {
			g.config = g.config.With(p.path[1:], g.given.Get(p.path[1:]...))
		}
	}
	return own
}

// standInFor gives a value for one with a problem. There is none for a struct whose
// fields have some, and for the config as a whole; and none for a value of which nothing
// is known, since others may be made of it, of a type that nobody can tell.
func (g *giving) standInFor(p problem) problem {
	p.standIn = g.Eval.NewCause()
	if len(p.path) == 1 {
		return p
	}
	if p.kind == incomplete && g.isUnknown(p.value) {
		g.unknown = append(g.unknown, p)
		return p
	}
	if x := g.config.Get(p.path[1:]...); p.kind == conflict || x == nil || x.Kind != value.Struct {
		g.given = g.given.With(p.path[1:], g.Eval.StandIn(g.unit.schemaOf(p), p.standIn))
	}
	return p
}

func (r *Runner) configFinisher(u *Unit, given *value.Data, at Place) *Finisher {
	return &Finisher{
		Given:  given,
		origin: Origins(Givers(given), value.Origin{By: value.FromDefault, Who: at.Who()}),
		Places: func(v cue.Value, path []string) diag.Pos {
			return u.PlaceInConfig(v, given, path[1:], false)
		},
	}
}

// unlike returns the problems at places where none of the others is.
func unlike(problems, others []problem) []problem {
	known := map[string]bool{}
	for _, p := range others {
		known[wording.Path(p.path)] = true
	}
	return filter.Out(problems, func(p problem) bool { return known[wording.Path(p.path)] })
}

// among returns the problems at places where one of the others is.
func among(problems, others []problem) []problem {
	return unlike(problems, unlike(problems, others))
}

// roots returns the problems that follow from none of the others. A value that
// is made of another, or refers to it, is there when that is; if it still is
// not, it has a problem of its own. Where each follows from another, all are roots.
func (u *Unit) roots(problems []problem) []problem {
	if len(problems) < 2 {
		return problems
	}
	at, fields := map[string]bool{}, map[string]bool{}
	for _, p := range problems {
		at[p.value.Path().String()] = true
		fields[wording.Path(p.path[1:])] = true
	}
	out := filter.Out(problems, func(p problem) bool {
		if p.kind != incomplete {
			return false
		}
		if p.value.Err() != nil || filter.Any(references(p.value, 4), func(v cue.Value) bool { return at[v.Path().String()] }) {
			return true
		}
		x := findAssertion(u.Package, append([]string{"#Artifact", "description"}, p.path...))
		return x != nil && filter.Any(x.reads, func(path []string) bool { return fields[wording.Path(path)] })
	})

	if len(out) == 0 {
		return problems
	}
	return out
}

// standInConfig stands in for a value of the artifact's config.
func (r *Runner) standInConfig(u *Unit, p problem, pos diag.Pos) *value.Data {
	if p.path[len(p.path)-1] == "hsize" && p.path[1] == "scale" {
		return &value.Data{Kind: value.Int, Text: "1", Pos: pos}
	}
	return r.Eval.StandIn(u.schemaOf(p), pos)
}

// schemaOf is what the artifact declares for the place of a problem; of a value
// that is only open, all that is said of it.
func (u *Unit) schemaOf(p problem) cue.Value {
	if p.kind == incomplete && p.value.Err() == nil {
		return p.value
	}
	if schema := fromcue.Lookup(u.Config, p.path[1:]); schema.Exists() {
		return schema
	}
	return p.value
}

// Sections finishes a config: its four sections, where unconstrained ones
// (which the schema has and nobody filled) are left out.
func (f *Finisher) Sections(config cue.Value, path []string) *value.Data {
	out := &value.Data{Kind: value.Struct, Pos: f.place(config, path)}
	if IsAmbiguous(config) {
		if x := f.report(problem{path: path, value: config, kind: incomplete}); x != nil && x.Kind == value.Struct {
			return x
		}
		return out
	}
	fields, err := fromcue.Fields(config, cue.Optional(true))
	if err != nil {
		if config.Exists() && config.IncompleteKind() != cue.TopKind {
			f.Problems = append(f.Problems, problem{path: path, value: config, kind: conflict})
		}
		return out
	}
	for fields.Next() {
		name, v := fields.Name(), fields.Value()
		if fields.FieldType()&cue.OptionalConstraint != 0 || f.isBare(name, v) {
			continue
		}
		if x := f.Finish(v, append(slices.Clip(path), name)); x != nil {
			out = out.Set(name, x)
		}
	}
	return out
}

// IsAmbiguous reports whether a value has alternatives that are structs, and no default:  {a: 1} | {b: 2}.  CUE lists
// no fields of such a value, and reports no error.
func IsAmbiguous(v cue.Value) bool {
	d, _ := v.Default()
	return d.IncompleteKind() == cue.StructKind && d.Kind() == cue.BottomKind && d.Err() == nil
}

// isBare reports whether only the schema has said something about a section.
func (f *Finisher) isBare(name string, v cue.Value) bool {
	d, _ := v.Default()
	if d.Err() != nil {
		return false
	}
	return d.IncompleteKind() == cue.TopKind || name == "resilience" && !d.IsConcrete() && d.Kind() == cue.BottomKind
}

// partly is a config of which only what is given is known: its parameters and
// resources, at the place of what stands in, are not all.
func partly(d *value.Data, standIn diag.Pos) *value.Data {
	for _, section := range []string{"parameter", "resource"} {
		d = d.Set(section, &value.Data{Kind: value.Struct, Fields: d.Get(section).Each(), Pos: standIn})
	}
	return d
}

// PathOf returns the path of fields with the names.
func PathOf(names []string) cue.Path {
	var sels []cue.Selector
	for _, n := range names {
		sels = append(sels, cue.Str(n))
	}
	return cue.MakePath(sels...)
}
