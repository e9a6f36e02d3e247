package spread

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// A service may have roles, or parts of them, under conditions on its config:
//
//	if config.parameter.cache {role: cache: {artifact: c.#Artifact}}
//
// Once the config is known, the service is one in which the fields are written without the
// condition, or not at all: a copy of its package, for all configs with the same answers.

// decisions are the conditions of a package, and what is made of it with some answers.
type decisions struct {
	all      []depends.Decision
	declared *Unit // of the config alone
	with     map[string]*Package
}

// maxAnswers is how many copies of a package are made. Where there are more, it is used
// too often for each to be worth its while.
const maxAnswers = 8

// worthDeciding is how many roles a service has at least: CUE evaluates one with fewer as fast
// as its config alone.
const worthDeciding = 8

// decided is the package with what its conditions give with a config, p itself where that is
// not known.
func (r *Runner) decided(p *Package, at Place) *Package {
	d := r.Eval.decisions(p)
	if d == nil || len(r.Problems) > 0 {
		return p
	}
	config := d.config(r, at)
	if config == nil {
		return p
	}
	answers := d.answers(r, config)
	if answers == nil {
		return p
	}
	key := fmt.Sprint(answers)
	if d.with[key] == nil && len(d.with) < maxAnswers {
		d.with[key] = d.copied(p, answers)
	}
	if d.with[key] == nil {
		return p
	}
	return d.with[key]
}

// decisions are nil for a package without roles, or without conditions that could be decided.
func (e *Evaluator) decisions(p *Package) *decisions {
	d, known := e.decide[p]
	if known {
		return d
	}
	e.decide[p] = nil
	if !p.IsUsable() || p.Made.From != nil || !p.HasRoles() || e.isPatched(p) || syntax.HasUnused(p.Files) || !hasConditions(p) {
		return nil
	}
	p.Link()
	referred, ok := namesIn(p.Files)
	if !ok || len(undefined(p)) > 0 || len(takenFromMissing(p)) > 0 {
		return nil
	}
	sources := e.library.Names(p)
	if sources.Roles() < worthDeciding {
		return nil
	}
	all := slices.DeleteFunc(sources.Decisions(), func(x depends.Decision) bool { return !canBeWritten(x.At, referred) })
	if len(all) == 0 {
		return nil
	}
	config := e.Sliced(p, sources.Slice(false, depends.Path(ConfigAt)))
	v := e.Value(config)
	if v.Err() != nil {
		e.ForgetFailed()
		return nil
	}
	e.decide[p] = &decisions{all: all, declared: NewUnit(config, v.LookupPath(ArtifactPath)), with: map[string]*Package{}}
	return e.decide[p]
}

// config is the finished config of the service, nil where anything is wrong with it.
func (d *decisions) config(r *Runner, at Place) *value.Data {
	r.Work.Sliced++
	return r.QuietConfig(d.declared, at.Given, at)
}

// answer is what a condition gives: unclear is for CUE, where it meets the artifact as a whole.
type answer byte

const (
	unclear answer = '?'
	holds   answer = 't'
	fails   answer = 'f'
)

// answers are those that a config gives, nil if all are unclear.
func (d *decisions) answers(r *Runner, config *value.Data) (out []answer) {
	var asked []*depends.Closed
	for _, x := range d.all {
		asked = append(asked, x.Asks...)
	}
	v, ok := r.Eval.Closed(asked, config)
	if !ok {
		return nil
	}
	n, clear := 0, false
	for _, x := range d.all {
		a := holds
		for range x.Asks {
			is, err := v.LookupPath(PathOf([]string{fmt.Sprint(n)})).Bool()
			switch n++; {
			case err != nil:
				a = unclear
			case !is && a == holds:
				a = fails
			}
		}
		out, clear = append(out, a), clear || a != unclear
	}
	if !clear {
		return nil
	}
	return out
}

// copied is the package with the answers in place of its conditions.
func (d *decisions) copied(p *Package, answers []answer) *Package {
	change := syntax.Change{Expand: map[ast.Decl][]syntax.Change{}}
	for i, x := range d.all {
		switch answers[i] {
		case holds:
			change.Expand[x.At] = []syntax.Change{change}
		case fails:
			change.Expand[x.At] = []syntax.Change{}
		}
	}
	return &Package{Path: p.Path, Name: p.Name, Module: p.Module, Files: syntax.Copy(p.Files, change), Imports: p.Imports, Made: source.Made{From: p, Decided: true}}
}

// hasConditions reports whether there is an if outside of lists and arguments.
func hasConditions(p *Package) (found bool) {
	for _, f := range p.Files {
		if value.IsModel(fromcue.Pos(f)) {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ListLit, *ast.CallExpr, *ast.Interpolation:
				return false
			case *ast.IfClause:
				found = true
			}
			return !found
		}, nil)
	}
	return found
}

// canBeWritten reports whether the body of a condition could as well be written where the
// condition is: it is nothing but fields, and nothing refers to one by its name.
func canBeWritten(x *ast.Comprehension, referred map[string]bool) bool {
	body, ok := x.Value.(*ast.StructLit)
	return ok && !slices.ContainsFunc(body.Elts, func(d ast.Decl) bool {
		switch x := d.(type) {
		case *ast.Comprehension:
			return false // which may stay one
		case *ast.Field:
			name := syntax.LabelName(x.Label)
			_, isPattern := x.Label.(*ast.ListLit)
			return x.Alias != nil || x.Constraint != token.ILLEGAL || isPattern || syntax.IsAside(name) || referred[name]
		}
		return true
	})
}

// namesIn are the names by which something in the files is referred to; false if one of
// them leads nowhere, which CUE minds under any condition.
func namesIn(files []*ast.File) (names map[string]bool, ok bool) {
	names, ok = map[string]bool{}, true
	declares := map[*ast.Ident]bool{}
	declare := func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && id != nil {
			declares[id] = true
		}
	}
	for _, f := range files {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Package, *ast.ImportDecl:
				return false
			case *ast.Field:
				declare(x.Label)
			case *ast.SelectorExpr:
				declare(x.Sel)
			case *ast.ForClause:
				declare(x.Key)
				declare(x.Value)
			case *ast.LetClause:
				declare(x.Ident)
			case *ast.Alias:
				declare(x.Ident)
			case *ast.Ident:
				if !declares[x] {
					names[x.Name] = true
					ok = ok && (x.Node != nil || x.Scope != nil || depends.IsPredeclared(x.Name))
				}
			}
			return true
		}, nil)
	}
	return names, ok
}
