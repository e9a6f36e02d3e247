package load

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/mod/modconfig"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
)

// Input says what to load.
type Input struct {
	// Dir is the directory of the deployment's (or artifact's) package; "" is
	// the working directory.
	Dir string
	// Package is the package's name. "" takes the only package that has a
	// #Deployment, else the only one that has an #Artifact; of several,
	// "deployment" is preferred.
	Package string
	// Modules are directories in which dependencies are looked for: modules
	// themselves, or directories that hold modules.
	Modules []string
	// Overlay holds unsaved buffers by absolute path, any of those that lead to the
	// file. It may be nil.
	Overlay map[string][]byte
	// Memory is that of the runs before; nil for none.
	Memory *Memory
	// Registry is where dependencies come from that are nowhere else. nil is what
	// CUE_REGISTRY or the nearest kumiki.registry.cue names; neither is touched
	// unless there is such a dependency.
	Registry modconfig.Registry
	// Template is the template of the directory that is loaded as a deployment; nil for the
	// directory's package.
	Template *Template
	// Texts, if not nil, is told the texts in the sources that do not come with kumiki.
	Texts Texts
}

// Program is what was loaded: the root package and everything it reaches.
type Program struct {
	// Root is the package that the input names.
	Root *spread.Package
	// Deployment reports whether Root has a #Deployment; else it is an artifact's.
	Deployment bool
	// Packages are Root and all that it reaches, placeholders of missing
	// packages included, sorted by Path.
	Packages []*spread.Package
	// Modules are the modules of Packages, sorted by Path and Version.
	Modules []*spread.Module
	// Dir is the root directory of the main module, absolute.
	Dir string
	// Places are where the modules lie that do not come with kumiki, in the order
	// of Modules.
	Places []Place
	// Acknowledged are the warnings that the sources and the module files say are known.
	Acknowledged diag.Acknowledgements
}

// Place is where a module lies.
type Place struct {
	Module *spread.Module
	// Dir is its root, absolute; the names of its files begin with it.
	Dir string
	// Found is where it was looked for: Dir, or a link to it.
	Found string
}

// ImportPath is what a file of the same module writes to import the root
// package.
func (p *Program) ImportPath() string {
	if !p.Root.Module.Kam {
		return p.Root.Path
	}
	rel := strings.TrimPrefix(p.Root.Path, p.Root.Module.Path)
	return "..." + rel
}

// Load reads the package that the input names and all packages that it
// imports. It reports every problem that it finds and goes on where it can: the
// program is nil only when there is no root package at all, and may be
// incomplete (see [spread.Package.Missing]) when the list has errors.
//
// Import paths in the files are rewritten to the path of their package, so the
// two styles of modules look the same to the stages that follow. Files named
// "kumiki:ref.cue" are synthesized: they unify a package's #Artifact and
// #Deployment with the model, and give #Artifact the reference that follows
// from its module, as defaults. Where a native main module has no version of
// its own, that version is the major version of its path ("@v2" is 2.0.0, none
// is 0.0.0).
func Load(in Input) (*Program, diag.List) {
	memory, done := in.Memory.Use()
	defer done()
	return memory.Load(in)
}

// loader is the state of one Load.
type loader struct {
	in       Input
	dir      string // in.Dir, absolute
	library  library
	registry *registry
	memory   *Memory // nil for none
	buffers  *buffers
	diags    diag.List
	size     int // of the sources that were read, in bytes

	main        *module
	modules     map[string]*module          // by directory, or path@version if embedded
	moduleFiles map[string]parsedModuleFile // by the name of the file
	packages    map[string]*spread.Package  // by Path
	stack       []frame                     // the packages that are being loaded
	siblings    map[string][]*module        // what in.Modules holds, by module path; nil before the first use
	builtins    map[string]bool             // which of CUE's own packages exist
	reported    map[string]bool             // what is to be reported only once
	mended      map[*diag.Diagnostic]bool   // mistakes of syntax that leave their files whole
	found       map[string]string           // where dependencies were looked for, by directory
}

func newLoader(in Input, lib library) *loader {
	r := newRegistry(lib)
	r.next = in.Registry
	return &loader{
		in:          in,
		library:     lib,
		buffers:     newBuffers(in.Overlay),
		registry:    r,
		modules:     map[string]*module{},
		moduleFiles: map[string]parsedModuleFile{},
		packages:    map[string]*spread.Package{},
		builtins:    map[string]bool{},
		reported:    map[string]bool{},
		mended:      map[*diag.Diagnostic]bool{},
		found:       map[string]string{},
	}
}

