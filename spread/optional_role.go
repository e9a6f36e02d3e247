package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// roleOptionals warns of the fields that the services of a module, as far as a package imports
// them, mark as optional in the config of a role, and give nowhere: the role's artifact never
// sees them.
func roleOptionals(p *Package) (problems diag.List) {
	seen := map[*Package]bool{}
	var visit func(*Package)
	visit = func(q *Package) {
		if q == nil || seen[q] || q.Module != p.Module {
			return
		}
		seen[q] = true
		problems = append(problems, optionalsOfRoles(q)...)
		for _, path := range sorting.Ordered(q.Imports) {
			visit(q.Imports[path])
		}
	}
	visit(p)
	return problems
}

// optionalsOfRoles warns of those of one package.
func optionalsOfRoles(p *Package) (problems diag.List) {
	var roles []*ast.Field
	for _, file := range p.OwnFiles() {
		for _, d := range below(file.Decls, "#Artifact", "description", "role") {
			if f, ok := d.(*ast.Field); ok && syntax.LabelName(f.Label) != "" {
				roles = append(roles, f)
			}
		}
	}
	for _, role := range roles {
		name := syntax.LabelName(role.Label)
		eachDeclared(literals(role.Value), []string{"config"}, nil, func(path []string, f *ast.Field) {
			if givenIn(p.OwnFiles(), path[len(path)-1]) {
				return
			}
			at := append([]string{"description", "role", name}, path...)
			problems = append(problems, diag.Warn(diag.OptionalField, fromcue.Pos(f), "%s of role %s is optional here, so that it is not given and its value counts for nothing: leave out the question mark, or the field", strings.Join(path, "."), name).AtPath(at...))
		})
	}
	return problems
}

// below are the declarations in the structs at a path of fields.
func below(decls []ast.Decl, path ...string) []ast.Decl {
	if len(path) == 0 {
		return decls
	}
	var out []ast.Decl
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.EmbedDecl:
			out = append(out, below(literals(d.Expr), path...)...)
		case *ast.Field:
			if syntax.LabelName(d.Label) == path[0] {
				out = append(out, below(literals(d.Value), path[1:]...)...)
			}
		}
	}
	return out
}

// givenIn reports whether a role of the sources is given a field of that name anywhere: under
// a condition, a mark elsewhere only says of what type it is then.
func givenIn(files []*ast.File, name string) (given bool) {
	for _, file := range files {
		for _, d := range slices.Concat(below(file.Decls, "#Artifact", "description", "role"), comprehensions(below(file.Decls, "#Artifact", "description"))) {
			ast.Walk(d, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok && syntax.LabelName(f.Label) == name && f.Constraint != token.OPTION {
					given = true
				}
				return !given
			}, nil)
		}
	}
	return given
}

// comprehensions are those among declarations.
func comprehensions(decls []ast.Decl) (out []ast.Decl) {
	for _, d := range decls {
		if c, ok := d.(*ast.Comprehension); ok {
			out = append(out, c)
		}
	}
	return out
}
