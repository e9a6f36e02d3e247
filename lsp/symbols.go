package lsp

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// place is a mark in its file.
type place struct {
	mark
	file string
}

// symbols are the marks of the workspace, as they are at one moment.
type symbols struct {
	files map[string]*index
	homes map[string]*home // by the directory of a file
	// targets are the packages that fill roles, by package and role.
	targets map[string]map[string]string
	places  map[symbol][]place
	of      map[string][]symbol // those of the file's marks, in their order
	cut     bool                // there are more files than were looked for
}

// indexes are what was read of files, to be read again when they change.
type indexes struct {
	mu    sync.Mutex
	files map[string]indexed
	homes map[string]*home // by root
	stamp map[string]string
}

type indexed struct {
	*index
	buffer *lines // what it was read from, nil for the disk
	time   time.Time
	size   int64
}

// symbols looks through the modules of the workspace, and the one of the file.
func (s *server) symbols(file string) *symbols {
	s.mu.Lock()
	documents, folders := maps.Clone(s.documents), slices.Clone(s.folders)
	s.mu.Unlock()
	x := &s.indexes
	x.mu.Lock() // and not the session's, as it takes a while the first time
	defer x.mu.Unlock()
	if x.homes == nil {
		x.homes, x.stamp = map[string]*home{}, map[string]string{}
	}
	out := &symbols{files: map[string]*index{}, homes: map[string]*home{}, places: map[symbol][]place{}, of: map[string][]symbol{}}
	known := map[string]indexed{}
	names, cut := sourcesNear(file, documents, folders)
	out.cut = cut
	for _, name := range names {
		if i, ok := x.get(name, documents[name]); ok {
			known[name], out.files[name] = i, i.index
		}
	}
	x.files = known // what is gone is forgotten
	for name := range out.files {
		dir := filepath.Dir(name)
		if _, ok := out.homes[dir]; !ok {
			out.homes[dir] = x.home(name)
		}
	}
	out.resolve()
	return out
}

// sourcesNear are the files of the workspace, of the file's module, and those
// that are open; cut tells that there are more.
func sourcesNear(file string, documents map[string]*document, folders []string) (names []string, cut bool) {
	set := map[string]bool{}
	for open := range documents {
		if isSource(open) {
			set[open] = true
		}
	}
	roots := folders
	if dir, _ := homeDir(file); dir != "" && !filter.Any(roots, func(root string) bool { return inside(root, dir) }) {
		roots = append(roots, dir)
	}
	seen := 0
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			base := filepath.Base(name)
			switch {
			case err != nil:
				return nil
			case seen >= maxDirs:
				cut = true
				return fs.SkipAll
			case e.IsDir() && name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "cue.mod" || base == "node_modules"):
				return fs.SkipDir
			case !e.IsDir() && isSource(name):
				set[name] = true
			}
			seen++
			return nil
		})
	}
	return sorted(set), cut
}

