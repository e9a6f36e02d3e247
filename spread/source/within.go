package source

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Within visits the package and those that it is made of, each once, as long as visit
// says so, and reports whether it always did.
func (p *Package) Within(visit func(*Package) bool) bool {
	return p.within(map[*Package]bool{}, visit)
}

func (p *Package) within(seen map[*Package]bool, visit func(*Package) bool) bool {
	if seen[p] {
		return true
	}
	seen[p] = true
	if !visit(p) {
		return false
	}
	for _, path := range sorting.Ordered(p.Imports) {
		if imp := p.Imports[path]; imp != nil && !imp.within(seen, visit) {
			return false
		}
	}
	return true
}

// HasChoice is [syntax.HasChoice] of the package and those that it imports, without the model.
func (p *Package) HasChoice(complete bool) bool {
	return p.has(func(files []*ast.File) bool { return syntax.HasChoice(files, complete) })
}

// JoinsDefaults is [syntax.JoinsDefaults] of the package and those that it imports, without the model.
func (p *Package) JoinsDefaults() bool { return p.has(syntax.JoinsDefaults) }

func (p *Package) has(is func([]*ast.File) bool) bool {
	return !p.Within(func(p *Package) bool { return p.IsModel() || !is(p.OwnFiles()) })
}
