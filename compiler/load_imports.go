package compiler

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
	"kumiki.dev/spread"
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

var majorForm = regexp.MustCompile(`^v\d+$`)

// splitImport takes an import path apart.
func splitImport(spec *ast.ImportSpec) (spelling, error) {
	raw, err := literal.Unquote(spec.Path.Value)
	if err != nil {
		return spelling{}, fmt.Errorf("%s is no import path", spec.Path.Value)
	}
	s := spelling{raw: raw, path: raw}
	if i := strings.LastIndexAny(raw, "/:"); i >= 0 && raw[i] == ':' {
		s.path, s.pkg = raw[:i], raw[i+1:]
	}
	if before, after, ok := strings.Cut(s.path, "/@"); ok {
		s.path = before
		s.version, s.rest, _ = strings.Cut(after, "/")
		if _, ok := parseVersion(s.version); !ok {
			return s, fmt.Errorf("import path %q has the version %q; three numbers were expected, as in \"@1.1.0\"", raw, s.version)
		}
	} else if p, v, ok := ast.SplitPackageVersion(s.path); ok {
		if !majorForm.MatchString(v) {
			return s, fmt.Errorf("import path %q has the version %q; only a major version at the end was expected, as in %q", raw, v, "example.com/shop/kafka@v1")
		}
		s.path, s.major = p, v
	}
	if s.pkg == "" && s.path == raw || s.pkg == "" && !strings.HasSuffix(raw, ":") {
		s.pkg = path.Base(path.Join(s.path, s.rest))
	}
	if !ast.IsValidIdent(s.pkg) || strings.ContainsAny(s.pkg, "#_$") && strings.Trim(s.pkg, "#_$") == "" {
		return s, fmt.Errorf("import path %q names no package; write the package's name behind a colon, as in %q", raw, strings.TrimSuffix(raw, ":")+":component")
	}
	if s.path == "" || !cleanPath(s.path) || !cleanPath(s.rest) {
		return s, fmt.Errorf("import path %q is malformed; a path such as \".../kafka:component\" or \"example.com/shop/kafka:component\" was expected", raw)
	}
	return s, nil
}

// cleanPath tells whether the path is one that fs.FS takes, apart from "..."
// and leading "../", which are kam's.
func cleanPath(p string) bool {
	for strings.HasPrefix(p, "../") {
		p = p[3:]
	}
	return p == "" || p == ".." || fs.ValidPath(strings.TrimPrefix(p, "./")) && !strings.ContainsAny(p, "@\\:*?\"<>|\n")
}

// nameImports gives every import the name by which its file refers to it, so
// that rewriting the path doesn't change the name.
func nameImports(f *ast.File) {
	named := false
	for spec := range f.ImportSpecs() {
		if s, err := splitImport(spec); err == nil && spec.Name == nil {
			spec.Name = ast.NewIdent(s.pkg)
			ast.SetPos(spec.Name, spec.Path.Pos())
			named = true
		}
	}
	if !named {
		return // the parser has resolved what refers to them
	}
	// The parser has reported what is wrong with the names.
	astutil.Resolve(f, func(token.Pos, string, ...any) {})
}

// usedImports returns the imports that something in the file refers to.
func usedImports(f *ast.File) map[*ast.ImportSpec]bool {
	used := map[*ast.ImportSpec]bool{}
	ast.Walk(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok {
			if spec, ok := x.Node.(*ast.ImportSpec); ok {
				used[spec] = true
			}
		}
		return true
	}, nil)
	return used
}

// dropImport takes an import out of the file.
func dropImport(f *ast.File, spec *ast.ImportSpec) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.ImportDecl); ok {
			d.Specs = slices.DeleteFunc(d.Specs, func(s *ast.ImportSpec) bool { return s == spec })
		}
	}
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		imp, ok := d.(*ast.ImportDecl)
		return ok && len(imp.Specs) == 0
	})
}

