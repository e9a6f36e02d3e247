package targets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"kumiki.dev/solution"
)

// Content is the text of a file.
func Content(f *solution.File) ([]byte, error) {
	switch f.Format {
	case "json":
		return solution.Indented(f.Data.Value)
	case "yaml":
		return yamlOf(f.Data.Value)
	default:
		text, _ := f.Data.Value.(string)
		return []byte(text), nil
	}
}

// yamlOf is a value as YAML, with each number as it is written in JSON: the library makes
// floating-point numbers of them, which lack digits of long ones. So names stand in for those,
// which are no part of anything else in the text.
func yamlOf(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	n := numbers{name: "number"}
	for bytes.Contains(text, []byte(n.name)) {
		n.name += "x"
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var plain any
	if err := d.Decode(&plain); err != nil {
		return nil, err
	}
	out, err := yaml.Marshal(n.named(plain))
	if err != nil || len(n.pairs) == 0 {
		return out, err
	}
	return []byte(strings.NewReplacer(n.pairs...).Replace(string(out))), nil
}

// numbers are those that have a name in their place, in pairs of both.
type numbers struct {
	name  string
	pairs []string
}

func (n *numbers) named(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			v[key] = n.named(x)
		}
	case []any:
		for i, x := range v {
			v[i] = n.named(x)
		}
	case json.Number:
		if text, err := yaml.Marshal(v); err == nil && strings.TrimSpace(string(text)) == v.String() {
			return v
		}
		name := fmt.Sprintf("%s%dx", n.name, len(n.pairs)/2)
		n.pairs = append(n.pairs, name, v.String())
		return name
	}
	return v
}
