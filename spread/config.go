package spread

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

var (
	artifactPath    = cue.ParsePath("#Artifact")
	deploymentPath  = cue.ParsePath("#Deployment")
	descriptionPath = cue.ParsePath("description")
	configPath      = cue.ParsePath("config")
	refPath         = cue.ParsePath("ref")
	specPath        = cue.ParsePath("spec")
	builtinPath     = cue.ParsePath("builtin")
	rolesPath       = cue.ParsePath("role")
	metaPath        = cue.ParsePath("meta")
	kindPath        = cue.ParsePath("ref.kind")
	namePath        = cue.ParsePath("ref.name")
	srvPath         = cue.ParsePath("description.srv")
	scalePath       = cue.ParsePath("config.scale")
	resourcePath    = cue.ParsePath("resource")
	resiliencePath  = cue.ParsePath("resilience")
	filledPath      = cue.ParsePath("description.config")
)

// unit is an artifact that waits for a configuration.
type unit struct {
	pkg      *Package
	artifact cue.Value
	pos      diag.Pos // where artifact is written
	// written remembers the places of structs of the description, which are the
	// same with every configuration and dear to find.
	written map[string]diag.Pos
	// declarations are the places of parts of the config, by their path from it.
	declarations map[string]diag.Pos
	// choices tells of parts of the config whether they have alternatives, or of the
	// definitions that they are.
	choices map[string]bool
	// definitions are those that fields of the sections of config are said to be, defined
	// what is known of each.
	definitions map[string]map[string]string
	defined     map[string]*schema
	// labels are the places of the fields that are structs, by their path from
	// the artifact; see [unit.placeOf].
	labels map[string]diag.Pos
	config cue.Value // the artifact's own config, unfilled
	// chain leads to the artifact in its package.
	chain chain
	// bare names the sections of config that the artifact says nothing about.
	bare map[string]bool
	// shared tells that the unit stands for its package, however often it is used.
	shared bool
	// loose tells that the artifact refers to fields of its config that it does not
	// declare: its config has to be open.
	loose bool
	// flawed tells that something is wrong with the artifact as long as it has no
	// config: two defaults may exclude each other where a given value does not.
	flawed bool
	// first is the outline or, where there is none, the first evaluation without
	// problems. residual is how the artifact looks with other configs, nil if that is
	// not known; outlined and learnt tell that either was tried.
	first    *value.Node
	outlined bool
	learnt   bool
	residual *residual
	// seen is what the roles looked like then, src what the sources say.
	seen map[string]seenRole
	src  *sources
	// reading is what the sources show, nil for too little; read tells that they were read.
	reading *reading
	read    bool
	// aside are the fields that CUE does not get to see, as they were read.
	aside map[*ast.Field]bool
	// partial tells that artifact and config lack something, or all, of what the
	// sources have: CUE has to evaluate them again before it sees a config.
	partial bool
}

func newUnit(p *Package, artifact cue.Value) *unit {
	u := &unit{pkg: p, artifact: artifact, chain: artifactSteps, pos: p.artifactPos(), written: map[string]diag.Pos{}, declarations: map[string]diag.Pos{}, choices: map[string]bool{}, definitions: map[string]map[string]string{}, defined: map[string]*schema{}, config: artifact.LookupPath(filledPath), bare: map[string]bool{}}
	for _, name := range []string{"parameter", "resource", "scale"} {
		v := u.config.LookupPath(stringPath([]string{name}))
		u.bare[name] = !v.Exists() || v.IncompleteKind() == cue.TopKind
	}
	resilience, _ := u.config.LookupPath(resiliencePath).Default()
	u.bare["resilience"] = !resilience.IsConcrete()
	return u
}

// complete adds what is the same for every artifact: {} for sections that
// neither side has, 0 for a resilience without a default of the artifact's.
func (u *unit) complete(given *value.Data) *value.Data {
	given = value.OrEmpty(given)
	for _, name := range []string{"parameter", "resource", "scale"} {
		if given.Get(name) == nil && u.bare[name] {
			given = given.Set(name, value.NewStruct(given.Pos))
		}
	}
	if given.Get("resilience") == nil && u.bare["resilience"] {
		given = given.Set("resilience", value.NewInt(given.Pos, 0))
	}
	return given.Set("resource", volatile(given.Get("resource")))
}

