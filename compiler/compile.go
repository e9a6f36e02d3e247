// Package compiler holds the table of stages (load, unify, spread, extract, encode)
// that make a solution of a manifest.
// [Compile] is the one call for users of the library.
//
//	sol, problems := compiler.Compile(ctx, compiler.Input{Dir: "examples/shop/deploy"})
package compiler

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
	"kumiki.dev/spread/partial"
	"kumiki.dev/value"
)

// LoadInput is the part of [Input] that says what to load.
type LoadInput = load.Input

// Input says what to compile.
type Input struct {
	LoadInput
	// Name, if not "", replaces the name that the manifest gives the deployment.
	Name string
	// Owner is the domain of the solution's ref: who deploys. "" is allowed.
	Owner string
	// Comment is kept in the solution.
	Comment string
	// Values are files that give values, later ones replacing earlier ones.
	Values []load.ValuesFile
	// Sets are PATH=VALUE texts; they replace what Values has. A VALUE that is @FILE is
	// the contents of a file in SetFiles or below it, and one that begins with @@ is a
	// text that begins with @.
	Sets []string
	// SetFiles is the directory of such files; "" is Dir.
	SetFiles string
	// Environment are values of config that the environment has: a deployment gets those
	// that its artifact declares and that neither Values nor Sets have. nil for none.
	Environment *value.Data
	// Given are values of config that a template gives the environment beside that: they
	// win over it, and Values and Sets over them; nil for none.
	Given *value.Data
	// Called are the names that deployments which the manifest names have here: those of
	// templates, in one environment.
	Called map[string]string
	// Labels are those of the objects, beside the deployment's own.
	Labels map[string]string
	// Clients are deployments that link to this one and whose pods do not have the labels
	// that are theirs: where accepts has labels, it accepts them by their names.
	Clients []solution.Client
	// Check finds what else is wrong with the solution, nil for nothing else: an environment
	// knows what is registered.
	Check func(*solution.Solution) diag.List
	// Strict makes an error of every warning that is not acknowledged, and so of undeclared
	// config fields in kam-style modules too.
	Strict bool
	// Artifacts allows a directory with an artifact and no deployment, of which
	// everything is checked that can be told without one (see [check.Artifact]).
	Artifacts bool
	// Replace are values that take the place of the manifest's, whatever those are:
	// for questions of what would be. Paths are those in config.
	Replace []Replacement
	// Role, if not "", is the path of the only role that the solution is of.
	Role string
	// With are the deployments that the manifest may take values from; nil for none.
	With *Others
	// NoMemo evaluates equal roles again and again; for tests of the memo.
	NoMemo bool
	// NoPartial leaves every evaluation to CUE, NoLean lets it see all of a package,
	// NoStubs the artifacts that fill roles too; for tests of these shortcuts.
	NoPartial, NoLean, NoStubs bool
	// Timeout is how long a run may take, 0 for as long as it takes.
	Timeout time.Duration

	// Session is what the compilation shares with others of the same sources; nil for
	// nothing.
	Session *Session

	// Links are directories with files of package link, in which there may be links of the
	// deployment beside those of others.
	Links []string

	// unlinked leaves out the links to others, who may link back.
	unlinked bool
	nameOnly bool    // leaves references as they are
	example  int     // of which late values the second example is taken, from 1; 0 for none
	keeper   *keeper // see [Cache.Run]
}

// Result holds what each stage made; what comes after a stage that could not
// go on is nil.
type Result struct {
	Program  *load.Program
	Base     *spread.Top
	Tree     *value.Tree
	Solution *solution.Solution
	Encoded  *solution.Encoded
}

// Stage names a row of the table of stages.
type Stage string

// The stages, in the order in which the data goes through them.
const (
	LoadStage    Stage = "load"
	UnifyStage   Stage = "unify"
	SpreadStage  Stage = "spread"
	ExtractStage Stage = "extract"
	EncodeStage  Stage = "encode"
)

