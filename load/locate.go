package load

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
)

// locate finds the module and the directory of an import from another module:
// in cue.mod, in the directories that the input names, in the registry. Of
// nested modules, the innermost is meant.
func (l *loader) locate(m *module, s spelling, pos diag.Pos) (*module, string) {
	prefixes := []string{s.path}
	if s.version == "" {
		for p := path.Dir(s.path); p != "."; p = path.Dir(p) {
			prefixes = append(prefixes, p)
		}
	}
	for _, find := range []func(*module, string, string) (*candidate, error){l.inCueMod, l.inSiblings} {
		for _, p := range prefixes {
			c, err := find(m, p, l.wantedVersion(m, p, s))
			if err != nil {
				l.report(diag.New(diag.WrongVersion, pos, "%v", err))
				return nil, ""
			}
			if c != nil {
				return l.take(m, c, p, s, pos)
			}
		}
	}
	if dir := l.legacyDir(s.path); dir != "" {
		return l.take(m, &candidate{dir: dir}, s.path, s, pos)
	}
	c, p, err := l.fromRegistry(m, s, prefixes, pos)
	if c == nil {
		if rel, ok := l.otherMajor(m, s, pos); ok {
			return m, rel
		}
		if l.once("locate", pos.String()) {
			l.report(l.notFound(m, s, err, pos))
		}
		return nil, ""
	}
	return l.take(m, c, p, s, pos)
}

// candidate is a directory in which a module was found.
type candidate struct {
	dir     string
	version string // "" if only the module itself knows
}

// take opens the module in the directory and checks that it is the right one.
func (l *loader) take(m *module, c *candidate, modpath string, s spelling, pos diag.Pos) (*module, string) {
	want := l.wantedVersion(m, modpath, s)
	target, err := l.openDependency(m, c, modpath)
	if err != nil {
		l.report(diag.New(diag.ImportNotFound, pos, "module %s: %v", modpath, pathError(err)))
		return nil, ""
	}
	l.found[target.dir] = cmp.Or(l.found[target.dir], c.dir)
	l.diags = append(l.diags, target.problems...)
	target.problems = nil
	if target.Path != modpath && l.once("take", m.dir, modpath) {
		l.report(diag.New(diag.BadModule, pos, "module %s was expected in %s, but the module there calls itself %s", modpath, l.show(target.dir), target.Path))
	}
	if want != "" && target.Version != "" && want != target.Version && l.once("take", m.dir, modpath, want) {
		l.report(diag.New(diag.WrongVersion, pos, "version %s of %s is asked for, but %s is there; ask for %s, or provide %s",
			want, modpath, target.Version, target.Version, want))
	}
	if s.major != "" && s.major != target.major() && !target.undeclared && l.once("take", m.dir, modpath, s.major) {
		l.report(diag.New(diag.WrongVersion, pos, "version %s of %s is asked for, but %s is there; ask for that, or provide %s",
			s.major, modpath, target.major(), s.major))
	}
	l.checkDeclared(m, modpath, target.Version, pos)
	rel, _ := within(s.path, modpath)
	return target, path.Join(rel, s.rest)
}

// openDependency opens a module other than the main one.
func (l *loader) openDependency(m *module, c *candidate, modpath string) (*module, error) {
	// The way to one module may lead over several links (cue.mod/usr and
	// cue.mod/pkg); it must be loaded only once.
	dir, err := filepath.EvalSymlinks(c.dir)
	if err != nil {
		return nil, err
	}
	known := l.modules[dir] != nil
	target, err := l.openModule(dir)
	if err != nil || known {
		return target, err
	}
	before := len(l.diags)
	l.identify(target, modpath, c.version, m)
	target.problems = slices.Clone(l.diags[before:])
	l.diags = l.diags[:before]
	return target, nil
}