// volatile adds kind "storage" to the volumes that are requested on the spot,
// which the model leaves out in the short form.
func volatile(resource *value.Data) *value.Data {
	if resource == nil || resource.Kind != value.Struct {
		return resource
	}
	changed := false
	fields := slices.Clone(resource.Fields)
	for i, f := range fields {
		x := volatile(f.Value)
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
func (r *runner) configure(u *unit, given *value.Data, at place) configured {
	g := &giving{runner: r, unit: u, at: at, given: u.complete(given), configured: configured{open: u.loose}}
	g.pass(undeclared(u, g.given))
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
	g.config = g.config.Set("resource", volatile(g.config.Get("resource")))
	return g.configured
}

// quietConfig is the finished config of an artifact, nil where anything is wrong with it, of
// which nothing is reported.
func (r *runner) quietConfig(u *unit, given *value.Data, at place) *value.Data {
	quiet := newRunner(r.eval, r.opts)
	c := quiet.configure(u, given, at)
	if quiet.found > 0 || c.open || len(errorsOf(c.value)) > 0 {
		return nil
	}
	return c.config
}

// giving is one run of [runner.configure].
type giving struct {
	*runner
	unit *unit
	at   place
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
	g.chain = g.unit.chain.with(configAt, g.given)
	g.value = g.eval.level(g.unit.pkg, g.open, g.chain)
	if !g.open && g.lenient(g.unit.pkg) && refersToNone(g.value) {
		g.open = true // what it refers to may be there, and need not
		g.value = g.eval.level(g.unit.pkg, g.open, g.chain)
	}
}

// finish takes the config as data, and returns what is wrong with it.
func (g *giving) finish() []problem {
	f := g.configFinisher(g.unit, g.given, g.at)
	g.config = f.sections(g.value.LookupPath(filledPath), []string{"config"})
	return f.problems
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
	p.standIn = g.newCause()
	if len(p.path) == 1 {
		return p
	}
	if p.kind == incomplete && g.isUnknown(p.value) {
		g.unknown = append(g.unknown, p)
		return p
	}
	if x := g.config.Get(p.path[1:]...); p.kind == conflict || x == nil || x.Kind != value.Struct {
		g.given = g.given.With(p.path[1:], g.standIn(g.unit.schemaOf(p), p.standIn))
	}
	return p
}

func (r *runner) configFinisher(u *unit, given *value.Data, at place) *finisher {
	return &finisher{
		given:  given,
		origin: origins(givers(given), value.Origin{By: value.FromDefault, Who: at.who()}),
		places: func(v cue.Value, path []string) diag.Pos {
			return u.placeInConfig(v, given, path[1:])
		},
	}
}

// unlike returns the problems at places where none of the others is.
func unlike(problems, others []problem) []problem {
	known := map[string]bool{}
	for _, p := range others {
		known[joined(p.path)] = true
	}
	return slices.DeleteFunc(slices.Clone(problems), func(p problem) bool { return known[joined(p.path)] })
}

// among returns the problems at places where one of the others is.
func among(problems, others []problem) []problem {
	return unlike(problems, unlike(problems, others))
}

// roots returns the problems that follow from none of the others. A value that
// is made of another, or refers to it, is there when that is; if it still is
// not, it has a problem of its own. Where each follows from another, all are roots.
func (u *unit) roots(problems []problem) []problem {
	if len(problems) < 2 {
		return problems
	}
	at, fields := map[string]bool{}, map[string]bool{}
	for _, p := range problems {
		at[p.value.Path().String()] = true
		fields[joined(p.path[1:])] = true
	}
	out := slices.DeleteFunc(slices.Clone(problems), func(p problem) bool {
		if p.kind != incomplete {
			return false
		}
		if p.value.Err() != nil || slices.ContainsFunc(references(p.value, 4), func(v cue.Value) bool { return at[v.Path().String()] }) {
			return true
		}
		x := findAssertion(u.pkg, append([]string{"#Artifact", "description"}, p.path...))
		return x != nil && slices.ContainsFunc(x.reads, func(path []string) bool { return fields[joined(path)] })
	})
	if len(out) == 0 {
		return problems
	}
	return out
}

// standInConfig stands in for a value of the artifact's config.
func (r *runner) standInConfig(u *unit, p problem, pos diag.Pos) *value.Data {
	if p.path[len(p.path)-1] == "hsize" && p.path[1] == "scale" {
		return &value.Data{Kind: value.Int, Text: "1", Pos: pos}
	}
	return r.standIn(u.schemaOf(p), pos)
}

// schemaOf is what the artifact declares for the place of a problem; of a value
// that is only open, all that is said of it.
func (u *unit) schemaOf(p problem) cue.Value {
	if p.kind == incomplete && p.value.Err() == nil {
		return p.value
	}
	if schema := lookup(u.config, p.path[1:]); schema.Exists() {
		return schema
	}
	return p.value
}

// sections finishes a config: its four sections, where unconstrained ones
// (which the schema has and nobody filled) are left out.
func (f *finisher) sections(config cue.Value, path []string) *value.Data {
	out := &value.Data{Kind: value.Struct, Pos: f.place(config, path)}
	fields, err := config.Fields(cue.Optional(true))
	if err != nil {
		if config.Exists() && config.IncompleteKind() != cue.TopKind {
			f.problems = append(f.problems, problem{path: path, value: config, kind: conflict})
		}
		return out
	}
	for fields.Next() {
		name, v := fields.Selector().Unquoted(), fields.Value()
		if fields.FieldType()&cue.OptionalConstraint != 0 || f.isBare(name, v) {
			continue
		}
		if x := f.finish(v, append(slices.Clip(path), name)); x != nil {
			out = out.Set(name, x)
		}
	}
	return out
}

// isBare reports whether only the schema has said something about a section.
func (f *finisher) isBare(name string, v cue.Value) bool {
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

func stringPath(names []string) cue.Path {
	var sels []cue.Selector
	for _, n := range names {
		sels = append(sels, cue.Str(n))
	}
	return cue.MakePath(sels...)
}