func (l *loader) load() (*Program, diag.List) {
	defer l.close()
	if !l.checkDir() {
		return nil, l.diags.Sorted()
	}
	rel := l.findMain()
	root, deployment := l.root(rel)
	if root == nil {
		return nil, l.diags.Sorted()
	}
	p := &Program{Root: root, Deployment: deployment, Dir: l.main.dir}
	for _, path := range sorting.Ordered(l.packages) {
		p.Packages = append(p.Packages, l.packages[path])
	}
	trimModel(p.Packages)
	p.Modules = modulesOf(p.Packages)
	p.Places = l.places(p.Modules)
	p.Acknowledged = l.allAcknowledged(p.Packages)
	l.markBroken(p.Packages)
	return p, l.diags.Sorted()
}

// root loads the package that the input names, nil if there is none, which is reported.
func (l *loader) root(rel string) (p *spread.Package, deployment bool) {
	if l.in.Template != nil {
		return l.loadTemplate(rel), true
	}
	name, deployment := l.selectPackage(l.main, rel)
	if name == "" {
		return nil, false
	}
	return l.loadPackage(l.main, rel, name, diag.NoPos), deployment
}

// markBroken marks the packages with a file that CUE would make nonsense of.
func (l *loader) markBroken(packages []*spread.Package) {
	files := map[string]bool{}
	for _, d := range l.diags {
		if l.mended[d] {
			continue
		}
		switch d.Code {
		case diag.Syntax, diag.Forbidden, diag.BadFile, diag.BadModule:
			files[d.Pos.Filename()] = true
		}
	}
	for _, p := range packages {
		p.Broken = filter.Any(p.Files, func(f *ast.File) bool { return files[f.Filename] })
	}
}

func modulesOf(packages []*spread.Package) []*spread.Module {
	seen := map[*spread.Module]bool{}
	for _, p := range packages {
		seen[p.Module] = true
	}
	return sorting.Keys(seen, func(a, b *spread.Module) int {
		return strings.Compare(a.Path+"@"+a.Version, b.Path+"@"+b.Version)
	})
}

// places says where modules lie.
func (l *loader) places(modules []*spread.Module) []Place {
	dirs := map[*spread.Module]string{}
	for _, m := range l.modules {
		if !m.embedded {
			dirs[m.Module] = m.dir
		}
	}
	var out []Place
	for _, m := range modules {
		if dir, ok := dirs[m]; ok {
			out = append(out, Place{m, dir, cmp.Or(l.found[dir], dir)})
		}
	}
	return out
}

func (l *loader) close() {
	for _, m := range l.modules {
		m.close()
	}
}

// report records a problem.
func (l *loader) report(d *diag.Diagnostic) { l.diags = append(l.diags, d) }

// once tells, per key, whether it is asked for the first time.
func (l *loader) once(key ...string) bool {
	k := strings.Join(key, "\x00")
	first := !l.reported[k]
	l.reported[k] = true
	return first
}

// checkDir makes the input's directory absolute and reports whether it is one.
func (l *loader) checkDir() bool {
	dir, _ := filepath.Abs(l.in.Dir)
	l.dir = dir
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if l.buffers.below(dir) {
			return true // an editor's new directory, not saved yet
		}
		l.report(diag.New(diag.NoDirectory, diag.NoPos, "directory %q does not exist", l.in.Dir))
	case err != nil:
		l.report(diag.New(diag.NoDirectory, diag.NoPos, "directory %q: %v", l.in.Dir, pathError(err)))
	case !info.IsDir():
		l.report(diag.New(diag.NoDirectory, diag.NoPos, "%q is a file; give the directory that it lies in: %q",
			l.in.Dir, filepath.Dir(l.in.Dir)))
	default:
		if _, err = os.ReadDir(dir); err == nil {
			return true
		}
		l.report(diag.New(diag.NoDirectory, diag.NoPos, "directory %q can't be read: %v", l.in.Dir, pathError(err)))
	}
	return false
}

// show writes an absolute path the way the deployer wrote the directory, so
// that messages are the same on every machine.
func (l *loader) show(path string) string {
	rel, err := filepath.Rel(l.dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(filepath.Join(l.in.Dir, rel))
}

// pathError strips the path, which the message names in the reader's form.
func pathError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
