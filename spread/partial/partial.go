// Package partial makes levels of a spread without CUE's evaluating an artifact for each
// config: partial evaluation. By the model's first rule everything in an artifact is concrete
// or refers to its config. So CUE evaluates an artifact once, without a config. For each config
// only the values that depend on it are made: Go makes copies and texts of config, and CUE
// evaluates other expressions by themselves, or in a slice of the sources.
//
// Nothing else imports this package but whoever starts a spread: see [spread.Shortcut]. Without
// it all is the same, and takes longer.
//
// What comes in is a [spread.Unit] and the config that it is given. The steps, in their order:
// pruned.go takes the literal fields out of what CUE sees of a package (sources.go reads them by their
// syntax), and evaluates what config decides in slices of the sources; outline.go reads an artifact without a config; residual.go learns from that, or
// from CUE's first evaluation, and makes the level of a config: its sections (schema.go,
// parameters.go), and the values that depend on them (dependents.go).
package partial

import (
	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// New returns a shortcut for the runs of an evaluator.
func New() spread.Shortcut { return shortcut{} }

type shortcut struct{}

// Unit is the artifact of a package without its literal fields, nil where there are none.
func (shortcut) Unit(r *spread.Runner, p *spread.Package) *spread.Unit {
	if isBeyond(p) {
		return nil
	}
	if u := (&runner{r}).pruned(p, nil); u != nil {
		return u.Unit
	}
	return nil
}

// Level is the artifact with its config, nil where that is for CUE to make.
func (shortcut) Level(r *spread.Runner, u *spread.Unit, at spread.Place) *spread.Level {
	known := knownOf(u)
	if known.beyond {
		return nil
	}
	own, before := &runner{r}, len(known.unwritten)
	l := own.instantiate(known, at)
	if l != nil || len(known.unwritten) == before {
		return l
	}
	again := own.pruned(u.Package, known.unwritten)
	if again == nil {
		return nil
	}
	r.Replace(again.Unit)
	return own.instantiate(again, at)
}

// runner is a run, as this package sees it.
type runner struct{ *spread.Runner }

// unit is an artifact with what is known of it.
type unit struct {
	*spread.Unit
	// src is what the sources say.
	src *sources
	// first is the outline or, where there is none, the first evaluation without problems.
	// residual is how the artifact looks with other configs, nil if that is not known;
	// outlined and learnt tell that either was tried.
	first    *value.Node
	outlined bool
	learnt   bool
	residual *residual
	// defined is what is known of definitions that fields of the sections of config are said
	// to be.
	defined map[string]*schema
	// computed are the expressions of which it is known whether Go can evaluate them.
	computed map[*depends.Closed]*computed
	// choices are the answers of [unit.showsChoice] by path.
	choices map[string]bool
	// unwritten are the names of roles of which Go could not make a part, see [dependents.written]: those are for CUE.
	unwritten map[string]bool
	// loose are the answers of [isLoose] by path.
	loose map[string]bool
	// beyond is [isBeyond] of the package.
	beyond bool
	// settles is [residual.settles] with what is given of the config that is filled in.
	settles func() bool
	// open tells that a value that was made has none as long as the defaults of the config are no more than that.
	open bool
}

// knownOf returns what this package knows of an artifact, which is kept with it.
func knownOf(u *spread.Unit) *unit {
	if known, ok := u.Learnt.(*unit); ok {
		return known
	}
	known := &unit{Unit: u, defined: map[string]*schema{}, computed: map[*depends.Closed]*computed{}, choices: map[string]bool{}, loose: map[string]bool{}, beyond: isBeyond(u.Package)}
	u.Learnt = known
	return known
}
