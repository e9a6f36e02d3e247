package lsp

import (
	"cmp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// symbol is a name that the model gives a meaning in several places, which CUE
// knows nothing of: a field of an artifact's config, which a role of a service
// or a deployment gives a value, a role, or a channel.
type symbol struct {
	pkg  string // "dir:name" of the artifact's package
	kind symbolKind
	name string // "parameter.title", "web", "rest"
}

type symbolKind string

const (
	configSymbol symbolKind = "field"
	roleSymbol   symbolKind = "role"
	clientSymbol symbolKind = "client channel"
	serverSymbol symbolKind = "server channel"
	// whole is a section of a config, "parameter", that is passed on as it is: what
	// is in it isn't written there.
	whole symbolKind = "config"
)

// mark is a place where a symbol is written.
type mark struct {
	kind symbolKind
	name string
	// via are the roles that lead from the file's package to that of the artifact;
	// "" is the step from a deployment to what it deploys.
	via  []string
	span textRange
	// text tells that it stands in a string, declared that the artifact's own
	// package says it.
	text, declared bool
	expr, doc      string // of what is declared
}

// last is the part of the name that is written in the place.
func (m mark) last() string { return m.name[strings.LastIndexByte(m.name, '.')+1:] }

func (x *indexer) decls(list []ast.Decl, path []string) {
	for _, d := range list {
		switch d := d.(type) {
		case *ast.Field:
			if name, _, err := ast.LabelName(d.Label); err == nil {
				below := append(slices.Clip(path), name)
				x.field(d, below)
				x.given(d.Value, below)
				x.expr(d.Value, below)
			}
		case *ast.EmbedDecl:
			x.given(d.Expr, path)
			x.expr(d.Expr, path)
		case *ast.Comprehension:
			x.given(d, path)
			x.expr(d.Value, path)
		}
	}
}

// expr looks for structs in what a field is.
func (x *indexer) expr(e ast.Node, path []string) {
	switch e := e.(type) {
	case *ast.StructLit:
		x.decls(e.Elts, path)
	case *ast.ParenExpr:
		x.expr(e.X, path)
	case *ast.BinaryExpr:
		if e.Op == token.AND {
			x.expr(e.X, path)
			x.expr(e.Y, path)
		}
	}
}

func (x *indexer) field(f *ast.Field, path []string) {
	switch {
	case match(path, "#Deployment", "artifact") && len(path) == 2:
		x.target("", f.Value)
	case match(path, "#Deployment", "config"):
		x.config(f, []string{""}, path[2:])
	case !match(path, "#Artifact", "description", "*", "*"):
	case path[2] == "config":
		x.config(f, nil, path[3:])
	case path[2] == "role":
		x.role(f, path[3:])
	case path[2] == "srv":
		x.channel(f, path[3:])
	case path[2] == "connect":
		x.connect(f, path[4:])
	case match(path[2:], "code", "*", "mapping", "*", "*", "*") && len(path) == 8:
		x.mapped(f, path[7])
	case match(path[2:], "code", "*", "image", "hub", "secret"):
		x.quoted(f.Value, configSymbol, "resource.", nil)
	}
}

// label adds a mark for the label of a field.
func (x *indexer) label(f *ast.Field, kind symbolKind, name string, via []string) {
	m := mark{kind: kind, name: name, via: via, span: spanOf(x.text, f.Label), declared: len(via) == 0 && kind != roleSymbol}
	if m.declared {
		x.declare(&m, f)
	}
	x.marks = append(x.marks, m)
}

func (x *indexer) declare(m *mark, f *ast.Field) {
	m.declared = true
	if _, isStruct := f.Value.(*ast.StructLit); !isStruct && f.Value != nil {
		m.expr = strings.TrimSpace(string(x.text.text[f.Value.Pos().Offset():min(f.Value.End().Offset(), len(x.text.text))]))
	}
	for _, c := range ast.Comments(f) {
		if c.Doc {
			m.doc = strings.TrimSpace(c.Text())
		}
	}
}

// quoted adds a mark for a string, the last part of which names something.
func (x *indexer) quoted(e ast.Expr, kind symbolKind, prefix string, via []string) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return
	}
	name, err := literal.Unquote(lit.Value)
	if err != nil || lit.Value != `"`+name+`"` || name == "" {
		return // written in a way in which its parts are not to be found
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	end := lit.End().Offset() - 1
	x.marks = append(x.marks, mark{kind: kind, name: prefix + name, via: via, span: x.text.span(end-len(last), end), text: true})
}

