package load

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/internal/lazyregexp"
)

// spelling is an import path taken apart, as it is written.
type spelling struct {
	raw string
	// path is the directory: ".../kafka", "example.com/shop/kafka"; the module
	// alone where the version is spelt out.
	path string
	// major is the version of a native path, "v1" in "example.com/shop@v1/x".
	major string
	// version and rest are those of a kam path, "1.1.0" and "inbound" in
	// "example.com/shop/@1.1.0/inbound".
	version, rest string
	// pkg is the package's name.
	pkg string
}

var majorForm = lazyregexp.New(`^v\d+$`)

// splitImport takes an import path apart.
func splitImport(spec *ast.ImportSpec) (spelling, error) {
	raw, err := literal.Unquote(spec.Path.Value)
	if err != nil {
		return spelling{}, fmt.Errorf("%s is no import path", spec.Path.Value)
	}
	s := spelling{raw: raw}
	dir, last := path.Split(raw)
	last, s.pkg, _ = strings.Cut(last, ":")
	s.path = dir + last
	if before, after, ok := strings.Cut(s.path, "/@"); ok {
		s.path = before
		s.version, s.rest, _ = strings.Cut(after, "/")
		if _, ok := parseVersion(s.version); !ok {
			return s, fmt.Errorf("import path %q has the version %q; three numbers were expected, as in \"@1.1.0\"", raw, s.version)
		}
	} else if p, v, ok := ast.SplitPackageVersion(s.path); ok {
		if !majorForm().MatchString(v) {
			return s, fmt.Errorf("import path %q has the version %q; only a major version at the end was expected, as in %q", raw, v, "example.com/shop/kafka@v1")
		}
		s.path, s.major = p, v
	}
	if s.pkg == "" && !strings.HasSuffix(raw, ":") {
		s.pkg = path.Base(path.Join(s.path, s.rest))
	}
	if !ast.IsValidIdent(s.pkg) || strings.Trim(s.pkg, "#_$") == "" {
		return s, fmt.Errorf("import path %q names no package; write the package's name behind a colon, as in %q", raw, strings.TrimSuffix(raw, ":")+":component")
	}
	if s.path == "" || !cleanPath(s.path) || s.rest != "" && !isPlainPath(s.rest) {
		return s, fmt.Errorf("import path %q is malformed; a path such as \".../kafka:component\" or \"example.com/shop/kafka:component\" was expected", raw)
	}
	return s, nil
}

// cleanPath reports whether the path is one that fs.FS takes, apart from "..."
// and leading "../", which are kam's.
func cleanPath(p string) bool {
	for up := true; up; {
		p, up = strings.CutPrefix(p, "../")
	}
	return p == "" || p == ".." || isPlainPath(strings.TrimPrefix(p, "./"))
}

// isPlainPath reports whether the path is one that fs.FS takes, of characters that
// are usual in paths.
func isPlainPath(p string) bool {
	return fs.ValidPath(p) && !strings.ContainsAny(p, "@\\:*?\"<>|\n")
}