// stages is the compiler as a list. A stage reads what the ones before it made
// and adds its own; it reports all that it can find, and returns false when
// there is nothing for the next one to go on with.
var stages = []struct {
	name Stage
	run  func(*compilation) (diag.List, bool)
}{
	// Everything is parsed before anything is evaluated: syntax errors and
	// missing packages are reported together.
	{LoadStage, (*compilation).load},
	// The deployment's own level has to be data before it is pushed down.
	{UnifyStage, (*compilation).unify},
	// From the top down, because each level's references see the finished
	// config of the level above.
	{SpreadStage, (*compilation).spread},
	// Connectors are resolved when every channel of every role is known.
	{ExtractStage, (*compilation).extract},
	// The bytes of a solution give it its digest. Who lowers it, or only wants to
	// know what is wrong, stops before.
	{EncodeStage, (*compilation).encode},
}

// doing is what a run does in a stage, for people who wait.
var doing = map[Stage]string{
	LoadStage: "loading", UnifyStage: "evaluating the deployment", SpreadStage: "evaluating roles", ExtractStage: "making the solution", EncodeStage: "writing the solution",
}

// compilation is one run through the stages. Its evaluator, and with it the
// CUE context, lives exactly as long: a context never forgets a value.
type compilation struct {
	in      Input
	overlay spread.Overlay
	eval    *spread.Evaluator
	result  Result
	ctx     context.Context // for the runs that references start, by run
	run     runner
	memory  *load.Memory // in.Memory, if no other run uses it
	taken   []solution.Reference
	late    []*late       // values that are not known yet
	given   *value.Data   // the deployment's config with examples of those
	others  []*value.Tree // the tree with other examples of them
	broken  bool          // whether a stage has found an error
	// unshared makes the tree without shared nodes, where that has other places.
	unshared func() *value.Tree
}

// runner is [Run]: a stage cannot name the function that goes through the stages.
type runner func(context.Context, Input, Stage) (*Result, diag.List)

// Compile makes the solution of a deployment. The solution is nil if any of
// the problems is an error.
func Compile(ctx context.Context, in Input) (*solution.Solution, diag.List) {
	r, problems := Run(ctx, in, ExtractStage)
	if problems.HasErrors() || r.Solution == nil {
		return nil, problems
	}
	// Only the digest is needed here: the encoded bytes would take as much memory as the solution.
	c := &compilation{result: Result{Solution: r.Solution}}
	found, ok := c.guard(EncodeStage, (*compilation).digest)
	if !ok {
		return nil, append(problems, found...)
	}
	return c.result.Solution, problems
}

// Run goes through the stages up to and including last, as far as the input
// allows, and returns all problems in reading order.
//
// CUE cannot be interrupted. When the context ends, or the time that the input
// allows, Run returns at once, with a problem and what is known to be wrong; the evaluation goes on
// by itself until its end, and what it makes is thrown away.
func Run(ctx context.Context, in Input, last Stage) (*Result, diag.List) {
	if in.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, in.Timeout)
		defer cancel()
	}
	p := &spread.Progress{Outer: progress(ctx)}
	defer context.AfterFunc(ctx, p.Hold)()
	ctx = WithProgress(ctx, p)
	type outcome struct {
		result   *Result
		problems diag.List
	}
	done := make(chan outcome, 1)
	go func() {
		result, problems := runIn(ctx, in, last)
		done <- outcome{result, problems}
	}()
	select {
	case o := <-done:
		return o.result, o.problems
	case <-ctx.Done():
		return &Result{}, append(p.Found(), givenUp(ctx, in.Timeout))
	}
}

