package load

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
)

// frame is a package that is being loaded: cycles are found on the stack.
type frame struct {
	path string
	at   diag.Pos // the import that asked for it
}

// loading reports whether the package is one of those that are being loaded.
func (l *loader) loading(path string) bool {
	return filter.Any(l.stack, func(f frame) bool { return f.path == path })
}

// loadPackage returns the package of that name in the directory, which is
// known to have it, with everything that it imports.
func (l *loader) loadPackage(m *module, rel, name string, at diag.Pos) *spread.Package {
	p := &spread.Package{Path: m.importPath(rel, name, l.library), Name: name, Module: m.Module}
	if known := l.packages[p.Path]; known != nil {
		if i := slices.IndexFunc(l.stack, func(f frame) bool { return f.path == p.Path }); i >= 0 {
			return l.cycle(known, i, at)
		}
		return known
	}
	l.fill(m, rel, p, l.sourcesOf(m, rel, name), at)
	return p
}

// fill reads the sources of a package, and everything that it imports.
func (l *loader) fill(m *module, rel string, p *spread.Package, sources []*source, at diag.Pos) {
	l.packages[p.Path] = p
	l.stack = append(l.stack, frame{p.Path, at})
	defer func() { l.stack = l.stack[:len(l.stack)-1] }()
	name := p.Name
	p.Digest = digest(sources)
	p.Context = !m.embedded && filter.Any(sources, func(s *source) bool { return bytes.Contains(s.text, []byte(spread.Context)) })
	p.Imports = map[string]*spread.Package{}
	known := map[string]*spread.Package{}
	if l.recall(m, rel, p, sources, known) {
		return
	}
	var files, whole []*ast.File // those without syntax errors
	dirs := map[*ast.File]string{}
	for _, s := range sources {
		f, ok := l.parse(m, s)
		if f.PackageName() == name { // else the error is in the package clause
			nameImports(f)
			p.Acknowledged = append(p.Acknowledged, l.acknowledged(f, s.text)...)
			files = append(files, f)
			if ok {
				whole = append(whole, f)
			}
			dirs[f] = path.Dir(s.rel)
			(&embedder{l, m, p, dirs[f], map[ast.Node]ast.Node{}}).file(f)
		}
	}
	if len(p.Embedded) > 0 {
		p.Digest = digest(append(sources, sourcesIn(p)...))
		for _, f := range files {
			l.in.Texts.File(f) // what stands in it now
		}
	}
	l.mend(m, p, whole)
	p.Files = l.withReference(m, name, l.templated(p, files))
	var imports []imported
	for _, f := range p.Files {
		l.forbidden(f)
		if p.Context {
			for _, d := range contextWritten(f) {
				l.report(d)
				l.mended[d] = true
			}
		}
		for _, d := range fromcue.BadLiterals(f) {
			l.report(d)
			l.mended[d] = true
		}
		imports = append(imports, l.resolveImports(l.graphed(m, f), cmp.Or(dirs[f], rel), p, f, known)...)
	}
	l.mendArtifacts(m, p)
	l.remember(m, rel, p, sources, imports)
}

// sourcesOf returns the files of a package: those of its directory and of the
// directories above, up to the module's root, outermost first.
func (l *loader) sourcesOf(m *module, rel, name string) []*source {
	var sources []*source
	for dir := rel; ; dir = path.Dir(dir) {
		var here []*source
		for _, f := range l.scan(m, dir).files {
			if f.pkg == name {
				here = append(here, f)
			}
		}
		sources = append(here, sources...)
		if dir == "." {
			return sources
		}
	}
}

// digest is a hash over names and contents; the lengths keep two lists of files
// apart that are the same when written one after the other.
func digest(sources []*source) string {
	h := sha256.New()
	for _, s := range sources {
		fmt.Fprintf(h, "%d %s %d\n", len(s.rel), s.rel, len(s.text))
		h.Write(s.text)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// sourcesIn are the files that a package embeds.
func sourcesIn(p *spread.Package) []*source {
	var out []*source
	for _, e := range p.Embedded {
		out = append(out, &source{rel: e.File, text: e.Text})
	}
	return out
}

// cycle reports that the import at the position closes a cycle, which begins at
// the i-th package of the stack, and returns a placeholder that breaks it.
func (l *loader) cycle(p *spread.Package, i int, at diag.Pos) *spread.Package {
	var steps []string
	for _, f := range l.stack[i:] {
		steps = append(steps, f.path)
	}
	steps = append(steps, p.Path)
	d := diag.New(diag.ImportCycle, at, "import cycle: %s; a package can't be a part of itself: move what both need into a third one", strings.Join(steps, " → "))
	for _, f := range l.stack[i+1:] {
		d.With(f.at, "%s is imported here", f.path)
	}
	l.report(d)
	// The placeholder needs a path of its own, as the real package is loaded too.
	base := strings.TrimSuffix(p.Path, ":"+p.Name)
	return l.placeholder(p.Module, strings.ReplaceAll(base, "@", "/")+"@cycle:"+p.Name, p.Name)
}

// placeholder returns an empty package that stands for one that can't be
// loaded. Its error is reported already.
func (l *loader) placeholder(m *spread.Module, path, name string) *spread.Package {
	if p := l.packages[path]; p != nil {
		return p
	}
	f := &ast.File{Filename: "kumiki:missing.cue", Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent(name)},
	}}
	p := &spread.Package{
		Path: path, Name: name, Module: m, Missing: true,
		Files: []*ast.File{f}, Imports: map[string]*spread.Package{}, Digest: digest(nil),
	}
	define(p, "#Artifact")
	l.packages[path] = p
	return p
}

// define gives a placeholder a field that somebody refers to, so that the
// reference is not reported as a second problem.
func define(p *spread.Package, name string) {
	f := p.Files[0]
	for _, d := range f.Decls {
		if declares(d, name) {
			return
		}
	}
	var label ast.Label = ast.NewIdent(name)
	if !ast.IsValidIdent(name) {
		label = ast.NewString(name)
	}
	f.Decls = append(f.Decls, &ast.Field{Label: label, Value: ast.NewIdent("_")})
}

// declares reports whether the declaration is a field of that name.
func declares(d ast.Decl, name string) bool {
	f, ok := d.(*ast.Field)
	if !ok {
		return false
	}
	label, _, _ := ast.LabelName(f.Label) // "" for what has none
	return label == name
}

// hasField reports whether one of the files declares the field at the top.
func hasField(files []*ast.File, name string) bool {
	return filter.Any(files, func(f *ast.File) bool {
		return filter.Any(f.Decls, func(d ast.Decl) bool { return declares(d, name) })
	})
}

// forbidden reports what would execute something or read a file that isn't a
// source, and takes it out of the tree.
func (l *loader) forbidden(f *ast.File) {
	check := func(a *ast.Attribute) {
		key, body := a.Split()
		if key != "extern" && key != "embed" || !l.once("attribute", a.Pos().String()) {
			return
		}
		d := diag.New(diag.Forbidden, fromcue.Pos(a), "@extern(%s) runs or reads what is no CUE source, which kumiki doesn't do; @extern(embed) embeds files of the module", body)
		if key == "embed" {
			d.Message = "@embed counts in a file that begins with @extern(embed), and on a field: write that line at the top"
		}
		l.report(d)
		l.mended[d] = true
	}
	ast.Walk(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.Attribute); ok {
			check(a)
		}
		return true
	}, nil)
	f.Decls = filter.Out(f.Decls, func(d ast.Decl) bool {
		a, ok := d.(*ast.Attribute)
		if !ok {
			return false
		}
		key, _ := a.Split()
		return key == "extern"
	})

}
