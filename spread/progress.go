package spread

import (
	"fmt"
	"strings"
	"sync/atomic"

	"kumiki.dev/diag"
)

// Progress is what CUE evaluates at the moment. It is for whoever gives a run up
// and has to say what was going on, and may be read at any time. The zero value is
// ready; nil takes nothing in.
type Progress struct {
	// Outer, if not nil, is told the same: that of several runs.
	Outer *Progress
	// Left, if not nil, is called when something has been evaluated, before it is
	// forgotten what that was.
	Left func()
	at   atomic.Pointer[spot]
	// stage is what a run does beside evaluating, count how much it has evaluated.
	stage atomic.Pointer[string]
	count atomic.Int64
	held  atomic.Bool
	found atomic.Pointer[diag.List]
	share atomic.Pointer[portion]
}

// portion is how far something has come whose amount is known.
type portion struct {
	at, of int
	what   string
}

// spot is an artifact that is given its config, or a package before that.
type spot struct {
	pkg        *Package
	deployment string // its name, "" before it is known
	path       []string
	pos        diag.Pos
}

// Telling makes the evaluator say what it does.
func (e *Evaluator) Telling(p *Progress) *Evaluator {
	e.progress = p
	return e
}

// Enter makes the evaluator say that a package is evaluated, until leave is called.
func (e *Evaluator) Enter(p *Package) (leave func()) {
	return e.progress.enter(&spot{pkg: p, pos: startOf(p)})
}

// Hold keeps what is being evaluated now, for a run that is given up: CUE may come to
// the end of it before anybody asks.
func (p *Progress) Hold() { p.held.Store(true) }

func (p *Progress) isHeld() bool { return p != nil && (p.held.Load() || p.Outer.isHeld()) }

// find notes what is wrong as far as is known, before all is evaluated again in a way that takes longer.
func (p *Progress) find(problems diag.List) {
	for ; p != nil && len(problems) > 0; p = p.Outer {
		p.found.Store(&problems)
	}
}

// Found is what is known to be wrong by a run that is given up.
func (p *Progress) Found() diag.List {
	if found := p.found.Load(); found != nil {
		return (*found).Sorted().Fold()
	}
	return nil
}

// enter notes what is evaluated until leave is called.
func (p *Progress) enter(s *spot) (leave func()) {
	if p == nil || p.isHeld() {
		return func() {}
	}
	before := p.at.Swap(s)
	p.count.Add(1)
	leaveOuter := p.Outer.enter(s)
	return func() {
		leaveOuter()
		if p.Left != nil {
			p.Left()
		}
		if !p.isHeld() {
			p.at.Store(before)
		}
	}
}

// Enter notes what a run does from now on, "loading".
func (p *Progress) Enter(stage string) {
	for ; p != nil; p = p.Outer {
		p.stage.Store(&stage)
	}
}

// Stage is what a run does, "" for nothing that is known.
func (p *Progress) Stage() string {
	if p == nil || p.stage.Load() == nil {
		return ""
	}
	return *p.stage.Load()
}

// Begin notes that the next of something is begun, of an amount that is known: 3 of 12
// "directories".
func (p *Progress) Begin(at, of int, what string) {
	for ; p != nil; p = p.Outer {
		p.share.Store(&portion{at, of, what})
	}
}

// Share is what [Progress.Begin] was told last, "3 of 12 directories"; "" where nobody
// knows how much there is to do, or it is one thing.
func (p *Progress) Share() string {
	if p == nil || p.share.Load() == nil || p.share.Load().of < 2 {
		return ""
	}
	at := p.share.Load()
	return fmt.Sprintf("%d of %d %s", at.at, at.of, at.what)
}

// Count is how often something was evaluated.
func (p *Progress) Count() int64 {
	if p == nil {
		return 0
	}
	return p.count.Load()
}

// At names what is being evaluated, and its place: the role, the artifact and the
// deployment, as far as they are known; "" for nothing.
func (p *Progress) At() (what string, pos diag.Pos) {
	if p == nil {
		return "", diag.NoPos
	}
	s := p.at.Load()
	if s == nil {
		return "", diag.NoPos
	}
	what = "package " + s.pkg.Source().Path
	switch {
	case len(s.path) > 0 && s.deployment != "":
		what = "role " + strings.Join(s.path, ".") + " of deployment " + s.deployment + " (artifact " + s.pkg.Source().Path + ")"
	case len(s.path) > 0:
		what = "role " + strings.Join(s.path, ".") + " (artifact " + s.pkg.Source().Path + ")"
	case s.deployment != "":
		what = "deployment " + s.deployment + " (artifact " + s.pkg.Source().Path + ")"
	}
	return what, s.pos
}

// startOf is the beginning of a package's first file.
func startOf(p *Package) diag.Pos {
	for _, f := range p.Files {
		if f.Filename != "" {
			return diag.NewFile(f.Filename, nil).Pos(0)
		}
	}
	return diag.NoPos
}