func run(ctx context.Context, in Input, last Stage) (result *Result, problems diag.List) {
	in.Texts = toldTexts(ctx, in.Texts)
	c := &compilation{in: in, ctx: ctx, run: Run}
	memory, done := in.Memory.Use()
	defer done()
	c.memory = memory
	for _, s := range stages {
		if ctx.Err() != nil {
			return &c.result, append(problems, givenUp(ctx, in.Timeout))
		}
		progress(ctx).Enter(doing[s.name])
		found, ok := c.guard(s.name, s.run)
		problems = append(problems, found...)
		c.broken = problems.HasErrors()
		if !ok || s.name == last {
			break
		}
	}
	problems = problems.Sorted().Fold()
	if p := c.result.Program; p != nil {
		problems = problems.Without(p.Acknowledged)
	}
	if in.Strict {
		problems = problems.Strict()
	}
	return &c.result, problems
}

// guard turns a panic of a stage into a diagnostic: whatever the input is, the
// caller gets an answer.
func (c *compilation) guard(name Stage, run func(*compilation) (diag.List, bool)) (problems diag.List, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			d := diag.New(diag.Internal, diag.NoPos, "internal error in stage %s: %v; this is a mistake in kumiki, please report it", name, p)
			d.Cause = fmt.Errorf("%v\n%s", p, debug.Stack())
			problems, ok = diag.List{d}, false
		}
	}()
	return run(c)
}

func (c *compilation) load() (diag.List, bool) {
	p, problems := c.in.Session.load(c.in.LoadInput, c.memory)
	c.result.Program = p
	if p == nil {
		return problems, false
	}
	if p.Root.Broken {
		return problems, false
	}
	if !p.Deployment && c.in.Artifacts {
		tree, more := check.Artifact(spread.NewEvaluator(cuecontext.New()).Telling(progress(c.ctx)), p.Root, spread.Options{Strict: c.in.Strict})
		problems = append(problems, more...)
		if tree != nil {
			c.result.Tree = tree
			problems = append(problems, checkTree(tree)...)
		}
		return problems, false
	}
	if !p.Deployment {
		return append(problems, diag.New(diag.NoDeployment, diag.NoPos, "package %s in %s has an #Artifact but no #Deployment: name a directory whose package says what to deploy", p.Root.Name, c.in.Dir)), false
	}
	return problems, true
}

// checkTree finds what the extraction would find wrong with an artifact,
// whoever deploys it; how many instances run is for the deployer to say.
func checkTree(tree *value.Tree) diag.List {
	_, problems := solution.Extract(tree, solution.Options{Broken: true})
	return filter.Out(problems, func(d *diag.Diagnostic) bool { return d.Code == diag.MissingHsize })
}

func (c *compilation) unify() (diag.List, bool) {
	ctx := cuecontext.New()
	c.eval = c.in.Session.evaluator().Telling(progress(c.ctx))
	if c.in.NoStubs {
		c.eval.WithoutStubs()
	}
	o, problems := load.Overlay(ctx, c.in.Values, c.in.Sets, cmp.Or(c.in.SetFiles, c.in.Dir), c.in.Texts)
	o.Name, o.Environment, o.Template = c.in.Name, c.in.Environment, c.in.Given
	base, more := spread.Base(c.eval, c.result.Program.Root, o)
	problems = append(problems, more...)
	c.overlay, c.result.Base = o, base
	if base == nil || c.in.nameOnly {
		return problems, base != nil
	}
	base.Config = replace(base.Config, c.in.Replace)
	c.in.call(base)
	more, ok := c.resolve(base)
	return append(problems, more...), ok
}

