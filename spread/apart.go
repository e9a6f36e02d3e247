package spread

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/rewrite"
	"kumiki.dev/value"
)

// apartFrom is a package whose roles are filled by packages, where p writes artifacts out;
// p itself where it does not.
func (e *Evaluator) apartFrom(p *Package) *Package {
	w, ok := e.written[p]
	if !ok {
		w = rewrite.Roles(p, e.library, e.leaf)
		if w.Passes() && len(e.Stubbable(w.Package)) == 0 {
			w = nil // something reads the artifacts, which have not got what is passed on to them
		}
		e.written[p] = w
		if w != nil {
			e.written[w.Package] = w
		}
	}
	if w == nil {
		return p
	}
	return w.Package
}

// passedOn is a level in which roles give their artifacts what they pass on to them: see [rewrite.Copy].
func (r *Runner) passedOn(l *Level) *Level {
	written := r.Eval.written[l.Package]
	if !written.Passes() {
		return l
	}
	n := *l.Node
	out := &Level{Node: &n, Below: slices.Clone(l.Below), Package: l.Package}
	n.Roles = slices.Clone(n.Roles)
	for i, role := range n.Roles {
		meta, lifted, ok := written.Passed(role.Meta)
		if !ok { // the deployment is spread again, without the copy
			r.inexact = true
			r.report(diag.New(diag.RoleNotConcrete, role.Pos, "role %s cannot pass on what its artifact refers to", role.Name))
		}
		if lifted == nil {
			continue
		}
		without := *role
		without.Meta, n.Roles[i] = meta, &without
		if f := out.Below[i]; f != nil {
			out.Below[i] = f.with(value.OrEmpty(f.At.Given).Set(depends.Lifted, lifted))
		}
	}
	return out
}

// leaf is a [rewrite.Leaf].
func (e *Evaluator) leaf(p *Package, path []string, move func(diag.Pos) diag.Pos) ast.Expr {
	v := e.Value(p).LookupPath(cue.MakePath(cue.Def("#Artifact"))).LookupPath(PathOf(path))
	f := &Finisher{}
	d := f.Finish(v, nil)
	if d == nil || len(f.Problems) > 0 || f.Defaulted > 0 || d.IsComposite() || d.Kind == value.Null {
		return nil
	}
	return Expr(d.Moved(move))
}

// deployedApart is [rewrite.Deployed], nil also where CUE gets something else than the sources.
func (e *Evaluator) deployedApart(p *Package) *Package {
	if e.whole || e.isPatched(p) {
		return nil
	}
	return rewrite.Deployed(p, e.library)
}
