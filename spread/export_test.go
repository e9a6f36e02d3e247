package spread

import "kumiki.dev/value"

// Fill gives the artifact of a package a config, with nothing but CUE. It returns nil if
// anything is wrong.
func Fill(e *Evaluator, p *Package, config *value.Data) *value.Node {
	r := newRunner(e, Options{NoPartial: true})
	n := r.fillWith(p, config, place{})
	if r.found > 0 {
		return nil
	}
	return n
}
