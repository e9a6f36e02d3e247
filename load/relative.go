package load

import (
	"path"
	"strings"
)

// isRelative reports whether a path begins at the directory of its file, which
// CUE's do not.
func (s spelling) isRelative() bool {
	return s.path == "." || s.path == ".." || strings.HasPrefix(s.path, "./") || strings.HasPrefix(s.path, "../")
}

// relativeDir is the directory in the module that a relative path means: seen from
// that of its file or, where there is none, from the module's root.
func (l *loader) relativeDir(m *module, dir string, s spelling) string {
	rel := path.Join(dir, s.path)
	if root := path.Join(".", strings.TrimLeft(s.path, "./")); root != "." && !m.isDir(rel) && m.isDir(root) {
		return root
	}
	return rel
}

// relativePackage adds the package that a relative path names no more than the
// directory of, if that has a single one.
func (l *loader) relativePackage(m *module, dir string, s spelling) spelling {
	if !s.isRelative() || strings.Contains(s.raw, ":") {
		return s
	}
	if names := l.scan(m, l.relativeDir(m, dir, s)).packages(); len(names) == 1 {
		s.pkg = names[0]
	}
	return s
}
