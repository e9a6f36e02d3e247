package assist

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
	"kumiki.dev/spread/params"
	"kumiki.dev/value"
)

// Trial is what a deployment is with another value of one of its config's
// fields.
type Trial struct {
	// Field is the whole path of the field, config.parameter.title.
	Field string
	// From is the value that it has, To the other one.
	From, To *value.Data
	// Before and After are the solutions with the one and with the other.
	Before, After *solution.Solution
}

// Try compiles the deployment as it is, and with another value of the field,
// config.parameter.title=Other; without one, values near the old one are tried
// until the artifact takes one. That finds what depends on the field whatever
// the way is that its value takes. Problems are those of the deployment as it
// is.
func Try(ctx context.Context, in compiler.Input, field string) (*Trial, diag.List, error) {
	text, other, given := strings.Cut(field, "=")
	path, err := configPath(text)
	if err != nil {
		return nil, nil, err
	}
	result, problems := compiler.Run(ctx, in, compiler.ExtractStage)
	if problems.HasErrors() {
		return nil, problems, nil
	}
	config := result.Tree.Root.Config
	old := config.Get(path...)
	for old != nil && old.Kind == value.Struct && len(old.Fields) == 1 && path[0] == "resource" {
		path, old = append(path, old.Fields[0].Name), old.Fields[0].Value
	}
	if err := isLeaf(config, path, old); err != nil {
		return nil, problems, err
	}
	t := &Trial{Field: "config." + strings.Join(path, "."), From: old, Before: result.Solution}
	values := others(result, path, old)
	if given {
		values = []*value.Data{like(old, other)}
	}
	var refused diag.List
	for _, v := range values {
		in.Replace = []compiler.Replacement{{Path: path, Value: v}}
		tried, found := compiler.Run(ctx, in, compiler.ExtractStage)
		if !found.HasErrors() {
			t.To, t.After = v, tried.Solution
			return t, problems, nil
		}
		refused = found
	}
	if given {
		return nil, refused, nil
	}
	return nil, problems, fmt.Errorf("%s is %s, and no value near it is accepted: say which one to try, %s=VALUE", t.Field, old.JSON(), t.Field)
}

// configPath takes the path of a field of the deployment's config apart, without
// the word config.
func configPath(text string) ([]string, error) {
	p := cue.ParsePath(text)
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%q is not a path: quote names with dots or dashes, as in config.parameter.\"a-b\"", text)
	}
	var names []string
	for _, sel := range p.Selectors() {
		if sel.Type() != cue.StringLabel {
			return nil, fmt.Errorf("%s in %q is not a plain field", sel, text)
		}
		names = append(names, sel.Unquoted())
	}
	if len(names) < 2 || names[0] != "config" {
		return nil, fmt.Errorf("%q is no field of the deployment's config: write config.parameter.NAME, config.resource.NAME, config.scale.detail.ROLE.hsize or config.resilience", text)
	}
	return names[1:], nil
}

// isLeaf tells why a value cannot be replaced by another.
func isLeaf(config *value.Data, path []string, found *value.Data) error {
	if found != nil && found.Kind != value.Struct && found.Kind != value.List {
		return nil
	}
	field := "config." + strings.Join(path, ".")
	above := config.Get(path[:len(path)-1]...)
	if found != nil {
		above = found
	}
	var names []string
	for _, f := range above.Each() {
		names = append(names, f.Name)
	}
	switch near, ok := diag.Nearest(path[len(path)-1], names); {
	case found != nil && found.Kind == value.List:
		return fmt.Errorf("%s is a list: single values can be tried only", field)
	case found != nil:
		return fmt.Errorf("%s is a struct: name one of its fields: %s", field, strings.Join(names, ", "))
	case ok:
		return fmt.Errorf("%s has no value; did you mean %s?", field, near)
	case len(names) == 0:
		return fmt.Errorf("%s has no value", field)
	default:
		return fmt.Errorf("%s has no value; there is %s", field, strings.Join(names, ", "))
	}
}

// like is the text as a value of the old one's kind, if it can be one.
func like(old *value.Data, text string) *value.Data {
	n := json.Number(text)
	if _, err := n.Int64(); err == nil && (old.Kind == value.Int || old.Kind == value.Float) {
		return &value.Data{Kind: value.Int, Text: text, Pos: old.Pos, Origin: old.Origin}
	}
	if _, err := n.Float64(); err == nil && old.Kind == value.Float {
		return &value.Data{Kind: value.Float, Text: text, Pos: old.Pos, Origin: old.Origin}
	}
	if old.Kind == value.Bool && (text == "true" || text == "false") {
		return &value.Data{Kind: value.Bool, Text: text, Pos: old.Pos, Origin: old.Origin}
	}
	return &value.Data{Kind: value.String, Text: text, Pos: old.Pos, Origin: old.Origin}
}

// others are the values to try in place of the old one: those of an enumeration,
// or near ones.
func others(r *compiler.Result, path []string, old *value.Data) []*value.Data {
	var out []*value.Data
	try := func(text string) {
		if d := like(old, text); d.Kind == old.Kind && d.Text != old.Text {
			out = append(out, d)
		}
	}
	for _, text := range choices(r, path) {
		try(text)
	}
	switch old.Kind {
	case value.Bool:
		try(strconv.FormatBool(old.Text != "true"))
	case value.Int:
		if n, err := strconv.ParseInt(old.Text, 10, 64); err == nil {
			for _, near := range []int64{n + 1, n - 1, 2 * n, n / 2, n + 10} {
				try(strconv.FormatInt(near, 10))
			}
		}
	case value.Float:
		if x, err := strconv.ParseFloat(old.Text, 64); err == nil {
			for _, near := range []float64{x * 1.1, x * 0.9, x + 1} {
				try(strconv.FormatFloat(near, 'g', 6, 64))
			}
		}
	case value.String:
		for _, near := range []string{old.Text + "x", old.Text + "0", "x" + old.Text, old.Text + "/x"} {
			try(near)
		}
	}
	return out
}

// choices are the values of the field's enumeration; none if it is not one.
func choices(r *compiler.Result, path []string) []string {
	list, _ := params.Of(spread.NewEvaluator(cuecontext.New()), spread.PackageOf(r.Tree.Root))
	i := slices.IndexFunc(list, func(p params.Param) bool { return slices.Equal(p.Path, path) })
	if i < 0 {
		return nil
	}
	values, _ := list[i].JSONSchema()["enum"].([]json.RawMessage)
	var out []string
	for _, v := range values {
		text := string(v)
		if unquoted, err := strconv.Unquote(text); err == nil {
			text = unquoted
		}
		out = append(out, text)
	}
	return out
}
