package load

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/spread"
)

const (
	// maxRemembered bounds the sources that a [Memory] keeps the trees of, in
	// bytes; a tree takes twenty times as much.
	maxRemembered = 4 << 20
	// maxSource is what a source may have, in bytes, so that its tree is kept.
	maxSource = 256 << 10
	// maxPackages bounds the packages, many of which may be no more.
	maxPackages = 5_000
)

// Memory is what runs keep for those that come after them, in an editor's helper
// or while sources are watched: files that are parsed, and artifacts that are
// evaluated. All sources are read again by each run, and what is remembered takes
// the place of what would be made of the very same sources, so that nothing comes
// out otherwise than without it. Nothing that is CUE's own is kept.
//
// Programs and trees of runs that share a memory share their parts: none is to be
// read while another run goes on. A run that finds the memory in use, because an
// earlier one was given up, goes without.
type Memory struct {
	mu       sync.Mutex
	size     int // of the sources' texts
	sources  map[string]*source
	packages map[packageKey]*remembered
	nodes    *spread.Memory
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	m := &Memory{nodes: spread.NewMemory()}
	m.clear()
	return m
}

func (m *Memory) clear() {
	m.size, m.sources, m.packages = 0, map[string]*source{}, map[packageKey]*remembered{}
}

// Use takes the memory for one run, nil if there is none or it is in use.
func (m *Memory) Use() (mine *Memory, done func()) {
	if m == nil || !m.mu.TryLock() {
		return nil, func() {}
	}
	return m, m.mu.Unlock
}

// Load is the function [Load] with a memory that the caller has taken, nil for
// none, and takes no other.
func (m *Memory) Load(in Input) (*Program, diag.List) {
	l := newLoader(in, embedded())
	l.memory = m
	return l.load()
}

// Nodes is what [spread.Run] remembers; nil if there is no memory.
func (m *Memory) Nodes() *spread.Memory {
	if m == nil {
		return nil
	}
	return m.nodes
}

// source returns the file as it was read before, if its text is the same and it
// has the same place in its module.
func (m *Memory) source(name, rel string, text []byte) *source {
	if m == nil {
		return nil
	}
	if s := m.sources[name]; s != nil && s.rel == rel && bytes.Equal(s.text, text) {
		return s
	}
	return nil
}

// keep remembers a file, as it is once it is mended, in place of what it was.
func (m *Memory) keep(s *source) {
	if m == nil || len(s.text) > maxSource {
		return
	}
	if old := m.sources[s.name]; old != nil {
		m.size -= len(old.text)
	}
	if m.size += len(s.text); m.size > maxRemembered || len(m.packages) > maxPackages {
		m.clear()
		m.size = len(s.text)
	}
	m.sources[s.name] = s
}

// packageKey is where a package lies, and what is made of it.
type packageKey struct{ dir, rel, path, as string }

func (l *loader) keyOf(m *module, rel string, p *spread.Package) packageKey {
	key := packageKey{m.dir, rel, p.Path, ""}
	if t := l.in.Template; t != nil && m == l.main {
		key.as = "deployment of " + t.Import
	}
	return key
}

// remembered is a package as it was loaded without problems.
type remembered struct {
	rules   string // see [module.rules]
	sources []*source
	files   []*ast.File
	imports []imported
	lints   diag.Acknowledgements
}

// imported is an import of a package, and where it led.
type imported struct {
	dir  string // of the file
	as   spelling
	pos  diag.Pos
	path string
}

// rules are what the trees of a module's packages depend on beside the sources.
func (m *module) rules() string {
	return fmt.Sprintf("%q %q %q %+v %t", m.Path, m.Version, m.language, m.ref, m.embedded)
}

// recall fills p as it was before, if all its sources are the same and its
// imports still lead to the same paths. Where they lead is in found, by position,
// whether or not.
func (l *loader) recall(m *module, rel string, p *spread.Package, sources []*source, found map[string]*spread.Package) bool {
	if l.memory == nil {
		return false
	}
	old := l.memory.packages[l.keyOf(m, rel, p)]
	if old == nil || old.rules != m.rules() || !slices.Equal(old.sources, sources) {
		return false
	}
	same := true
	imports := map[string]*spread.Package{}
	for _, i := range old.imports {
		imp := l.importPackage(m, i.dir, i.as, i.pos)
		found[i.pos.String()] = imp
		if same = same && imp != nil && !imp.Missing && imp.Path == i.path; same {
			imports[imp.Path] = imp
		}
	}
	if same {
		p.Files, p.Imports, p.Acknowledged = old.files, imports, old.lints
		for _, f := range p.Files {
			l.in.Texts.File(f)
		}
	}
	return same
}

// remember keeps the package, unless something is wrong with it.
func (l *loader) remember(m *module, rel string, p *spread.Package, sources []*source, imports []imported) {
	if l.memory == nil || len(p.Embedded) > 0 {
		return
	}
	names := map[string]bool{}
	for _, s := range sources {
		if l.memory.sources[s.name] != s {
			return // it is too large
		}
		names[s.name] = true
	}
	for _, d := range l.diags {
		if names[d.Pos.Filename()] {
			return // what is wrong is to be found again
		}
	}
	for imp := range maps.Values(p.Imports) {
		if imp.Missing {
			return
		}
	}
	l.memory.packages[l.keyOf(m, rel, p)] = &remembered{m.rules(), sources, p.Files, imports, p.Acknowledged}
}
