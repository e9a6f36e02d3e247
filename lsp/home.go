package lsp

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/load"
	"kumiki.dev/schema"
)

// home is the module that files belong to, as its own file describes it.
type home struct {
	dir     string
	kam     bool
	path    string // without version
	version string
	deps    map[string]string // versions by module path
	// local are the modules that are shown in its cue.mod/pkg, where CUE knows no
	// versions.
	local []string
}

// homeDir is the root of the module above a file, and whether that is one in the
// vendor's style; "" if there is none.
func homeDir(file string) (dir string, kam bool) {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "kmodule.cue")) {
			return dir, true
		}
		if exists(filepath.Join(dir, "cue.mod", "module.cue")) {
			return dir, false
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// homeAt reads the file of the module in a directory; nil if that says nothing.
func homeAt(dir string) *home {
	survey, _ := load.Look(dir)
	if survey == nil || survey.Module == nil || survey.Module.Path == "" || survey.Dir != dir {
		return nil
	}
	return &home{dir: dir, kam: survey.Module.Kam, path: survey.Module.Path, version: survey.Version, deps: survey.Dependencies}
}

// canonical is an import path as CUE's server knows it, for one of a file in the
// directory rel of the module.
func (h *home) canonical(raw, rel string) string {
	if !h.kam {
		ip := ast.ParseImportPath(raw)
		for _, module := range h.local {
			if _, ok := within(ip.Path, module); ok {
				ip.Version = ""
				return ip.String()
			}
		}
		return raw
	}
	p, name := raw, ""
	if i := strings.LastIndexAny(raw, "/:"); i >= 0 && raw[i] == ':' {
		p, name = raw[:i], raw[i:]
	}
	p, rest, _ := strings.Cut(p, "/@")
	_, rest, _ = strings.Cut(rest, "/") // what is before it is the version
	if name == "" {
		name = ":" + path.Base(path.Join(p, rest))
	}
	switch first, below, _ := strings.Cut(p, "/"); first {
	case "...", "mod.local":
		return path.Join(h.path, below) + name
	case ".", "..":
		return path.Join(h.path, rel, p) + name
	}
	for _, m := range schema.Modules() {
		if in, ok := strings.CutPrefix(p+"/", m.Path+"/"); ok {
			in = path.Join(in, rest)
			if in == path.Base(m.Path) {
				in = "" // the vendor's module has a directory of its own name
			}
			return path.Join(m.Path, in) + name
		}
	}
	if first, _, _ := strings.Cut(p, "/"); !strings.Contains(first, ".") {
		return raw // CUE's own packages
	}
	return path.Join(unversioned(p), rest) + name
}

// moduleText is a module.cue that CUE's server can take for the module's own.
func (h *home) moduleText() string {
	return string(withModel("module: " + literal.String.Quote(h.path+"@v0") + "\nlanguage: version: \"v0.12.0\"\n"))
}

// sources lists the CUE files of the module, those of modules within it aside.
func (h *home) sources() []string {
	var out []string
	seen := 0
	_ = filepath.WalkDir(h.dir, func(name string, e fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case err != nil:
			return nil // what can't be read is not edited either
		case seen == maxDirs:
			return fs.SkipAll
		case e.IsDir() && name != h.dir && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "cue.mod" || base == "node_modules" || moduleRoot(name)):
			return fs.SkipDir
		case !e.IsDir() && isSource(name):
			out = append(out, name)
		}
		seen++
		return nil
	})
	return out
}

// maxSource is how long a file may be that is read for others to refer to.
const maxSource = 4 << 20

// isSource reports whether the name is that of a file of a package.
func isSource(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, ".cue") && !strings.HasPrefix(base, "_") && !strings.HasPrefix(base, ".")
}

// readSource is the text of a file on the disk, nil if there is none.
func readSource(name string) []byte {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	if text == nil {
		text = []byte{}
	}
	return text
}

// find is the directory of a dependency, "" if it is in none of those that a
// package manager fills or the client names.
func (h *home) find(dep, version string, others []*home) string {
	for dir := h.dir; ; dir = filepath.Dir(dir) {
		for _, name := range []string{filepath.Join(dep, "@"+version), dep} {
			at := filepath.Join(dir, "cue.mod", "pkg", filepath.FromSlash(name))
			if info, err := os.Stat(at); err == nil && info.IsDir() {
				return at
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, o := range others {
		if o.path == dep {
			return o.dir
		}
	}
	return ""
}
