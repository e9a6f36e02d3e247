// Package matrix compiles the templates of a module for their environments, each pair to a
// solution and the objects that run it.
//
// What comes in is a tree of templates and environments and where each template goes
// (package environment); what goes out are results, a cell each, and a directory with an
// index. Sources are read once a worker, what is equal in several environments is evaluated
// once, and a cell whose inputs are those of the index is not compiled at all. A cell of
// which nothing can be said is unknown: it is never taken for one that is gone.
package matrix

import (
	"context"
	"sync"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/module/registry"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// Target is what makes the objects of solutions.
type Target struct {
	Lower targets.Target
	// Files are the objects of a solution, by the names of files below those of its
	// environment.
	Files        func(name string, objects []targets.Object) (map[string][]byte, error)
	Orchestrator targets.Orchestrator
}

// Checks find what is wrong with a solution, and with its objects, in an environment.
type Checks struct {
	Solution func(*environment.Environment, *solution.Solution) diag.List
	Objects  func(*environment.Environment, *solution.Solution, []targets.Object) diag.List
}

var noChecks = Checks{
	Solution: func(*environment.Environment, *solution.Solution) diag.List { return nil },
	Objects:  func(*environment.Environment, *solution.Solution, []targets.Object) diag.List { return nil },
}

// Input says what to compile.
type Input struct {
	Tree      *environment.Tree
	Placement *environment.Placement
	Targets   map[string]Target
	// Compile is what goes for all compilations: values, modules, how strict to be.
	Compile compiler.Input
	// Registry has published artifacts; it is asked for once there is one.
	Registry func() (registry.Registry, error)
	// Verify reports a module, PATH@1.2.3, that is not signed with a key of an environment.
	Verify func(ctx context.Context, e *environment.Environment, modules []string) error
	// Checks returns what else is checked, nil for nothing. It is called once a worker: what it
	// returns is used by one at a time. Rules is a digest of what the checks go by.
	Checks func() Checks
	Rules  string
	// Version is that of kumiki: another one may make other solutions.
	Version string
	// Jobs is how many cells are compiled at the same time.
	Jobs int
	// Before is what is known from before; nil for nothing.
	Before *Before
	// Only, if not nil, reports whether a cell is wanted. Those that it requires are compiled too.
	Only func(*environment.Cell) bool
	// Keys ends with the keys: nothing is compiled.
	Keys bool
	// Keep keeps solutions in the results.
	Keep bool
	// Done is told of each cell that was compiled, with the files that it consists of by
	// their names. It is called by one worker at a time, in no particular order.
	Done func(r *Result, files map[string][]byte) error
	// Progress is told how many of the cells are done; nil for nobody.
	Progress func(done, total int)
}

// State says what has become of a cell.
type State string

// The states of cells.
const (
	// New: there was none.
	New State = "new"
	// Unchanged: its inputs are what they were, or its solution is.
	Unchanged State = "unchanged"
	// Changed: its solution differs.
	Changed State = "changed"
	// Problem: it cannot be compiled.
	Problem State = "problem"
	// Unknown: something that it is made of could not be read or compiled.
	Unknown State = "unknown"
	// Removed: it was there, and the template is not for the environment any more.
	Removed State = "removed"
)

// Result is what has become of a cell.
type Result struct {
	*environment.Cell
	State State
	// Class is what a change does to what runs, "" for no change.
	Class plan.Class
	// Key is a digest of the inputs, and Digest that of the solution.
	Key, Digest string
	// Level is that of the cell in its environment, from 0.
	Level int
	// Files are the names of those that it consists of, sorted.
	Files []string
	// Problems are what is wrong, and what the target cannot carry.
	Problems diag.List
	// Solution and Config are there where they are to be kept.
	Solution *solution.Solution
	Config   *value.Data
	// Plan is the change, where it is to be kept and there is one.
	Plan *plan.Plan
}

// Matrix is all results.
type Matrix struct {
	// Results are sorted as the placement's cells are.
	Results []*Result
	// Sources are what the templates are compiled from, by [group].
	Sources map[string]Sources
}

// group is the cells of a template that have the same sources.
type group struct {
	template *environment.Template
	artifact environment.Artifact
	results  []*Result // those that no worker has begun with
	begun    bool
}

// worthSharing is how many results a group has left for another worker to join in: that one
// evaluates again what they have in common.
const worthSharing = 8

// name finds the sources of the group in an index.
func (g *group) name() string { return g.template.Name + " " + g.artifact.String() }

// run is the state of a [Run].
type run struct {
	Input
	ctx     context.Context
	byName  map[string]*Result // by environment and template
	needed  map[string]bool    // templates that others require
	known   map[string]bool    // all templates
	digests *digests

	mu     sync.Mutex
	out    *Matrix
	done   int
	failed error
}

// Run compiles the cells. The error is one of the system: what is wrong with cells is in
// their results.
func Run(ctx context.Context, in Input) (*Matrix, error) {
	r := newRun(ctx, in)
	return r.out, r.all()
}

// newRun returns the state before anything is compiled.
func newRun(ctx context.Context, in Input) *run {
	r := &run{Input: in, ctx: ctx, byName: map[string]*Result{}, needed: map[string]bool{}, known: map[string]bool{}, digests: newDigests(in.Tree.Dir, in.Compile.Overlay), out: &Matrix{Sources: map[string]Sources{}}}
	for _, t := range in.Tree.Templates {
		r.known[t.Name] = true
	}
	for _, name := range in.Tree.UnknownTemplates {
		r.known[name] = true
	}
	for _, c := range r.wanted() {
		result := &Result{Cell: c}
		r.out.Results = append(r.out.Results, result)
		r.byName[c.Environment.Name+" "+c.Template.Name] = result
		for _, n := range c.Template.Requires {
			r.needed[n.Name] = true
		}
	}
	for _, levels := range in.Placement.Levels {
		for i, level := range levels {
			for _, c := range level {
				if result := r.byName[c.Environment.Name+" "+c.Template.Name]; result != nil {
					result.Level = i
				}
			}
		}
	}
	return r
}

// all compiles the cells, level after level.
func (r *run) all() error {
	for _, level := range r.levels() {
		r.each(level)
		if r.failed != nil || r.ctx.Err() != nil {
			break
		}
	}
	if r.failed == nil {
		r.failed = r.ctx.Err()
	}
	return r.failed
}

// wanted are the cells to compile: those that are asked for and what they require.
func (r *run) wanted() []*environment.Cell {
	if r.Only == nil {
		return r.Placement.Cells
	}
	cells, wanted := map[string]*environment.Cell{}, map[*environment.Cell]bool{}
	for _, c := range r.Placement.Cells {
		cells[c.Environment.Name+" "+c.Template.Name] = c
	}
	var want func(c *environment.Cell)
	want = func(c *environment.Cell) {
		if c == nil || wanted[c] {
			return
		}
		wanted[c] = true
		for _, n := range c.Template.Requires {
			want(cells[c.Environment.Name+" "+n.Name])
		}
	}
	for _, c := range r.Placement.Cells {
		if r.Only(c) {
			want(c)
		}
	}
	return filter.Out(r.Placement.Cells, func(c *environment.Cell) bool { return !wanted[c] })
}

// levels are the groups in the order in which they can be compiled: those of a level
// require only such of the levels before, in whatever environment.
func (r *run) levels() [][]*group {
	groups := map[string]*group{}
	for _, result := range r.out.Results {
		g := &group{template: result.Template, artifact: result.Artifact}
		if known := groups[g.name()]; known != nil {
			g = known
		}
		groups[g.name()] = g
		g.results = append(g.results, result)
	}
	templates, depths := map[string]*environment.Template{}, map[string]int{}
	for _, t := range r.Tree.Templates {
		templates[t.Name] = t
	}
	var depth func(name string) int
	depth = func(name string) int {
		if n, ok := depths[name]; ok || templates[name] == nil {
			return n
		}
		n := 0
		for _, x := range templates[name].Requires {
			n = max(n, depth(x.Name)+1)
		}
		depths[name] = n
		return n
	}
	var out [][]*group
	for _, key := range sorting.Ordered(groups) {
		g := groups[key]
		n := depth(g.template.Name)
		for len(out) <= n {
			out = append(out, nil)
		}
		out[n] = append(out[n], g)
	}
	return out
}

// each makes the results of some groups, several at a time.
func (r *run) each(groups []*group) {
	var all sync.WaitGroup
	for range max(r.Jobs, 1) {
		all.Go(func() {
			var checks *Checks
			for g := r.group(groups); g != nil; g = r.group(groups) {
				if checks == nil {
					made := r.checks()
					checks = &made
				}
				(&part{run: r, group: g, checks: *checks}).make()
			}
		})
	}
	all.Wait()
}

// checks are those of a worker.
func (r *run) checks() Checks {
	if r.Checks == nil {
		return noChecks
	}
	return r.Checks()
}

// group is one for a worker to go on with: one that nobody has begun with, or, so that
// nobody waits for the last one, that with most left; nil for none.
func (r *run) group(groups []*group) (found *group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range groups {
		if !g.begun {
			g.begun = true
			return g
		}
		if len(g.results) >= worthSharing && (found == nil || len(g.results) > len(found.results)) {
			found = g
		}
	}
	return found
}

// next is a result of the group that nobody has begun with; nil where there is none, or the
// run is over.
func (r *run) next(g *group) *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil || r.ctx.Err() != nil || len(g.results) == 0 {
		return nil
	}
	first := g.results[0]
	g.results = g.results[1:]
	return first
}

// fail keeps the first error, which ends the run.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

// finish tells of a cell that is done.
func (r *run) finish(result *Result, files map[string][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.Done != nil && r.failed == nil && files != nil {
		r.failed = r.Done(result, files)
	}
	if r.Progress != nil {
		r.Progress(r.done, len(r.out.Results))
	}
}