// inside reports whether a path is a directory or lies below it.
func inside(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// get is the index of a file, read again if it is another one than before.
func (x *indexes) get(name string, d *document) (indexed, bool) {
	known, ok := x.files[name]
	if d != nil {
		if !ok || known.buffer != d.lines {
			known = indexed{index: indexOf(name, d.lines).after(x.before(name)), buffer: d.lines}
		}
		return known, true
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return indexed{}, false
	}
	if ok && known.buffer == nil && known.time.Equal(info.ModTime()) && known.size == info.Size() {
		return known, true
	}
	text := readSource(name)
	if text == nil {
		return indexed{}, false
	}
	i := indexOf(name, newLines(text))
	if !i.broken {
		i.text = nil // nobody asks for it, and there are many
	}
	return indexed{index: i, time: info.ModTime(), size: info.Size()}, true
}

// before is what was known of a file, at least what the disk has of it.
func (x *indexes) before(name string) *index {
	if known, ok := x.files[name]; ok {
		return known.index
	}
	if text := readSource(name); text != nil {
		return indexOf(name, newLines(text))
	}
	return nil
}

// home is the module of a file, read again when its own file changes.
func (x *indexes) home(file string) *home {
	dir, kam := homeDir(file)
	if dir == "" {
		return nil
	}
	stamp := stamp(dir, kam)
	if h, ok := x.homes[dir]; !ok || x.stamp[dir] != stamp {
		if now := homeAt(dir); now != nil || h == nil {
			h = now
		}
		x.homes[dir], x.stamp[dir] = h, stamp
	}
	return x.homes[dir]
}

// resolve finds the packages that marks are about.
func (x *symbols) resolve() {
	targets := map[string]map[string]string{}
	x.targets = targets
	for name, i := range x.files {
		for role, raw := range i.targets {
			if pkg := x.imported(name, raw); pkg != "" {
				if targets[i.pkg] == nil {
					targets[i.pkg] = map[string]string{}
				}
				targets[i.pkg][role] = pkg
			}
		}
	}
	for _, name := range sorting.Ordered(x.files) {
		i := x.files[name]
		for _, m := range i.marks {
			pkg := i.pkg
			for _, role := range m.via {
				pkg = targets[pkg][role]
			}
			sym := symbol{pkg, m.kind, m.name}
			if m.kind == whole { // of the one who passes it on as well
				x.places[symbol{i.pkg, whole, m.name}] = append(x.places[symbol{i.pkg, whole, m.name}], place{m, name})
			}
			x.of[name] = append(x.of[name], sym)
			if pkg != "" {
				x.places[sym] = append(x.places[sym], place{m, name})
			}
		}
	}
}

// imported is the package that a file's import leads to, "" if that is not in
// the workspace.
func (x *symbols) imported(file, raw string) string {
	h := x.homes[filepath.Dir(file)]
	if h == nil {
		return ""
	}
	rel := (&view{file: file, home: h}).rel()
	ip := ast.ParseImportPath(h.canonical(raw, rel)).Canonical()
	if below, ok := within(ip.Path, h.path); ok {
		return filepath.Join(h.dir, below) + ":" + ip.Qualifier
	}
	var found *home
	for _, o := range x.others() {
		if _, ok := within(ip.Path, o.path); !ok {
			continue
		}
		if found == nil || o.version == h.deps[o.path] {
			found = o
		}
	}
	if found == nil {
		return ""
	}
	below, _ := within(ip.Path, found.path)
	return filepath.Join(found.dir, below) + ":" + ip.Qualifier
}

// others are all modules, in an order that doesn't change.
func (x *symbols) others() []*home {
	byDir := map[string]*home{}
	for _, h := range x.homes {
		if h != nil {
			byDir[h.dir] = h
		}
	}
	var out []*home
	for _, dir := range sorting.Ordered(byDir) {
		out = append(out, byDir[dir])
	}
	return out
}

// within is what is left of an import path below a module's.
func within(importPath, module string) (string, bool) {
	rest, ok := strings.CutPrefix(path.Clean(importPath)+"/", module+"/")
	return filepath.FromSlash(strings.TrimSuffix(rest, "/")), ok
}

// at are the symbols that are written at a position.
func (x *symbols) at(file string, p position) (out []symbol, where mark, ok bool) {
	i := x.files[file]
	if i == nil {
		return nil, mark{}, false
	}
	for n, m := range i.marks {
		if sym := x.of[file][n]; m.kind != whole && m.span.contains(p) && sym.pkg != "" {
			out, where, ok = append(out, sym), m, true
		}
	}
	return out, where, ok
}

// all are the places of symbols, and of those that are written in one of them as
// well: a duplex channel is two.
func (x *symbols) all(list []symbol) []place {
	seen := map[symbol]bool{}
	var out []place
	for len(list) > 0 {
		sym := list[0]
		list = list[1:]
		if seen[sym] {
			continue
		}
		seen[sym] = true
		for _, p := range x.places[sym] {
			if !filter.Any(out, func(o place) bool { return o.file == p.file && o.span == p.span }) {
				out = append(out, p)
			}
			if p.declared {
				also, _, _ := x.at(p.file, p.span.Start)
				list = append(list, also...)
			}
		}
	}
	return out
}
