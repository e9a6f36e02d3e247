package targets

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"kumiki.dev/internal/jsonstring"
	"kumiki.dev/solution"
)

// Content is the text of a file.
func Content(f *solution.File) ([]byte, error) {
	switch f.Format {
	case "json":
		text, err := appendJSON(nil, f.Data.Value, "\n")
		return append(text, '\n'), err
	case "yaml":
		return yaml.Marshal(f.Data.Value)
	default:
		text, _ := f.Data.Value.(string)
		return []byte(text), nil
	}
}

// appendJSON appends a value, as decoders make it, as encoding/json lays it out
// with two spaces, which takes five times as long. The line is what each line
// begins with, the break before it included.
func appendJSON(b []byte, value any, line string) ([]byte, error) {
	var err error
	inner := line + "  "
	switch v := value.(type) {
	case string:
		return jsonstring.AppendString(b, v, false), nil
	case json.Number:
		if v != "" {
			return append(b, v...), nil
		}
	case bool:
		return strconv.AppendBool(b, v), nil
	case []any:
		for i, item := range v {
			b = append(append(b, "[,"[min(i, 1)]), inner...)
			if b, err = appendJSON(b, item, inner); err != nil {
				return nil, err
			}
		}
		if len(v) > 0 {
			return append(append(b, line...), ']'), nil
		}
	case map[string]any:
		for i, key := range Keys(v) {
			b = append(append(b, "{,"[min(i, 1)]), inner...)
			b = jsonstring.AppendString(b, key, false)
			if b, err = appendJSON(append(b, ": "...), v[key], inner); err != nil {
				return nil, err
			}
		}
		if len(v) > 0 {
			return append(append(b, line...), '}'), nil
		}
	}
	return appendOther(b, value, line)
}

func appendOther(b []byte, value any, line string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.TrimPrefix(line, "\n"), "  ")
	err := enc.Encode(value)
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), err
}
