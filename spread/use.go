package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// use is a place in an artifact that reads a field of its config.
type use struct {
	pos  diag.Pos
	what string // "role web", "env LOG_LEVEL"
}

// maxUses is how many places are named where a field is read.
const maxUses = 4

// usesOf finds the first places in the artifact's sources that read the config
// field at path ("config", "parameter", "title"), each for another part.
func (u *Unit) usesOf(path []string) []use {
	var found []use
	for _, f := range u.Package.Files {
		if value.IsModel(fromcue.Pos(f)) {
			continue
		}
		s := search{path: path, lets: map[string][]string{}}
		ast.Walk(f, s.before, s.after)
		for _, place := range s.found {
			known := filter.Any(found, func(x use) bool { return x.what == place.what })
			if !known && len(found) < maxUses {
				found = append(found, place)
			}
		}
	}
	return found
}

// search walks a file and knows at each node which fields it is in.
type search struct {
	path   []string
	fields []string
	lets   map[string][]string // what a let stands for
	found  []use
}

func (s *search) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		s.fields = append(s.fields, syntax.LabelName(x.Label))
	case *ast.LetClause:
		if chain := configChain(x.Expr, s.lets); chain != nil {
			s.lets[x.Ident.Name] = chain
		}
		return false
	case *ast.SelectorExpr, *ast.Ident:
		if chain := configChain(n.(ast.Expr), s.lets); slices.Equal(chain, s.path) {
			s.found = append(s.found, use{fromcue.Pos(n), s.place()})
			return false
		}
	}
	return true
}

func (s *search) after(n ast.Node) {
	if _, ok := n.(*ast.Field); ok {
		s.fields = s.fields[:len(s.fields)-1]
	}
}

// place names what the walk is in, for people.
func (s *search) place() string {
	for i, f := range s.fields {
		if i+1 < len(s.fields) {
			switch f {
			case "role", "env", "code", "filesystem", "probe":
				if f == "code" && i+3 < len(s.fields) {
					continue // something more telling follows
				}
				return f + " " + s.fields[i+1]
			}
		}
	}
	return strings.Join(s.fields, ".")
}
