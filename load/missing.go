package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
)

// maxSearched bounds how many directories are searched for a package that was
// not found, and maxListed how many are listed.
const (
	maxSearched = 2000
	maxListed   = 10
)

// meantPackage is a package that was probably meant, and its directory, "" if
// nobody can tell.
type meantPackage struct{ dir, pkg string }

// missingPackage words the problem of an import whose package isn't there. It
// also returns the package that was probably meant: what is found in that one is
// found in the same run.
func (l *loader) missingPackage(m, target *module, rel string, s spelling, pos diag.Pos) (d *diag.Diagnostic, meant meantPackage) {
	spell := func(dir, pkg string) string {
		root := target.Path
		if m == target {
			root = m.prefix()
		}
		return fmt.Sprintf("%q", path.Join(root, dir)+":"+pkg)
	}
	if names := l.scan(target, rel).packages(); len(names) > 0 {
		var there []string
		for _, name := range names {
			there = append(there, spell(rel, name))
		}
		if len(names) == 1 && s.pkg != "kmodule" {
			meant = meantPackage{rel, names[0]}
		}
		return diag.New(diag.ImportNotFound, pos, "%q: the directory has no package %s; it has %s",
			s.raw, s.pkg, strings.Join(there, ", ")), meant
	}
	if _, err := fs.ReadDir(target.files, rel); errors.Is(err, fs.ErrPermission) {
		return diag.New(diag.ImportNotFound, pos, "%q: directory %s can't be read: %v", s.raw, rel, pathError(err)), meant
	}
	what := "directory"
	if target.isDir(rel) {
		what = "CUE package in directory"
	}
	where := "module " + target.Path
	if target.Main {
		where = "this module"
	}
	var dirs []string
	for _, dir := range l.directories(target) {
		if l.scanQuiet(target, dir).has(s.pkg) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return diag.New(diag.ImportNotFound, pos, "%q: there is no %s %s in %s, and no package %s elsewhere in it", s.raw, what, rel, where, s.pkg), meant
	}
	hint, best := "", nearest(rel, dirs)
	if best != "" {
		hint = fmt.Sprintf("; did you mean %s?", spell(best, s.pkg))
	}
	more := ""
	if len(dirs) > maxListed {
		dirs, more = dirs[:maxListed], ", …"
	}
	return diag.New(diag.ImportNotFound, pos, "%q: there is no %s %s in %s; package %s is in: %s%s%s",
		s.raw, what, rel, where, s.pkg, strings.Join(dirs, ", "), more, hint), meantPackage{best, s.pkg}
}

// directories returns the directories of a module in which packages can lie.
func (l *loader) directories(m *module) []string {
	var dirs []string
	_ = fs.WalkDir(m.files, ".", func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil // what can't be read is no candidate
		}
		if dir != "." && hidden(e.Name()) {
			return fs.SkipDir
		}
		if len(dirs) >= maxSearched {
			return fs.SkipAll
		}
		if dir != "." {
			dirs = append(dirs, dir)
		}
		return nil
	})
	return dirs
}

// scanQuiet is scan for a directory that nobody asked for: its problems don't
// matter.
func (l *loader) scanQuiet(m *module, rel string) *directory {
	if d := m.scanned[rel]; d != nil {
		return d
	}
	quiet := newLoader(l.in, l.library)
	d := quiet.scan(m, rel)
	delete(m.scanned, rel)
	return d
}

// nearest returns the candidate that the word was probably meant to be: the
// only one, one that it contains or that contains it, or the one spelt most
// alike; "" if none comes near.
func nearest(word string, candidates []string) string {
	if len(candidates) == 1 {
		return candidates[0]
	}
	if best, ok := diag.Nearest(word, candidates); ok {
		return best
	}
	for _, c := range candidates {
		if strings.Contains(word, c) || strings.Contains(c, word) {
			return c
		}
	}
	return ""
}

// isBuiltin reports whether the import is one of CUE's own packages, which have no
// dot in their first element.
func isBuiltin(s spelling) bool {
	first, _, _ := strings.Cut(s.path, "/")
	return !strings.Contains(first, ".")
}

// checkBuiltin reports a package that CUE doesn't have, and those that exist
// for running commands: of both, nothing is known. It is true for all others.
func (l *loader) checkBuiltin(m *module, s spelling, pos diag.Pos) bool {
	if s.path == "tool" || strings.HasPrefix(s.path, "tool/") {
		if l.once("tool", pos.String()) {
			d := diag.New(diag.Forbidden, pos, "%q is for running commands, reading files or calling servers, none of which a manifest can do; delete the import", s.raw)
			l.report(d)
			l.mended[d] = true
		}
		return false
	}
	known, ok := l.builtins[s.path]
	if !ok {
		v := cuecontext.New().CompileString(fmt.Sprintf("import x %q\ny: x", s.path))
		known = v.Err() == nil
		l.builtins[s.path] = known
	}
	if !known && l.once("builtin", pos.String()) {
		l.report(diag.New(diag.ImportNotFound, pos, "CUE has no package %q; a package of this module is imported as %q", s.raw, path.Join(m.prefix(), s.path)+":"+s.pkg))
	}
	return known
}
