package model

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/schema"
)

// source is the schema as it is written.
type source struct {
	definitions map[string]*ast.Field // of the model, by name
	builtin     *ast.Field            // #Artifact of the inbound
}

// readSchema parses the sources of the model, of environments, policies, templates and the inbound, and
// hints.cue, which says what the schema leaves open: the hints in meta.
func readSchema() *source {
	s := &source{definitions: map[string]*ast.Field{}}
	model, err := fs.Glob(schema.Files(), "kumori.systems/kumori/*.cue")
	must(err)
	places, err := fs.Glob(schema.Files(), "kumiki.dev/environment/*.cue")
	must(err)
	for _, name := range append(slices.Concat(model, places), "kumiki.dev/policy/policy.cue", "kumiki.dev/template/template.cue") {
		for _, f := range declared(read(schema.Files(), name)) {
			if path.Base(name) == contextFile && labelOf(f) == "#Artifact" {
				continue // it says where a context is, which has a page of its own
			}
			if s.definitions[labelOf(f)] != nil {
				panic(labelOf(f) + " is declared twice, and would be both")
			}
			s.definitions[labelOf(f)] = f
		}
	}
	for _, f := range declared(read(own, "hints.cue")) {
		s.definitions[labelOf(f)] = f
	}
	s.builtin = declared(read(schema.Files(), "kumori.systems/builtins/inbound/inbound.cue"))[0]
	return s
}

// contextFile has the context of an artifact, and declares it there.
const contextFile = "context.cue"

func read(from fs.FS, name string) *ast.File {
	text, err := fs.ReadFile(from, name)
	must(err)
	file, err := parser.ParseFile(path.Base(name), text, parser.ParseComments)
	must(err)
	return file
}

// must ends the program where what is embedded is not what a test has found it to be.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// declared are the definitions of a file.
func declared(file *ast.File) []*ast.Field {
	var out []*ast.Field
	for _, d := range file.Decls {
		if f, ok := d.(*ast.Field); ok && strings.HasPrefix(labelOf(f), "#") {
			out = append(out, f)
		}
	}
	return out
}

// labelOf is the name of a field, NAME for any.
func labelOf(f *ast.Field) string {
	switch l := f.Label.(type) {
	case *ast.Ident:
		return l.Name
	case *ast.BasicLit:
		text, err := literal.Unquote(l.Value)
		must(err)
		return text
	}
	return anyName
}

// anyName stands in paths for a name that the author chooses.
const anyName = "NAME"

// doc is the comment of a definition.
func (s *source) doc(name string) []Paragraph { return docOf(s.definitions[name]) }

// docOf is the comment of a field: its paragraphs, and its examples, which are indented.
func docOf(n ast.Node) []Paragraph {
	var lines []string
	for _, group := range ast.Comments(n) {
		if group.Doc {
			lines = strings.Split(strings.TrimSuffix(group.Text(), "\n"), "\n")
		}
	}
	var out []Paragraph
	for _, line := range lines {
		code := strings.HasPrefix(line, "\t")
		last := len(out) - 1
		switch {
		case line == "" && last >= 0:
			out = append(out, Paragraph{})
		case code && last > 0 && out[last].Text == "" && out[last-1].Code: // an empty line of the example
			out = out[:last]
			out[last-1].Text += "\n\n" + strings.TrimPrefix(line, "\t")
		case last < 0 || out[last].Text == "":
			if last >= 0 {
				out = out[:last]
			}
			out = append(out, Paragraph{strings.TrimPrefix(line, "\t"), code})
		case code:
			out[last].Text += "\n" + strings.TrimPrefix(line, "\t")
		default:
			out[last].Text += " " + line
		}
	}
	return filter.Out(out, func(p Paragraph) bool { return p.Text == "" })
}

// fieldsOf are the fields of a definition, with paths below at.
func (s *source) fieldsOf(name string, at ...string) []*Field {
	return s.ofExpr(s.definitions[name].Value, at, "")
}

// elsewhere are the definitions that have a page of their own, and where that is said to
// be.
var elsewhere = map[string]string{"#Configurable": "config", "#MicroService": "srv"}

