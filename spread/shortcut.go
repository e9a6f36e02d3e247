package spread

// Shortcut makes levels without CUE's evaluating an artifact for each config. What it makes is
// what CUE makes, down to the place of every value; where that is not certain it makes nothing.
// An evaluator has at most one, in its Options of [Run]; without, CUE makes all levels.
type Shortcut interface {
	// Unit is the artifact of a package, of which CUE has seen no more than what its sources do
	// not tell ([Unit.Partial]); nil where CUE has to see all, or anything is wrong.
	Unit(r *Runner, p *Package) *Unit
	// Level gives an artifact its config, nil where CUE has to.
	Level(r *Runner, u *Unit, at Place) *Level
}

// shortcut is the one of the run, nil for none.
func (r *Runner) shortcut() Shortcut {
	if r.opts.NoPartial || r.symbolic {
		return nil
	}
	return r.opts.Shortcut
}
