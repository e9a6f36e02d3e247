package spread

import (
	"encoding/json"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/rewrite"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Options changes how [Run] works, not what comes out for a valid deployment.
type Options struct {
	// Strict makes a config field that the artifact does not declare an error
	// in kam-style modules too, where it is a warning otherwise.
	Strict bool
	// NoMemo evaluates every role anew, even if its artifact and configuration
	// have been seen before.
	NoMemo bool
	// NoPartial leaves every evaluation to CUE: nothing is rewritten, and no shortcut is taken.
	NoPartial bool
	// Shortcut makes levels in place of CUE, nil for none.
	Shortcut Shortcut
	// NoLean lets CUE see all of a package, where what its sources say in so many
	// words is otherwise read without it.
	NoLean bool
	// Keeper, if not nil, has what earlier runs made.
	Keeper Keeper
	// Memory is that of earlier runs, nil for none.
	Memory *Memory
	// Alone finds what is wrong with an artifact whatever its config is, for a role that has no
	// config although its artifact needs one. nil for nothing.
	Alone func(e *Evaluator, p *Package, opts Options) diag.List
	// Session is what the run shares with others of the same evaluator, nil for nothing.
	Session *Session
}

// Keeper remembers nodes of artifacts and the configs that they were given, in
// canonical JSON, for longer than a run. It is asked for artifacts with roles,
// where there is something to save.
type Keeper interface {
	// Node returns what an earlier run made, nil if that is not known.
	Node(p *Package, config string) *value.Node
	// Made tells what this run has made, problems or not.
	Made(p *Package, config string, n *value.Node)
}

// Top is a deployment whose own values are finished: the outermost level,
// from which the spread starts.
type Top struct {
	Name  string
	Up    *string
	UpPos diag.Pos // where up is written
	Meta  *value.Data
	// Written is the name that the manifest has, whatever name another one was given.
	Written string
	// Links, Accepts and Labels are about deployments of other solutions; nil where absent.
	Links, Accepts, Labels *value.Data
	// SLA is the service level agreement, and Objects are those that go with the
	// deployment; nil where absent.
	SLA, Objects *value.Data
	// Config is what the deployer gives: pure data.
	Config *value.Data
	// Artifact is what is deployed: a stub of an imported package, or an
	// artifact written out in the deployment's own package. Nothing once it is spread.
	Artifact cue.Value
	chain    chain // to the artifact, if it is written out
	// whole makes it with the artifact as the deployment has it, nil if this has.
	whole func() *Top
	// Package is the deployment's package.
	Package *Package
	Pos     diag.Pos
}

// again is the deployment with its artifact as it has it.
func (t *Top) again() *Top {
	if t.whole == nil {
		return t
	}
	out, of := *t, t.whole()
	out.Artifact, out.chain, out.whole = of.Artifact, of.chain, nil
	return &out
}

// MarshalJSON shows the deployment's own level, as kumiki compile --emit
// unified prints it.
func (t *Top) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name   string      `json:"name"`
		Up     *string     `json:"up"`
		Meta   *value.Data `json:"meta"`
		Config *value.Data `json:"config"`
	}{t.Name, t.Up, value.OrEmpty(t.Meta), t.Config})
}

// Run pushes the deployment's configuration down to every component and
// builtin. At each level it is unified with the artifact's own config, the
// defaults are chosen, and the result, plain data by now, is what the
// artifact's references see; so an outer value, given or defaulted, always
// wins over an inner default.
//
// The tree is nil when there is nothing to go on with; otherwise it is as
// complete as the problems allow, for later stages to find more of them.
func Run(e *Evaluator, top *Top, opts Options) (*value.Tree, diag.List) {
	var known *recollection
	if opts.Memory != nil {
		known = opts.Memory.begin(top)
	}
	r := newRunner(e, opts).sharing(opts.Session).remembering(known)
	tree, problems := r.run(top)
	if len(problems) > 0 {
		e.ForgetFailed()
	}
	if len(r.doubts) > 0 {
		// The roles of a service were filled twice: what has problems is left as it is, and if there are others then, CUE alone
		// finds everything once.
		if !r.inexact {
			e.progress.find(problems)
		}
		if !r.alone {
			again := newRunner(e, opts).remembering(known)
			again.before = r.doubts
			tree, problems = again.run(top.again())
			r.alone = len(again.doubts) > 0
		}
		if r.alone {
			opts.NoPartial = true
			tree, problems = newRunner(e, opts).remembering(known).run(top.again())
		}
	} else if len(problems) > 0 && top.whole != nil {
		tree, problems = newRunner(e, opts).remembering(known).run(top.again())
	}
	if known != nil {
		opts.Memory.end(known, !problems.HasErrors())
	}
	return tree, problems
}

