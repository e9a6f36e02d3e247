package check

import (
	"kumiki.dev/diag"
	"kumiki.dev/spread"
	"kumiki.dev/spread/guards"
	"kumiki.dev/value"
)

// Needs is what an artifact asks of a deployment, and what it makes of no more than that.
type Needs struct {
	// Unit is the artifact.
	Unit *spread.Unit
	// Sources is what its sources say.
	Sources *guards.Sources
	// Node is the artifact with the first configuration that it takes, or else with the first
	// that was tried.
	Node *value.Node

	checker *checker
}

// NeedsOf finds out what the artifact of a package asks of a deployment. It tries no other
// configurations than it takes to find one that the artifact does not refuse. The result is nil
// when the artifact cannot be evaluated.
func NeedsOf(e *spread.Evaluator, p *spread.Package) (*Needs, diag.List) {
	c := newChecker(e, p, spread.Options{})
	if c.unit == nil {
		return nil, c.found
	}
	c.begin()
	if c.first == nil {
		return nil, c.found.Sorted()
	}
	return &Needs{Unit: c.unit, Sources: c.sources, Node: c.first, checker: c}, c.found.Sorted()
}

// Asks reports whether a deployment has to give the field at a path of the config, or part of it.
func (n *Needs) Asks(path []string) bool { return n.checker.asksFor(path) }

// UnitOf returns the artifact that a node was made of: the one that was asked for or one in its roles.
// It is nil where nothing is known of it.
func (n *Needs) UnitOf(of *value.Node) *spread.Unit {
	return n.checker.runs.Artifact(spread.PackageOf(of))
}

// SourcesOf returns what the sources of such an artifact say.
func (n *Needs) SourcesOf(of *value.Node) *guards.Sources {
	return n.checker.sourcesOf(spread.PackageOf(of))
}
