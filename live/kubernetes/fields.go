package kubernetes

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

// split takes a path of the engine's apart: a.b[KEY].c is a, b, [KEY], c.
func split(path string) (parts []string) {
	for path != "" {
		if path[0] == '[' {
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return append(parts, path)
			}
			parts, path = append(parts, path[:end+1]), strings.TrimPrefix(path[end+1:], ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			return append(parts, path)
		}
		parts, path = append(parts, path[:end]), strings.TrimPrefix(path[end:], ".")
	}
	return parts
}

// pointerTo returns the JSON pointer to where a path leads in an object.
func pointerTo(object map[string]any, path string) (string, bool) {
	var at any = object
	pointer := ""
	for _, part := range split(path) {
		name := strings.TrimSuffix(strings.TrimPrefix(part, "["), "]")
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[name]
			if !ok {
				return "", false
			}
			at, pointer = next, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		case []any:
			i := itemOf(v, name)
			if i < 0 {
				return "", false
			}
			at, pointer = v[i], pointer+"/"+strconv.Itoa(i)
		default:
			return "", false
		}
	}
	return pointer, true
}

// itemOf returns the index of the item of a list that has a key, -1 if there is none.
func itemOf(list []any, key string) int {
	if i, err := strconv.Atoi(key); err == nil && i < len(list) {
		if _, ok := list[i].(map[string]any); !ok {
			return i
		}
	}
	value, _, _ := strings.Cut(key, "/")
	for _, exact := range []string{key, value} {
		for i, item := range list {
			m, _ := item.(map[string]any)
			for _, name := range []string{"mountPath", "devicePath", "containerPort", "port", "name", "key", "path", "topologyKey", "ip", "type"} {
				if m[name] != nil && fmt.Sprint(m[name]) == exact {
					return i
				}
			}
		}
	}
	return -1
}

// Reveal implements [live.Target]: the API server keeps who has set each field, and when.
func (c *Cluster) Reveal(seen engine.Seen, differences []engine.Difference) {
	u := unstructured.Unstructured{Object: seen.Value}
	for i, d := range differences {
		var last time.Time
		for _, f := range u.GetManagedFields() {
			if f.FieldsV1 == nil || f.Manager == Manager {
				continue
			}
			var fields map[string]any
			if json.Unmarshal(f.FieldsV1.GetRawBytes(), &fields) != nil || !owns(fields, split(d.Path)) {
				continue
			}
			if f.Time == nil || f.Time.After(last) || last.IsZero() {
				differences[i].By = f.Manager
				if f.Time != nil {
					last = f.Time.Time
				}
			}
		}
	}
}

// owns reports whether a set of fields, as the API server keeps it, has one at a path.
func owns(fields map[string]any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	name := strings.TrimSuffix(strings.TrimPrefix(path[0], "["), "]")
	for key, below := range fields {
		members, _ := below.(map[string]any)
		if key == "f:"+name && (owns(members, path[1:]) || len(members) == 0) {
			return true // a list or map may be one value to it
		}
		text, ok := strings.CutPrefix(key, "k:")
		if !ok || path[0][0] != '[' {
			continue
		}
		var item map[string]any
		if json.Unmarshal([]byte(text), &item) == nil && itemOf([]any{item}, name) == 0 && owns(members, path[1:]) {
			return true
		}
	}
	return false
}

// Origin implements [live.System].
func (c *Cluster) Origin(s *solution.Solution, o targets.Object, field string) diag.Pos {
	plain, err := kubernetes.Plain(o)
	if err != nil {
		return diag.NoPos
	}
	for field != "" {
		if _, names, err := targets.Field(plain, field); err == nil {
			if below := kubernetes.Origin(s, o, names); below != nil {
				return s.Position(o.Deployment, o.Role, below...)
			}
		}
		field = field[:max(strings.LastIndexAny(field, ".["), 0)]
	}
	return diag.NoPos
}
