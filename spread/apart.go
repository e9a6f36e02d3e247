package spread

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/spread/rewrite"
	"kumiki.dev/value"
)

// apartFrom is a package whose roles are filled by packages, where p writes artifacts out;
// p itself where it does not.
func (e *Evaluator) apartFrom(p *Package) *Package {
	w, ok := e.written[p]
	if !ok {
		w = rewrite.Roles(p, e.library, e.leaf)
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
