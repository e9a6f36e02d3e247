package load

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modfile"
	modpkg "cuelang.org/go/mod/module"

	"kumiki.dev/diag"
	"kumiki.dev/internal/modsource"
	"kumiki.dev/internal/sorting"
)

// moduleFile describes a CUE module, at its root.
const moduleFile = "cue.mod/module.cue"

// readModuleFile fills the module from its module.cue.
func (l *loader) readModuleFile(m *module) {
	name := m.file(moduleFile)
	m.deps = map[string]dependency{}
	text, err := m.read(moduleFile)
	if err != nil {
		l.report(diag.New(diag.BadModule, startOf(name), "module.cue can't be read: %v", pathError(err)))
		return
	}
	if d := checkText(name, text); d != nil {
		l.report(d)
		return
	}
	if renamed, d := moduleKey(name, text); d != nil {
		l.report(d)
		text = renamed
	}
	f, err := l.moduleFile(name, text)
	if f == nil {
		l.moduleFileErrors(name, err)
		return
	}
	if f.Module == "" {
		l.report(diag.New(diag.BadModule, startOf(name), "module.cue does not say what the module is called: write module: \"example.com/shop@v0\""))
		return
	}
	if err := modpkg.CheckPath(f.QualifiedModule()); err != nil {
		l.report(diag.New(diag.BadModule, startOf(name), "module.cue: %v; write a path such as module: \"example.com/shop@v0\"", err))
		return
	}
	l.moduleFileErrors(name, err)
	m.resolver = m
	m.Path = f.ModuleRootPath()
	m.ref = refOf(m.Path, "")
	_, major, _ := ast.SplitPackageVersion(f.QualifiedModule())
	v, _ := parseVersion(major + ".0.0")
	m.ref.version = v.numbers
	if f.Language != nil {
		m.language = f.Language.Version
	}
	m.lints = l.moduleLints(m, name, f.Custom[toolName])
	for _, p := range sorting.Ordered(f.Deps) {
		v, _ := parseVersion(f.Deps[p].Version)
		d := dependency{version: v.String(), pos: startOf(name)}
		base, _, _ := ast.SplitPackageVersion(p)
		m.deps[p], m.deps[base] = d, d
	}
}

// setVersion gives a native dependency the version that it was resolved to.
func (m *module) setVersion(version string) {
	m.Version = version
	m.ref = refOf(m.Path, version)
}

// registry serves the embedded modules and hands everything else on to the
// registry that CUE is configured with, or a directory in its place; neither is
// touched before that.
type registry struct {
	library library
	open    func() (modconfig.Registry, error)
	opening sync.Mutex // CUE asks for several modules at once
	next    modconfig.Registry
	dir     string // of the main module
	failed  error  // what it last failed with, which CUE tells as a text
}

func newRegistry(lib library) *registry {
	r := &registry{library: lib}
	r.open = func() (modconfig.Registry, error) { return modsource.Open(r.dir) }
	return r
}

func (r *registry) upstream() (modconfig.Registry, error) {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.next != nil {
		return r.next, nil
	}
	next, err := r.open()
	r.next = next
	return next, err
}

// embedded returns the embedded module of that path.
func (r *registry) embedded(basePath string) (libraryModule, bool) {
	lm, _ := r.library.find(basePath)
	return lm, lm.path == basePath
}

// ModFile implements [modconfig.Registry].
func (r *registry) ModFile(ctx context.Context, mv modpkg.Version) (*modfile.File, error) {
	if _, ok := r.embedded(mv.BasePath()); ok {
		f := &modfile.File{Module: mv.Path(), Language: &modfile.Language{Version: moduleLanguage}}
		return f, f.Init()
	}
	next, err := r.upstream()
	if err != nil {
		return nil, err
	}
	f, err := next.ModFile(ctx, mv)
	return f, r.failing(err)
}

// Fetch implements [modconfig.Registry].
func (r *registry) Fetch(ctx context.Context, mv modpkg.Version) (modpkg.SourceLoc, error) {
	if lm, ok := r.embedded(mv.BasePath()); ok {
		files, err := fs.Sub(r.library.files, lm.path)
		return modpkg.SourceLoc{FS: virtualFS{files, virtualDir(lm.path)}, Dir: "."}, err
	}
	next, err := r.upstream()
	if err != nil {
		return modpkg.SourceLoc{}, err
	}
	loc, err := next.Fetch(ctx, mv)
	return loc, r.failing(err)
}

// failing keeps an error.
func (r *registry) failing(err error) error {
	if err != nil {
		r.opening.Lock()
		defer r.opening.Unlock()
		r.failed = err
	}
	return err
}

// ModuleVersions implements [modconfig.Registry].
func (r *registry) ModuleVersions(ctx context.Context, modpath string) ([]string, error) {
	base, _, _ := ast.SplitPackageVersion(modpath)
	if lm, ok := r.embedded(base); ok {
		return []string{"v" + lm.version}, nil
	}
	next, err := r.upstream()
	if err != nil {
		return nil, err
	}
	versions, err := next.ModuleVersions(ctx, modpath)
	return versions, r.failing(err)
}

