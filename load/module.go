package load

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
)

// module is a directory tree with the rules by which its packages are found.
type module struct {
	*spread.Module
	// dir is the absolute root on disk, or the import path of an embedded
	// module; the names of files begin with it.
	dir      string
	embedded bool
	files    fs.FS
	root     *os.Root // what files reads from, nil if not on disk
	overlay  *buffers // nil for none

	// ref is what the artifacts of this module are called.
	ref moduleRef
	// deps are the declared dependencies by module path.
	deps map[string]dependency
	// undeclared says that deps is unknown, so that nothing is missing in it.
	undeclared bool
	// language is the CUE version that a native module asks for, or "".
	language string
	// lints are the warnings that its module.cue says are known.
	lints diag.Acknowledgements
	// resolver is the native module whose module.cue decides which versions
	// are taken: the main one, or the module itself.
	resolver *module

	// problems are what was found when the module was opened; they are reported
	// once it is clear that the module is used.
	problems diag.List

	scanned map[string]*directory
}

// moduleRef is a module's part of #Ref.
type moduleRef struct {
	domain, module            string
	version                   [3]uint64
	prerelease, buildmetadata string
}

// dependency is an entry of kmodule.cue or module.cue.
type dependency struct {
	version string // without "v"; "" if none is given
	pos     diag.Pos
}

// openModule opens the module in a directory of the disk. It returns the same
// module for the same directory.
func (l *loader) openModule(dir string) (*module, error) {
	if m := l.modules[dir]; m != nil {
		return m, nil
	}
	m := &module{
		Module:  &spread.Module{},
		dir:     dir,
		overlay: l.buffers,
		scanned: map[string]*directory{},
	}
	root, err := os.OpenRoot(dir)
	switch {
	case err == nil:
		// An os.Root, because no source may lie outside of its module.
		m.root, m.files = root, root.FS()
	case errors.Is(err, fs.ErrNotExist): // all that it has are buffers
		m.files = embed.FS{}
	default:
		return nil, err
	}
	l.modules[dir] = m
	return m, nil
}

// embeddedModule returns a module of the library in the given version.
func (l *loader) embeddedModule(lm libraryModule, version string) *module {
	if version == "" || lm.path == modelPath {
		// The model has one implementation, whichever 1.x is asked for.
		version = lm.version
	}
	key := lm.path + "@" + version
	if m := l.modules[key]; m != nil {
		return m
	}
	files, _ := fs.Sub(l.library.files, lm.path) // which fails for what is no path only
	m := &module{
		Module:   &spread.Module{Path: lm.path, Version: version},
		dir:      lm.path,
		embedded: true,
		files:    files,
		ref:      refOf(lm.path, version),
		scanned:  map[string]*directory{},
	}
	l.modules[key] = m
	return m
}

// refOf splits a module path as references have it: domain, then the rest.
func refOf(modpath, version string) moduleRef {
	domain, name, _ := strings.Cut(modpath, "/")
	v, _ := parseVersion(version)
	return moduleRef{domain, name, v.numbers, v.prerelease, v.buildmetadata}
}

func (m *module) close() {
	if m.root != nil {
		m.root.Close()
	}
}

// file returns the name that positions in the module's file have.
func (m *module) file(rel string) string {
	if m.embedded {
		return path.Join(m.dir, rel)
	}
	return filepath.Join(m.dir, filepath.FromSlash(rel))
}

// importPath is the canonical path of a package: the version is part of it
// where several versions can be in one program.
func (m *module) importPath(rel, name string, lib library) string {
	p := path.Join(m.Path, rel)
	lm, _ := lib.find(m.Path)
	standard := m.embedded && lm.version == m.Version
	if !m.Main && !standard && m.Version != "" {
		p += "@v" + m.Version
	}
	return p + ":" + name
}

// read returns the contents of a file, an unsaved buffer first. It never reads
// more than maxFile+1 bytes, and nothing but regular files.
func (m *module) read(rel string) ([]byte, error) {
	if src, ok := m.overlay.text(m.file(rel)); ok {
		return src, nil
	}
	info, err := fs.Stat(m.files, rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := m.files.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

var errNotRegular = errors.New("not a regular file")

// exists reports whether the module has a file of that name.
func (m *module) exists(rel string) bool {
	if _, ok := m.overlay.text(m.file(rel)); ok {
		return true
	}
	_, err := fs.Stat(m.files, rel)
	return err == nil
}

// isDir reports whether the module has a directory of that name.
func (m *module) isDir(rel string) bool {
	if info, err := fs.Stat(m.files, rel); err == nil {
		return info.IsDir()
	}
	return len(m.list(rel)) > 0
}

// list returns the names in a directory that can be CUE sources, sorted.
func (m *module) list(rel string) []string {
	var names []string
	entries, _ := fs.ReadDir(m.files, rel) // an absent directory has no entries
	for _, e := range entries {
		names = append(names, e.Name())
	}
	names = append(names, m.overlay.in(m.file(rel))...)
	names = filter.Out(names, func(n string) bool { return !isSource(n) })
	slices.Sort(names)
	return slices.Compact(names)
}

// isSource reports whether a file name is one that CUE takes for a package.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".cue") &&
		!strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") &&
		!strings.HasSuffix(name, "_tool.cue") && !strings.HasSuffix(name, "_test.cue")
}

// fileProblem reports a file that can't be read.
func (l *loader) fileProblem(m *module, rel string, err error) {
	if !l.once("file", m.file(rel)) {
		return
	}
	at, name := startOf(m.file(rel)), path.Base(rel)
	switch info, statErr := m.lstat(rel); {
	case statErr == nil && info.IsDir():
		l.report(diag.New(diag.BadFile, at, "%q is a directory; a name that ends in .cue is expected to be a file: rename the directory", name))
	case errors.Is(err, errNotRegular):
		l.report(diag.New(diag.BadFile, at, "%q is neither a file nor a link to one", name))
	case statErr == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, fs.ErrPermission):
		l.report(diag.New(diag.OutsideModule, at, "%q is a link that leads out of the module or nowhere; put a copy of the file here, or import the package that it belongs to", name))
	default:
		l.report(diag.New(diag.BadFile, at, "%q can't be read: %v", name, pathError(err)))
	}
}

func (m *module) lstat(rel string) (fs.FileInfo, error) {
	if m.root == nil {
		return fs.Stat(m.files, rel)
	}
	return m.root.Lstat(filepath.FromSlash(rel))
}

// startOf is the position of a file that can't be parsed.
func startOf(name string) diag.Pos {
	return diag.NewFile(name, nil).Pos(0)
}
