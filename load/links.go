package load

import (
	"path"
	"slices"

	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
)

// LinkPackage is the name of the package whose files are links: each has one #Link.
const LinkPackage = "link"

// Links reads the files of package link in the input's directory, each as a package of its
// own, in the order of their names. There may be none.
func Links(in Input) ([]*spread.Package, diag.List) {
	links, _, problems := LinkSources(in)
	return links, problems
}

// LinkSources is [Links] with all that takes part: a program without a root, nil for no links.
func LinkSources(in Input) (links []*spread.Package, p *Program, problems diag.List) {
	l := newLoader(in, embedded())
	defer l.close()
	if !l.checkDir() {
		return nil, nil, l.diags.Sorted()
	}
	if !l.hasLinks() {
		return nil, nil, nil // whatever else is wrong there is told of who asks for the rest
	}
	rel := l.linksRoot()
	for _, s := range l.scan(l.main, rel).files {
		if s.pkg != LinkPackage {
			continue
		}
		p := &spread.Package{Path: l.main.importPath(path.Join(rel, path.Base(s.rel)), LinkPackage, l.library), Name: LinkPackage, Module: l.main.Module}
		l.fill(l.main, path.Join(rel, path.Base(s.rel)), p, []*source{s}, diag.NoPos)
		links = append(links, p)
	}
	l.markBroken(links)
	p = &Program{Dir: l.main.dir, Packages: slices.Clone(links)}
	for _, path := range sorting.Ordered(l.packages) {
		p.Packages = append(p.Packages, l.packages[path])
	}
	trimModel(p.Packages)
	p.Modules = modulesOf(p.Packages)
	p.Places = l.places(p.Modules)
	return links, p, l.diags.Sorted()
}

// linksRoot opens the module that the links are in. They name no artifact, so that they
// may be in none.
func (l *loader) linksRoot() (rel string) {
	if dir, ok := l.nearest(); ok {
		return l.useMain(dir)
	}
	rel = l.useMain(l.dir)
	l.main.Kam = true
	return rel
}

// hasLinks reports whether a file of the directory is of package link.
func (l *loader) hasLinks() bool {
	m := l.peek(l.dir)
	return filter.Any(m.list("."), func(name string) bool {
		text, _ := m.read(name)
		if checkText(name, text) != nil {
			return false
		}
		f, _ := parser.ParseFile(m.file(name), text, parser.PackageClauseOnly)
		return f.PackageName() == LinkPackage
	})
}