func (c *compilation) spread() (diag.List, bool) {
	opts := spread.Options{Strict: c.in.Strict, NoMemo: c.in.NoMemo, NoPartial: c.in.NoPartial, NoLean: c.in.NoLean, Alone: check.Alone}
	opts.Shortcut = partial.New()
	again := opts
	if c.in.keeper != nil {
		opts.Keeper = c.in.keeper
	}
	opts.Memory, opts.Session = c.memory.Nodes(), c.in.Session.shared()
	if opts.Session != nil {
		opts.Memory = nil // which knows no more
	}
	top := c.top()
	tree, problems := spread.Run(c.eval, top, opts)
	if c.eval.Patched() && !c.broken && !problems.HasErrors() {
		problems = append(problems, diag.New(diag.Internal, diag.NoPos, "something in the sources leads nowhere, and no problem says what; this is a mistake in kumiki, please report it"))
	}
	tree, more := c.marked(tree)
	problems = append(problems, more...)
	c.result.Tree = tree
	if c.in.Texts != nil {
		solution.Texts(tree, c.in.Texts)
	}
	if tree != nil && len(tree.Lent) > 0 {
		eval, base := c.eval, *top
		again.NoMemo = true
		c.unshared = func() *value.Tree {
			tree, _ := spread.Run(eval, &base, again)
			tree, _ = c.marked(tree)
			return tree
		}
	}
	// All is data by now: what CUE holds is several times that.
	c.eval, c.result.Base.Artifact = nil, cue.Value{}
	if tree != nil && c.in.Role != "" {
		part, wrong := only(tree, c.in.Role)
		if wrong != nil {
			return append(problems, wrong), false
		}
		c.result.Tree, c.taken = part, nil
	}
	return problems, tree != nil
}

// extract makes the solution. Problems that may be those of several roles, which
// share a node, are looked for again where each has its own.
func (c *compilation) extract() (diag.List, bool) {
	s, problems := c.extracted()
	if filter.Any(problems, c.lent) {
		if tree := c.unshared(); tree != nil {
			c.result.Tree = tree
			if c.in.Role != "" {
				c.result.Tree, _ = only(tree, c.in.Role) // it was there before
			}
			s, problems = c.extracted()
		}
	}
	c.unshared = nil
	if s != nil {
		s.Acknowledged = c.result.Program.Acknowledged
		problems = append(problems, c.keepLate(s)...)
		problems = append(problems, c.checkUp(s)...)
		if c.in.Role == "" {
			problems = append(problems, c.link(s)...)
		}
		if c.in.Check != nil {
			more := filter.Out(c.in.Check(s), func(d *diag.Diagnostic) bool { return value.IsStandIn(d.Pos) })
			problems = append(problems, more...)
		}
	}
	c.result.Solution = s
	return problems, !c.broken && !problems.HasErrors()
}

func (c *compilation) extracted() (*solution.Solution, diag.List) {
	return solution.Extract(c.result.Tree, solution.Options{
		Comment: c.in.Comment,
		Owner:   c.in.Owner,
		Inputs:  Modules(c.result.Program),
		Values:  valuesDigest(c.overlay),
		Taken:   c.taken,
		Broken:  c.broken,
		Label:   func(pos diag.Pos) (diag.Pos, string) { return spread.LabelAt(c.result.Program.Packages, pos) },
	})
}

// lent reports whether a problem has a place that a shared node has of one role.
func (c *compilation) lent(d *diag.Diagnostic) bool {
	lent := c.result.Tree.Lent
	return lent[d.Pos] || filter.Any(d.Related, func(r diag.Related) bool { return lent[r.Pos] })
}

// digest gives the solution its digest, as encode does, but does not keep the encoded bytes.
func (c *compilation) digest() (diag.List, bool) {
	digest, err := c.result.Solution.ContentDigest()
	if err != nil {
		return diag.List{diag.New(diag.Internal, diag.NoPos, "%v", err)}, false
	}
	c.result.Solution.Digest = digest
	return nil, true
}

func (c *compilation) encode() (diag.List, bool) {
	encoded, err := c.result.Solution.Encode()
	if err != nil {
		return diag.List{diag.New(diag.Internal, diag.NoPos, "%v", err)}, false
	}
	c.result.Encoded, c.result.Solution.Digest = encoded, encoded.Digest
	return nil, true
}
