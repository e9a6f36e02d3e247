package solution

import (
	"fmt"
	"iter"
	"maps"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
)

// Verify reports what breaks the rules that every later stage relies on: there
// is one top and everything descends from it, connectors and links end at
// channels of the right side, artifacts are flat, nothing is left out, and the
// layout and the digest fit the rest. It is for solutions that were read or
// changed; what [Extract] returns without an error keeps the rules. It gives up
// after a hundred problems.
func Verify(s *Solution) diag.List {
	if s == nil {
		return diag.List{diag.New(diag.Invariant, diag.NoPos, "there is no solution")}
	}
	v := newVerifier(s)
	v.rules()
	if s.Digest != "" && len(v.problems) == 0 {
		v.digest()
	}
	return v.problems
}

// verifier collects what Verify finds.
type verifier struct {
	s        *Solution
	problems diag.List
	// sorted reports whether members are looked at by name. It takes time, and only
	// makes a difference where there is something to report.
	sorted bool
	// looked has the artifacts that were looked at: equal roles share theirs.
	looked map[*Artifact]bool
}

func newVerifier(s *Solution) *verifier { return &verifier{s: s, looked: map[*Artifact]bool{}} }

// each are the members of an object.
func each[V any](v *verifier, members map[string]V) iter.Seq2[string, V] {
	if !v.sorted {
		return maps.All(members)
	}
	return func(yield func(string, V) bool) {
		for _, name := range keys(members) {
			if !yield(name, members[name]) {
				return
			}
		}
	}
}

// at is a place in the JSON, told from its end: most places are never spelt out.
type at struct {
	up   *at
	name string
}

// root is the solution itself.
var root *at

func (p *at) in(name string) *at { return &at{p, name} }

// path is the whole way, from the root.
func (p *at) path() []string {
	if p == nil {
		return nil
	}
	return append(p.up.path(), strings.Clone(p.name)) // a clone, so that no place need be on the heap
}

func (v *verifier) report(p *at, format string, args ...any) {
	if len(v.problems) == maxProblems {
		return // nobody reads more, and the hints in them take their time
	}
	text := fmt.Sprintf(format, args...)
	if p != nil {
		text = dotted(p.path()) + ": " + text
	}
	v.problems = append(v.problems, diag.New(diag.Invariant, diag.NoPos, "%s", diag.Printable(text)).AtPath(p.path()...))
}

// needs reports a problem unless the condition holds.
func (v *verifier) needs(ok bool, p *at, format string, args ...any) bool {
	if !ok {
		v.report(p, format, args...)
	}
	return ok
}

// rules reports what breaks the rules in the order of their places.
func (v *verifier) rules() {
	if v.inAnyOrder(); len(v.problems) > 0 {
		*v = *newVerifier(v.s)
		v.sorted = true
		v.inAnyOrder()
	}
}

func (v *verifier) inAnyOrder() {
	s := v.s
	if s.Cspec == "" {
		v.report(root.in("cspec"), "is missing: it is the version of the format, %q", Cspec)
		return
	}
	if !v.needs(s.Cspec == Cspec, root.in("cspec"), "is %q: only version %q of the format is known", s.Cspec, Cspec) {
		return // every other complaint would follow from it
	}
	v.needs(s.Ref.Kind == "solution", root.in("ref").in("kind"), "is %q: it is \"solution\"", s.Ref.Kind)
	v.needs(s.Ref.Name == s.Top, root.in("ref").in("name"), "is %q: it is the name of the top, %q", s.Ref.Name, s.Top)
	v.needs(s.Links != nil, root.in("links"), "is missing: write [] for none")
	v.needs(s.Deployments[s.Top] != nil, root.in("top"), "is %q, which is no deployment%s", s.Top, later(func() string { return listing(keys(s.Deployments)) }))
	for name, d := range each(v, s.Deployments) {
		v.deployment(root.in("deployments").in(name), name, d)
	}
	v.up()
	v.links()
	v.external()
	v.beside()
	if s.Layout != nil {
		v.layout()
	}
	v.late()
	if s.Inputs != nil {
		v.needs(s.Inputs.Modules != nil, root.in("inputs").in("modules"), "is missing: write [] for none")
		for i, m := range s.Inputs.Modules {
			v.needs(m.Module != "", root.in("inputs").in("modules").in(itoa(i)).in("module"), "is empty")
		}
	}
}

