package differential

import (
	"maps"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
)

// Minimize makes a case smaller as long as it stays what it is: files, values and
// declarations are left out, and expressions become one of their parts. It gives
// up after so many trials.
func Minimize(c Case, trials int, same func(Case) bool) Case {
	for {
		smaller, ok := step(c, &trials, same)
		if !ok {
			return c
		}
		c = smaller
	}
}

// step goes through all parts of a case once and reports whether any was left out.
func step(c Case, trials *int, same func(Case) bool) (Case, bool) {
	changed := false
	try := func(next Case) bool {
		if *trials <= 0 || len(next.String()) >= len(c.String()) {
			return false
		}
		*trials--
		if !same(next) {
			return false
		}
		c, changed = next, true
		return true
	}
	for i := len(c.Sets) - 1; i >= 0; i-- {
		next := c
		next.Sets = slices.Delete(slices.Clone(c.Sets), i, i+1)
		try(next)
	}
	for i := len(c.Values) - 1; i >= 0; i-- {
		next := c
		next.Values = slices.Delete(slices.Clone(c.Values), i, i+1)
		try(next)
	}
	for _, label := range labels(c) {
		next := c
		next.Files = maps.Clone(c.Files)
		for name, text := range c.Files {
			next.Files[name] = withoutLabel(text, label)
		}
		try(next)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		if name == moduleFile {
			continue
		}
		next := c
		next.Files = maps.Clone(c.Files)
		delete(next.Files, name)
		if try(next) {
			continue
		}
		// What is left out moves what follows up, so the same number is tried again.
		for n := 0; n < len(edits(c.Files[name])); {
			next := c
			next.Files = maps.Clone(c.Files)
			text, ok := edits(c.Files[name])[n].in(c.Files[name])
			next.Files[name] = text
			if !ok || !try(next) {
				n++
			}
		}
	}
	return c, changed
}

// labels are the names of fields in the case, except those that the model has.
func labels(c Case) []string {
	found := map[string]bool{}
	for _, text := range c.Files {
		f, err := parser.ParseFile("", text)
		if err != nil {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				if name, _, err := ast.LabelName(field.Label); err == nil && !slices.Contains(fixed, name) {
					found[name] = true
				}
			}
			return true
		}, nil)
	}
	return slices.Sorted(maps.Keys(found))
}

// withoutLabel leaves out all fields of a name.
func withoutLabel(text, label string) string {
	for {
		f, err := parser.ParseFile("", text)
		if err != nil {
			return text
		}
		var found *ast.Field
		ast.Walk(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				if name, _, err := ast.LabelName(field.Label); err == nil && name == label {
					found = field
				}
			}
			return found == nil
		}, nil)
		if found == nil {
			return text
		}
		next, ok := edit{found.Pos().Offset(), found.End().Offset(), ""}.in(text)
		if !ok {
			return text
		}
		text = next
	}
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	by       string
}

// in is the text after the edit, without the imports that are of no use any more;
// false if it is no CUE.
func (e edit) in(text string) (string, bool) {
	before, after := strings.TrimRight(text[:e.from], " \t"), text[e.to:]
	if e.by == "" {
		after = strings.TrimPrefix(strings.TrimLeft(after, " \t"), ",")
	}
	text = before + " " + e.by + after
	f, err := parser.ParseFile("", text, parser.ParseComments)
	if err != nil {
		return "", false
	}
	for _, d := range slices.Backward(f.Decls) {
		if i, ok := d.(*ast.ImportDecl); ok && len(i.Specs) == 1 && !uses(f, importName(i.Specs[0])) {
			text = text[:i.Pos().Offset()] + text[i.End().Offset():]
		}
	}
	formatted, err := format.Source([]byte(text))
	return string(formatted), err == nil
}

// edits are the ways to make a CUE file smaller, the larger parts first.
func edits(text string) []edit {
	f, err := parser.ParseFile("", text)
	if err != nil {
		return nil
	}
	var out []edit
	drop := func(n ast.Node) { out = append(out, edit{n.Pos().Offset(), n.End().Offset(), ""}) }
	become := func(n, part ast.Node) {
		out = append(out, edit{n.Pos().Offset(), n.End().Offset(), text[part.Pos().Offset():part.End().Offset()]})
	}
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportDecl, *ast.Package:
			return false
		case *ast.Field, *ast.LetClause, *ast.EmbedDecl, *ast.Ellipsis, *ast.Attribute:
			drop(n)
		case *ast.Comprehension:
			drop(x)
			become(x, x.Value)
			for _, c := range x.Clauses {
				drop(c)
			}
		case *ast.ListLit:
			for _, e := range x.Elts {
				drop(e)
			}
		case *ast.BinaryExpr:
			become(x, x.X)
			become(x, x.Y)
		case *ast.ParenExpr:
			become(x, x.X)
		case *ast.UnaryExpr:
			become(x, x.X)
		case *ast.IndexExpr:
			become(x, x.X)
			if l, ok := x.X.(*ast.ListLit); ok && len(l.Elts) > 0 {
				become(x, l.Elts[0])
			}
		case *ast.CallExpr:
			for _, a := range x.Args {
				become(x, a)
			}
		case *ast.Interpolation:
			out = append(out, edit{x.Pos().Offset(), x.End().Offset(), `"x"`})
		}
		return true
	}, nil)
	return out
}

// uses reports whether a name is used in a file, its imports aside.
func uses(f *ast.File, name string) bool {
	used := false
	ast.Walk(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		used = used || ok && id.Name == name
		_, isImport := n.(*ast.ImportDecl)
		return !isImport
	}, nil)
	return used
}

func importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	name := path.Base(strings.Trim(s.Path.Value, `"`))
	if _, pkg, ok := strings.Cut(name, ":"); ok {
		return pkg
	}
	return name
}
