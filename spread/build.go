package spread

import (
	"cmp"
	"maps"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/rewrite"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Evaluator turns packages into values, each once. Packages that a package
// uses only as the artifacts of its roles are replaced by stubs, as headers
// stand for sources in C: a service is then evaluated without its roles'
// artifacts, whose own evaluation follows when their configuration is known.
//
// An Evaluator belongs to one compilation and one goroutine.
type Evaluator struct {
	ctx *cue.Context
	// built are the instances that ctx has, levelled how many levels of slices.
	built    map[*build.Instance]bool
	levelled int
	// expressions has what refers to nothing, expressed of which.
	expressions *cue.Context
	expressed   int
	// counted are those, and what they import, whose syntax is in compiled.
	counted  map[*build.Instance]bool
	compiled int
	// real holds the packages with all their imports as they are.
	real map[*Package]*build.Instance
	// shallow holds the packages with stubs in place of artifacts, where that
	// differs from real.
	shallow map[*Package]*build.Instance
	stubs   map[*Package]map[Stub]*build.Instance
	// open is like real, with a model that takes any field in a config.
	open map[*Package]*build.Instance
	// lean holds the packages as they were when [Evaluator.AsItIs] was first asked.
	lean map[*Package]*build.Instance
	// stubbed are the imports that stubs stand for.
	stubbed map[*Package]map[*Package]Stub
	// byID finds the package that a stub stands for.
	byID map[string]*Package
	// whole puts the artifacts themselves where stubs would be.
	whole bool
	// patches are what packages get in place of expressions of theirs; mended tells
	// whether any of them replaces anything.
	patches map[*Package]*patch
	mended  bool
	library *source.Library
	written map[*Package]*rewrite.Copy
	// taken are the answers of TakeApart.
	taken map[*Package]taken
	// decides are the answers of mayDecide.
	decides map[*Package]bool
	decide  map[*Package]*decisions
	// readers are the packages whose artifacts may depend on where they are deployed.
	readers map[*Package]bool
	// causes are the problems that stand-ins were made for.
	causes []*cause
	// progress is told what is evaluated, nil for nobody.
	progress *Progress
}

// NewEvaluator returns an evaluator on ctx.
func NewEvaluator(ctx *cue.Context) *Evaluator {
	return &Evaluator{
		ctx:     ctx,
		built:   map[*build.Instance]bool{},
		counted: map[*build.Instance]bool{},
		real:    map[*Package]*build.Instance{},
		shallow: map[*Package]*build.Instance{},
		stubs:   map[*Package]map[Stub]*build.Instance{},
		open:    map[*Package]*build.Instance{},
		stubbed: map[*Package]map[*Package]Stub{},
		lean:    map[*Package]*build.Instance{},
		byID:    map[string]*Package{},
		patches: map[*Package]*patch{},
		library: source.NewLibrary(),
		written: map[*Package]*rewrite.Copy{},
		decides: map[*Package]bool{},
		taken:   map[*Package]taken{},
		decide:  map[*Package]*decisions{},
		readers: map[*Package]bool{},
	}
}

// WithoutStubs makes the evaluator put artifacts themselves into roles, for tests
// of stubs.
func (e *Evaluator) WithoutStubs() *Evaluator {
	e.whole = true
	return e
}

// Value returns the evaluated package with stubs for artifacts. An error of
// CUE's is in the value's Err.
func (e *Evaluator) Value(p *Package) cue.Value {
	return e.build(e.shallowInstance(p))
}

func (e *Evaluator) shallowInstance(p *Package) *build.Instance {
	if inst := e.shallow[p]; inst != nil {
		return inst
	}
	stubbed := e.Stubbable(p)
	if len(stubbed) == 0 {
		e.shallow[p] = e.realInstance(p)
		return e.shallow[p]
	}
	e.shallow[p] = e.withStubs(p, stubbed, e.realInstance)
	return e.shallow[p]
}

// withStubs makes an instance of p in which stubs stand for the given imports;
// others are what real makes of them.
func (e *Evaluator) withStubs(p *Package, stubbed map[*Package]Stub, real func(*Package) *build.Instance, extra ...*ast.File) *build.Instance {
	return e.instance(p, func(path string) *build.Instance {
		imp := p.Imports[path]
		switch {
		case imp == nil:
			return nil // a builtin package of CUE's, which the runtime supplies
		case stubbed[imp] != NoStub:
			return e.stub(imp, stubbed[imp])
		}
		return real(imp)
	}, extra...)
}

// AsItIs is like Value, of what a package's files have at the first call.
func (e *Evaluator) AsItIs(p *Package) cue.Value {
	if e.lean[p] == nil {
		e.lean[p] = e.withStubs(p, e.Stubbable(p), e.realInstance)
	}
	return e.build(e.lean[p])
}

// ForgetFailed lets packages in which CUE found something wrong be built again:
// whoever imports them later would be told nothing but that the import failed.
func (e *Evaluator) ForgetFailed() {
	for _, made := range []map[*Package]*build.Instance{e.real, e.shallow, e.lean} {
		maps.DeleteFunc(made, func(_ *Package, inst *build.Instance) bool { return inst.Err != nil })
	}
}

func (e *Evaluator) realInstance(p *Package) *build.Instance {
	if inst := e.real[p]; inst != nil {
		return inst
	}
	inst := e.withStubs(p, nil, e.realInstance)
	e.real[p] = inst
	return inst
}

// instance makes a build instance of p's files. Every instance has a build
// context of its own, because a context remembers imports by path and the same
// path stands for a stub in one place and for the package in another.
func (e *Evaluator) instance(p *Package, imports func(path string) *build.Instance, extra ...*ast.File) *build.Instance {
	ctx := build.NewContext(build.Loader(func(_ token.Pos, path string) *build.Instance { return imports(path) }))
	inst := ctx.NewInstance(p.Path, nil)
	inst.ImportPath = p.Path
	inst.PkgName = p.Name
	for _, f := range slices.Concat(e.files(p), extra) {
		_ = inst.AddSyntax(f) // the error is kept in inst.Err as well
	}
	_ = inst.Complete() // likewise
	return inst
}

// withExtra makes an instance of p that has one more file, with stubs for
// artifacts. If open, the model's config is open.
func (e *Evaluator) withExtra(p *Package, open bool, extra *ast.File) *build.Instance {
	real := e.realInstance
	if open {
		real = e.openInstance
	}
	return e.withStubs(p, e.Stubbable(p), real, extra)
}

// marker is the definition by which a stub says what it stands for.
const marker = "#kumikiPackage"

var markerPath = cue.ParsePath(marker)

// stub returns an instance with an #Artifact that is open and says nothing but
// which package it stands for. If asked, what the package defines besides is there too.
func (e *Evaluator) stub(p *Package, as Stub) *build.Instance {
	if inst := e.stubs[p][as]; inst != nil {
		return inst
	}
	if e.stubs[p] == nil {
		e.stubs[p] = map[Stub]*build.Instance{}
	}
	e.byID[p.Path] = p
	e.stubs[p][as] = e.newStub(p, as)
	return e.stubs[p][as]
}

func (e *Evaluator) newStub(p *Package, as Stub) *build.Instance {
	if e.whole && e.sound(p) {
		return e.withStubs(p, nil, e.realInstance, marked(p))
	}
	open := func() *ast.StructLit { return ast.NewStruct(&ast.Ellipsis{}) }
	file := &ast.File{Filename: "stub of " + p.Path, Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent(p.Name)},
		&ast.Field{Label: ast.NewIdent("#Artifact"), Value: ast.NewStruct(
			ast.NewIdent(marker), ast.NewString(p.Path),
			ast.NewIdent("spec"), ast.NewIdent("_"),
			ast.NewIdent("ref"), open(),
			ast.NewIdent("description"), open(),
		)},
	}}
	if as == StubBeside {
		return e.withStubs(e.withoutArtifact(p), nil, e.realInstance, file)
	}
	inst := build.NewContext().NewInstance(p.Path, nil)
	inst.ImportPath = p.Path
	inst.PkgName = p.Name
	_ = inst.AddSyntax(file)
	return inst
}

