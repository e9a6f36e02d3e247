package spread

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// Memory keeps evaluated artifacts for later runs: where an artifact is edited,
// all others of its deployment are found again. It knows packages by the identity
// of their trees, so it is of use where those of one run are made of the trees of
// the run before. It holds plain data, nothing of CUE.
type Memory struct {
	runs int
	tops map[string]*recollection // by deployment
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{tops: map[string]*recollection{}} }

// maxKept bounds the values that a Memory keeps of deployments other than the one
// of the last run; one takes about 200 bytes.
const maxKept = 100_000

// recollection is what is known from earlier runs of one deployment: what the last
// one has used, and the last that went well. Where there is a mistake, what is
// behind it will be wanted when it is mended.
type recollection struct {
	run, good int
	levels    map[levelKey][]*knownLevel
}

// levelKey finds the levels that may be the same.
type levelKey struct{ pkg, place string }

// knownLevel is a level without a problem of its own.
type knownLevel struct {
	run   int      // that has used it last
	good  int      // the last of those that went well
	size  int      // how many values it has
	pkg   *Package // keeps what its print was made of
	given *value.Data
	node  value.Node // without roles
	roles []knownRole
}

// knownRole is a role of it, with what the artifact in it was given.
type knownRole struct {
	role     value.Role // without a node
	artifact string     // by the path of its import
	given    *value.Data
}

// begin opens the recollection of a deployment.
func (m *Memory) begin(top *Top) *recollection {
	key := top.Package.Path + " " + top.Pos.Filename()
	if m.tops[key] == nil {
		m.tops[key] = &recollection{levels: map[levelKey][]*knownLevel{}}
	}
	m.runs++
	m.tops[key].run = m.runs
	return m.tops[key]
}

// end forgets what is not needed any more when a run is over.
func (m *Memory) end(c *recollection, well bool) {
	if well {
		c.good = c.run
	}
	total := 0
	for _, x := range slices.SortedFunc(maps.Values(m.tops), func(a, b *recollection) int { return b.run - a.run }) {
		if x != c {
			total += x.size()
		} else {
			c.tidy(well)
		}
		if total > maxKept {
			maps.DeleteFunc(m.tops, func(_ string, y *recollection) bool { return y == x })
		}
	}
}

// tidy drops what neither the last run nor the last good one has used.
func (c *recollection) tidy(well bool) {
	maps.DeleteFunc(c.levels, func(key levelKey, list []*knownLevel) bool {
		c.levels[key] = filter.Out(list, func(l *knownLevel) bool {
			if well && l.run == c.run {
				l.good = c.run
			}
			return l.run != c.run && (c.good == 0 || l.good != c.good)
		})

		return len(c.levels[key]) == 0
	})
}

func (c *recollection) size() (n int) {
	for _, list := range c.levels {
		for _, l := range list {
			n += l.size
		}
	}
	return n
}

// recall makes the level of an artifact that an earlier run has made, of the same
// sources and with the same config, down to the place of every value; nil if there is
// none. What is in its roles is looked for anew.
func (r *Runner) recall(p *Package, at Place) *Level {
	if r.known == nil {
		return nil
	}
	list := r.known.levels[levelKey{r.print(p), at.Who()}]
	i := slices.IndexFunc(list, func(l *knownLevel) bool { return value.Same(l.given, at.Given) })
	if i < 0 {
		return nil
	}
	k := list[i]
	k.run, k.pkg = r.known.run, p
	r.Work.Recalled++
	if !filter.Contains(r.sources, p) {
		r.sources = append(r.sources, p)
	}
	n := k.node
	n.Package = p.Source()
	l := &Level{Node: &n, Package: p}
	if k.roles != nil {
		n.Roles = make([]*value.Role, len(k.roles))
	}
	for i, x := range k.roles {
		n.Roles[i] = &x.role
		at := Place{Path: append(slices.Clip(at.Path), x.role.Name), Pos: x.role.Pos, By: p, Given: x.given}
		l.Below = append(l.Below, &Filling{Package: p.Imports[x.artifact], At: at})
	}
	return l
}

// remember keeps a level for later runs if nothing was found wrong with it, and if
// all that is in its roles comes from other packages.
func (r *Runner) remember(u *Unit, l *Level, at Place) {
	n := l.Node
	if r.known == nil || !u.Shared || u.Flawed || at.Given.HasStandIn() || n.Config.HasStandIn() || n.Description.HasStandIn() {
		return
	}
	k := &knownLevel{run: r.known.run, pkg: u.Package, given: at.Given, node: *n}
	k.node.Roles = nil
	if n.Roles != nil {
		k.roles = []knownRole{}
	}
	for i, role := range n.Roles {
		f := l.Below[i]
		if f == nil || f.Package == nil || u.Package.Imports[f.Package.Path] == nil || f.At.Given.HasStandIn() || role.Meta.HasStandIn() {
			return
		}
		k.roles = append(k.roles, knownRole{role: *role, artifact: f.Package.Path, given: f.At.Given})
	}
	for _, d := range []*value.Data{at.Given, n.Config, n.Description} {
		d.Holds(func(*value.Data) bool { k.size++; return false })
	}
	key := levelKey{r.print(u.Package), at.Who()}
	r.known.levels[key] = append(r.known.levels[key], k)
}

// print is the same for packages that evaluate to the same: those of the same
// trees, whose imports are the same, apart from those that a stub stands for.
func (r *Runner) print(p *Package) string {
	if s, ok := r.prints[p]; ok {
		return s
	}
	s := r.printed(p, stubbable(p))
	r.prints[p] = s
	return s
}

func (r *Runner) printed(p *Package, stubbed map[*Package]Stub) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %t %t %q", p.Path, p.Name, p.Missing, p.Broken, p.Made.But)
	if m := p.Module; m != nil {
		fmt.Fprintf(h, " %q %q %t %t", m.Path, m.Version, m.Main, m.Kam)
	}
	for _, f := range p.Source().Files {
		fmt.Fprintf(h, " %p", f)
	}
	for _, path := range sorting.Ordered(p.Imports) {
		imp := p.Imports[path]
		if fmt.Fprintf(h, "\n%q %d ", path, stubbed[imp]); stubbed[imp] != StubOfArtifact {
			fmt.Fprint(h, r.wholePrint(imp))
		}
	}
	return string(h.Sum(nil))
}

// wholePrint is the print of a package for which no stub stands.
func (r *Runner) wholePrint(p *Package) string {
	if s, ok := r.wholes[p]; ok {
		return s
	}
	s := r.printed(p, nil)
	r.wholes[p] = s
	return s
}

// remembering makes the runner use what is known.
func (r *Runner) remembering(c *recollection) *Runner {
	if c != nil {
		r.known = c
		r.prints, r.wholes = map[*Package]string{}, map[*Package]string{}
	}
	return r
}
