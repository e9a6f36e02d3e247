package wording

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
)

// Addition is the fix that adds a missing field to the config of a role, or of the deployment
// if roles is empty. The field is written in a file, with its type as a placeholder, in the
// innermost struct with braces that is there for it: the deployment's or the role's own, where
// its config is written without.
func Addition(file *ast.File, roles, path []string, v cue.Value) []diag.Fix {
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
	if kind := ResourceKind(v); kind != "" {
		return kind + ": string"
	}
	text := Source(v)
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
