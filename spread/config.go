package spread

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/token"
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
	pos      token.Pos // where artifact is written
	// written remembers the places of structs of the description, which are the
	// same with every configuration and dear to find.
	written map[string]token.Pos
	// declarations are the places of parts of the config, by their path from it.
	declarations map[string]token.Pos
	// labels are the places of the fields that are structs, by their path from
	// the artifact; see [unit.placeOf].
	labels map[string]token.Pos
	config cue.Value // the artifact's own config, unfilled
	// open is the artifact with a config that takes undeclared fields; it is
	// made when a kam-style module needs it.
	open *cue.Value
	// bare names the sections of config that the artifact says nothing about.
	bare map[string]bool
	// shared tells that the unit stands for its package, however often it is used.
	shared bool
	// flawed tells that something is wrong with the artifact whatever its config is.
	flawed bool
	// first is the outline or, where there is none, the first evaluation without
	// problems. residual is how the artifact looks with other configs, nil if that is
	// not known; outlined and learnt tell that either was tried.
	first    *Node
	outlined bool
	learnt   bool
	residual *residual
	// seen is what the roles looked like then, src what the sources say.
	seen map[string]seenRole
	src  *sources
	read bool
	// partial tells that artifact and config lack something, or all, of what the
	// sources have: CUE has to evaluate them again before it sees a config.
	partial bool
}

func newUnit(p *Package, artifact cue.Value) *unit {
	u := &unit{pkg: p, artifact: artifact, pos: p.posOf("#Artifact"), written: map[string]token.Pos{}, declarations: map[string]token.Pos{}, config: artifact.LookupPath(filledPath), bare: map[string]bool{}}
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
func (u *unit) complete(given *Data) *Data {
	given = orEmpty(given)
	for _, name := range []string{"parameter", "resource", "scale"} {
		if given.Get(name) == nil && u.bare[name] {
			given = given.Set(name, NewStruct(given.Pos))
		}
	}
	if given.Get("resilience") == nil && u.bare["resilience"] {
		given = given.Set("resilience", NewInt(given.Pos, 0))
	}
	return given.Set("resource", volatile(given.Get("resource")))
}

// volatile adds kind "storage" to the volumes that are requested on the spot,
// which the model leaves out in the short form.
func volatile(resource *Data) *Data {
	if resource == nil || resource.Kind != Struct {
		return resource
	}
	changed := false
	fields := slices.Clone(resource.Fields)
	for i, f := range fields {
		value := volatile(f.Value)
		if f.Name == "volume" && value.Kind == Struct && value.Get("size") != nil && value.Get("kind") == nil {
			value = value.Set("kind", NewString(value.Pos, "storage"))
		}
		changed = changed || value != f.Value
		fields[i].Value = value
	}
	if !changed {
		return resource
	}
	return &Data{Kind: Struct, Fields: fields, Pos: resource.Pos}
}

// configure gives the artifact its configuration. It returns the artifact in
// which every reference to config sees finished data, that data, and the first
// value in it that is unknown in spite of stand-ins, nil if there is none.
func (r *runner) configure(u *unit, given *Data, at place) (cue.Value, *Data, *cause) {
	artifact := u.artifact
	given = u.complete(given)
	if extra := undeclared(u, given); len(extra) > 0 {
		artifact, given = r.undeclared(u, given, extra, at)
	}
	filled := artifact.FillPath(filledPath, given.Expr())
	var unfilled *cause
	f := &finisher{
		origin:   origins(givers(given), Origin{FromDefault, at.who()}),
		standIn:  func(p problem, pos token.Pos) *Data { return r.standIn(u.schemaOf(p), pos) },
		newCause: r.newCause,
		places: func(v cue.Value, path []string) token.Pos {
			return u.placeInConfig(v, given, path[1:])
		},
	}
	config := f.sections(filled.LookupPath(filledPath), []string{"config"})
	r.reportConfig(u, f.problems, at)
	config = config.Set("resource", volatile(config.Get("resource")))
	if len(f.problems) == 0 && config.JSON() == given.JSON() {
		return filled, config, nil // no default was chosen, the references see it all
	}
	return artifact.FillPath(filledPath, config.Expr()), config, unfilled
}

// standInConfig stands in for a value of the artifact's config.
func (r *runner) standInConfig(u *unit, p problem, pos token.Pos) *Data {
	if p.path[len(p.path)-1] == "hsize" && p.path[1] == "scale" {
		return &Data{Kind: Int, Text: "1", Pos: pos}
	}
	return r.standIn(u.schemaOf(p), pos)
}

// schemaOf is what the artifact declares for the place of a problem.
func (u *unit) schemaOf(p problem) cue.Value {
	if schema := lookup(u.config, p.path[1:]); schema.Exists() {
		return schema
	}
	return p.value
}

// sections finishes a config: its four sections, where unconstrained ones
// (which the schema has and nobody filled) are left out.
func (f *finisher) sections(config cue.Value, path []string) *Data {
	out := &Data{Kind: Struct, Pos: f.place(config, path)}
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

// isBare tells whether only the schema has said something about a section.
func (f *finisher) isBare(name string, v cue.Value) bool {
	d, _ := v.Default()
	if d.Err() != nil {
		return false
	}
	return d.IncompleteKind() == cue.TopKind || name == "resilience" && !d.IsConcrete() && d.Kind() == cue.BottomKind
}

func stringPath(names []string) cue.Path {
	var sels []cue.Selector
	for _, n := range names {
		sels = append(sels, cue.Str(n))
	}
	return cue.MakePath(sels...)
}

// without returns a copy of d that lacks the value at path.
func (d *Data) without(path []string) *Data { return d.with(path, nil) }

// with returns a copy of d that has the value at path; nil removes it.
func (d *Data) with(path []string, value *Data) *Data {
	if len(path) == 1 {
		return d.Set(path[0], value)
	}
	return d.Set(path[0], orEmpty(d.Get(path[0])).with(path[1:], value))
}
