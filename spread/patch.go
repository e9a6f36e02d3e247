package spread

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// patch is what a package gets in place of its own expressions that CUE makes
// nothing of: with one name that nothing has, all of the package would be lost, and
// everything else that is wrong in it. What stands in is _, of which nothing is
// known, at a position that tells what comes of it. Sources stay as they are: CUE
// gets copies.
type patch struct {
	instead map[ast.Expr]ast.Expr
	told    diag.List
	names   []*ast.Ident // that stand in
}

// unknown is a name for a value of which nothing is known. It is a name because CUE
// forgets where a _ was written.
func (x *patch) unknown(at diag.Pos) ast.Expr {
	name := &ast.Ident{Name: fmt.Sprint(fromcue.StandInName, len(x.names)), NamePos: fromcue.Token(at)}
	x.names = append(x.names, name)
	return name
}

// mend replaces what the sources show to lead nowhere: definitions that an import
// does not have, whatever is taken from an import that is not there, artifacts that
// contain themselves. It does so for all that CUE gets together with the package.
func (r *Runner) mend(p *Package) {
	if r.mended[p] {
		return
	}
	r.mended[p] = true
	if x := r.Eval.patches[p]; x != nil {
		r.report(x.told...) // of an earlier run
	} else {
		r.mendSources(p)
	}
	for _, path := range sorting.Ordered(p.Imports) {
		if imp := p.Imports[path]; !imp.Missing && !imp.Broken && !imp.IsModel() && r.Eval.Stubbable(p)[imp] != StubOfArtifact {
			r.mend(imp)
		}
	}
}

// mendSources is [Runner.mend] for the package's own sources.
func (r *Runner) mendSources(p *Package) {
	r.Eval.patches[p] = &patch{instead: map[ast.Expr]ast.Expr{}}
	for _, c := range containment(p) {
		r.replace(p, c.pos, c.problem, nil)
	}
	for _, u := range undefined(p) {
		r.replace(p, u.pos, u.problem, u.meant)
	}
	for _, pos := range takenFromMissing(p) {
		r.replace(p, pos, nil, nil)
	}
	for _, x := range embeddedIn(p) {
		r.standFor(p, x, &diag.Diagnostic{})
	}
	if len(r.Eval.patches[p].instead) > 0 {
		r.Eval.forget()
	}
}

// replace puts something else in place of the expression at a position, if there is
// one: meant, or else what stands in for a value of which nothing is known. The
// problem is reported with it; if it is nil, somebody else has done so.
func (r *Runner) replace(p *Package, pos diag.Pos, problem *diag.Diagnostic, meant ast.Expr) bool {
	x, whole := expressionAt(p, pos)
	if problem != nil {
		r.report(problem)
		r.Eval.patches[p].told = append(r.Eval.patches[p].told, problem)
	} else {
		problem = &diag.Diagnostic{}
	}
	if x == nil {
		return false
	}
	if meant == nil && isModelType(whole) {
		x, meant = whole, ast.NewIdent("_") // the model joins every artifact and deployment by itself
	}
	if meant == nil {
		r.standFor(p, whole, problem)
		return true
	}
	r.Eval.put(p, x, meant)
	return true
}

// standFor puts what stands in for a value of which nothing is known in place of x.
func (r *Runner) standFor(p *Package, x ast.Expr, problem *diag.Diagnostic) {
	at := r.Eval.NewCause()
	*r.causeAt(at) = cause{reported: problem, open: true}
	r.Eval.put(p, x, r.Eval.patches[p].unknown(at))
}

// put makes CUE get something else in place of an expression.
func (e *Evaluator) put(p *Package, x, instead ast.Expr) {
	e.patches[p].instead[x] = instead
	e.mended = true
}

// judge looks for contradictions and cycles of an artifact that are there with a
// config as they are without. CUE does not look any further into a struct in which two
// values exclude each other, nor has it any value that fits into a cycle: these are
// replaced, until there are none.
func (r *Runner) judge(u *Unit, given *value.Data, at Place) *Unit {
	p := u.Package
	for range maxPatched {
		level := r.Eval.level(p, u.loose, u.chain.with(ConfigAt, u.Complete(given)))
		lasting := r.scoped(p, wording.Translate(ownErrors(p, u.Artifact.Validate(), level.Validate()), u.Artifact))
		wrong := r.replaceValues(p, append(lasting, r.configCycles(level)...))
		if len(wrong) == 0 {
			break // told with the level
		}
		for _, d := range wrong {
			nameCheck(p, "#Artifact", at.artifact(u), d, at)
		}
		r.report(wrong...)
		r.Eval.forget()
		v := r.Eval.Value(p).LookupPath(ArtifactPath)
		if !v.Exists() {
			break
		}
		loose := u.loose
		u = NewUnit(p, v)
		u.loose, u.Shared, u.Flawed = loose, true, true
	}
	r.units[p] = u
	return u
}

// ownErrors returns the errors of a package's artifact that lie at paths at which another artifact has errors, too, without
// those of its roles' artifacts.
func ownErrors(p *Package, err, other error) errors.Error {
	known := pathsOf(errors.Errors(other))
	return those(errors.Errors(err), func(e errors.Error) bool { return !isBelow(p, e) && filter.Contains(known, pathOfError(e)) })
}

