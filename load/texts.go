package load

import (
	"encoding/json"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// Texts is told the texts that sources give to fields, with the paths of these in the
// file; of a field that is taken from a parameter, the parameter's name, at the path of
// the field and "parameter", as a container's mapping has it. It is for who has to know values before anything is evaluated, and whatever is
// wrong with them.
type Texts func(path []string, text string)

// File tells of the texts in a file, as far as that could be parsed.
func (t Texts) File(f *ast.File) {
	if t == nil || f == nil {
		return
	}
	for _, d := range f.Decls {
		t.node(nil, d)
	}
}

// node tells of the texts in a declaration or an expression that is at a path.
func (t Texts) node(path []string, n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			at := append(path[:len(path):len(path)], labelOf(n.Label))
			if name := parameterOf(n.Value); name != "" {
				t(append(slices.Clip(at), "parameter"), name)
			}
			t.node(at, n.Value)
			return false
		case *ast.LetClause:
			t.node(append(path[:len(path):len(path)], n.Ident.Name), n.Expr)
			return false
		case *ast.ImportDecl:
			return false
		case *ast.BasicLit:
			if text, err := literal.Unquote(n.Value); err == nil && n.Kind == token.STRING && len(path) > 0 {
				t(path, text)
			}
		case *ast.ListLit:
			t.list(path, n)
		case *ast.Interpolation:
			t.interpolation(path, n)
			return false
		}
		return true
	}, nil)
}

// parameterOf is the parameter that an expression is, config.parameter.NAME; "" if it is
// something else.
func parameterOf(x ast.Expr) string {
	if of, ok := x.(*ast.SelectorExpr); ok {
		if from, ok := of.X.(*ast.SelectorExpr); ok && labelOf(from.Sel) == "parameter" {
			return labelOf(of.Sel)
		}
	}
	return ""
}

// list tells of the texts in a list as one: of two words of a command, the first may say
// what the second is.
func (t Texts) list(path []string, n *ast.ListLit) {
	var words []string
	for _, x := range n.Elts {
		if text, err := literal.Unquote(textOf(x)); err == nil {
			words = append(words, text)
		}
	}
	if len(words) > 1 && len(path) > 0 {
		t(path, strings.Join(words, " "))
	}
}

func textOf(x ast.Expr) string {
	if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		return lit.Value
	}
	return ""
}

// interpolation tells of the texts inside of one, and of it as a whole with a variable
// in place of each value.
func (t Texts) interpolation(path []string, n *ast.Interpolation) {
	var whole strings.Builder
	for _, part := range n.Elts {
		if lit, ok := part.(*ast.BasicLit); ok {
			whole.WriteString(strings.Trim(strings.TrimSuffix(strings.TrimPrefix(lit.Value, ")"), `\(`), "\"#"))
			continue
		}
		t.node(path, part)
		whole.WriteString("${x}")
	}
	if len(path) > 0 {
		t(path, whole.String())
	}
}

// labelOf is the name of a field, "" for one that is made.
func labelOf(l ast.Label) string {
	name, _, err := ast.LabelName(l)
	if err != nil {
		return ""
	}
	return name
}

// source tells of what is in a text that could not be parsed as a whole.
func (t Texts) source(text []byte) {
	if t != nil {
		t([]string{"source"}, string(text))
	}
}

// set tells of a value that is given as PATH=VALUE.
func (t Texts) set(text string) {
	path, value, ok := strings.Cut(text, "=")
	if t != nil && ok {
		t(strings.Split(strings.TrimSpace(strings.TrimSuffix(path, ":")), "."), value)
	}
}

// taken tells of a value that is given so and comes from a file.
func (t Texts) taken(s spread.Set) {
	if t != nil {
		t(s.Path, s.Text)
	}
}

// JSON tells of the texts in a document, such as a solution.
func (t Texts) JSON(data []byte) {
	if t == nil {
		return
	}
	var v any
	if json.Unmarshal(data, &v) != nil {
		t.source(data)
	}
	t.value(nil, v)
}

func (t Texts) value(path []string, v any) {
	below := func(name string) []string { return append(slices.Clip(path), name) }
	switch v := v.(type) {
	case string:
		if len(path) > 0 {
			t(path, v)
		}
	case []any:
		var words []string
		for i, item := range v {
			t.value(below(value.Element(i)), item)
			if word, ok := item.(string); ok {
				words = append(words, word)
			}
		}
		if len(words) > 1 && len(path) > 0 {
			t(path, strings.Join(words, " "))
		}
	case map[string]any:
		for name, item := range v {
			t.value(below(name), item)
		}
	}
}
