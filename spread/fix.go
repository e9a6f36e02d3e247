package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
)

// written is a label as a source file has it.
type written struct {
	pos  diag.Pos
	text string // "" if the label was not found
}

// CUE gives either a field's label or its value as the place of a value.
// labelOf returns the label, or pos itself if that is not in a CUE file of the
// program (in a values file, say).
func (r *Runner) labelOf(pos diag.Pos) written {
	if f := r.fieldAt(pos); f != nil {
		return written{fromcue.Pos(f.Label), labelText(f.Label)}
	}
	return written{pos: pos}
}

// LabelAt returns the label at a place in the files of packages, as they have it, and its
// place; "" if there is none.
func LabelAt(packages []*Package, pos diag.Pos) (diag.Pos, string) {
	for _, p := range packages {
		for _, f := range p.Files {
			if f.Filename == pos.Filename() {
				at := (&Runner{sources: []*Package{p}}).labelOf(pos)
				return at.pos, at.text
			}
		}
	}
	return diag.NoPos, ""
}

// valueOf is like labelOf for the value.
func (r *Runner) valueOf(pos diag.Pos) diag.Pos {
	if f := r.fieldAt(pos); f != nil {
		return fromcue.Pos(f.Value)
	}
	return pos
}

// fieldAt returns the field whose label or value is at pos, nil if there is
// none. In a: b: 1 the value of a is where the label of b is: b is meant.
func (r *Runner) fieldAt(pos diag.Pos) *ast.Field {
	at := r.indexOf(pos.Filename())
	if f := at.labels[pos]; f != nil {
		return f
	}
	return at.values[pos]
}

// fileIndex is what a file of the program has at its places.
type fileIndex struct {
	labels, values map[diag.Pos]*ast.Field
	definitions    map[diag.Pos]bool // where one is taken from another package
}

// indexOf reads the places of a file once: where 1,000 roles are wrong, each asks for several.
func (r *Runner) indexOf(file string) fileIndex {
	at, ok := r.indexes[file]
	if ok {
		return at
	}
	at = fileIndex{map[diag.Pos]*ast.Field{}, map[diag.Pos]*ast.Field{}, map[diag.Pos]bool{}}
	if f := r.file(file); f != nil {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Field:
				if x.Value != nil {
					at.labels[fromcue.Pos(x.Label)], at.values[fromcue.Pos(x.Value)] = x, x
				}
			case *ast.SelectorExpr:
				if strings.HasPrefix(syntax.LabelName(x.Sel), "#") {
					at.definitions[fromcue.Pos(x)] = true
				}
			}
			return true
		}, nil)
	}
	if r.indexes == nil {
		r.indexes = map[string]fileIndex{}
	}
	r.indexes[file] = at
	return at
}

// labelText is a plain label as it is written, "" for a computed one.
func labelText(l ast.Label) string {
	switch x := l.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.BasicLit:
		return x.Value
	}
	return ""
}

// file is the file of the program that is called so, nil if there is none.
func (r *Runner) file(name string) *ast.File {
	for _, p := range r.sources {
		for _, f := range p.Files {
			if f.Filename == name {
				return f
			}
		}
	}
	return nil
}

// addition is the fix that adds a missing field to the config of a role, or of the deployment
// if roles is empty. The field is written in a file, with its type as a placeholder, in the
// innermost struct with braces that is there for it: the deployment's or the role's own, where
// its config is written without.
func addition(file *ast.File, roles, path []string, v cue.Value) []diag.Fix {
	above := []string{"#Deployment"}
	if n := len(roles); n > 0 {
		above = []string{"#Artifact", "description", "role", roles[n-1]}
	}
	brace, depth := diag.NoPos, -1
	bracesIn(file, func(pos diag.Pos, in []string) {
		n := len(in) - len(above)
		if n > depth && n < len(path) && slices.Equal(in, slices.Concat(above, path[:n])) {
			brace, depth = pos, n
		}
	})
	if depth < 0 {
		return nil
	}
	var b strings.Builder
	for _, name := range path[depth:] {
		b.WriteString(label(name) + ": ")
	}
	line := b.String() + placeholder(v)
	return []diag.Fix{{
		Title: "add " + strings.TrimSpace(line),
		Edits: []diag.Edit{{Pos: diag.At(fromcue.Token(brace).Add(1)), Text: "\n" + line + ","}},
	}}
}

// placeholder is a type that can be written where a value is missing: in a file
// that imports nothing for it.
func placeholder(v cue.Value) string {
	if kind := resourceKind(v); kind != "" {
		return kind + ": string"
	}
	text := SourceOf(v)
	expr, err := parser.ParseExpr("", text)
	known := err == nil
	if known {
		ast.Walk(expr, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				known = known && predeclared[id.Name]
			}
			return true
		}, nil)
	}
	if known {
		return text
	}
	switch v.IncompleteKind() {
	case cue.StructKind:
		return "{...}"
	case cue.ListKind:
		return "[...]"
	}
	return "_"
}

// predeclared are the names that mean the same in every file.
var predeclared = map[string]bool{
	"_": true, "bool": true, "bytes": true, "float": true, "float32": true, "float64": true, "int": true, "int8": true,
	"int16": true, "int32": true, "int64": true, "number": true, "rune": true, "string": true, "uint": true, "uint8": true,
	"uint16": true, "uint32": true, "uint64": true,
}

// bracesIn calls visit for each opening brace of a file, none for nil, with the
// fields that it is in. Structs that are parts of other expressions than & are
// not looked at.
func bracesIn(file *ast.File, visit func(brace diag.Pos, path []string)) {
	var path []string
	var into func(n ast.Node)
	fields := func(decls []ast.Decl) {
		for _, d := range decls {
			switch x := d.(type) {
			case *ast.Field:
				if name, _, err := ast.LabelName(x.Label); err == nil {
					path = append(path, name)
					into(x.Value)
					path = path[:len(path)-1]
				}
			case *ast.EmbedDecl:
				into(x.Expr)
			}
		}
	}
	into = func(n ast.Node) {
		switch x := n.(type) {
		case *ast.File:
			fields(x.Decls)
		case *ast.StructLit:
			if x.Lbrace.IsValid() {
				visit(diag.At(x.Lbrace), path)
			}
			fields(x.Elts)
		case *ast.ParenExpr:
			into(x.X)
		case *ast.BinaryExpr:
			if x.Op == token.AND {
				into(x.X)
				into(x.Y)
			}
		}
	}
	if file != nil {
		into(file)
	}
}