// resolveImports loads what a file of package p imports and rewrites the paths
// to those of the packages. dir is the file's directory in its module; known are
// the packages of imports, by position, that have been looked for already.
func (l *loader) resolveImports(m *module, dir string, p *spread.Package, f *ast.File, known map[string]*spread.Package) (out []imported) {
	used := usedImports(f)
	l.checkNames(f)
	for _, spec := range slices.Collect(f.ImportSpecs()) {
		pos := spec.Path.Pos()
		first := l.once("import", f.Filename, pos.String()) || f.Filename == refFile
		s, err := splitImport(spec)
		switch {
		case err != nil:
			if first {
				l.report(diag.New(diag.BadImportPath, pos, "%v", err))
			}
			if spec.Name == nil {
				dropImport(f, spec)
				continue
			}
		case !used[spec]:
			if first && !l.reported["name\x00"+f.Filename+"\x00"+pos.String()] {
				l.report(diag.New(diag.UnusedImport, pos, "%q is imported and not used; delete the import", s.raw))
			}
			dropImport(f, spec)
			continue
		case isBuiltin(s):
			l.checkBuiltin(m, s, pos)
			continue
		}
		imp, ok := known[pos.String()]
		if err == nil && !ok {
			imp = l.importPackage(m, dir, s, pos)
		}
		if imp == nil {
			imp = l.placeholder(m.Module, unknownPath(s), "missing")
		}
		spec.Path = &ast.BasicLit{ValuePos: pos, Kind: token.STRING, Value: literal.String.Quote(imp.Path)}
		p.Imports[imp.Path] = imp
		if imp.Missing {
			defineUsed(imp, f, spec)
		}
		out = append(out, imported{dir, s, pos, imp.Path})
	}
	return out
}

// checkNames reports imports that a file calls by the same name.
func (l *loader) checkNames(f *ast.File) {
	seen := map[string]bool{}
	for spec := range f.ImportSpecs() {
		s, err := splitImport(spec)
		name := s.pkg
		if spec.Name != nil {
			name = spec.Name.Name
		}
		pos := spec.Path.Pos()
		if err == nil && seen[name] && l.once("name", f.Filename, pos.String()) {
			l.report(diag.New(diag.Syntax, pos, "another import is called %s already; give this one another name, as in other %q", name, s.raw))
		}
		seen[name] = true
	}
}

// unknownPath makes up a path for an import that leads nowhere.
func unknownPath(s spelling) string {
	return fmt.Sprintf("missing.invalid/%.6x:missing", sha256.Sum256([]byte(s.raw)))
}

// defineUsed gives a placeholder every field that the file takes from it.
func defineUsed(p *spread.Package, f *ast.File, spec *ast.ImportSpec) {
	ast.Walk(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, isIdent := sel.X.(*ast.Ident)
		name, isName := sel.Sel.(*ast.Ident)
		if isIdent && isName && x.Node == spec {
			define(p, name.Name)
		}
		return true
	}, nil)
}

// importPackage loads the package that an import names, or a placeholder. It
// returns nil if not even its module is known; that is reported.
func (l *loader) importPackage(m *module, dir string, s spelling, pos token.Pos) *spread.Package {
	target, rel := l.resolve(m, dir, s, pos)
	if target == nil {
		return nil
	}
	if l.scan(target, rel).has(s.pkg) {
		return l.loadPackage(target, rel, s.pkg, pos)
	}
	path := target.importPath(rel, s.pkg, l.library)
	if target.undeclared && s.pkg == "kmodule" {
		return l.placeholder(target.Module, path, s.pkg) // the lack of it is reported
	}
	if l.scan(target, rel).broken {
		return l.placeholder(target.Module, path, s.pkg) // it may be in the files that are reported
	}
	d, meant := l.missingPackage(m, target, rel, s, pos)
	if l.once("missing", pos.String()) {
		l.report(d)
	}
	if meant != "" && !l.loading(target.importPath(meant, s.pkg, l.library)) {
		return l.loadPackage(target, meant, s.pkg, pos)
	}
	return l.placeholder(target.Module, path, s.pkg)
}

