package lsp

import (
	"cmp"
	"path/filepath"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
)

// adopt shows a module to CUE's server.
func (m *mirror) adopt(dir string, kam bool) {
	m.stamps[dir] = stamp(dir, kam)
	h := homeAt(dir)
	if h == nil {
		return
	}
	m.homes[dir] = h
	found := m.dependencies(h, h, map[string]bool{h.path: true})
	for _, d := range found {
		h.local = append(h.local, d.path)
	}
	m.describe(h)
	// CUE's server doesn't look again for what an import has not led to.
	for _, d := range found {
		d.local = h.local
		at := filepath.Join(dir, "cue.mod", "pkg", filepath.FromSlash(d.path))
		for _, source := range d.sources() {
			if rel, err := filepath.Rel(d.dir, source); err == nil {
				m.show(&view{file: source, as: filepath.Join(at, rel), home: d})
			}
		}
	}
	if kam || len(found) > 0 {
		for _, source := range h.sources() {
			m.show(&view{file: source, as: source, home: h})
		}
	}
}

// dependencies are those of a module that are to be shown below the root's
// cue.mod/pkg, those that others need first.
func (m *mirror) dependencies(root, h *home, done map[string]bool) []*home {
	var out []*home
	for _, key := range sorting.Ordered(h.deps) {
		dep := unversioned(key)
		if done[dep] || load.Embedded(dep) {
			continue
		}
		done[dep] = true
		dir := cmp.Or(h.find(dep, h.deps[key], m.siblings()), root.find(dep, h.deps[key], nil))
		if dir == "" {
			continue
		}
		d := homeAt(dir)
		if d == nil || d.path != dep { // it has no file of its own, or one with another name
			d = &home{dir: dir, kam: h.kam, path: dep}
		}
		out = append(append(out, m.dependencies(root, d, done)...), d)
	}
	return out
}

// unversioned is a module's path without "@v1".
func unversioned(module string) string {
	if p, _, ok := ast.SplitPackageVersion(module); ok {
		return p
	}
	return module
}

// without is a module.cue that doesn't require the modules.
func without(text []byte, modules []string) []byte {
	f, err := parser.ParseFile("module.cue", text, parser.ParseComments)
	if err != nil || len(modules) == 0 {
		return text
	}
	for _, d := range f.Decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		name, _, _ := ast.LabelName(field.Label)
		deps, ok := field.Value.(*ast.StructLit)
		if name != "deps" || !ok {
			continue
		}
		deps.Elts = filter.Out(deps.Elts, func(e ast.Decl) bool {
			dep, ok := e.(*ast.Field)
			if !ok {
				return false
			}
			key, _, _ := ast.LabelName(dep.Label)
			return filter.Contains(modules, unversioned(key))
		})

	}
	out, err := format.Node(f)
	if err != nil {
		return text
	}
	return out
}
