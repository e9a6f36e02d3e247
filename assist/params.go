package assist

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"sigs.k8s.io/yaml"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/spread/params"
	"kumiki.dev/value"
)

// Table writes the fields as a table for people: one line a field.
func Table(fields []params.Param) ([]byte, error) {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FIELD\tGIVE\tDEFAULT\tBY\tTAKES\tMEANING")
	for _, p := range fields {
		give, value := "optional", "-"
		switch {
		case p.Required:
			give = "required"
		case p.Computed != "":
			give = "computed"
		case p.Default != nil:
			value = p.Default.JSON()
		case p.Ignored:
			give = "optional, ignored"
		case p.Optional:
			give = "optional, handled"
		}
		fmt.Fprintf(w, "config.%s\t%s\t%s\t%s\t%s\t%s\n", strings.Join(p.Path, "."), give, value, cmp.Or(p.DefaultBy, "-"), p.Takes, cmp.Or(p.Doc, "-"))
	}
	err := w.Flush()
	return trimLines(b.Bytes()), err
}

// trimLines removes the spaces at the ends of lines that a table leaves.
func trimLines(b []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(b) {
		out.Write(bytes.TrimRight(line, " \n"))
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// param is the form of a field in JSON and YAML.
type param struct {
	Path      []string    `json:"path"`
	Required  bool        `json:"required"`
	Handled   *bool       `json:"handled,omitempty"` // of an optional one without a default: whether the artifact reads it
	Computed  string      `json:"computed,omitempty"`
	Default   *value.Data `json:"default,omitempty"`
	DefaultBy string      `json:"defaultBy,omitempty"`
	Takes     string      `json:"takes"`
	Doc       string      `json:"doc,omitempty"`
	Schema    any         `json:"schema"`
}

// JSON writes the fields as a list, each with a JSON schema of its own.
func JSON(fields []params.Param) ([]byte, error) {
	list := []param{}
	for _, p := range fields {
		var handled *bool
		if p.Optional {
			handled = new(bool)
			*handled = !p.Ignored
		}
		list = append(list, param{p.Path, p.Required, handled, p.Computed, p.Default, p.DefaultBy, p.Takes, p.Doc, p.JSONSchema()})
	}
	return jsondata.Indented(list)
}

// YAML is [JSON] as YAML.
func YAML(fields []params.Param) ([]byte, error) {
	b, err := JSON(fields)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(b)
}

// Schema writes a JSON schema (2020-12) of a deployment's config: what a form
// or a validator of values files needs.
func Schema(title string, fields []params.Param) ([]byte, error) {
	root := &node{}
	for _, p := range fields {
		root.add(append([]string{"config"}, p.Path...), p)
	}
	schema := root.schema()
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = title
	return jsondata.Indented(schema)
}

// node is a level of the config, on the way to nested objects.
type node struct {
	param    *params.Param
	names    []string
	children map[string]*node
}

func (n *node) add(path []string, p params.Param) {
	if len(path) == 0 {
		n.param = &p
		return
	}
	if n.children == nil {
		n.children = map[string]*node{}
	}
	child, ok := n.children[path[0]]
	if !ok {
		child = &node{}
		n.children[path[0]] = child
		n.names = append(n.names, path[0])
	}
	child.add(path[1:], p)
}

func (n *node) schema() map[string]any {
	if n.param != nil {
		return n.param.JSONSchema()
	}
	properties, required := map[string]any{}, []string{}
	for _, name := range n.names {
		properties[name] = n.children[name].schema()
		if n.children[name].required() {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// required reports whether anything below has to be given.
func (n *node) required() bool {
	if n.param != nil {
		return n.param.Required
	}
	return filter.Any(n.names, func(name string) bool { return n.children[name].required() })
}
