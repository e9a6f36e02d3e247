package compute

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"text/template"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/encoding/yaml"

	"kumiki.dev/spread/syntax"
)

// indent lays out JSON.
func indent(args []any) (any, bool) {
	if len(args) != 3 {
		return nil, false
	}
	all, ok := textsOf(args)
	if !ok {
		return nil, false
	}
	var b bytes.Buffer
	err := json.Indent(&b, []byte(all[0]), all[1], all[2])
	return b.String(), err == nil
}

func marshal(args []any) (any, bool) {
	if len(args) != 1 {
		return nil, false
	}
	var b bytes.Buffer
	if !writeJSON(&b, args[0]) {
		return nil, false
	}
	return b.String(), true
}

// writeJSON writes a value as CUE does: without escapes for HTML, fields in their order.
func writeJSON(b *bytes.Buffer, v any) bool {
	switch v := v.(type) {
	case null:
		b.WriteString("null")
	case string, bool, int64:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if e.Encode(v) != nil {
			return false
		}
		b.Truncate(b.Len() - 1) // the end of the line
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if !writeJSON(b, x) {
				return false
			}
		}
		b.WriteByte(']')
	case *object:
		if v.unordered {
			return false
		}
		b.WriteByte('{')
		for i, x := range v.values {
			if i > 0 {
				b.WriteByte(',')
			}
			if !writeJSON(b, v.names[i]) {
				return false
			}
			b.WriteByte(':')
			if !writeJSON(b, x) {
				return false
			}
		}
		b.WriteByte('}')
	default:
		return false
	}
	return true
}

// marshalYAML has CUE write a value that Go has made. It is false for a number by itself: of a default that is written 0x10, CUE
// (v0.17.1) makes "0x10". In a struct or list it makes "16".
func (r *run) marshalYAML(args []any) (any, bool) {
	if len(args) != 1 {
		return nil, false
	}
	if _, isNumber := args[0].(int64); isNumber {
		return nil, false
	}
	x := written(args[0])
	if x == nil {
		return nil, false
	}
	text, ok := r.yaml.Marshal(x)
	return text, ok
}

// YAML has CUE write values as YAML. What it writes of a field does not depend on the others, and many structs have the same ones: so it
// is remembered.
type YAML struct {
	lines map[string]string // by the name and the literal
}

// maxLines bounds how many fields are remembered.
const maxLines = 10_000

// Marshal writes a value; false if CUE cannot.
func (y *YAML) Marshal(x ast.Expr) (text string, ok bool) {
	lit, ok := x.(*ast.StructLit)
	if !ok || len(lit.Elts) < 2 {
		return encode(x)
	}
	all, rest := make([]string, len(lit.Elts)), &ast.StructLit{}
	var keys []string
	for i, d := range lit.Elts {
		key := fieldKey(d)
		if line, known := y.lines[key]; known {
			all[i] = line
		} else {
			rest.Elts, keys = append(rest.Elts, d), append(keys, key)
		}
	}
	if len(keys) > 0 {
		text, ok := encode(rest)
		lines := fieldsIn(text)
		if !ok || len(lines) != len(keys) {
			return encode(x)
		}
		y.fill(all, keys, lines)
	}
	return strings.Join(all, ""), true
}

// fill puts the texts of fields where there is none yet.
func (y *YAML) fill(all, keys, lines []string) {
	if y.lines == nil {
		y.lines = map[string]string{}
	}
	n := 0
	for i, line := range all {
		if line != "" {
			continue
		}
		all[i] = lines[n]
		if keys[n] != "" && len(y.lines) < maxLines {
			y.lines[keys[n]] = lines[n]
		}
		n++
	}
}

// fieldKey is the same for fields of which the same is written. It is empty for a field that is no literal.
func fieldKey(d ast.Decl) string {
	f, ok := d.(*ast.Field)
	if !ok {
		return ""
	}
	lit, ok := f.Value.(*ast.BasicLit)
	if !ok {
		return ""
	}
	return syntax.LabelName(f.Label) + "\x00" + lit.Value
}

// fieldsIn are the texts of the fields in the YAML of a struct. Each begins with a line that begins with the field's name. There may be fewer if
// names are unusual.
func fieldsIn(text string) (out []string) {
	for line := range strings.Lines(text) {
		if first := line[0]; first == '"' || first == '_' || '0' <= first && first <= '9' || 'A' <= first && first <= 'Z' || 'a' <= first && first <= 'z' {
			out = append(out, line)
		} else if len(out) > 0 {
			out[len(out)-1] += line
		}
	}
	return out
}

// encode has CUE write a value by itself.
func encode(x ast.Expr) (string, bool) {
	b, err := yaml.Encode(cuecontext.New().BuildExpr(x))
	return string(b), err == nil
}

// written is the expression for a value, nil if CUE may write its fields in another order.
func written(v any) ast.Expr {
	switch v := v.(type) {
	case null:
		return ast.NewNull()
	case string:
		return ast.NewString(v)
	case bool:
		return ast.NewBool(v)
	case int64:
		return &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(v, 10)}
	case []any:
		out := &ast.ListLit{}
		for _, item := range v {
			x := written(item)
			if x == nil {
				return nil
			}
			out.Elts = append(out.Elts, x)
		}
		return out
	case *object:
		if v.unordered {
			return nil
		}
		out := &ast.StructLit{}
		for i, name := range v.names {
			x := written(v.values[i])
			if x == nil {
				return nil
			}
			out.Elts = append(out.Elts, &ast.Field{Label: ast.NewString(name), Value: x})
		}
		return out
	}
	return nil
}

// executed is what a template makes of a value.
func (r *run) executed(args []any) (any, bool) {
	if len(args) != 2 {
		return nil, false
	}
	text, ok := args[0].(string)
	data, also := decoded(args[1])
	if !ok || !also {
		return nil, false
	}
	t := r.templates[text]
	if t == nil {
		var err error
		if t, err = template.New("").Parse(text); err != nil {
			return nil, false
		}
		r.templates[text] = t
	}
	var b strings.Builder
	err := t.Execute(&b, data)
	return b.String(), err == nil
}

// decoded is a value as CUE decodes it for a template.
func decoded(v any) (any, bool) {
	switch v := v.(type) {
	case string, bool, int64:
		return v, true
	case null:
		return nil, true
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			y, ok := decoded(x)
			if !ok {
				return nil, false
			}
			out[i] = y
		}
		return out, true
	case *object:
		out := map[string]any{}
		for i, name := range v.names {
			y, ok := decoded(v.values[i])
			if !ok {
				return nil, false
			}
			out[name] = y
		}
		return out, true
	}
	return nil, false
}
