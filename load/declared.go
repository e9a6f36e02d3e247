package load

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
)

// Environments loads the environments in a directory, with names only those, as far as
// they are there. Files of a package that declare none are what environments have in
// common.
func Environments(in Input, names ...string) ([]*spread.Package, diag.List) {
	return declared(in, environmentField, names...)
}

// Policies loads the policies in a directory, as [Environments] does.
func Policies(in Input) ([]*spread.Package, diag.List) { return declared(in, policyField) }

// declared loads the files in a directory that declare a field. Each is a package by
// itself, together with those files of its package, there and in the directories above,
// that do not declare it. They are sorted by the names of their files, which are NAME.cue.
func declared(in Input, field string, names ...string) ([]*spread.Package, diag.List) {
	l := newLoader(in, embedded())
	defer l.close()
	if !l.checkDir() {
		return nil, l.diags.Sorted()
	}
	rel := l.findMain()
	var out []*spread.Package
	for _, s := range l.scan(l.main, rel).files {
		name := strings.TrimSuffix(path.Base(s.rel), ".cue")
		if (len(names) == 0 || filter.Contains(names, name)) && s.declares(field) {
			out = append(out, l.fileWith(rel, s, field))
		}
	}
	l.markBroken(out)
	sorting.By(out, func(a, b *spread.Package) int { return strings.Compare(a.Path, b.Path) })
	return out, l.diags.Sorted()
}

// Root returns the root of the module that a directory lies in, "" for none.
func Root(dir string) string {
	abs, err := filepath.Abs(dir)
	for err == nil {
		if exists(filepath.Join(dir, filepath.FromSlash(moduleFile))) || exists(filepath.Join(dir, kmoduleFile)) {
			return dir
		}
		if abs == filepath.Dir(abs) {
			return ""
		}
		dir, abs = filepath.Join(dir, ".."), filepath.Dir(abs)
	}
	return ""
}

// AtRoot returns the directory of a name at the root of the module that a directory is in,
// "" where there is none.
func AtRoot(dir, name string) string {
	root := Root(dir)
	if found := filepath.Join(root, name); root != "" && exists(found) {
		return found
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// What the file of an environment, or of a policy, declares, and the modules that say
// what these are like.
const (
	environmentField, environmentPath = "#Environment", "kumiki.dev/environment"
	policyField, policyPath           = "#Policy", "kumiki.dev/policy"
)

// fileWith is the package of a file that declares the field.
func (l *loader) fileWith(rel string, s *source, field string) *spread.Package {
	sources := filter.Out(l.sourcesOf(l.main, rel, s.pkg), func(other *source) bool {
		return other != s && other.declares(field)
	})

	base := strings.TrimSuffix(path.Base(s.rel), ".cue")
	p := &spread.Package{Path: l.main.importPath(path.Join(rel, base), s.pkg, l.library), Name: s.pkg, Module: l.main.Module}
	l.fill(l.main, rel, p, sources, diag.NoPos)
	return p
}
