package spread

import (
	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// level is one artifact with its config: what is there before anybody looks at the
// artifacts in its roles. CUE makes it (evaluate), or a shortcut (instantiate), or an
// earlier run has made it (recall).
type level struct {
	node *value.Node
	// below has for each role of the node what fills it, nil where nothing is known.
	below []*filling
	// pkg is the package that the artifact is of, or is written out in.
	pkg *Package
}

// filling is an artifact that is about to be given a config: what becomes a level.
type filling struct {
	// pkg is the package that the artifact is of; nil for one that is written out in
	// place, which is unit.
	pkg  *Package
	unit *unit
	at   place // which has the config
}

// filling finds what a role or deployment is filled with. The chain leads to the
// artifact in the package, for one that is written out there.
func (r *runner) filling(artifact cue.Value, pkg *Package, c chain, at place) *filling {
	p := r.eval.standsFor(artifact)
	if p == nil {
		p = r.eval.namedBy(pkg, c, artifact)
	}
	if p != nil {
		return &filling{pkg: p, at: at}
	}
	u := newUnit(pkg, artifact)
	u.chain = c
	return &filling{unit: u, at: at}
}

// spread gives an artifact its config and, with what it makes of that, the artifacts in
// its roles theirs. It is nil where roles are nested without end.
func (r *runner) spread(f *filling) *value.Node {
	f = r.inContext(f)
	if f.pkg == nil {
		defer r.enter(f.unit.pkg, f.at)()
		return r.descend(r.level(f.unit, f.at))
	}
	defer r.enter(f.pkg, f.at)()
	p, given, found := f.pkg, f.at.given, r.found
	if !r.opts.NoPartial && !r.symbolic {
		p = r.eval.apartFrom(r.decided(p, f.at))
		defer func() { r.doubtful = r.doubtful || p.origin != nil && r.found > found }()
	}
	key := memoKey{p, given.JSON()}
	if n := r.remembered(key, given); n != nil {
		return n
	}
	if n := r.kept(key, given); n != nil {
		return n
	}
	n := r.descend(r.levelOf(p, f.at))
	if n == nil || n.Unknown {
		return n
	}
	if r.found == found {
		r.memo[key], r.first[n] = n, given // else each role with this config has the same mistakes
	}
	if r.opts.Keeper != nil && !p.written {
		r.opts.Keeper.Made(p.source(), key.given, n)
	}
	return n
}

// descend spreads the configs of a level's roles: the one recursion.
func (r *runner) descend(l *level) *value.Node {
	if l == nil {
		return nil
	}
	for i, role := range l.node.Roles {
		if f := l.below[i]; f != nil {
			written := r.eval.written[l.pkg]
			role.Node = written.placed(role.Name, r.spread(written.given(role.Name, f)))
		}
	}
	if l.node.Config.Get("scale", "qos") != nil {
		l.node.UnreadQos = unreadQos(l.node)
	}
	return l.node
}

// levelOf is the level of a package's artifact.
func (r *runner) levelOf(p *Package, at place) *level {
	if l := r.recall(p, at); l != nil {
		return l
	}
	if u := r.unit(p); u != nil {
		return r.level(u, at)
	}
	return &level{node: unknown(p, at.given, at), pkg: p}
}

// level is an artifact with its config, nil if roles are nested without end.
func (r *runner) level(u *unit, at place) *level {
	if len(at.path) > maxDepth {
		r.report(diag.New(diag.TooDeep, at.pos, "roles are nested more than %d deep at %s; an artifact probably contains itself", maxDepth, at))
		return nil
	}
	if l := r.instantiate(u, at); l != nil {
		r.work.Instantiated++
		r.remember(u, l, at)
		return l
	}
	whole := r.whole(u)
	if whole == nil {
		return &level{node: unknown(u.pkg, at.given, at), pkg: u.pkg}
	}
	found := r.found
	l := r.evaluate(whole, at)
	if r.found == found {
		r.remember(whole, l, at)
	}
	return l
}

// maxDepth bounds the nesting of services. Imports cannot be circular, so only
// an artifact that is written out within itself can get there.
const maxDepth = 100

// evaluate has CUE make a level.
func (r *runner) evaluate(u *unit, at place) *level {
	known := len(r.problems)
	if u.flawed && u.shared {
		u = r.judge(u, at.given, at)
	}
	r.work.Evaluated++
	noted := r.noted
	r.noted = nil
	defer func() { r.noted = noted }()
	if !u.shared {
		r.checkResources(u)
	}
	c := r.configure(u, at.given, at)
	at.level = c.config
	n := &value.Node{Package: u.pkg.source(), Config: c.config, Pos: u.pos}
	desc := c.value.LookupPath(descriptionPath)
	n.Builtin, _ = desc.LookupPath(builtinPath).Bool()
	r.identity(n, c.value, at)
	n.Description = r.description(u, c.value, at)
	if x := u.shows(r.eval); x != nil {
		n.Description = u.copies(n.Description, x.described, c.config, u.shownValue)
	}
	l := &level{node: n, pkg: u.pkg}
	if n.Ref.Kind == "service" && !n.Builtin {
		r.roles(u, l, c, at)
	}
	r.validate(u, c.value, at)
	if u.first == nil && !r.opts.NoPartial && !r.symbolic && len(r.problems) == known {
		u.first = n
	}
	return l
}