// up checks that up is a tree that hangs from the top.
func (v *verifier) up() {
	done := map[string]bool{}
	for name := range each(v, v.s.Deployments) {
		var way []string
		step := map[string]int{} // of the way, from 0
		for at := name; !done[at]; at = *v.s.Deployments[at].Up {
			if i, ok := step[at]; ok {
				v.report(root.in("deployments").in(at).in("up"), "goes in a circle: %s", strings.Join(append(way[i:], at), " → "))
				break
			}
			step[at] = len(way)
			way = append(way, at)
			if !v.above(at) {
				break
			}
		}
		for _, at := range way {
			done[at] = true
		}
	}
}

// above reports whether up of the deployment leads to another of the solution,
// and reports it if it should and does not.
func (v *verifier) above(name string) bool {
	d, p := v.s.Deployments[name], root.in("deployments").in(name).in("up")
	switch {
	case d == nil:
		return false // reported with the deployment
	case d.Up != nil && v.s.Deployments[*d.Up] != nil:
		return true
	case name == v.s.Top:
		return false // it may hang from a deployment of the cluster
	case d.Up == nil:
		v.report(p, "is null, which makes it a second top beside %s: name the deployment that it belongs to", v.s.Top)
	default:
		v.report(p, "is %s, which is no deployment of the solution%s", quoted(*d.Up), nearby(*d.Up, v.s.Deployments))
	}
	return false
}

// links checks that every link joins a client with a server channel, and that
// every inherited channel has a link.
func (v *verifier) links() {
	seen := map[[4]string]bool{}
	linked := map[Place]bool{}
	for i, l := range v.s.Links {
		p := root.in("links").in(itoa(i))
		key := [4]string{l.Source, l.SourceChannel, l.Target, l.TargetChannel}
		v.needs(!seen[key], p, "is there twice: channel %s of %s already leads to channel %s of %s", l.SourceChannel, l.Source, l.TargetChannel, l.Target)
		seen[key] = true
		v.needs(l.Meta.Meta != nil, p.in("meta").in("meta"), "is missing: write {} for none")
		if srv, ok := v.linkEnd(p.in("s_d"), l.Source); ok {
			v.channel(p.in("s_c"), srv, l.SourceChannel, true, l.Source)
		}
		if srv, ok := v.linkEnd(p.in("t_d"), l.Target); ok {
			v.channel(p.in("t_c"), srv, l.TargetChannel, false, l.Target)
		}
		linked[Place{Deployment: l.Source, Channel: l.SourceChannel}] = true
		linked[Place{Deployment: l.Target, Channel: l.TargetChannel}] = true
	}
	for name, d := range each(v, v.s.Deployments) {
		if d != nil && d.Artifact != nil {
			v.inherited(name, d.Artifact.Description.Srv, linked)
		}
	}
}

// linkEnd returns the channels of a deployment, false if it has none to look at.
func (v *verifier) linkEnd(p *at, deployment string) (Srv, bool) {
	d, ok := v.s.Deployments[deployment]
	v.needs(ok, p, "is %s, which is no deployment of the solution%s", quoted(deployment), nearby(deployment, v.s.Deployments))
	if d == nil || d.Artifact == nil {
		return Srv{}, false
	}
	return d.Artifact.Description.Srv, true
}

// inherited checks that a link leads to or from every inherited channel.
func (v *verifier) inherited(deployment string, srv Srv, linked map[Place]bool) {
	p := root.in("deployments").in(deployment).in("artifact").in("description").in("srv")
	for _, side := range srv.sides() {
		for name, c := range each(v, side.channels) {
			if c != nil && c.Inherited {
				v.needs(linked[Place{Deployment: deployment, Channel: name}], p.in(side.name).in(name), "is inherited from another deployment, but no link says from which")
			}
		}
	}
}

func (v *verifier) digest() {
	digest, err := v.s.ContentDigest()
	if v.needs(err == nil, nil, "%v", err) {
		v.needs(digest == v.s.Digest, root.in("digest"), "is %s, but the contents have %s: the solution was changed after it was made; compile it again", v.s.Digest, digest)
	}
}

func keys[V any](m map[string]V) []string { return sorting.Ordered(m) }

// later is text that is only made when a message needs it: lists of names are
// long, and messages rare.
type later func() string

func (l later) String() string { return l() }

// nearby is the [hint] at the key that a word was meant to be.
func nearby[V any](word string, m map[string]V) later {
	return func() string { return hint(word, keys(m)) }
}