// virtualFS says where the overlay of [registry.locate] has the files.
type virtualFS struct {
	fs.FS
	dir string
}

// OSRoot implements [modpkg.OSRootFS].
func (v virtualFS) OSRoot() string { return v.dir }

func virtualDir(modpath string) string {
	return filepath.Join(string(filepath.Separator), "kumiki", filepath.FromSlash(modpath))
}

// fetch returns the directory of a module in CUE's cache.
func (r *registry) fetch(modpath, version string) (string, error) {
	v, _ := parseVersion(version)
	mv, err := modpkg.NewVersion(fmt.Sprintf("%s@v%d", modpath, v.numbers[0]), "v"+version)
	if err != nil {
		return "", err
	}
	loc, err := r.Fetch(context.Background(), mv)
	if err != nil {
		return "", err
	}
	root, ok := loc.FS.(modpkg.OSRootFS)
	if !ok || root.OSRoot() == "" {
		return "", fmt.Errorf("the registry keeps %s in no directory", mv)
	}
	return filepath.Join(root.OSRoot(), filepath.FromSlash(loc.Dir)), nil
}

// locate lets CUE's own loader find the module of an import of the native
// module m, since it knows about minimal version selection and replacements.
func (r *registry) locate(m *module, importPath string) (c *candidate, modpath string, err error) {
	overlay, err := r.overlay(m)
	if err != nil {
		return nil, "", err
	}
	cfg := &load.Config{
		Dir:                 m.dir,
		ModuleRoot:          m.dir,
		Registry:            r,
		Overlay:             overlay,
		AcceptLegacyModules: true,
		// What is in the files is none of CUE's business here.
		ParseFile: func(name string, src any, cfg parser.Config) (*ast.File, error) {
			return parser.ParseFile(name, src, cfg.Apply(parser.ImportsOnly))
		},
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cue.mod/module.cue is not understood: %v", r)
		}
	}()
	inst := load.Instances([]string{importPath}, cfg)[0]
	if !inst.ModuleVersion.IsCanonical() {
		return nil, "", inst.Err
	}
	// Problems in the package itself are found when it is loaded.
	modpath = inst.ModuleVersion.BasePath()
	rel, _ := within(ast.ParseImportPath(importPath).Path, modpath)
	root := strings.TrimSuffix(inst.Dir, filepath.FromSlash(path.Join("/", rel)))
	v, _ := strings.CutPrefix(inst.ModuleVersion.Version(), "v")
	return &candidate{root, v}, modpath, nil
}

// overlay returns the embedded modules' files and a module.cue that requires
// them, since authors need not list what comes with kumiki.
func (r *registry) overlay(m *module) (map[string]load.Source, error) {
	name := m.file(moduleFile)
	text, err := m.read(moduleFile)
	if err != nil {
		return nil, err
	}
	f, err := parseModuleFile(name, text)
	if f == nil {
		return nil, err
	}
	out := map[string]load.Source{}
	for _, lm := range r.library.modules {
		dep := lm.path + "@v1"
		if f.Language != nil && f.Deps[dep] == nil {
			if f.Deps == nil {
				f.Deps = map[string]*modfile.Dep{}
			}
			f.Deps[dep] = &modfile.Dep{Version: "v" + lm.version}
		}
		err := fs.WalkDir(r.library.files, lm.path, func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			src, err := fs.ReadFile(r.library.files, p)
			rel, _ := within(p, lm.path)
			out[filepath.Join(virtualDir(lm.path), filepath.FromSlash(path.Clean(rel)))] = load.FromBytes(src)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if f.Language == nil { // it is of before modules
		return out, nil
	}
	src, err := modfile.Format(f)
	out[name] = load.FromBytes(src)
	return out, err
}

// fromRegistry finds the module of an import in the registry.
func (l *loader) fromRegistry(m *module, s spelling, prefixes []string, pos diag.Pos) (*candidate, string, error) {
	var failed error
	if m.resolver != nil && s.version == "" {
		p := s.path
		if s.major != "" {
			p += "@" + s.major
		}
		c, modpath, err := l.registry.locate(m.resolver, p+":"+s.pkg)
		if c != nil {
			l.checkLock(c.dir, modpath, c.version, pos)
			return c, modpath, nil
		}
		// CUE's loader doesn't understand packages of kam modules, so it is the
		// declared version that is taken of them.
		failed = err
	}
	for _, p := range prefixes {
		v := l.wantedVersion(m, p, s)
		if v == "" {
			continue
		}
		dir, err := l.registry.fetch(p, v)
		if err != nil {
			return nil, p, cmp.Or(failed, err)
		}
		l.checkLock(dir, p, v, pos)
		return &candidate{dir, v}, p, nil
	}
	return nil, "", failed
}