func (r *Runner) run(top *Top) (*value.Tree, diag.List) {
	at := Place{Pos: top.Pos, Given: top.Config}
	r.name = top.Name
	r.sources = append(r.sources, top.Package)
	node := r.spread(r.filling(top.Artifact, top.Package, top.chain, at))
	if node == nil {
		return nil, r.Problems
	}
	r.Work.Compiled = r.Eval.compiled
	return &value.Tree{Config: top.Config, Name: top.Name, Up: top.Up, UpPos: top.UpPos, Meta: value.OrEmpty(top.Meta), SLA: top.SLA, Objects: top.Objects, Root: node, Pos: top.Pos, Work: r.Work, Lent: r.lent}, r.Problems
}

// Runner is the state of one Run.
type Runner struct {
	// Eval has CUE evaluate packages.
	Eval *Evaluator
	// Problems are those that were reported.
	Problems diag.List
	// Work counts what was done.
	Work value.Work

	opts     Options
	units    map[*Package]*Unit
	fresh    []*Package        // of units that may be dropped, oldest first: see letGo
	mended   map[*Package]bool // see mend
	memo     map[memoKey]*value.Node
	first    map[*value.Node]*value.Data // what a node of the memo was made with, until it is lent
	lent     map[diag.Pos]bool           // see [value.Tree.Lent]
	symbolic bool                        // no deployment is there: see [Trials]
	name     string                      // of the deployment
	sources  []*Package                  // whose files problems can be in
	cycles   map[string]bool             // that have been reported
	indexes  map[string]fileIndex        // of files
	renamed  map[string]bool             // missing fields that mending a name gives, by place and path
	doubts   doubts                      // where problems were found in copies
	before   doubts                      // those of the run before, which are left as they are
	without  map[*Package]*rewrite.Copy  // copies in which they are
	alone    bool                        // only CUE alone finds the problems as they are
	inexact  bool                        // some of the problems may be none: see [Runner.passedOn]

	// What earlier runs know, nil for nothing, and what is needed to add to it.
	known          *recollection
	prints, wholes map[*Package]string
	// found counts the problems, those included that were reported already or are
	// put under another.
	found int
	// noted are the paths of the values of this level that have a problem, as CUE
	// writes them.
	noted []string
}

func newRunner(e *Evaluator, opts Options) *Runner {
	return &Runner{Eval: e, opts: opts, units: map[*Package]*Unit{}, mended: map[*Package]bool{}, memo: map[memoKey]*value.Node{}, first: map[*value.Node]*value.Data{}, lent: map[diag.Pos]bool{}, cycles: map[string]bool{}, renamed: map[string]bool{}, doubts: doubts{}, without: map[*Package]*rewrite.Copy{}}
}

// memoKey stands for everything that an artifact's evaluation depends on.
type memoKey struct {
	pkg   *Package
	given string // canonical JSON
}

// remembered returns the node of a role with an equal artifact and config, nil if
// there was none. Its places are those of that role's config.
func (r *Runner) remembered(key memoKey, given *value.Data) *value.Node {
	n := r.memo[key]
	if n == nil || r.opts.NoMemo || key.pkg.Made.Written {
		return nil
	}
	r.Work.Remembered++
	if first := r.first[n]; first != nil && !value.Same(first, given) {
		delete(r.first, n)
		first.Holds(func(d *value.Data) bool {
			r.lent[d.Pos] = true
			return false
		})
	}
	return n
}

// enter notes that a package's artifact is given its config.
func (r *Runner) enter(p *Package, at Place) (leave func()) {
	if r.Eval.progress == nil {
		return func() {}
	}
	return r.Eval.progress.enter(&spot{pkg: p, deployment: r.name, path: at.Path, pos: at.Pos})
}

// namedBy is the package whose artifact fills a role of p, or p's deployment, and nothing
// else: all that p says of it is  artifact: x.#Artifact,  or a name for that. It is nil for
// any other value.
func (e *Evaluator) namedBy(p *Package, c chain, artifact cue.Value) (named *Package) {
	p.Link()
	for _, part := range fromcue.Conjuncts(artifact) {
		if value.IsModel(fromcue.Pos(part)) {
			continue
		}
		field, isField := part.Source().(*ast.Field)
		if !isField || named != nil {
			return nil
		}
		x := field.Value
		if len(c) == 2 && c[0].path[0] == "#Artifact" && p.ArtifactOf(x) == nil {
			x = e.library.Sources(p).Named(c[1].path...)
		}
		if sel, ok := x.(*ast.SelectorExpr); ok && syntax.LabelName(sel.Sel) == "#Artifact" {
			named = (&uses{pkg: p}).imported(sel.X)
		}
		if named == nil {
			return nil
		}
	}
	return named
}

