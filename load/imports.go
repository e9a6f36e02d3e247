package load

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
)

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
			spec, _ := x.Node.(*ast.ImportSpec) // nil for all others
			used[spec] = true
		}
		return true
	}, nil)
	return used
}

// dropImport takes an import out of the file.
func dropImport(f *ast.File, spec *ast.ImportSpec) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.ImportDecl); ok {
			d.Specs = filter.Out(d.Specs, func(s *ast.ImportSpec) bool { return s == spec })
		}
	}
}

// resolveImports loads what a file of package p imports and rewrites the paths
// to those of the packages. dir is the file's directory in its module; known are
// the packages of imports, by position, that have been looked for already.
func (l *loader) resolveImports(m *module, dir string, p *spread.Package, f *ast.File, known map[string]*spread.Package) (out []imported) {
	ambiguous := l.checkNames(f)
	used := usedImports(f)
	for _, spec := range slices.Collect(f.ImportSpecs()) {
		pos := fromcue.Pos(spec.Path)
		first := l.once("import", f.Filename, pos.String())
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
			if first {
				d := diag.New(diag.UnusedImport, pos, "%q is imported and not used; delete the import", s.raw)
				d.Scope.Import, d.Scope.Of = nameOf(spec, s), s.raw
				l.report(d)
			}
			dropImport(f, spec)
			continue
		case ambiguous[spec]:
			// It can be either of the packages.
		case isBuiltin(s) && l.checkBuiltin(m, s, pos):
			continue
		}
		imp, ok := known[pos.String()]
		if err == nil && !ok && !isBuiltin(s) && !ambiguous[spec] {
			imp = l.importPackage(m, dir, s, pos)
		}
		if imp == nil {
			imp = l.placeholder(m.Module, unknownPath(s), "missing")
		}
		spec.Path = &ast.BasicLit{ValuePos: fromcue.Token(pos), Kind: token.STRING, Value: literal.String.Quote(imp.Path)}
		p.Imports[imp.Path] = imp
		if imp.Missing {
			defineUsed(imp, f, spec)
		}
		out = append(out, imported{dir, s, pos, imp.Path})
	}
	return out
}

// checkNames reports imports that a file calls by the same name, and takes all but
// the first out of the file: nobody can tell which one is meant. It returns the first.
func (l *loader) checkNames(f *ast.File) (ambiguous map[*ast.ImportSpec]bool) {
	first := map[string]*ast.ImportSpec{}
	ambiguous, others := map[*ast.ImportSpec]bool{}, map[ast.Node]*ast.ImportSpec{}
	for spec := range f.ImportSpecs() {
		s, err := splitImport(spec)
		name, pos := nameOf(spec, s), fromcue.Pos(spec.Path)
		if err == nil && first[name] != nil {
			if l.once("name", f.Filename, pos.String()) {
				d := diag.New(diag.Syntax, pos, "another import is called %s already; give this one another name, as in other %q", name, s.raw)
				l.report(d)
				l.mended[d] = true
			}
			ambiguous[first[name]], others[spec] = true, first[name]
			continue
		}
		first[name] = spec
	}
	if len(others) == 0 {
		return nil
	}
	ast.Walk(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok && others[x.Node] != nil {
			x.Node = others[x.Node]
		}
		return true
	}, nil)
	for other := range others {
		dropImport(f, other.(*ast.ImportSpec))
	}
	return ambiguous
}

// nameOf is what a file calls an import.
func nameOf(spec *ast.ImportSpec, s spelling) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return s.pkg
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
		if x, ok := sel.X.(*ast.Ident); ok && x.Node == spec {
			name, _, _ := ast.LabelName(sel.Sel)
			define(p, name)
		}
		return true
	}, nil)
}

// importPackage loads the package that an import names, or a placeholder. It
// returns nil if not even its module is known; that is reported.
func (l *loader) importPackage(m *module, dir string, s spelling, pos diag.Pos) *spread.Package {
	s = l.relativePackage(m, dir, s)
	target, rel := l.resolve(m, dir, s, pos)
	if target == nil {
		return nil
	}
	if l.scan(target, rel).has(s.pkg) {
		return l.loadPackage(target, rel, s.pkg, pos)
	}
	path := target.importPath(rel, s.pkg, l.library)
	if target.undeclared && s.pkg == "kmodule" && (target.Main || target.exists(kmoduleFile)) {
		return l.placeholder(target.Module, path, s.pkg) // what is wrong with it is reported
	}
	if l.scan(target, rel).broken {
		return l.placeholder(target.Module, path, s.pkg) // it may be in the files that are reported
	}
	d, meant := l.missingPackage(m, target, rel, s, pos)
	if l.once("missing", pos.String()) {
		l.report(d)
	}
	if meant.dir != "" && !l.loading(target.importPath(meant.dir, meant.pkg, l.library)) {
		return l.loadPackage(target, meant.dir, meant.pkg, pos)
	}
	return l.placeholder(target.Module, path, s.pkg)
}
