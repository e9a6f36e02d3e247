package spread

import (
	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// Level is one artifact with its config: what is there before anybody looks at the
// artifacts in its roles. CUE makes it (evaluate), or a [Shortcut], or an earlier
// run has made it (recall).
type Level struct {
	Node *value.Node
	// Below has for each role of the node what fills it, nil where nothing is known.
	Below []*Filling
	// Package is the package that the artifact is of, or is written out in.
	Package *Package
}

// Filling is an artifact that is about to be given a config: what becomes a level.
type Filling struct {
	// Package is the package that the artifact is of; nil for one that is written out in
	// place, which is unit.
	Package *Package
	unit    *Unit
	At      Place // which has the config
}

// filling finds what a role or deployment is filled with. The chain leads to the
// artifact in the package, for one that is written out there.
func (r *Runner) filling(artifact cue.Value, pkg *Package, c chain, at Place) *Filling {
	p := r.Eval.StandsFor(artifact)
	if p == nil {
		p = r.Eval.namedBy(pkg, c, artifact)
	}
	if p != nil {
		return &Filling{Package: p, At: at}
	}
	u := NewUnit(pkg, artifact)
	u.chain = c
	return &Filling{unit: u, At: at}
}

// with is the filling with another config.
func (f *Filling) with(given *value.Data) *Filling {
	if given == f.At.Given {
		return f
	}
	out := *f
	out.At.Given = given
	return &out
}

// spread gives an artifact its config and, with what it makes of that, the artifacts in
// its roles theirs. It is nil where roles are nested without end.
func (r *Runner) spread(f *Filling) *value.Node {
	f = r.inContext(f)
	if f.Package == nil {
		defer r.enter(f.unit.Package, f.At)()
		return r.descend(r.level(f.unit, f.At))
	}
	defer r.enter(f.Package, f.At)()
	p, given, found, told := r.apart(f.Package, f.At), f.At.Given, r.found, len(r.Problems)
	key := memoKey{p, given.JSON()}
	if n := r.remembered(key, given); n != nil {
		return n
	}
	if n := r.kept(key, given); n != nil {
		return n
	}
	l := r.levelOf(p, f.At)
	if r.found > found {
		r.doubtLevel(p, r.Problems[told:])
	}
	n := r.descend(l)
	if n == nil || n.Unknown {
		return n
	}
	if r.found == found {
		r.memo[key], r.first[n] = n, given // else each role with this config has the same mistakes
	}
	if r.opts.Keeper != nil && !p.Made.Written {
		r.opts.Keeper.Made(p.Source(), key.given, n)
	}
	return n
}

// descend spreads the configs of a level's roles: the one recursion.
func (r *Runner) descend(l *Level) *value.Node {
	if l == nil {
		return nil
	}
	l = r.passedOn(l)
	for i, role := range l.Node.Roles {
		if f := l.Below[i]; f != nil {
			written, found := r.Eval.written[l.Package], r.found
			f = f.with(written.Given(role.Name, f.At.Given))
			role.Node = written.Placed(role.Name, r.spread(f))
			if r.found > found && l.Package.IsCopy() {
				r.doubt(l.Package, role.Name)
			}
		}
	}
	if l.Node.Config.Get("scale", "qos") != nil {
		l.Node.UnreadQos = unreadQos(l.Node)
	}
	return l.Node
}

// levelOf is the level of a package's artifact.
func (r *Runner) levelOf(p *Package, at Place) *Level {
	if l := r.recall(p, at); l != nil {
		return l
	}
	if u := r.unit(p); u != nil {
		return r.level(u, at)
	}
	return unknownLevel(p, at)
}

// level is an artifact with its config, nil if roles are nested without end.
func (r *Runner) level(u *Unit, at Place) *Level {
	if len(at.Path) > maxDepth {
		r.report(diag.New(diag.TooDeep, at.Pos, "roles are nested more than %d deep at %s; an artifact probably contains itself", maxDepth, at))
		return nil
	}
	if l := r.short(u, at); l != nil {
		return l
	}
	whole := r.whole(u)
	if whole != nil && whole != u { // of which a shortcut may know more
		if l := r.short(whole, at); l != nil {
			return l
		}
		whole = r.whole(whole) // the shortcut keeps what it has learnt of a unit, and drops CUE's value of it
	}
	if whole == nil {
		return unknownLevel(u.Package, at)
	}
	found := r.found
	l := r.evaluate(whole, at)
	if r.found == found {
		r.remember(whole, l, at)
	}
	return l
}

// short asks the shortcut for a level. It returns nil if CUE has to evaluate the level.
func (r *Runner) short(u *Unit, at Place) *Level {
	s := r.shortcut()
	if s == nil {
		return nil
	}
	l := s.Level(r, u, at)
	if l != nil {
		r.Work.Instantiated++
		r.remember(u, l, at)
	}
	return l
}

// unknownLevel is the level of an artifact that could not be evaluated.
func unknownLevel(p *Package, at Place) *Level {
	return &Level{Node: unknown(p, at.Given, at), Package: p}
}

// maxDepth bounds the nesting of services. Imports cannot be circular, so only
// an artifact that is written out within itself can get there.
const maxDepth = 100

// evaluate has CUE make a level.
func (r *Runner) evaluate(u *Unit, at Place) *Level {
	told := len(r.Problems)
	if u.Flawed && u.Shared {
		u = r.judge(u, at.Given, at)
	}
	r.Work.Evaluated++
	noted := r.noted
	r.noted = nil
	defer func() { r.noted = noted }()
	if !u.Shared {
		r.checkResources(u)
	}
	c := r.configure(u, at.Given, at)
	at.level = c.config
	n := &value.Node{Package: u.Package.Source(), Config: c.config, Pos: u.Pos}
	desc := c.value.LookupPath(DescriptionPath)
	n.Builtin, _ = desc.LookupPath(BuiltinPath).Bool()
	if r.contradicts(u, c.value, at) {
		return unknownLevel(u.Package, at)
	}
	r.identity(n, c.value, at)
	var known bool
	if n.Description, known = r.description(u, c.value, at); !known {
		r.validate(u, c.value, at)
		return unknownLevel(u.Package, at)
	}
	n.Description = u.Copied(r.Eval, n.Description, c.config)
	l := &Level{Node: n, Package: u.Package}
	if n.Ref.Kind == "service" && !n.Builtin {
		r.roles(u, l, c, at)
	}
	r.validate(u, c.value, at)
	if u.First == nil && r.shortcut() != nil && len(r.Problems) == told {
		u.First = n
	}
	return l
}
