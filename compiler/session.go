package compiler

import (
	"context"

	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/load"
	"kumiki.dev/spread"
)

// Session is what compilations of one deployment share that differ in nothing but what they
// are given beside the sources: the name, labels, and the values of an environment. The
// sources are read and evaluated once, so that all compilations see the same. It is for one
// goroutine at a time.
type Session struct {
	program  *load.Program
	problems diag.List
	eval     *spread.Evaluator
	spread   *spread.Session
}

// load loads the program, once.
func (s *Session) load(in load.Input, memory *load.Memory) (*load.Program, diag.List) {
	if s == nil {
		return memory.Load(in)
	}
	if s.program == nil {
		s.program, s.problems = memory.Load(in)
	}
	return s.program, s.problems
}

// evaluator is the one of the session, or a new one.
func (s *Session) evaluator() *spread.Evaluator {
	if s == nil {
		return spread.NewEvaluator(cuecontext.New())
	}
	if s.eval == nil {
		s.eval, s.spread = spread.NewEvaluator(cuecontext.New()), spread.NewSession()
	}
	return s.eval
}

// Program is what was loaded, nil before the first compilation.
func (s *Session) Program() *load.Program { return s.program }

// shared is the part of the session that the spread has.
func (s *Session) shared() *spread.Session {
	if s == nil {
		return nil
	}
	return s.spread
}

// runIn runs in the input's session. What is wrong is found without one: where values of
// several environments have met, its places would be those of one of them.
func runIn(ctx context.Context, in Input, last Stage) (*Result, diag.List) {
	s := in.Session
	result, problems := run(ctx, in, last)
	if s == nil || len(problems) == 0 {
		return result, problems
	}
	*s = Session{}
	in.Session = nil
	return run(ctx, in, last)
}

// Load loads the program of the session, if that has not been done.
func (s *Session) Load(in load.Input) (*load.Program, diag.List) {
	return s.load(in, nil)
}