// config is a field of a config; path is what is below that.
func (x *indexer) config(f *ast.Field, via, path []string) {
	if len(path) < 2 {
		return
	}
	switch path[0] {
	case "parameter", "resource":
		x.label(f, configSymbol, strings.Join(path, "."), via)
	case "scale":
		for path = path[1:]; len(path) > 1 && path[0] == "detail"; path = path[2:] {
			if len(path) == 2 {
				x.marks = append(x.marks, mark{kind: roleSymbol, name: path[1], via: via, span: spanOf(x.text, f.Label)})
			}
			via = append(slices.Clip(via), path[1])
		}
	}
}

func (x *indexer) role(f *ast.Field, path []string) {
	switch {
	case len(path) == 1:
		m := mark{kind: roleSymbol, name: path[0], span: spanOf(x.text, f.Label)}
		x.declare(&m, f)
		x.marks = append(x.marks, m)
	case len(path) == 2 && path[1] == "artifact":
		x.target(path[0], f.Value)
	case path[1] == "config":
		x.config(f, path[:1], path[2:])
	}
}

// channel is declared by its side, a duplex one by both.
func (x *indexer) channel(f *ast.Field, path []string) {
	if len(path) != 2 {
		return
	}
	if path[0] != "server" {
		x.label(f, clientSymbol, path[1], nil)
	}
	if path[0] != "client" {
		x.label(f, serverSymbol, path[1], nil)
	}
}

// connect is what is below a connector: from: role: "channel", to: role: channel: _.
func (x *indexer) connect(f *ast.Field, path []string) {
	if len(path) < 2 || path[0] != "from" && path[0] != "to" {
		return
	}
	from, self := path[0] == "from", path[1] == "self"
	kind, via := serverSymbol, path[1:2]
	if self {
		via = nil
	}
	if from != self { // self is seen from within, where its servers send
		kind = clientSymbol
	}
	switch {
	case len(path) == 2 && from:
		x.quoted(f.Value, kind, "", via)
	case len(path) == 3 && !from:
		x.marks = append(x.marks, mark{kind: kind, name: path[2], via: via, span: spanOf(x.text, f.Label)})
	}
	if len(path) == 2 && !self {
		x.marks = append(x.marks, mark{kind: roleSymbol, name: path[1], span: spanOf(x.text, f.Label)})
	}
}

// mapped is a string that names what an environment variable or a file is made of.
func (x *indexer) mapped(f *ast.Field, what string) {
	switch what {
	case "parameter":
		x.quoted(f.Value, configSymbol, "parameter.", nil)
	case "resource", "secret", "volume", "certificate", "domain", "port", "ca":
		x.quoted(f.Value, configSymbol, "resource.", nil)
	}
}

// given marks a config, or a section of one, that is passed on whole.
func (x *indexer) given(n ast.Node, path []string) {
	var via []string
	switch {
	case match(path, "#Deployment", "config"):
		via, path = []string{""}, path[2:]
	case match(path, "#Artifact", "description", "role", "*", "config"):
		via, path = path[3:4], path[5:]
	default:
		return
	}
	if len(path) > 1 || !x.opaque(n) {
		return
	}
	for _, section := range []string{"parameter", "resource"} {
		if len(path) == 0 || path[0] == section {
			x.marks = append(x.marks, mark{kind: whole, name: section, via: via, span: spanOf(x.text, n)})
		}
	}
}

// opaque reports whether a struct has fields that are not written in it, other
// packages' definitions aside.
func (x *indexer) opaque(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StructLit:
		return false // what is in it is looked at for itself
	case *ast.ParenExpr:
		return x.opaque(n.X)
	case *ast.BinaryExpr:
		return x.opaque(n.X) || x.opaque(n.Y)
	case *ast.SelectorExpr:
		return x.opaque(n.X)
	case *ast.Ident:
		return x.names[n.Name] == "" && !strings.HasPrefix(n.Name, "_|")
	case *ast.Comprehension:
		_, loop := n.Clauses[0].(*ast.ForClause)
		return loop
	}
	return false
}

// target remembers that c.#Artifact fills a role.
func (x *indexer) target(role string, e ast.Expr) {
	ast.Walk(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok {
			if name, _, _ := ast.LabelName(sel.Sel); name == "#Artifact" {
				x.targets[role] = cmp.Or(x.targets[role], x.names[id.Name])
			}
		}
		return true
	}, nil)
}
