package matrix

import (
	"context"
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
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
	alone := &part{run: r}
	if alone.unsure(&Result{Cell: cell}) {
		return compiler.Input{}, diag.List{unsureOf(cell.Template, in.Tree)}, nil
	}
	if n := alone.lacking(&Result{Cell: cell}); n != nil {
		return compiler.Input{}, diag.List{environment.NotIn(cell.Template.Name, *n, "environment "+cell.Environment.Name, "it")}, nil
	}
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

// unsureOf says why nothing can be said of a template.
func unsureOf(t *environment.Template, tree *environment.Tree) *diag.Diagnostic {
	for _, n := range t.Requires {
		if filter.Contains(tree.UnknownTemplates, n.Name) {
			return diag.New(diag.Requirement, n.Pos, "template %s requires %s, which cannot be read: kumiki matrix says why", t.Name, n.Name)
		}
	}
	return diag.New(diag.Requirement, t.ByLabels, "template %s accepts clients by their labels, and those of %s are not known, as it cannot be read (kumiki matrix says why): mend it, or accept clients by their names", t.Name, strings.Join(tree.UnknownTemplates, ", "))
}
