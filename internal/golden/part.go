package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// part is what is at a path of an output: in JSON and YAML, the value below these
// keys and indices, where the first word for a stream of objects is KIND/NAME; in
// a text of problems, the lines with one of these codes. A text in YAML is shown as it is.
func part(output string, data []byte, at []string) ([]byte, error) {
	switch {
	case len(at) == 0:
		return data, nil
	case path.Ext(output) == ".txt":
		return coded(data, at), nil
	case path.Ext(output) == ".json":
		found, err := member(data, at)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = json.Indent(&out, found, "", "  ")
		return out.Bytes(), err
	default:
		return yamlPart(data, at)
	}
}

// coded are the lines that end with one of the codes.
func coded(data []byte, codes []string) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if slices.ContainsFunc(codes, func(code string) bool { return bytes.HasSuffix(line, []byte("["+code+"]\n")) }) {
			out = append(out, line...)
		}
	}
	return out
}

func yamlPart(data []byte, at []string) ([]byte, error) {
	if kind, name, ok := strings.Cut(at[0], "/"); ok {
		var err error
		if data, err = object(data, kind, name); err != nil || len(at) == 1 {
			return data, err
		}
		at = at[1:]
	}
	doc, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, err
	}
	found, err := member(doc, at)
	if err != nil {
		return nil, err
	}
	var text string
	if json.Unmarshal(found, &text) == nil {
		return []byte(text), nil
	}
	return yaml.JSONToYAML(found)
}

// object is the document of a stream that describes an object.
func object(stream []byte, kind, name string) ([]byte, error) {
	for _, doc := range bytes.Split(stream, []byte("---\n")) {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal(doc, &o); err != nil {
			return nil, err
		}
		if o.Kind == kind && o.Metadata.Name == name {
			return doc, nil
		}
	}
	return nil, fmt.Errorf("there is no object %s/%s", kind, name)
}

// member is the value below keys and indices.
func member(data json.RawMessage, at []string) (json.RawMessage, error) {
	for i, key := range at {
		found := json.RawMessage(nil)
		if n, err := strconv.Atoi(key); err == nil && bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
			var list []json.RawMessage
			if err := json.Unmarshal(data, &list); err != nil {
				return nil, err
			}
			if n < len(list) {
				found = list[n]
			}
		} else {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(data, &members); err != nil {
				return nil, err
			}
			found = members[key]
		}
		if found == nil {
			return nil, fmt.Errorf("there is no %s", strings.Join(at[:i+1], " "))
		}
		data = found
	}
	return data, nil
}