// identify reads a module's own file. Without one, the module is what the
// import says, and follows the rules of the module m that imports it.
func (l *loader) identify(target *module, modpath, version string, m *module) {
	switch {
	case target.exists(kmoduleFile):
		l.readKModule(target)
	case l.isNative(target):
		l.readModuleFile(target)
		if version != "" {
			target.setVersion(version)
		}
		if m != nil && !m.Kam {
			target.resolver = m.resolver
		}
	default:
		target.undeclared = true
		target.Kam = m != nil && m.Kam
		target.Version = version
	}
	if target.Path == "" {
		target.Path = modpath
		target.ref = refOf(modpath, target.Version)
	}
}

// inCueMod finds a module in the directory that a package manager fills:
// cue.mod/pkg/<module>, or cue.mod/pkg/<module>/@<version>.
func (l *loader) inCueMod(m *module, modpath, want string) (*candidate, error) {
	for _, dir := range l.cueModDirs(modpath) {
		if pinned := filepath.Join(dir, "@"+want); want != "" && isDir(pinned) {
			return &candidate{pinned, want}, nil
		}
		if hasModule(dir) {
			return &candidate{dir: dir}, nil
		}
		switch versions := versionsIn(dir); len(versions) {
		case 0:
		case 1:
			// Another version than the wanted one: take reports it.
			return &candidate{filepath.Join(dir, "@"+versions[0]), versions[0]}, nil
		default:
			return nil, manyVersions(m, modpath, want, versions)
		}
	}
	return nil, nil
}

// versionsIn are those that have a directory of their own in one.
func versionsIn(dir string) (versions []string) {
	entries, _ := os.ReadDir(dir) // an absent directory has no entries
	for _, e := range entries {
		v, ok := strings.CutPrefix(e.Name(), "@")
		if _, isVersion := parseVersion(v); ok && isVersion && isDir(filepath.Join(dir, e.Name())) {
			versions = append(versions, v)
		}
	}
	return versions
}

// manyVersions says that several versions are there and none is the right one.
func manyVersions(m *module, modpath, want string, versions []string) error {
	slices.Sort(versions)
	found := strings.Join(versions, ", ")
	if want != "" {
		return fmt.Errorf("version %s of %s is asked for; found: %s", want, modpath, found)
	}
	example := fmt.Sprintf("kmodule.cue's dependencies which one is meant: %q: {query: %q, target: %q}", modpath, versions[0], modpath+"/@"+versions[0])
	if v, _ := parseVersion(versions[0]); !m.Kam {
		example = fmt.Sprintf("the deps of cue.mod/module.cue which one is meant: \"%s@v%d\": v: \"v%s\"", modpath, v.numbers[0], v)
	}
	return fmt.Errorf("several versions of %s are there: %s; say in %s", modpath, found, example)
}

