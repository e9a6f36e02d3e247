package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
)

// maxSource bounds the files whose imports are read.
const maxSource = 16 << 20

// Graph selects the versions of what the module file asks for.
func (m *Module) Graph(ctx context.Context, reg Registry) (*Graph, error) {
	direct, err := requirements(m.File)
	if err != nil {
		return nil, err
	}
	return m.selected(ctx, reg, direct)
}

func (m *Module) selected(ctx context.Context, reg Registry, direct []module.Version) (*Graph, error) {
	root, err := module.NewVersion(m.File.QualifiedModule(), "")
	if err != nil {
		return nil, err
	}
	return Select(ctx, reg, root, direct)
}

// Get makes the module ask for a version of another one: of path@v1.2 the
// greatest 1.2, of path@v1 the greatest 1, of path the greatest with the major
// version that it asks for already, else the greatest of all. What is to be said
// of other major versions is in Notes.
func (m *Module) Get(ctx context.Context, reg Registry, query string) (module.Version, error) {
	base, want, _ := strings.Cut(query, "@")
	direct, err := requirements(m.File)
	if err != nil {
		return module.Version{}, err
	}
	found, err := m.find(ctx, reg, base, want, direct)
	if err != nil {
		return module.Version{}, err
	}
	direct = append(filter.Out(direct, func(v module.Version) bool { return v.Path() == found.Path() }), found)
	g, err := m.selected(ctx, reg, direct)
	if err != nil {
		return module.Version{}, err
	}
	for _, v := range g.Selected {
		if v.Path() == found.Path() && v != found {
			by, _ := g.neededBy(v)
			return module.Version{}, fmt.Errorf("%s is asked for, but %s needs %s; ask for that, or for a version of %s that needs less", found, by, v, by.BasePath())
		}
	}
	if err := m.require(g.Selected); err != nil {
		return module.Version{}, err
	}
	if err := m.lock(ctx, reg, g.Selected); err != nil {
		return module.Version{}, err
	}
	return found, m.Write()
}

// Find returns the greatest published version of a module that the wanted one,
// "v1", "v1.2", "v1.2.3" or "" for any, stands for. Paths of modules have no capitals;
// names of owners may be written with some.
func Find(ctx context.Context, reg Registry, base, want string) (module.Version, error) {
	base = strings.ToLower(base)
	p, err := parsePattern(want)
	if err != nil {
		return module.Version{}, fmt.Errorf("%s: %w", base, err)
	}
	modpath := base
	if p.numbers > 0 {
		modpath = fmt.Sprintf("%s@v%d", base, p.version[0])
	}
	versions, err := reg.ModuleVersions(ctx, modpath)
	if err != nil {
		return module.Version{}, fmt.Errorf("%s: %w", modpath, err)
	}
	best := p.highest(versions)
	if best == "" {
		if p.numbers > 0 && len(versions) == 0 { // then those of other major versions
			if versions, err = reg.ModuleVersions(ctx, base); err != nil {
				return module.Version{}, fmt.Errorf("%s: %w", base, err)
			}
		}
		return module.Version{}, noVersion{base, want, versions}
	}
	return module.NewVersion(base+"@"+major(best), best)
}

// noVersion is the error of [Find] where a module has none that fits.
type noVersion struct {
	base, want string
	found      []string
}

// Error implements error.
func (e noVersion) Error() string {
	return fmt.Sprintf("%s has no version %s; found: %s", e.base, orAny(e.want), orNone(e.found))
}

func orAny(want string) string {
	if want == "" {
		return "at all"
	}
	return want
}

func orNone(versions []string) string {
	if len(versions) == 0 {
		return "none"
	}
	return strings.Join(versions, ", ")
}

// Tidy makes the module file ask for what the sources import and what that
// needs, and for nothing else, and writes the lock. It returns the versions.
func (m *Module) Tidy(ctx context.Context, reg Registry) ([]module.Version, error) {
	imports, err := m.imports()
	if err != nil {
		return nil, err
	}
	known, err := m.Graph(ctx, reg)
	if err != nil {
		return nil, err
	}
	var direct []module.Version
	for _, imported := range imports {
		v, isKnown, err := provider(ctx, reg, imported, known.Selected)
		if err == nil && !isKnown && imported.Version == "" {
			err = m.noteChoice(ctx, reg, imported, v)
		}
		if err != nil {
			return nil, err
		}
		if !filter.Contains(direct, v) {
			direct = append(direct, v)
		}
	}
	g, err := m.selected(ctx, reg, direct)
	if err != nil {
		return nil, err
	}
	if err := m.require(g.Selected); err != nil {
		return nil, err
	}
	if err := m.lock(ctx, reg, g.Selected); err != nil {
		return nil, err
	}
	return g.Selected, m.Write()
}

// provider is the module that an import comes from: one that is asked for
// already, the innermost first, else the greatest version of one in the registry.
func provider(ctx context.Context, reg Registry, imported ast.ImportPath, known []module.Version) (v module.Version, isKnown bool, err error) {
	for p := imported.Path; p != "."; p = path.Dir(p) {
		for _, v := range known {
			if v.BasePath() == p && (imported.Version == "" || major(v.Version()) == imported.Version) {
				return v, true, nil
			}
		}
	}
	for p := imported.Path; strings.Contains(p, "/"); p = path.Dir(p) {
		v, err := Find(ctx, reg, p, imported.Version)
		if err == nil {
			return v, false, nil
		}
		if !errors.Is(err, modregistry.ErrNotFound) && !errors.As(err, new(noVersion)) {
			return module.Version{}, false, err
		}
	}
	return module.Version{}, false, fmt.Errorf("%q is imported, and no module in the registry has it", imported)
}

// imports are the paths that the module imports from others, sorted.
func (m *Module) imports() ([]ast.ImportPath, error) {
	found := map[string]ast.ImportPath{}
	root := os.DirFS(m.Dir)
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch base := e.Name(); {
		case err != nil:
			return err
		case e.IsDir():
			if _, statErr := fs.Stat(root, path.Join(name, moduleFile)); name != "." && (statErr == nil || base == "cue.mod" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(base, ".cue") || !e.Type().IsRegular():
			return nil
		}
		info, err := e.Info()
		if err != nil || info.Size() > maxSource {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for spec := range f.ImportSpecs() {
			p := ast.ParseImportPath(strings.Trim(spec.Path.Value, `"`))
			if m.external(p) {
				found[p.String()] = p
			}
		}
		return nil
	})
	var out []ast.ImportPath
	for _, key := range sorting.Ordered(found) {
		out = append(out, found[key])
	}
	return out, err
}

// external reports whether a path is neither the module's own, nor CUE's, nor of
// what comes with kumiki.
func (m *Module) external(p ast.ImportPath) bool {
	first, _, _ := strings.Cut(p.Path, "/")
	own := m.File.ModuleRootPath()
	return strings.Contains(first, ".") && p.Path != own && !strings.HasPrefix(p.Path, own+"/") && !load.Embedded(p.Path)
}
