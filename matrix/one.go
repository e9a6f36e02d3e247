package matrix

import (
	"context"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
)

// One is what compiling a single cell takes, as [Run] compiles it. What it requires is
// compiled first. The error is one of the system.
func One(ctx context.Context, in Input, cell *environment.Cell) (compiler.Input, diag.List, error) {
	required := map[string]bool{}
	for _, n := range cell.Template.Requires {
		required[n.Name] = true
	}
	in.Keep = true
	in.Only = func(c *environment.Cell) bool {
		return c.Environment.Name == cell.Environment.Name && required[c.Template.Name]
	}
	r := newRun(ctx, in)
	if err := r.all(); err != nil {
		return compiler.Input{}, nil, err
	}
	var problems diag.List
	for _, p := range r.out.Problems() {
		if p.Severity == diag.Error {
			problems = append(problems, p.Diagnostic)
		}
	}
	if problems != nil {
		return compiler.Input{}, problems, nil
	}
	p := &part{run: r, group: &group{template: cell.Template, artifact: cell.Artifact}, checks: r.checks()}
	result := &Result{Cell: cell}
	if problems := p.open(); problems.HasErrors() {
		return compiler.Input{}, problems, nil
	}
	if len(cell.Environment.Keys) > 0 {
		if _, problems := p.sources(); problems.HasErrors() {
			return compiler.Input{}, problems, nil
		}
		if problems := p.unsigned(result); problems != nil {
			return compiler.Input{}, problems, nil
		}
	}
	return p.inputOf(result), nil, nil
}
