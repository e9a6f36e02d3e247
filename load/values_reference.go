package load

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/value"
)

// In values files of YAML and JSON, $(ref.NAME.PATH) is another spelling of
// {$from: "NAME", field: "PATH"}. It is a whole value. The text itself is written
// $$(ref.NAME.PATH).
const (
	refOpening = "$(ref."
	refEscaped = "$" + refOpening
)

// isCUE reports whether a values file is of CUE, which has its own way to write these.
func isCUE(name string) bool {
	return !filter.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
}

// references are values with #From in the place of texts that refer to other deployments.
func references(d *value.Data) (*value.Data, diag.List) {
	if d == nil {
		return nil, nil
	}
	if d.Kind == value.String {
		return referenceOf(d)
	}
	out := *d
	out.Fields, out.Items = slices.Clone(d.Fields), slices.Clone(d.Items)
	var problems diag.List
	for i, f := range d.Fields {
		v, more := references(f.Value)
		out.Fields[i].Value, problems = v, append(problems, more...)
	}
	for i, item := range d.Items {
		v, more := references(item)
		out.Items[i], problems = v, append(problems, more...)
	}
	return &out, problems
}

func referenceOf(d *value.Data) (*value.Data, diag.List) {
	if !strings.Contains(d.Text, refOpening) {
		return d, nil
	}
	wrong := func(what string) (*value.Data, diag.List) {
		return d, diag.List{diag.New(diag.BadValues, d.Pos, "%q %s: write $(ref.NAME.PATH) as the whole value, such as $(ref.db.config.parameter.host), and $$(ref. for the text itself", d.Text, what)}
	}
	inner, opened := strings.CutPrefix(d.Text, refOpening)
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		if rest := strings.ReplaceAll(d.Text, refEscaped, ""); !strings.Contains(rest, refOpening) {
			out := *d
			out.Text = strings.ReplaceAll(d.Text, refEscaped, refOpening)
			return &out, nil
		}
		return wrong("refers to another deployment in a part of it")
	}
	name, field, ok := strings.Cut(inner, ".")
	if quoted, err := strconv.QuotedPrefix(inner); err == nil && strings.HasPrefix(inner, `"`) {
		name, _ = strconv.Unquote(quoted) // it has just been found to be one
		field, ok = strings.CutPrefix(inner[len(quoted):], ".")
	}
	if !ok || name == "" || field == "" || strings.Contains(field, "$(") {
		return wrong("does not say which value of which deployment")
	}
	text := func(s string) *value.Data {
		return &value.Data{Kind: value.String, Text: s, Pos: d.Pos, Origin: d.Origin}
	}
	return value.NewStruct(d.Pos, value.Field{Name: "$from", Value: text(name)}, value.Field{Name: "field", Value: text(field)}), nil
}
