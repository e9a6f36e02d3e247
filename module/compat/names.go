package compat

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// add notes a relation.
func (s *separator) add(n ast.Node, path string, isBound bool) {
	var whole ast.Node = n
	if c, ok := n.(*ast.Comprehension); ok {
		whole = &ast.File{Decls: []ast.Decl{c}}
	}
	text, err := format.Node(whole)
	s.failed = s.failed || err != nil
	r := relation{path: path, text: strings.Join(strings.Fields(string(text)), " "), bound: isBound, names: map[string]bool{}}
	if c, ok := n.(*ast.Comprehension); ok {
		r.clauses = c.Clauses
		r.body, _ = c.Value.(*ast.StructLit)
	}
	used := map[string]bool{}
	s.name(n, r.names, used)
	for _, name := range sorted(used) {
		for _, x := range s.unseen[name] {
			r.text += "; " + name + ": " + s.texts[x]
		}
	}
	s.relations = append(s.relations, r)
}

// name notes all names in a node, and those that are no config fields.
func (s *separator) name(n ast.Node, names, used map[string]bool) {
	ast.Walk(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			names[x.Name] = true
			if !used[x.Name] && s.unseen[x.Name] != nil {
				used[x.Name] = true
				for _, behind := range s.unseen[x.Name] {
					s.name(behind, names, used)
				}
			}
		case *ast.BasicLit:
			names[strings.Trim(x.Value, `"`)] = true // it may be a label
		}
		return true
	}, nil)
}

// predeclared are the names that CUE knows by itself.
var predeclared = strings.Fields("_ __bool bool __bytes bytes __float float float32 float64 __int int int8 int16 int32 int64 int128 uint uint8 uint16 uint32 uint64 uint128 __number number rune __string string __null len close and or div mod quo rem")

// refers reports whether an expression has something to do with another field.
func (s *separator) refers(x ast.Node) bool {
	found := false
	ast.Walk(x, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Comprehension:
			found = true
		case *ast.Field:
			if x.Value != nil {
				found = found || s.refers(x.Value)
			}
			return false // its label is no reference
		case *ast.SelectorExpr:
			_, imported := nodeOf(x.X).(*ast.ImportSpec)
			found = found || !imported && !s.isDefinition(x)
			return false
		case *ast.Ident:
			isDefinition := strings.HasPrefix(x.Name, "#")
			found = found || !isDefinition && (x.Node != nil || !filter.Contains(predeclared, x.Name))
		}
		return !found
	}, nil)
	return found
}

func nodeOf(x ast.Expr) ast.Node {
	if id, ok := x.(*ast.Ident); ok {
		return id.Node
	}
	return nil
}

// isDefinition reports whether an expression names a definition as CUE writes it.
func (s *separator) isDefinition(x *ast.SelectorExpr) bool {
	id, ok := x.X.(*ast.Ident)
	return ok && s.lets[id.Name] != nil && definition(s.lets[id.Name]) && labelOf(x.Sel) == "#x"
}

// sweep drops the lets and imports that nothing uses any more, which CUE refuses.
func (s *separator) sweep(f *ast.File) {
	for dropped := true; dropped; {
		used := map[string]bool{}
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.LetClause:
				ast.Walk(x.Expr, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && id.Name != x.Ident.Name {
						used[id.Name] = true
					}
					return true
				}, nil)
				return false
			case *ast.ImportDecl:
				return false
			case *ast.Ident:
				used[x.Name] = true
			}
			return true
		}, nil)
		dropped = false
		unused := func(d ast.Decl) bool {
			l, ok := d.(*ast.LetClause)
			dropped = dropped || ok && !used[l.Ident.Name]
			return ok && !used[l.Ident.Name]
		}
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.StructLit:
				x.Elts = filter.Out(x.Elts, unused)
			case *ast.File:
				x.Decls = filter.Out(x.Decls, unused)
			case *ast.ImportDecl:
				x.Specs = filter.Out(x.Specs, func(spec *ast.ImportSpec) bool { return !used[importName(spec)] })
			}
			return true
		}, nil)
	}
	f.Decls = filter.Out(f.Decls, func(d ast.Decl) bool {
		i, ok := d.(*ast.ImportDecl)
		return ok && len(i.Specs) == 0
	})

}

func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return ast.ParseImportPath(strings.Trim(spec.Path.Value, `"`)).Qualifier
}

func sorted(names map[string]bool) []string { return sorting.Ordered(names) }
