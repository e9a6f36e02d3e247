package compat

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// statement is one thing that the sources of an artifact say of one of its
// fields, with the conditions under which they say it:
//
//	#Artifact: description: {
//		if config.parameter.debug {code: web: cmd: ["--debug"]}
//	}
type statement struct {
	// path is where it is said, within #Artifact: description, code, web, cmd.
	path []string
	// text is its source on one line, with its conditions and with the source of
	// what it refers to outside of #Artifact.
	text string
	// said is the expression that it is a part of, for people.
	said string
	// chains are the names that it refers to: config, parameter, debug.
	chains  [][]string
	clauses []ast.Clause
	expr    ast.Expr
	pos     diag.Pos
	// local says that it names something for the sources only: a let.
	local bool
	// structural says that it adds fields and restricts none: {}, _, the model.
	structural bool
}

// anyLabel stands for a label that is not known: a pattern, a computed one, the
// elements of a list.
const anyLabel = "[]"

// configPath is where an artifact's config is within #Artifact.
var configPath = []string{"description", "config"}

// sections are the parts of a config.
var sections = []string{"parameter", "resource", "scale", "resilience"}

// inConfig reports whether it is part of what the config takes, which is compared
// by itself.
func (s *statement) inConfig() bool {
	return len(s.clauses) == 0 && len(s.path) >= len(configPath) && slices.Equal(s.path[:len(configPath)], configPath)
}

func (s *statement) key() string { return strings.Join(s.path, ".") + "\x00" + s.text }

// statements returns what a package says of its #Artifact, false if there is a
// form in it whose meaning is not known here.
func statements(p *spread.Package) ([]*statement, bool) {
	f := &flattener{pkg: p, refs: newReferences(p)}
	for _, file := range p.Files {
		if value.IsModel(fromcue.Pos(file)) {
			continue
		}
		for _, d := range file.Decls {
			if x, ok := d.(*ast.Field); ok && labelOf(x.Label) == "#Artifact" {
				f.expr(x.Value, place{})
			}
		}
	}
	return f.out, !f.failed && !f.refs.failed
}

// place is where a declaration is, and under which conditions.
type place struct {
	path    []string
	clauses []ast.Clause
	// around is the text and chains of the conditions and of computed labels.
	text   string
	chains [][]string
	// within are the definitions that are being written out.
	within []ast.Node
	// whole is the conjunction that is being taken apart.
	whole ast.Expr
}

func (p place) at(label string) place {
	p.path, p.whole = append(slices.Clip(p.path), label), nil
	return p
}

func (p place) under(text string, chains [][]string) place {
	p.text += text + " "
	p.chains = slices.Concat(p.chains, chains)
	return p
}

type flattener struct {
	pkg    *spread.Package
	refs   *references
	out    []*statement
	failed bool
}

func (f *flattener) add(x ast.Expr, p place, s statement) {
	text, chains := f.refs.of(x)
	s.path, s.text, s.chains = p.path, p.text+text, slices.Concat(p.chains, chains)
	s.clauses, s.expr, s.pos, s.said = p.clauses, x, fromcue.Pos(x), s.text
	if p.whole != nil {
		s.pos, s.said = fromcue.Pos(p.whole), p.text+sourceOf(p.whole)
	}
	f.out = append(f.out, &s)
}

func (f *flattener) decls(decls []ast.Decl, p place) {
	for _, d := range decls {
		switch x := d.(type) {
		case *ast.Field:
			f.field(x, p)
		case *ast.EmbedDecl:
			f.expr(x.Expr, p)
		case *ast.LetClause:
			f.add(x.Expr, p.at(x.Ident.Name), statement{local: true})
		case *ast.Comprehension:
			f.comprehension(x, p)
		case *ast.Ellipsis:
			if x.Type != nil {
				f.expr(x.Type, p.at(anyLabel))
			} else {
				f.add(ast.NewIdent("_"), p.under("...", nil), statement{structural: true})
			}
		case *ast.Attribute, *ast.CommentGroup:
		default:
			f.failed = true
		}
	}
}

func (f *flattener) field(x *ast.Field, p place) {
	below := p.at(labelOf(x.Label))
	if label := x.Label; below.path[len(below.path)-1] == anyLabel {
		if alias, ok := label.(*ast.Alias); ok {
			label, _ = alias.Expr.(ast.Label)
		}
		if l, ok := label.(ast.Expr); ok {
			text, chains := f.refs.of(l)
			below = below.under(text+":", chains)
		}
	}
	if x.Constraint != token.ILLEGAL {
		f.add(ast.NewIdent("_"), below.under(x.Constraint.String(), nil), statement{structural: true})
	}
	f.expr(x.Value, below)
}

// comprehension writes the body down with the conditions in front of it.
func (f *flattener) comprehension(x *ast.Comprehension, p place) {
	f.failed = f.failed || x.Fallback != nil
	for _, clause := range x.Clauses {
		text, chains := f.refs.of(clause)
		p = p.under(text, chains)
	}
	p.clauses = slices.Concat(p.clauses, x.Clauses)
	f.expr(x.Value, p)
}

// expr takes apart what is a conjunction of structs.
func (f *flattener) expr(x ast.Expr, p place) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		f.expr(x.X, p)
		return
	case *ast.Alias:
		f.expr(x.Expr, p)
		return
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			if p.whole == nil && len(p.path) > len(configPath) {
				p.whole = x
			}
			f.expr(x.X, p)
			f.expr(x.Y, p)
			return
		}
	case *ast.StructLit:
		if len(x.Elts) == 0 {
			f.add(x, p, statement{structural: true})
		}
		f.decls(x.Elts, p)
		return
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "close" && len(x.Args) == 1 {
			f.expr(x.Args[0], p.under("close", nil))
			return
		}
	case *ast.Ident, *ast.SelectorExpr:
		if f.definition(x, p) {
			return
		}
	}
	id, _ := x.(*ast.Ident)
	f.add(x, p, statement{structural: id != nil && id.Name == "_" || f.refs.isModel(x)})
}

// definition writes out a definition that is made of structs where it is used.
func (f *flattener) definition(x ast.Expr, p place) bool {
	from, name := f, ""
	switch x := x.(type) {
	case *ast.Ident:
		name = x.Name
		if f.refs.inner[name] {
			return false
		}
	case *ast.SelectorExpr:
		id, _ := x.X.(*ast.Ident)
		if id == nil || f.refs.imports[id.Name] == nil || f.refs.isModel(x) {
			return false
		}
		imp := f.refs.imports[id.Name]
		from, name = &flattener{pkg: imp, refs: newReferences(imp)}, labelOf(x.Sel)
	}
	fields := from.refs.top[name]
	if !strings.HasPrefix(name, "#") || len(fields) == 0 || len(p.within) > maxDepth {
		return false
	}
	for _, d := range fields {
		if !structs(d.Value) || filter.Contains(p.within, ast.Node(d)) {
			return false
		}
		p.within = append(slices.Clip(p.within), d)
	}
	for _, d := range fields {
		from.expr(d.Value, p)
	}
	if from != f {
		f.out, f.failed = append(f.out, from.out...), f.failed || from.failed || from.refs.failed
	}
	return true
}
