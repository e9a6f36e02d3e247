package spread

import (
	"fmt"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/rewrite"
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
		d.with[key] = rewrite.Decided(p, d.clear(answers))
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
	if e.isPatched(p) {
		return nil
	}
	all := rewrite.Conditions(p, e.library)
	if len(all) == 0 || len(undefined(p)) > 0 || len(takenFromMissing(p)) > 0 {
		return nil
	}
	config := e.Sliced(p, e.library.Sources(p).Slice(false, depends.Path(ConfigAt)))
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

// clear are the answers that are known, by condition.
func (d *decisions) clear(answers []answer) map[*ast.Comprehension]bool {
	out := map[*ast.Comprehension]bool{}
	for i, x := range d.all {
		if answers[i] != unclear {
			out[x.At] = answers[i] == holds
		}
	}
	return out
}
