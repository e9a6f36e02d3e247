package source

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/depends"
)

// Library reads packages for [depends.Read], each once.
type Library struct {
	read    map[*Package]*depends.Package
	sources map[*Package]*depends.Sources
}

// NewLibrary returns a library that has read nothing yet.
func NewLibrary() *Library {
	return &Library{map[*Package]*depends.Package{}, map[*Package]*depends.Sources{}}
}

// Sources are those of a package. What is found out about them stays known to all who ask; what one leaves out
// of them stays there for the others.
func (l *Library) Sources(p *Package) *depends.Sources {
	if l.sources[p] == nil {
		l.sources[p] = depends.Read(l.of(p))
	}
	return l.sources[p].Again()
}

// of is a package as [depends.Read] takes it.
func (l *Library) of(p *Package) *depends.Package {
	if p == nil {
		return nil
	}
	if l.read[p] == nil {
		p.Link()
		l.read[p] = &depends.Package{Files: p.Files, Model: p.IsModel(), Import: func(path string) *depends.Package { return l.of(p.Imports[path]) }}
	}
	return l.read[p]
}

// Forget lets go of a package that nobody asks about any more.
func (l *Library) Forget(p *Package) {
	delete(l.read, p)
	delete(l.sources, p)
}

// Sliced returns a copy of a package, and of the packages that it imports, with the given files in place of theirs. A package that
// none are given for stays as it is.
func (l *Library) Sliced(p *Package, all map[*depends.Package][]*ast.File) *Package {
	made := map[*Package]*Package{}
	var slice func(p *Package) *Package
	slice = func(p *Package) *Package {
		if made[p] != nil {
			return made[p]
		}
		files, ok := all[l.read[p]]
		if !ok {
			return p
		}
		out := &Package{Path: p.Path, Name: p.Name, Module: p.Module, Files: files, Imports: map[string]*Package{}}
		made[p] = out
		for path, imp := range p.Imports {
			out.Imports[path] = slice(imp)
		}
		return out
	}
	return slice(p)
}
