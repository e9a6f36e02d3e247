package differential

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// twins are the case in other words that mean the same: with the declarations of each
// file and struct in other orders, with fields that are but another name of a
// field being what that is, and with conditions and loops about a whole field in that field. Where CUE makes another answer of one, its answer is none.
func (c Case) twins(yield func(Case) bool) {
	for seed := range uint64(orders) {
		random := rand.New(rand.NewPCG(seed, 0))
		twin, err := c.rewritten(func(f *ast.File) {
			switch seed {
			case 0:
				direct(f)
				return
			case 1:
				lower(f)
				return
			}
			ast.Walk(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructLit); ok {
					shuffle(random, s.Elts)
				}
				return true
			}, nil)
			shuffle(random, f.Decls)
		})
		if err != nil || !yield(twin) {
			return // a mistake that was made on purpose
		}
	}
}

// orders is how many twins are tried.
const orders = 10

// rewritten is the case with its files edited.
func (c Case) rewritten(edit func(*ast.File)) (Case, error) {
	files := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		f, err := parser.ParseFile(name, c.Files[name], parser.ParseComments)
		if err != nil {
			return Case{}, err
		}
		edit(f)
		out, err := format.Node(f)
		if err != nil {
			return Case{}, err
		}
		files[name] = string(out)
	}
	c.Files = files
	return c, nil
}

// direct gives fields and lets whose value begins with another name of a field what
// that is a name of.
func direct(f *ast.File) {
	values := map[string][]ast.Expr{}
	ast.Walk(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.Field); ok {
			if name, _, err := ast.LabelName(x.Label); err == nil {
				values[name] = append(values[name], x.Value)
			}
		}
		return true
	}, nil)
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			x.Value = directed(x.Value, values)
		case *ast.LetClause:
			x.Expr = directed(x.Expr, values)
		}
		return true
	}, nil)
}

// directed is an expression that is a name, or a field of one, with what the name is
// another name of in its place.
func directed(x ast.Expr, values map[string][]ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return &ast.SelectorExpr{X: directed(x.X, values), Sel: x.Sel}
	case *ast.Ident:
		if len(values[x.Name]) == 1 {
			switch value := values[x.Name][0].(type) {
			case *ast.Ident, *ast.SelectorExpr:
				return value
			}
		}
	}
	return x
}

// lower puts each condition or loop that is about one field of a definition into that field:
// if C {f: g: 1} becomes f: {if C {g: 1}}.
func lower(f *ast.File) {
	ast.Walk(f, func(n ast.Node) bool {
		x, ok := n.(*ast.Field)
		if !ok || !isDefinition(x) {
			return true
		}
		if s, ok := x.Value.(*ast.StructLit); ok {
			for i, d := range s.Elts {
				s.Elts[i] = lowered(d)
			}
		}
		return true
	}, nil)
}

func lowered(d ast.Decl) ast.Decl {
	c, ok := d.(*ast.Comprehension)
	if !ok || c.Fallback != nil {
		return d
	}
	s, ok := c.Value.(*ast.StructLit)
	if !ok || len(s.Elts) != 1 {
		return d
	}
	field, ok := s.Elts[0].(*ast.Field)
	if !ok || field.Constraint != token.ILLEGAL || !isName(field.Label) {
		return d
	}
	inner, ok := field.Value.(*ast.StructLit)
	if !ok {
		return d
	}
	return &ast.Field{Label: field.Label, Value: &ast.StructLit{Elts: []ast.Decl{&ast.Comprehension{Clauses: c.Clauses, Value: inner}}}}
}

func isDefinition(f *ast.Field) bool {
	name, ok := f.Label.(*ast.Ident)
	return ok && strings.HasPrefix(name.Name, "#")
}

func isName(l ast.Label) bool {
	_, ok := l.(*ast.Ident)
	return ok
}

// shuffle puts declarations into another order, but for those that have their place.
func shuffle(random *rand.Rand, decls []ast.Decl) {
	first, last := 0, len(decls)
	for first < last && isHead(decls[first]) {
		first++
	}
	if first < last {
		if _, ok := decls[last-1].(*ast.Ellipsis); ok {
			last--
		}
	}
	decls = decls[first:last]
	random.Shuffle(len(decls), func(i, k int) { decls[i], decls[k] = decls[k], decls[i] })
}

// isHead reports whether a declaration comes before all fields.
func isHead(d ast.Decl) bool {
	switch d.(type) {
	case *ast.Package, *ast.ImportDecl, *ast.Attribute:
		return true
	}
	return false
}