// ofExpr are the fields that an expression declares.
func (s *source) ofExpr(x ast.Expr, at []string, when string) []*Field {
	switch x := x.(type) {
	case *ast.StructLit:
		return s.ofDecls(x.Elts, at, when)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			return merge(s.ofExpr(x.X, at, when), s.ofExpr(x.Y, at, when))
		}
		if x.Op == token.OR {
			return append(s.ofExpr(x.X, at, when), s.ofExpr(x.Y, at, when)...)
		}
	case *ast.Ident:
		recursive := len(at) > 2 && x.Name == "#Scale"
		if d := s.definitions[x.Name]; d != nil && elsewhere[x.Name] == "" && !recursive {
			return s.ofExpr(d.Value, at, when)
		}
	case *ast.ParenExpr:
		return s.ofExpr(x.X, at, when)
	case *ast.ListLit:
		return s.ofList(x, at, when)
	}
	return nil
}

// ofList are the fields of the elements of a list.
func (s *source) ofList(x *ast.ListLit, at []string, when string) []*Field {
	for _, e := range x.Elts {
		if rest, ok := e.(*ast.Ellipsis); ok && rest.Type != nil {
			return s.ofExpr(rest.Type, at, when)
		}
	}
	return nil
}

func (s *source) ofDecls(decls []ast.Decl, at []string, when string) []*Field {
	var out []*Field
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if name := labelOf(d); name == anyName && !s.isStruct(d.Value) {
				continue
			} else if name != "description" {
				out = merge(out, []*Field{s.field(d, append(at[:len(at):len(at)], name), when)})
			} else { // which everything is below
				out = merge(out, s.ofExpr(d.Value, at, when))
			}
		case *ast.EmbedDecl:
			out = merge(out, s.ofExpr(d.Expr, at, when))
		case *ast.Comprehension:
			out = merge(out, s.ofCondition(d, at))
		}
	}
	return out
}

// ofCondition are the fields below an if; the bodies of components and services have
// pages of their own.
func (s *source) ofCondition(c *ast.Comprehension, at []string) []*Field {
	condition, ok := c.Clauses[0].(*ast.IfClause)
	if !ok || len(at) == 0 {
		return nil
	}
	when := text(condition.Condition)
	if present, ok := strings.CutSuffix(when, " != _|_"); ok {
		when = present + " is there"
	}
	return s.ofExpr(c.Value, at, when)
}

// field is what a declaration says.
func (s *source) field(d *ast.Field, at []string, when string) *Field {
	f := &Field{Path: at, Doc: docOf(d), Optional: d.Constraint == token.OPTION, When: when}
	f.Type, f.Default = s.typeOf(d.Value)
	f.Definition = definitionOf(d.Value)
	f.declared = d.Pos()
	if at[len(at)-1] != "artifact" { // of which an author only writes the name
		f.Fields = s.ofExpr(d.Value, at, "")
	}
	if len(f.Fields) == 1 && f.Fields[0].Path[len(at)] == anyName && len(f.Fields[0].Doc) == 0 {
		f.Fields[0].Doc = f.Doc
	}
	if d := s.definitions[f.Definition]; d != nil && len(f.Doc) == 0 {
		f.Doc = docOf(d)
	}
	return f
}

// isStruct reports whether an expression is a struct with fields that the schema names.
func (s *source) isStruct(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		d := s.definitions[x.Name]
		return d != nil && s.isStruct(d.Value)
	case *ast.BinaryExpr:
		return x.Op == token.AND && s.isStruct(x.X)
	case *ast.StructLit:
		if len(x.Elts) == 0 {
			return false
		}
		f, ok := x.Elts[0].(*ast.Field)
		return len(x.Elts) > 1 || ok && (labelOf(f) != anyName || s.isStruct(f.Value))
	}
	return false
}

// definitionOf is the definition that an expression names, "" for none.
func definitionOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		if strings.HasPrefix(x.Name, "#") {
			return x.Name
		}
	case *ast.SelectorExpr:
		return text(x.Sel)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			return definitionOf(x.X)
		}
	}
	return ""
}

// merge joins what two places say of the same fields: the later one has the last word on
// comments and types, and what it does not say, the earlier one does.
func merge(a, b []*Field) []*Field {
	for _, f := range b {
		i := slices.IndexFunc(a, func(g *Field) bool { return g.Path[len(g.Path)-1] == f.Path[len(f.Path)-1] })
		if i < 0 {
			a = append(a, f)
			continue
		}
		old := *a[i]
		if len(f.Doc) == 0 || f.When != "" { // a condition adds, and says less
			f.Doc = old.Doc
		}
		if f.Type == "_" {
			f.Type = old.Type
		}
		if f.Default == "" {
			f.Default = old.Default
		}
		f.Fields = merge(old.Fields, f.Fields)
		f.Optional = f.Optional && old.Optional || f.When != ""
		a[i] = f
	}
	return a
}

