// Package partial makes levels of a spread without CUE's evaluating an artifact for each
// config: partial evaluation. By the model's first rule everything in an artifact is concrete
// or refers to its config. So CUE evaluates an artifact once, without a config, and what its
// sources show to depend on config is made for each: copies and texts of config by Go, other
// expressions by CUE alone, of themselves or of a slice of the sources.
//
// Nothing else imports this package but whoever starts a spread: see [spread.Shortcut]. Without
// it all is the same, and takes longer.
//
// What comes in: a [spread.Unit] and the config that it is given. In the order in which it is
// asked, a unit without what is plain in its sources is pruned (pruned.go); an artifact without a
// config is its outline (outline.go); what is learnt from that, or from CUE's first evaluation,
// is its residual (residual.go), which makes the level of a config: its sections (schema.go,
// parameters.go), and what depends on them (dependents.go).
package partial

import (
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// New returns a shortcut for the runs of an evaluator.
func New() spread.Shortcut { return shortcut{} }

type shortcut struct{}

// Unit is the artifact of a package without what its sources say in so many words.
func (shortcut) Unit(r *spread.Runner, p *spread.Package) *spread.Unit {
	if u := (&runner{r}).pruned(p); u != nil {
		return u.Unit
	}
	return nil
}

// Level is the artifact with its config, nil where that is for CUE to make.
func (shortcut) Level(r *spread.Runner, u *spread.Unit, at spread.Place) *spread.Level {
	return (&runner{r}).instantiate(knownOf(u), at)
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
}

// knownOf is what is known of an artifact.
func knownOf(u *spread.Unit) *unit {
	if known, ok := u.Learnt.(*unit); ok {
		return known
	}
	known := &unit{Unit: u, defined: map[string]*schema{}}
	u.Learnt = known
	return known
}
