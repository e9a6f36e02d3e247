package spread

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/value"
)

// perContext is how many packages are evaluated in one context. A context keeps every
// package until the context itself is garbage. A new one has to evaluate the model again.
const perContext = 40

// levelsPerContext and expressionsPerContext are how many packages made by [Evaluator.Imported], and how
// many expressions, are evaluated in one context. Those are smaller than other packages. What
// [Evaluator.InScope] makes does not count, because a context does not keep it.
const (
	levelsPerContext      = 60
	expressionsPerContext = 2000
	expressionsPerFile    = 10 // which a file counts for
)

// build evaluates an instance. Values of different contexts can be unified.
func (e *Evaluator) build(inst *build.Instance) cue.Value {
	if !e.built[inst] && len(e.built) == perContext {
		e.renew()
	}
	e.built[inst] = true
	e.count(inst)
	return e.ctx.BuildInstance(inst)
}

// nextLevel counts the packages that [Evaluator.Imported] makes.
func (e *Evaluator) nextLevel() {
	if e.levelled == levelsPerContext {
		e.renew()
	}
	e.levelled++
}

// nextExpression counts the expressions.
func (e *Evaluator) nextExpression() {
	if e.expressions == nil || e.expressed >= expressionsPerContext {
		e.expressions, e.expressed = cuecontext.New(), 0
	}
	e.expressed++
}

// expression evaluates what refers to nothing outside of it.
func (e *Evaluator) expression(x ast.Expr) cue.Value {
	e.nextExpression()
	ast.Walk(x, func(ast.Node) bool { e.compiled++; return true }, nil)
	return e.expressions.BuildExpr(x)
}

// File evaluates declarations that refer to nothing outside of them. Other than in an
// expression, CUE closes the definitions there.
func (e *Evaluator) File(f *ast.File) cue.Value {
	e.nextExpression()
	e.expressed += expressionsPerFile - 1
	ast.Walk(f, func(ast.Node) bool { e.compiled++; return true }, nil)
	return e.expressions.BuildFile(f)
}

// renew lets go of all that CUE has made.
func (e *Evaluator) renew() {
	e.ctx, e.levelled = cuecontext.New(), 0
	clear(e.built)
	clear(e.counted)
}

// count adds what CUE is about to compile, but for the model.
func (e *Evaluator) count(inst *build.Instance) {
	if e.counted[inst] {
		return
	}
	e.counted[inst] = true
	for _, f := range inst.Files {
		if !strings.HasPrefix(f.Filename, "kumori.systems/") {
			ast.Walk(f, func(ast.Node) bool { e.compiled++; return true }, nil)
		}
	}
	for _, imp := range inst.Imports {
		e.count(imp)
	}
}

// Unified has a value take another one.
func (e *Evaluator) Unified(v cue.Value, d *value.Data) cue.Value {
	return v.Unify(e.ctx.BuildExpr(Expr(d)))
}

// LetGo drops what CUE has made of the artifact, so that the context of its values can be
// forgotten. What a shortcut knows stays.
func (u *Unit) LetGo() {
	*u = Unit{Package: u.Package, Pos: u.Pos, Bare: u.Bare, Shared: true, Partial: true, Learnt: u.Learnt}
}
