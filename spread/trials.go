package spread

import (
	"maps"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// Trials are runs of an artifact without a deployment, which is given one configuration
// after the other. They differ from [Run] in that the types of what a service passes to its
// roles are compared as well, since values that are made up would hide a wrong type, and in
// that CUE makes all levels. What is known of artifacts is found once for all trials.
type Trials struct {
	eval  *Evaluator
	opts  Options
	units map[*Package]*Unit
	memo  map[memoKey]*value.Node
	met   map[*Package]bool // whose flaws are known
}

// Trial is what becomes of one configuration.
type Trial struct {
	// Node is the artifact with its configuration, nil where roles are nested without end.
	Node *value.Node
	// Problems are those that the configuration has shown.
	Problems diag.List
	// Evaluated is the number of artifacts that CUE has evaluated.
	Evaluated int

	memo map[memoKey]*value.Node
}

// NewTrials evaluates the artifact of a package, and returns what is wrong with it before it
// has a config.
func NewTrials(e *Evaluator, p *Package, opts Options) (*Trials, diag.List) {
	t := &Trials{eval: e, opts: opts, units: map[*Package]*Unit{}, memo: map[memoKey]*value.Node{}, met: map[*Package]bool{p: true}}
	r := t.runner()
	r.unit(p)
	return t, r.Problems
}

// Artifact returns the artifact of a package: of the one that is tried, or of one that a trial
// has met in a role. It is nil for any other, and where it could not be used.
func (t *Trials) Artifact(p *Package) *Unit { return t.units[p] }

// Give gives an artifact a configuration.
func (t *Trials) Give(u *Unit, config *value.Data) *Trial {
	r := t.runner()
	n := r.descend(r.level(u, r.whereabouts(u.Package, Place{Pos: u.Pos, Given: config})))
	return &Trial{Node: n, Problems: r.Problems, Evaluated: r.Work.Evaluated, memo: r.memo}
}

// Keep makes later trials take from this one the roles whose artifact and config are equal. It
// is for trials in which nothing was wrong: the problems of a role that is taken are not
// reported again.
func (t *Trials) Keep(trial *Trial) { t.memo = trial.memo }

// Flaws returns what is wrong, whatever the config is, with the artifacts in roles that trials
// have met since it was last called.
func (t *Trials) Flaws() diag.List {
	var out diag.List
	packages := slices.Collect(maps.Keys(t.units))
	sorting.By(packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	for _, p := range packages {
		if t.met[p] {
			continue
		}
		t.met[p] = true
		if u := t.units[p]; u != nil && !u.Flawed {
			continue
		}
		r := newRunner(t.eval, t.opts)
		r.symbolic = true
		r.unit(p)
		out = append(out, r.Problems...)
	}
	return out
}

// runner returns a runner for one configuration.
func (t *Trials) runner() *Runner {
	r := newRunner(t.eval, t.opts)
	r.symbolic, r.units, r.memo = true, t.units, maps.Clone(t.memo)
	return r
}