// text is an expression as it is written, on one line.
func text(n ast.Node) string {
	out, err := format.Node(n, format.Simplify())
	must(err)
	return strings.Join(strings.Fields(string(out)), " ")
}

// typeOf is what an expression takes and its default. Names of simple definitions are
// written out.
func (s *source) typeOf(x ast.Expr) (takes, given string) {
	switch v := x.(type) {
	case *ast.StructLit:
		if len(v.Elts) == 1 {
			if f, ok := v.Elts[0].(*ast.Field); ok && labelOf(f) == anyName {
				takes, _ := s.typeOf(f.Value)
				return "by name: " + takes, ""
			}
		}
		return "struct", ""
	case *ast.ParenExpr:
		return s.typeOf(v.X)
	case *ast.Ident:
		d := s.definitions[v.Name]
		switch {
		case v.Name == "Name": // the key that a struct has it under
			return "string", ""
		case d == nil:
			return v.Name, ""
		}
		return s.typeOf(d.Value)
	case *ast.SelectorExpr: // of the inbound's
		return s.typeOf(v.Sel.(*ast.Ident))
	case *ast.BinaryExpr:
		if v.Op == token.AND && definitionOf(v.X) != "" {
			return "struct", ""
		}
		if v.Op == token.OR {
			return s.alternatives(v)
		}
	case *ast.ListLit:
		if len(s.ofList(v, nil, "")) > 0 {
			return "list of structs", ""
		}
	}
	return text(x), ""
}

// alternatives are those of a disjunction, and the one that is marked as its default.
func (s *source) alternatives(x *ast.BinaryExpr) (takes, given string) {
	var others []string
	var add func(x ast.Expr)
	add = func(x ast.Expr) {
		switch v := x.(type) {
		case *ast.BinaryExpr:
			if v.Op == token.OR {
				add(v.X)
				add(v.Y)
				return
			}
		case *ast.UnaryExpr:
			if v.Op == token.MUL {
				given = text(v.X)
				return
			}
		case *ast.ParenExpr:
			add(v.X)
			return
		}
		takes, _ := s.typeOf(x)
		others = append(others, takes)
	}
	add(x)
	if given != "" && !filter.Any(others, func(takes string) bool { return among(given, takes) }) {
		others = slices.Insert(others, 0, given)
	}
	return strings.Join(others, " | "), given
}

// config are the fields of a config, and of the resources that its author may name.
func (s *source) config() []*Field {
	list := s.fieldsOf("#Configurable", "config")
	for _, f := range list {
		if f.Name() != "config.resource" {
			continue
		}
		one := &Field{Path: append(f.Path[:len(f.Path):len(f.Path)], anyName), Type: "struct", Doc: []Paragraph{{Text: "A resource: one of these fields."}}}
		for _, kind := range []string{"#Volume", "#Secret", "#Port", "#Domain", "#Certificate", "#CA"} {
			for _, in := range s.fieldsOf(kind, one.Path...) {
				in.Optional = true
				in.Definition = kind
				one.Fields = append(one.Fields, in)
			}
		}
		f.Fields = []*Field{one}
	}
	return list
}

// inbound are the fields of the builtin.
func (s *source) inbound() []*Field {
	var config []*Field
	for _, f := range s.ofExpr(s.builtin.Value.(*ast.BinaryExpr).Y, []string{"inbound"}, "") {
		if f.Path[1] == "config" || f.Path[1] == "srv" {
			config = append(config, f)
		}
	}
	return config
}

// among reports whether a literal is one of the values of a type, as far as the schema
// has such; a reference is one of any.
func among(literal, takes string) bool {
	switch {
	case literal == "true" || literal == "false":
		return takes == "bool"
	case literal == "null":
		return false
	case literal[0] == '"':
		return takes == "string"
	}
	return strings.HasPrefix(takes, "number") || strings.HasPrefix(takes, "uint") || strings.HasPrefix(takes, "int") || takes == "string"
}
