package lsp

import (
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// shapes are what can be written in artifacts as far as their sources say it
// literally: what is there before anything could be evaluated.
func (x *symbols) shapes(file string) (own *shape, all map[string]*shape) {
	i := x.files[file]
	if i == nil {
		return nil, nil
	}
	all = map[string]*shape{}
	pkg := i.pkg
	if deployed := x.targets[pkg][""]; deployed != "" {
		pkg = deployed
	}
	x.shape(pkg, all)
	return all[pkg], all
}

// shape adds that of a package, and of those that fill its roles.
func (x *symbols) shape(pkg string, all map[string]*shape) {
	if all[pkg] != nil {
		return
	}
	s := &shape{Kind: pkg[strings.LastIndexByte(pkg, ':')+1:], Roles: map[string]string{}}
	all[pkg] = s
	for _, name := range sorting.Ordered(x.files) {
		if x.files[name].pkg == pkg {
			s.add(x.files[name].declarations())
		}
	}
	for _, name := range sorting.Ordered(s.Roles) {
		s.Kind = "service"
		if filler := x.targets[pkg][name]; filler != "" {
			s.Roles[name] = filler
			x.shape(filler, all)
		}
	}
	s.Config = filter.Out(s.Config, func(d declared) bool {
		return d.Type == ""
	})

}

func (s *shape) add(marks []mark) {
	for _, m := range marks {
		switch {
		case !m.declared:
		case m.kind == configSymbol:
			path := strings.Split(m.name, ".")
			s.Config = append(s.Config, declared{path, hideLiterals(path, m.expr), m.doc})
		case m.kind == roleSymbol:
			s.Roles[m.name] = ""
		case m.kind == clientSymbol:
			s.Clients = append(s.Clients, m.name)
		case m.kind == serverSymbol:
			s.Servers = append(s.Servers, m.name)
		}
	}
}