// resolve finds the module and the directory that an import names.
func (l *loader) resolve(m *module, dir string, s spelling, pos token.Pos) (*module, string) {
	if rel, ok := l.resolveLocal(m, dir, s, pos); ok {
		if !fs.ValidPath(rel) {
			l.report(diag.New(diag.BadImportPath, pos, "import path %q leads out of the module", s.raw))
			return nil, ""
		}
		return m, rel
	}
	if lm, ok := l.library.find(s.path); ok {
		return l.resolveEmbedded(m, lm, s, pos)
	}
	if rel, ok := within(s.path, m.Path); ok && m.is(s) && !m.shadowed(s.path) {
		if s.rest != "" {
			rel = path.Join(rel, s.rest)
		}
		return m, rel
	}
	return l.locate(m, s, pos)
}

// is tells whether the version in an import path is the module's own.
func (m *module) is(s spelling) bool {
	v, _ := parseVersion(m.Version)
	return (s.version == "" || s.version == m.Version) &&
		(s.major == "" || m.Kam || s.major == fmt.Sprintf("v%d", m.ref.version[0]) || s.major == fmt.Sprintf("v%d", v.numbers[0]))
}

// shadowed tells whether a declared dependency lies below the module's own path
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

// resolveLocal finds the directory that a path within the module names: ".../x"
// and "mod.local/x" in kam's style. Relative paths and kam's style in a native
// module are reported, and resolved all the same.
func (l *loader) resolveLocal(m *module, dir string, s spelling, pos token.Pos) (rel string, ok bool) {
	first := l.once("local", pos.String())
	if s.path == "." || s.path == ".." || strings.HasPrefix(s.path, "./") || strings.HasPrefix(s.path, "../") {
		rel = path.Join(dir, s.path)
		if first && fs.ValidPath(rel) && l.scan(m, rel).has(s.pkg) {
			l.report(diag.New(diag.BadImportPath, pos, "import path %q is relative to the file; write it from the module's root: %q", s.raw, path.Join(m.prefix(), rel)+":"+s.pkg))
		}
		return rel, true
	}
	for _, root := range []string{"...", "mod.local"} {
		if rel, ok = within(s.path, root); ok {
			break
		}
	}
	if ok && !m.Kam && first && fs.ValidPath(rel) && l.scan(m, rel).has(s.pkg) {
		l.report(diag.New(diag.BadImportPath, pos, "import path %q is for modules with a kmodule.cue; this module has a cue.mod/module.cue: write %q", s.raw, path.Join(m.Path, rel)+":"+s.pkg))
	}
	return rel, ok
}

// resolveEmbedded finds the directory in a module that comes with kumiki.
func (l *loader) resolveEmbedded(m *module, lm libraryModule, s spelling, pos token.Pos) (*module, string) {
	version := l.wantedVersion(m, lm.path, s)
	if v, ok := parseVersion(version); version != "" && (!ok || v.numbers[0] != 1) {
		if l.once("version", pos.String()) {
			l.report(diag.New(diag.WrongVersion, pos, "version %s of %s is asked for; kumiki comes with version 1, such as %s", version, lm.path, lm.version))
		}
		version = ""
	}
	l.checkDeclared(m, lm.path, cmp.Or(version, lm.version), pos)
	target, err := l.embeddedModule(lm, version)
	if err != nil {
		l.report(diag.New(diag.ImportNotFound, pos, "module %s: %v", lm.path, err))
		return nil, ""
	}
	rel, _ := within(s.path, lm.path)
	rel = path.Join(rel, s.rest)
	if rel == path.Base(lm.path) && !target.isDir(rel) {
		rel = "." // the vendor's module has a directory of its own name
	}
	return target, rel
}

// wantedVersion returns the version of a module that an import asks for: as
// spelt in its path, else as declared; "" if nobody says.
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
	return by.deps[modpath].version
}

// checkDeclared warns of a dependency that the main module's kmodule.cue lacks.
func (l *loader) checkDeclared(m *module, modpath, version string, pos token.Pos) {
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
