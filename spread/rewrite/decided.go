package rewrite

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// A service may have roles, or parts of them, under conditions on its config:
//
//	if config.parameter.cache {role: cache: {artifact: c.#Artifact}}
//
// Once it is known which of them hold, the service is one in which the fields are written without the
// condition, or not at all.

// worthDeciding is how many roles a service has at least: CUE evaluates one with fewer as fast
// as its config alone.
const worthDeciding = 8

// Conditions returns those of a service that could be decided by its config, nil for a package that
// has no roles or too few for that to be worth its while.
func Conditions(p *source.Package, lib *source.Library) []depends.Decision {
	if !p.IsUsable() || p.Made.From != nil || !p.HasRoles() || syntax.HasWrongNames(p.Files) || !hasConditions(p) {
		return nil
	}
	p.Link()
	referred, ok := namesIn(p.Files)
	if !ok {
		return nil
	}
	sources := lib.Sources(p)
	if sources.Roles() < worthDeciding {
		return nil
	}
	return filter.Out(sources.Decisions(), func(x depends.Decision) bool { return !canBeWritten(x.At, referred) })
}

// Decided returns a copy of a package with answers in place of conditions. Those that have none
// stay as they are.
func Decided(p *source.Package, holds map[*ast.Comprehension]bool) *source.Package {
	change := syntax.Change{Expand: map[ast.Decl][]syntax.Change{}}
	for at, is := range holds {
		change.Expand[at] = []syntax.Change{}
		if is {
			change.Expand[at] = []syntax.Change{change}
		}
	}
	return &source.Package{Path: p.Path, Name: p.Name, Module: p.Module, Files: syntax.Copy(p.Files, change), Imports: p.Imports, Made: source.Made{From: p, Decided: true}}
}

// hasConditions reports whether there is an if outside of lists and arguments.
func hasConditions(p *source.Package) (found bool) {
	for _, f := range p.Files {
		if value.IsModel(fromcue.Pos(f)) {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ListLit, *ast.CallExpr, *ast.Interpolation:
				return false
			case *ast.IfClause:
				found = true
			}
			return !found
		}, nil)
	}
	return found
}

// canBeWritten reports whether the body of a condition could as well be written where the
// condition is: it is nothing but fields, and nothing refers to one by its name.
func canBeWritten(x *ast.Comprehension, referred map[string]bool) bool {
	body, ok := x.Value.(*ast.StructLit)
	return ok && !filter.Any(body.Elts, func(d ast.Decl) bool {
		switch x := d.(type) {
		case *ast.Comprehension:
			return false // which may stay one
		case *ast.Field:
			name := syntax.LabelName(x.Label)
			_, isPattern := x.Label.(*ast.ListLit)
			return x.Alias != nil || x.Constraint != token.ILLEGAL || isPattern || syntax.IsAside(name) || referred[name]
		}
		return true
	})
}

// namesIn are the names by which something in the files is referred to; false if one of
// them leads nowhere, which CUE minds under any condition.
func namesIn(files []*ast.File) (names map[string]bool, ok bool) {
	names, ok = map[string]bool{}, true
	declares := map[*ast.Ident]bool{}
	declare := func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && id != nil {
			declares[id] = true
		}
	}
	for _, f := range files {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Package, *ast.ImportDecl:
				return false
			case *ast.Field:
				declare(x.Label)
			case *ast.SelectorExpr:
				declare(x.Sel)
			case *ast.ForClause:
				declare(x.Key)
				declare(x.Value)
			case *ast.LetClause:
				declare(x.Ident)
			case *ast.Alias:
				declare(x.Ident)
			case *ast.Ident:
				if !declares[x] {
					names[x.Name] = true
					ok = ok && (x.Node != nil || x.Scope != nil || depends.IsPredeclared(x.Name))
				}
			}
			return true
		}, nil)
	}
	return names, ok
}
