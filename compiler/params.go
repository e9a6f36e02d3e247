package compiler

import (
	"context"

	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/spread/params"
)

// Params loads an artifact and lists what can be configured in it. What it evaluates
// is told as [Run] does; it goes on to its end whatever becomes of the context.
func Params(ctx context.Context, in load.Input) (*load.Program, []params.Param, diag.List) {
	var program *load.Program
	var all []params.Param
	in.Texts = toldTexts(ctx, in.Texts)
	c := &compilation{in: Input{LoadInput: in}}
	problems, _ := c.guard(LoadStage, func(c *compilation) (diag.List, bool) {
		p, found := load.Load(c.in.LoadInput)
		if p == nil {
			return found, false
		}
		if p.Deployment {
			return append(found, diag.New(diag.NoArtifact, diag.NoPos, "package %s in %s is a deployment: name the directory of an artifact, a component or service", p.Root.Name, in.Dir)), false
		}
		program = p
		list, more := params.Of(spread.NewEvaluator(cuecontext.New()).Telling(progress(ctx)), p.Root)
		all = list
		return append(found, more...), true
	})
	return program, all, problems.Sorted()
}