// withoutArtifact is the package as if it did not define an artifact.
func (e *Evaluator) withoutArtifact(p *Package) *Package {
	return p.With(syntax.Copy(e.files(p), syntax.Change{Drop: func(_ ast.Node, d ast.Decl) bool { return isArtifactField(d) }}))
}

// sound reports whether CUE finds nothing wrong with a package. What is wrong with
// one is told where the package itself is evaluated, not wherever it is used.
func (e *Evaluator) sound(p *Package) bool {
	if !p.IsUsable() {
		return false
	}
	defer e.ForgetFailed()
	return e.build(e.realInstance(p)).Validate() == nil
}

// marked is a file that says which package an artifact is of.
func marked(p *Package) *ast.File {
	return &ast.File{Filename: "stub of " + p.Path, Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent(p.Name)},
		&ast.Field{Label: ast.NewIdent("#Artifact"), Value: ast.NewStruct(ast.NewIdent(marker), ast.NewString(p.Path))},
	}}
}

// StandsFor returns the package that a role's artifact is a stub of, nil when
// the artifact is written out in place.
func (e *Evaluator) StandsFor(artifact cue.Value) *Package {
	id, err := artifact.LookupPath(markerPath).String()
	if err != nil {
		return nil
	}
	return e.byID[id]
}

// artifactPos is where the package defines its artifact; where that is written out in a
// role, where the package around it does.
func artifactPos(p *Package) diag.Pos {
	if p.Made.Written && !p.Made.Deployed {
		p = p.Made.From
	}
	return posOf(p, "#Artifact")
}

// posOf is where the package's own files first define name; in the model's
// files if only they do.
func posOf(p *Package, name string) diag.Pos {
	var all []diag.Pos
	for _, f := range p.Definitions(name) {
		all = append(all, fromcue.Pos(f.Label))
	}
	if own := cmp.Or(filter.Out(all, value.IsModel)...); own.IsValid() {
		return own
	}
	return cmp.Or(all...)
}

// opened is the conjunct that opens the config of every artifact to fields
// that the artifact does not declare.
const opened = "#Configurable: {parameter: {...}, resource: {...}}"

// openInstance is like realInstance, with a model whose config is open.
func (e *Evaluator) openInstance(p *Package) *build.Instance {
	if inst := e.open[p]; inst != nil {
		return inst
	}
	var extra []*ast.File
	if p.IsModel() {
		file, err := parser.ParseFile("kumiki:open.cue", "package "+p.Name+"\n"+opened)
		if err != nil {
			panic(err) // a constant
		}
		extra = append(extra, file)
	}
	inst := e.withStubs(p, nil, e.openInstance, extra...)
	e.open[p] = inst
	return inst
}