// replaceValues replaces the values that exclude something else, and returns the
// problems that say so.
func (r *Runner) replaceValues(p *Package, problems diag.List) (wrong diag.List) {
	x := r.Eval.patches[p]
	for _, d := range problems {
		if d.Code != diag.Conflict && d.Code != diag.Cycle || value.IsModel(d.Pos) {
			continue
		}
		value := valueAt(p, d.Pos)
		if value == nil || x.instead[value] != nil {
			continue
		}
		r.standFor(p, value, d)
		x.told = append(x.told, d)
		wrong = append(wrong, d)
	}
	return wrong
}

// isModelType reports whether x is the type of all artifacts or deployments.
func isModelType(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	return ok && filter.Contains([]string{"#Component", "#Service", "#Deployment", "#Environment", "#Policy", "#Template"}, syntax.LabelName(sel.Sel))
}

// patched evaluates a package again, with what CUE made nothing of replaced, until
// it has the definition at path, or nothing more can be done.
func (r *Runner) patched(p *Package, v cue.Value, path cue.Path) cue.Value {
	for range maxPatched {
		problems := r.scoped(p, wording.Translate(v.Err(), v))
		r.report(problems...)
		if !r.patchFailed(p, v.Err(), problems) {
			break
		}
		if v = r.Eval.Value(p); v.LookupPath(path).Exists() {
			break
		}
	}
	return v
}

// maxPatched is how often a package is evaluated again: CUE does not say of all at
// once what it makes nothing of.
const maxPatched = 10

// patchFailed replaces the expressions that CUE's errors about a whole package are
// about. It reports whether there were any; then the package has to be evaluated
// anew.
func (r *Runner) patchFailed(p *Package, err error, problems diag.List) bool {
	patched := false
	for _, e := range errors.Errors(err) {
		pos := diag.At(e.Position())
		owner := ownerOf(p, pos)
		if owner == nil || r.Eval.patches[owner] == nil {
			continue
		}
		i := slices.IndexFunc(problems, func(d *diag.Diagnostic) bool { return d.Pos == pos })
		if i < 0 && len(problems) == 0 {
			continue
		}
		patched = r.replace(owner, pos, problems[max(i, 0)], nil) || patched
	}
	if patched {
		r.Eval.forget()
	}
	return patched
}

// ownerOf is the package, of p and those that it is made of, that a position lies in.
func ownerOf(p *Package, pos diag.Pos) (found *Package) {
	p.Within(func(p *Package) bool {
		if p.HasFile(pos.Filename()) {
			found = p
		}
		return found == nil
	})
	if found == nil || found != p && found.IsModel() {
		return nil
	}
	return found
}

// isPatched reports whether CUE gets something else than the sources of a package,
// or of one that it imports.
func (e *Evaluator) isPatched(p *Package) bool {
	return e.mended && !p.Within(func(p *Package) bool {
		x := e.patches[p]
		return x == nil || len(x.instead) == 0
	})
}

// Patched reports whether CUE got something else than the sources of any package:
// a problem has to say why.
func (e *Evaluator) Patched() bool { return e.mended }

// files are the sources of a package as CUE gets them.
func (e *Evaluator) files(p *Package) []*ast.File {
	x := e.patches[p]
	if x == nil || len(x.instead) == 0 {
		return p.Files
	}
	f := &ast.File{Filename: "kumiki:unknown.cue", Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent(p.Name)}}}
	for _, name := range x.names {
		f.Decls = append(f.Decls, &ast.Field{Label: &ast.Ident{Name: name.Name, NamePos: name.NamePos}, Value: &ast.Ident{Name: "_", NamePos: name.NamePos}})
	}
	return append(syntax.Copy(p.Files, syntax.Change{Instead: x.instead}), f)
}

// forget drops all instances: they were made without the patches.
func (e *Evaluator) forget() {
	fresh := NewEvaluator(e.ctx)
	e.real, e.shallow, e.stubs = fresh.real, fresh.shallow, fresh.stubs
	e.open, e.lean, e.stubbed = fresh.open, fresh.lean, fresh.stubbed
}

// isUnknown reports whether nothing is known of v because of a mistake in the
// sources, which is reported.
func (r *Runner) isUnknown(v cue.Value) bool { return r.openCause(v) != nil }

// openCause is the mistake by which nothing is known of something that v refers to.
func (r *Runner) openCause(v cue.Value) *cause {
	if !filter.Any(r.Eval.causes, func(c *cause) bool { return c.open }) {
		return nil
	}
	return r.openCauseIn(v, 8)
}

func (r *Runner) openCauseIn(v cue.Value, depth int) *cause {
	places := placesAround(v)
	for _, e := range errors.Errors(v.Err()) {
		places = append(places, fromcue.Positions(e)...)
	}
	for _, p := range places {
		if c := r.causeAt(p); c != nil && c.open {
			return c
		}
	}
	op, args := fromcue.ExprOf(v)
	if depth == 0 || op == cue.NoOp && len(args) < 2 {
		return nil
	}
	if op == cue.SelectorOp || op == cue.IndexOp {
		args = append(args, fromcue.Dereference(v))
	}
	for _, a := range args {
		if c := r.openCauseIn(a, depth-1); c != nil {
			return c
		}
	}
	return nil
}
