package load

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/parser"
	modpkg "cuelang.org/go/mod/module"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// withoutModule takes the likeliest root, so that the other problems are found:
// the nearest directory under which a directory exists that is imported.
func (l *loader) withoutModule() (rel string) {
	const none = "no cue.mod/module.cue and no kmodule.cue was found in this directory or above, so the artifacts have no names; "
	imports := l.imports()
	if g := l.guessNative(imports); g.modpath != "" {
		l.report(diag.New(diag.NoModule, g.pos, none+"write %s: kumiki mod init %s@%s does it, in the directory around cue.mod",
			l.show(filepath.Join(g.root, filepath.FromSlash(moduleFile))), g.modpath, g.major))
		rel = l.useMain(g.root)
		l.main.Path = g.modpath
		l.main.ref = refOf(g.modpath, strings.TrimPrefix(g.major, "v")+".0.0")
		return rel
	}
	dirs, at := kamDirs(imports)
	root := l.dir
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		if filter.Any(dirs, func(d string) bool { return isDir(filepath.Join(dir, filepath.FromSlash(d))) }) {
			root = dir
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	what := "kumiki init NAME makes one that compiles; for packages that are there, run kumiki mod init example.com/shop@v0 in the directory that holds them all"
	if len(dirs) > 0 {
		what = fmt.Sprintf("write %s: %s", l.show(filepath.Join(root, kmoduleFile)), kmoduleExample)
	}
	l.report(diag.New(diag.NoModule, at, none+"%s", what))
	rel = l.useMain(root)
	l.main.Kam = true
	return rel
}

// asked is an import of a file in the input's directory.
type asked struct {
	spelling
	pos diag.Pos
}

// imports are those of the files in the input's directory.
func (l *loader) imports() []asked {
	var out []asked
	m := l.peek(l.dir)
	for _, name := range m.list(".") {
		text, _ := m.read(name)
		if checkText(name, text) != nil {
			continue // reported when the file is loaded
		}
		f, _ := parser.ParseFile(m.file(name), text, parser.ImportsOnly)
		for spec := range f.ImportSpecs() {
			if s, err := splitImport(spec); err == nil {
				out = append(out, asked{s, fromcue.Pos(spec.Path)})
			}
		}
	}
	return out
}

// kamDirs are the directories that imports in kam's style name in their own
// module, and the position of the first such import.
func kamDirs(imports []asked) (dirs []string, at diag.Pos) {
	for _, s := range imports {
		for _, root := range []string{"...", "mod.local"} {
			if rel, ok := within(s.path, root); ok && rel != "." {
				dirs = append(dirs, rel)
				if !at.IsValid() {
					at = s.pos
				}
			}
		}
	}
	return dirs, at
}

// guess is the module that an import takes the directory to be in.
type guess struct {
	root           string // the directory of the module
	modpath, major string
	pos            diag.Pos
}

// guessNative finds the nearest directory above under which the end of an import
// path is a directory with the package: the beginning is that of the module. It
// is empty if there is none.
func (l *loader) guessNative(imports []asked) guess {
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		m := l.peek(dir)
		for _, s := range imports {
			parts := strings.Split(s.path, "/")
			if _, standard := l.library.find(s.path); standard || parts[0] == "mod.local" {
				continue
			}
			for i := 1; i < len(parts); i++ {
				modpath, rel := strings.Join(parts[:i], "/"), strings.Join(parts[i:], "/")
				if modpkg.CheckPathWithoutVersion(modpath) == nil && l.hasPackage(m, rel, s.pkg) {
					major := s.major
					if major == "" {
						major = "v0"
					}
					return guess{dir, modpath, major, s.pos}
				}
			}
		}
		if dir == filepath.Dir(dir) {
			return guess{}
		}
	}
}

// hasPackage reports whether a directory has a file of a package.
func (l *loader) hasPackage(m *module, rel, pkg string) bool {
	return filter.Any(m.list(rel), func(name string) bool {
		text, _ := m.read(path.Join(rel, name))
		if checkText(name, text) != nil {
			return false
		}
		f, _ := parser.ParseFile(name, text, parser.PackageClauseOnly)
		return f.PackageName() == pkg
	})
}