// cueModDirs returns the places that a path can have below the nearest cue.mod
// of the main module, which real projects have above their kmodule.cue.
func (l *loader) cueModDirs(importPath string) []string {
	for dir := l.main.dir; ; dir = filepath.Dir(dir) {
		if isDir(filepath.Join(dir, "cue.mod")) {
			var dirs []string
			for _, kind := range []string{"pkg", "usr", "gen"} {
				dirs = append(dirs, filepath.Join(dir, "cue.mod", kind, filepath.FromSlash(importPath)))
			}
			return dirs
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// legacyDir finds a package that lies in cue.mod without any module file.
func (l *loader) legacyDir(importPath string) string {
	for _, dir := range l.cueModDirs(importPath) {
		if isDir(dir) {
			return dir
		}
	}
	return ""
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// hasModule reports whether the directory is a module's root.
func hasModule(dir string) bool {
	for _, name := range []string{kmoduleFile, moduleFile} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return false
}

// inSiblings finds a module in the directories that the input names.
func (l *loader) inSiblings(m *module, modpath, want string) (*candidate, error) {
	if l.siblings == nil {
		l.siblings = map[string][]*module{}
		for _, dir := range l.in.Modules {
			l.collectSiblings(dir)
		}
	}
	found := l.siblings[modpath]
	var versions []string
	for _, s := range found {
		if s.Version == want {
			return &candidate{dir: s.dir}, nil
		}
		versions = append(versions, s.Version)
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return &candidate{dir: found[0].dir}, nil
	}
	return nil, manyVersions(m, modpath, want, versions)
}

// The bounds of the search for modules, so that a wrong directory (/) ends.
const (
	maxModuleDepth = 4
	maxModuleDirs  = 10_000
)

// collectSiblings adds the modules in a directory to l.siblings.
func (l *loader) collectSiblings(root string) {
	abs, _ := filepath.Abs(root)
	root, _ = filepath.EvalSymlinks(abs) // as WalkDir follows no link, not even the first
	if !isDir(root) {
		l.report(diag.New(diag.NoDirectory, diag.NoPos, "directory of modules %q does not exist", l.show(abs)))
		return
	}
	visited := 0
	_ = filepath.WalkDir(root, func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil // what can't be read holds no modules
		}
		rel, _ := filepath.Rel(root, dir)
		visited++
		if visited > maxModuleDirs || strings.Count(filepath.ToSlash(rel), "/") >= maxModuleDepth {
			return fs.SkipDir
		}
		if name := e.Name(); dir != root && (strings.HasPrefix(name, ".") || name == "cue.mod" || name == "node_modules") {
			return fs.SkipDir
		}
		if !hasModule(dir) {
			return nil
		}
		if m, err := l.openDependency(nil, &candidate{dir: dir}, ""); err == nil && !filter.Contains(l.siblings[m.Path], m) {
			l.siblings[m.Path] = append(l.siblings[m.Path], m)
		}
		return fs.SkipDir
	})
}

// notFound words the problem of an import whose module is nowhere.
func (l *loader) notFound(m *module, s spelling, err error, pos diag.Pos) *diag.Diagnostic {
	where := "in cue.mod/pkg"
	if len(l.in.Modules) > 0 {
		where += " and the given module directories"
	}
	how := l.howToDeclare(m, s)
	switch {
	case err == nil:
	case nobodyProvides(err):
		where += " nor in the registry" // which says no more
	default:
		where += fmt.Sprintf(", and CUE's registry says: %v", err)
	}
	d := diag.New(diag.ModuleNotFound, pos, "the module of %q was not found %s; %s, or name a directory that holds it (--modules DIR)", s.raw, where, how)
	if err != nil {
		d.Cause = errors.Join(err, l.registry.failed)
	}
	return d
}

// howToDeclare says what to write so that the import's module is found.
func (l *loader) howToDeclare(m *module, s spelling) string {
	switch have, other := declaredFor(m, s); {
	case other:
		base, _, _ := strings.Cut(have, "@")
		return fmt.Sprintf("cue.mod/module.cue has %s: write that version in the import, or run kumiki mod get %s@%s", have, base, s.major)
	case have != "":
		return fmt.Sprintf("cue.mod/module.cue has %s: let CUE_REGISTRY name the registry that it is in, or run kumiki mod vendor where that can be reached", have)
	case !m.Kam:
		return "add it to the deps of cue.mod/module.cue (kumiki mod get)"
	}
	for p := s.path; p != "."; p = path.Dir(p) {
		if d, ok := m.deps[p]; ok {
			return fmt.Sprintf("kmodule.cue declares %s, so put it at cue.mod/pkg/%s", p, path.Join(p, "@"+cmp.Or(d.version, "1.0.0")))
		}
	}
	modpath, v := s.path, cmp.Or(s.version, "1.0.0")
	if parts := strings.Split(modpath, "/"); s.version == "" {
		modpath = path.Join(parts[:min(len(parts), 2)]...) // a guess: domain and module
	}
	return fmt.Sprintf("declare it in the dependencies of kmodule.cue, as in %q: {query: %q, target: %q}", modpath, v, modpath+"/@"+v)
}
