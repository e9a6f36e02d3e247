package compiler

import (
	"context"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
	"kumiki.dev/spread/params"
	"kumiki.dev/value"
)

// Description is an artifact as CUE sees it and as its deployers do.
type Description struct {
	// Program is what was loaded.
	Program *load.Program
	// Artifact is the evaluated #Artifact.
	Artifact cue.Value
	// Node is the artifact in a configuration in which all that deployers have
	// to give is stood in for (see [check.Artifact]); nil if it can't be evaluated.
	Node *value.Node
	// Params are what can be configured.
	Params []params.Param
}

// Describe loads an artifact and evaluates it within a context of CUE's, so that values
// of several artifacts can be compared. What it evaluates is told as [Run] does; it goes on
// to its end whatever becomes of ctx.
func Describe(ctx context.Context, within *cue.Context, in load.Input) (*Description, diag.List) {
	var out *Description
	in.Texts = toldTexts(ctx, in.Texts)
	c := &compilation{in: Input{LoadInput: in}}
	problems, _ := c.guard(LoadStage, func(c *compilation) (diag.List, bool) {
		p, found := load.Load(c.in.LoadInput)
		if p == nil || p.Root.Broken {
			return found, false
		}
		if !p.Root.IsArtifact() {
			return append(found, diag.New(diag.NoArtifact, diag.NoPos, "package %s in %s has no #Artifact: name the directory of an artifact, a component or service", p.Root.Name, in.Dir)), false
		}
		e := spread.NewEvaluator(within).Telling(progress(ctx))
		tree, more := check.Artifact(e, p.Root, spread.Options{})
		out = &Description{Program: p, Artifact: e.Value(p.Root).LookupPath(cue.MakePath(cue.Def("Artifact")))}
		if tree != nil {
			out.Node = tree.Root
		}
		list, again := params.Of(e, p.Root)
		out.Params = list
		return append(append(found, more...), again...), true
	})
	return out, problems.Sorted()
}
