package depends

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// mention looks through the files of a package for references to some of its fields. It compares names
// alone, which takes a fraction of the time that following the references takes.
type mention struct {
	pkg    *Package
	fields map[*ast.Field]bool
	within []string // the labels around the node in hand, "" for a computed one

	found   int                // how many of the fields were met
	names   map[[2]string]bool // a field's name, and that of what it lies in or ""
	around  map[string]bool    // the names of what the fields lie in
	named   map[[2]string]bool // a name in a reference, and the one before it or ""
	last    map[string]bool    // the last names of references
	unclear bool
}

// mayMention reports whether anything in the package may refer to one of the fields, to a field inside
// one, or to a struct around one. It is true if names alone cannot tell.
func (s *Sources) mayMention(fields []Part) bool {
	m := &mention{
		pkg: s.pkg, fields: map[*ast.Field]bool{}, names: map[[2]string]bool{}, around: map[string]bool{}, named: map[[2]string]bool{}, last: map[string]bool{},
	}
	for _, p := range fields {
		for i, f := range p.Fields {
			if isComputed(f) {
				continue
			}
			if s.reader.told[p.scopeOf(i).at] > 1 || m.fields[f] {
				return true
			}
			m.fields[f] = true
		}
		m.names[[2]string{p.node.up.name, p.Name}], m.names[[2]string{"", p.Name}] = true, true
		for n := p.node.up; n != nil; n = n.up {
			m.around[n.name] = true
		}
	}
	delete(m.around, "") // the package itself
	for _, f := range s.pkg.Files {
		ast.Walk(f, m.before, nil)
	}
	if m.unclear || m.found < len(m.fields) {
		return true
	}
	for name := range m.names {
		if m.named[name] {
			return true
		}
	}
	for name := range m.around {
		if m.last[name] {
			return true
		}
	}
	return false
}

// before looks at a node, and reports whether to look into it.
func (m *mention) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		m.field(x)
		return false
	case *ast.Alias:
		m.unclear = true
	case *ast.LetClause, *ast.Comprehension, *ast.ListLit, *ast.CallExpr:
		m.apart(n)
		return false
	case *ast.BinaryExpr:
		if x.Op != token.AND {
			m.apart(n)
			return false
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		m.reference(x.(ast.Expr))
		return false
	case *ast.ImportDecl, *ast.Package, *ast.Attribute, *ast.CommentGroup:
		return false
	}
	return !m.unclear
}

// field looks for references in a field.
func (m *mention) field(x *ast.Field) {
	name, ok := nameOf(labelOf(x))
	_, isAlias := x.Label.(*ast.Alias)
	m.unclear = m.unclear || isAlias || x.Alias != nil
	if m.fields[x] {
		m.found++
		in := ""
		for _, in = range m.within {
			m.unclear = m.unclear || in == ""
			m.around[in] = true
		}
		m.names[[2]string{in, name}] = true
	}
	if !ok {
		m.label(x.Label)
		name = ""
	}
	if x.Value == nil {
		return
	}
	if name == "artifact" && isOther(x.Value) {
		if of, _ := nameOf(x.Value.(*ast.SelectorExpr).Sel); of == "#Artifact" {
			return
		}
	}
	m.within = append(m.within, name)
	ast.Walk(x.Value, m.before, nil)
	m.within = m.within[:len(m.within)-1]
}

// label looks for references in a computed label or a pattern.
func (m *mention) label(l ast.Label) {
	if list, ok := l.(*ast.ListLit); ok && len(list.Elts) == 1 {
		x := list.Elts[0]
		if a, ok := x.(*ast.Alias); ok { // which stands for the name of a field
			x = a.Expr
		}
		ast.Walk(x, m.before, nil)
		return
	}
	ast.Walk(l, m.before, nil)
}

// apart looks for references in an expression that need not evaluate to what is written in it, such as
// a comprehension. The result is unclear if one of the fields is inside.
func (m *mention) apart(n ast.Node) {
	m.within = append(m.within, "")
	ast.Walk(n, func(x ast.Node) bool {
		switch y := x.(type) {
		case *ast.ForClause:
			ast.Walk(y.Source, m.before, nil)
			return false
		case *ast.LetClause:
			ast.Walk(y.Expr, m.before, nil)
			return false
		}
		return x == n || m.before(x)
	}, nil)
	m.within = m.within[:len(m.within)-1]
}

// reference takes a reference apart into names.
func (m *mention) reference(x ast.Expr) {
	var names []string // the last one first; "" for a computed one
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.SelectorExpr:
			name, _ := nameOf(y.Sel)
			names, x = append(names, name), y.X
		case *ast.IndexExpr:
			ast.Walk(y.Index, m.before, nil)
			name, _ := indexed(y)
			names, x = append(names, name), y.X
		case *ast.Ident:
			if spec, ok := y.Node.(*ast.ImportSpec); ok {
				m.imported(spec)
				return
			}
			m.unclear = m.unclear || y.Name == "self"
			m.note(append(names, y.Name))
			return
		default:
			ast.Walk(x, m.before, nil)
			m.note(names)
			return
		}
	}
}

// note keeps the names of a reference, the last one first. A name before a computed one counts as the
// last too, as the reference may lead to any field there.
func (m *mention) note(names []string) {
	for i, name := range names {
		if i == 0 || names[i-1] == "" {
			m.last[name] = true
		}
		before := ""
		if i+1 < len(names) {
			before = names[i+1]
		}
		m.named[[2]string{before, name}] = true
	}
}

// imported looks at the package that a reference leads to.
func (m *mention) imported(spec *ast.ImportSpec) {
	path, err := literal.Unquote(spec.Path.Value)
	if imp := m.pkg.Import(path); err != nil || imp != nil && !imp.Model {
		m.unclear = true // a definition there may refer to the fields
	}
}
