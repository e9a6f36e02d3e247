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
		w = e.seen(rewrite.Roles(p, e.library, e.leaf))
		e.written[p] = w
	}
	if w == nil {
		return p
	}
	return w.Package
}

// seen keeps a copy. It is nil also if the copy would show something else than the package.
func (e *Evaluator) seen(w *rewrite.Copy) *rewrite.Copy {
	if w.Passes() && len(e.Stubbable(w.Package)) == 0 {
		return nil // something reads the artifacts, which have not got what is passed on to them
	}
	if w != nil {
		e.written[w.Package] = w
	}
	return w
}

// doubts are packages, as they were loaded, and their roles in which a run has found problems while it spread copies of the packages. The role "" stands for
// the whole package. A copy may tell a problem in other words than the package itself, or twice: so both are left as they are in the next run.
type doubts map[*Package]map[string]bool

func (d doubts) add(p *Package, role string) {
	p = p.Source()
	if d[p] == nil {
		d[p] = map[string]bool{}
	}
	d[p][role] = true
}

// apart is the package that is spread in place of p: a copy of it, unless that had problems in the run before.
func (r *Runner) apart(p *Package, at Place) *Package {
	if r.opts.NoPartial || r.symbolic {
		return p
	}
	asIs := r.before[p.Source()]
	switch {
	case asIs[""]:
		return p
	case asIs == nil:
		return r.Eval.apartFrom(r.decided(p, at))
	}
	p = r.decided(p, at)
	w, known := r.without[p]
	if !known {
		w = r.Eval.seen(r.Eval.written[p].But(asIs, p, r.Eval.library, r.Eval.leaf))
		r.without[p] = w
	}
	if w == nil {
		return p
	}
	return w.Package
}

// doubtLevel notes that there are problems in the level of a copy itself.
func (r *Runner) doubtLevel(copied *Package, problems diag.List) {
	if !copied.IsCopy() {
		return
	}
	w := r.Eval.written[copied]
	for _, d := range problems {
		role := w.RoleAt(d.Pos)
		if role == "" && ofRolesArtifact(d.At) {
			role = d.At[2]
		}
		r.doubt(copied, role)
	}
	if len(problems) == 0 { // they were told before
		r.doubt(copied, "")
	}
}

// doubt notes that there are problems in a copy: in a role, or in the copy itself if that is "".
func (r *Runner) doubt(copied *Package, role string) {
	w := r.Eval.written[copied]
	r.alone = r.alone || w.HasConstants() // which lie elsewhere than what CUE makes of a reference to an artifact
	switch {
	case role == "" || !w.OnlyWritten():
		r.doubts.add(copied, "")
	case !r.before[copied.Source()][role]:
		r.doubts.add(copied, role)
		if pkg, sharing := w.Sharing(role); pkg != nil && (r.units[pkg] == nil || r.units[pkg].Flawed) { // whatever the config is
			for _, other := range sharing {
				r.doubts.add(copied, other)
			}
		}
	}
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
			r.doubt(l.Package, "")
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
