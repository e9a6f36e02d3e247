// Package moduletest runs the tests of a module: every directory below examples and
// every directory whose name ends in _test holds a deployment that has to
// compile, to the solution in want.json if there is one, and to one that the
// facts in *_test.cue files say true things about.
//
//	result, problems := moduletest.Run(ctx, moduletest.Options{Dir: "shop"})
package moduletest

import (
	"context"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/solution"
	"kumiki.dev/value"
)

// Options say what to run.
type Options struct {
	// Dir lies in the module; "" is the working directory.
	Dir string
	// Modules are directories with dependencies, as in [load.Input].
	Modules []string
	// Update writes want.json of every case that compiles.
	Update bool
	// Workers bounds how many cases are compiled at the same time; 0 is one a
	// processor.
	Workers int
}

// Result is what came of all cases.
type Result struct {
	// Module is the module's path.
	Module string
	// Cases are sorted by Dir.
	Cases []*Case
	// Artifacts are the packages of the module's artifacts that some case deploys,
	// by themselves or in a role; sorted.
	Artifacts []string
	// Coverage says what no case exercises.
	Coverage Coverage
}

// Case is one deployment and what came of it.
type Case struct {
	// Dir is its directory within the module, with slashes.
	Dir string
	// Problems are those of the compilation and what differs from what is
	// expected; the case passes if none of them is an error.
	Problems diag.List
	// Updated tells that its want.json was written.
	Updated bool

	dir   string // on disk
	input compiler.Input
	tree  *value.Tree

	compiled bool // without errors
}

// Passed reports whether all is as expected.
func (c *Case) Passed() bool { return !c.Problems.HasErrors() }

// Failed counts the cases that did not pass.
func (r *Result) Failed() int {
	n := 0
	for _, c := range r.Cases {
		if !c.Passed() {
			n++
		}
	}
	return n
}

// Run compiles and compares all cases. The result is nil if there are none, for
// the reason that the problems give; what is wrong with a case is with the case.
func Run(ctx context.Context, o Options) (*Result, diag.List) {
	survey, problems := load.Look(o.Dir)
	if problems.HasErrors() {
		return nil, problems
	}
	r := &Result{Module: survey.Module.Path, Cases: cases(survey, o)}
	if len(r.Cases) == 0 {
		return nil, append(problems, diag.New(diag.NoCases, diag.NoPos,
			"module %s has no examples; put a deployment of each of its artifacts below examples, for example in examples/%s/deployment.cue", survey.Module.Path, firstName(survey)))
	}
	var begun atomic.Int64
	each(r.Cases, o.Workers, func(c *Case) {
		compiler.Begin(ctx, int(begun.Add(1)), len(r.Cases), "cases")
		c.run(ctx, o.Update)
	})
	r.Artifacts = deployed(survey, r.Cases)
	coverage, more := cover(ctx, survey, o, r.Cases)
	r.Coverage = coverage
	return r, append(problems, more...)
}

func firstName(s *load.Survey) string {
	for _, p := range s.Artifacts() {
		if p.Dir != "." {
			return path.Base(p.Dir)
		}
	}
	return "small"
}

// cases finds the directories of the cases: what lies in one need not declare
// a #Deployment to be one, since that may be the mistake.
func cases(s *load.Survey, o Options) []*Case {
	var found []*Case
	for _, p := range s.Packages {
		if !IsCase(p.Dir) || filter.Any(found, func(c *Case) bool { return c.Dir == p.Dir }) {
			continue
		}
		c := &Case{Dir: p.Dir, dir: filepath.Join(s.Dir, filepath.FromSlash(p.Dir))}
		c.input.Dir, c.input.Modules = c.dir, o.Modules
		found = append(found, c)
	}
	return found
}

// IsCase reports whether what lies in a directory of a module is for its tests.
func IsCase(dir string) bool {
	return path.Dir(dir) == "examples" || strings.HasSuffix(path.Base(dir), "_test")
}

// each calls f for all cases, several at a time.
func each(all []*Case, workers int, f func(*Case)) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	next := make(chan *Case)
	for range min(workers, len(all)) {
		wg.Go(func() {
			for c := range next {
				f(c)
			}
		})
	}
	for _, c := range all {
		next <- c
	}
	close(next)
	wg.Wait()
}

func (c *Case) run(ctx context.Context, update bool) {
	r, problems := compiler.Run(ctx, c.input, compiler.ExtractStage)
	c.Problems = problems
	c.tree = r.Tree
	if problems.HasErrors() {
		return
	}
	c.compiled = true
	got, err := golden(r.Solution)
	if err != nil {
		c.Problems = append(c.Problems, diag.New(diag.BadGolden, diag.NoPos, "%s: %v", c.Dir, err))
		return
	}
	c.Problems = append(c.Problems, c.compare(got, update)...)
	c.Problems = append(c.Problems, c.facts(got, compiler.TextsOf(ctx))...)
}

// golden is the part of a solution that want.json holds. What it was made of is
// left out: that changes with every comment.
func golden(s *solution.Solution) ([]byte, error) {
	rest := *s
	rest.Digest, rest.Inputs = "", nil
	return rest.Bytes()
}
