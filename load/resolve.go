package load

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"

	"kumiki.dev/diag"
)

// resolve finds the module and the directory that an import names.
func (l *loader) resolve(m *module, dir string, s spelling, pos diag.Pos) (*module, string) {
	if rel, ok := l.localDir(m, dir, s); ok {
		l.checkLocal(m, rel, s, pos)
		if !fs.ValidPath(rel) {
			return nil, ""
		}
		return m, rel
	}
	if lm, ok := l.library.find(s.path); ok {
		return l.resolveEmbedded(m, lm, s, pos)
	}
	if rel, ok := within(s.path, m.Path); ok && m.is(s) && !m.shadowed(s.path) {
		return m, path.Join(rel, s.rest)
	}
	return l.locate(m, s, pos)
}

// is reports whether the version in an import path is the module's own.
func (m *module) is(s spelling) bool {
	return (s.version == "" || s.version == m.Version) && (s.major == "" || s.major == m.major())
}

// major is the version in the path of a native module, which one of kam's has as
// well: "v1".
func (m *module) major() string { return fmt.Sprintf("v%d", m.ref.version[0]) }

// shadowed reports whether a declared dependency lies below the module's own path
// and is meant by the import.
func (m *module) shadowed(importPath string) bool {
	for dep := range m.deps {
		if _, ok := within(importPath, dep); ok && len(dep) > len(m.Path) {
			return true
		}
	}
	return false
}

// prefix is what import paths within the module begin with.
func (m *module) prefix() string {
	if m.Kam {
		return "..."
	}
	return m.Path
}

// localDir finds the directory that a path within the module names: ".../x" and
// "mod.local/x" in kam's style, and a relative path.
func (l *loader) localDir(m *module, dir string, s spelling) (rel string, ok bool) {
	if s.isRelative() {
		return l.relativeDir(m, dir, s), true
	}
	if rel, ok = within(s.path, "..."); ok {
		return rel, true
	}
	return within(s.path, "mod.local")
}

// checkLocal reports paths that lead nowhere, relative ones and kam's style in a
// native module, once: the latter two are resolved all the same.
func (l *loader) checkLocal(m *module, rel string, s spelling, pos diag.Pos) {
	switch {
	case !l.once("local", pos.String()):
	case !fs.ValidPath(rel):
		l.report(diag.New(diag.BadImportPath, pos, "import path %q leads out of the module", s.raw))
	case !l.scan(m, rel).has(s.pkg):
	case s.isRelative():
		l.report(diag.New(diag.BadImportPath, pos, "import path %q is relative to the file; write it from the module's root: %q", s.raw, path.Join(m.prefix(), rel)+":"+s.pkg))
	case !m.Kam:
		l.report(diag.New(diag.BadImportPath, pos, "import path %q is for modules with a kmodule.cue; this module has a cue.mod/module.cue: write %q", s.raw, path.Join(m.Path, rel)+":"+s.pkg))
	}
}

// resolveEmbedded finds the directory in a module that comes with kumiki.
func (l *loader) resolveEmbedded(m *module, lm libraryModule, s spelling, pos diag.Pos) (*module, string) {
	version := l.wantedVersion(m, lm.path, s)
	if v, _ := parseVersion(version); version != "" && v.numbers[0] != 1 {
		if l.once("version", pos.String()) {
			l.report(diag.New(diag.WrongVersion, pos, "version %s of %s is asked for; kumiki comes with version 1, such as %s", version, lm.path, lm.version))
		}
		version = ""
	}
	l.checkDeclared(m, lm.path, cmp.Or(version, lm.version), pos)
	target := l.embeddedModule(lm, version)
	rel, _ := within(s.path, lm.path)
	rel = path.Join(rel, s.rest)
	if rel == path.Base(lm.path) && !target.isDir(rel) {
		rel = "." // the vendor's module has a directory of its own name
	}
	return target, rel
}

// wantedVersion returns the version of a module that an import asks for: as
// spelt in its path, else as declared; "" if nobody says, or if the import asks for
// another major version than is declared.
func (l *loader) wantedVersion(m *module, modpath string, s spelling) string {
	if s.version != "" {
		return s.version
	}
	by := m
	if m.resolver != nil {
		by = m.resolver
	}
	if d, ok := by.deps[modpath+"@"+s.major]; ok {
		return d.version
	}
	d := by.deps[modpath]
	if v, ok := parseVersion(d.version); ok && s.major != "" && s.major != fmt.Sprintf("v%d", v.numbers[0]) {
		return ""
	}
	return d.version
}

// checkDeclared warns of a dependency that the main module's kmodule.cue lacks.
func (l *loader) checkDeclared(m *module, modpath, version string, pos diag.Pos) {
	_, ok := m.deps[modpath]
	if ok || m.undeclared || !m.Main || !m.Kam || pos.Filename() == refFile || !l.once("declared", modpath) {
		return
	}
	if version == "" {
		version = "1.0.0"
	}
	l.report(diag.Warn(diag.UndeclaredDependency, pos, "%s is used, but kmodule.cue doesn't declare it; add to its dependencies: %q: {query: %q, target: %q}",
		modpath, modpath, version, modpath+"/@"+version))
}