// unknown is the node of an artifact of which nothing is known.
func unknown(p *Package, given *value.Data, at Place) *value.Node {
	return &value.Node{Package: asPackage(p), Config: WithoutAsides(given), Description: value.NewStruct(at.Pos), Pos: at.Pos, Unknown: true}
}

// kept returns what an earlier run has made, without a look at the artifact.
func (r *Runner) kept(key memoKey, given *value.Data) *value.Node {
	if r.opts.Keeper == nil || !key.pkg.HasRoles() || key.pkg.Made.Written {
		return nil
	}
	n := r.opts.Keeper.Node(key.pkg.Source(), key.given)
	if n != nil {
		r.Work.Kept++
		r.memo[key], r.first[n] = n, given
	}
	return n
}

// unit returns the evaluated artifact of a package, nil if it has none that
// could be used; that is reported once.
func (r *Runner) unit(p *Package) *Unit {
	known, again := r.units[p]
	if again && (known == nil || !known.gone) {
		if known != nil {
			known.usedAgain = true
		}
		return known
	}
	r.units[p] = nil
	if !p.IsUsable() {
		return nil
	}
	if !again || !filter.Contains(r.sources, p) { // it may have been used in an earlier run of the session
		r.sources = append(r.sources, p)
	}
	r.mend(p)
	var u *Unit
	if s := r.shortcut(); s != nil && !r.opts.NoLean && !r.Eval.isPatched(p) {
		u = s.Unit(r, p)
	}
	if u == nil {
		u = r.evaluated(p)
	}
	if u != nil && r.Eval.isPatched(p) && r.isUnknown(u.Artifact) {
		return nil
	}
	r.units[p] = u
	if u != nil {
		u.usedAgain = again
		r.letGo(p)
	}
	return u
}

// keptUnits is how many components that were used once are kept, at some 300 KB each, in case they are used again. One that was
// dropped by then is evaluated a second time, and never dropped again.
const keptUnits = 80

// letGo makes room for the new unit of a component: if there are too many that were used once, the oldest is dropped.
// A service is never dropped, because it is in use until its roles are spread.
func (r *Runner) letGo(p *Package) {
	if r.shortcut() == nil || p.HasRoles() || r.units[p].usedAgain {
		return
	}
	r.fresh = append(r.fresh, p)
	if len(r.fresh) <= keptUnits {
		return
	}
	oldest := r.fresh[0]
	r.fresh = r.fresh[1:]
	if u := r.units[oldest]; u != nil && !u.usedAgain && !u.Flawed {
		r.units[oldest] = &Unit{Package: oldest, gone: true}
	}
}

// whole returns the unit with all that CUE makes of it, nil if that is of no use.
func (r *Runner) whole(u *Unit) *Unit {
	if u == nil || !u.Partial {
		return u
	}
	whole := r.evaluated(u.Package)
	if r.units[u.Package] = whole; whole != nil {
		whole.usedAgain = u.usedAgain
	}
	return whole
}

// Replace puts a unit in the place of the one that its package has.
func (r *Runner) Replace(u *Unit) {
	u.usedAgain = r.units[u.Package] != nil && r.units[u.Package].usedAgain
	r.units[u.Package] = u
}

// evaluated returns the artifact of a package with all that is in it, nil if it
// has none that could be used.
func (r *Runner) evaluated(p *Package) *Unit {
	found := r.found
	v := r.Eval.Value(p)
	if err := v.Err(); err != nil && !v.LookupPath(ArtifactPath).Exists() {
		if v = r.patched(p, v, ArtifactPath); !v.LookupPath(ArtifactPath).Exists() {
			return nil
		}
	}
	u := NewUnit(p, v.LookupPath(ArtifactPath))
	if err := u.Artifact.Validate(); err != nil {
		u.loose = r.lenient(p) && r.Eval.level(p, true, artifactSteps).Validate() == nil
		u.Flawed = !u.loose // what is wrong is told where it is given a config
	}
	r.checkResources(u)
	u.Shared, u.Flawed = true, u.Flawed || r.found > found || r.Eval.isPatched(p) || len(cyclic(u.Artifact)) > 0
	return u
}

// lenient reports whether fields that an artifact's config does not declare are
// passed on, as the vendor's tool does.
func (r *Runner) lenient(p *Package) bool {
	return p.Module != nil && p.Module.Kam && !r.opts.Strict
}

func (r *Runner) report(ds ...*diag.Diagnostic) {
	r.found += len(ds)
	for _, d := range ds {
		d = ofContext(d)
		if !value.IsStandIn(d.Pos) && !filter.Contains(r.Problems, d) {
			r.Problems = append(r.Problems, d)
		}
	}
}
