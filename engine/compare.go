package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"kumiki.dev/internal/sorting"
)

// Difference is a field that is not as it was made.
type Difference struct {
	// Path is that of the field, dotted; an item of a list is [KEY].
	Path string `json:"path"`
	// Made is its value by the record, nil for none.
	Made any `json:"made,omitempty"`
	// Live is the value that it has, nil for none.
	Live any `json:"live,omitempty"`
	// By is who has changed it, where that is known.
	By string `json:"by,omitempty"`
}

// Hash returns a digest of data as canonical JSON: 32 hexadecimal digits.
func Hash(data any) string {
	text, err := json.Marshal(data) // members of maps are sorted
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Answer returns the part of a live object that has the given fields, with the values that the
// target stored. Items that the target has added to a given list are kept by their key alone.
func Answer(given, live any) any {
	switch g := given.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		if !ok {
			return live
		}
		out := map[string]any{}
		for name, value := range g {
			if has, ok := l[name]; ok {
				out[name] = Answer(value, has)
			} else if list, ok := value.([]any); ok && len(list) == 0 {
				out[name] = value // that there are none was given
			}
		}
		return out
	case []any:
		l, ok := live.([]any)
		if !ok {
			return live
		}
		return answers(g, l)
	}
	return live
}

func answers(given, live []any) []any {
	key := keyOf(given, live)
	byKey := index(key, given)
	out := make([]any, 0, len(live))
	for i, item := range live {
		if key == nil {
			if i < len(given) {
				item = Answer(given[i], item)
			}
			out = append(out, item)
			continue
		}
		if g, ok := byKey[keyText(key, item)]; ok {
			out = append(out, Answer(g, item))
			continue
		}
		alone := map[string]any{}
		for _, name := range key {
			if value, ok := item.(map[string]any)[name]; ok {
				alone[name] = value
			}
		}
		out = append(out, alone)
	}
	return out
}

// Compare returns the fields of made whose live value is another, and the items that live has
// in a list and made has not. Fields that made does not have are not compared.
func Compare(made, live any) []Difference {
	return compare(nil, "", made, live)
}

func compare(out []Difference, path string, made, live any) []Difference {
	switch m := made.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		if !ok && !(live == nil && len(m) == 0) {
			return append(out, Difference{Path: path, Made: made, Live: live})
		}
		for _, name := range sorting.Ordered(m) {
			out = compare(out, Join(path, name), m[name], l[name])
		}
		return out
	case []any:
		l, ok := live.([]any)
		if !ok && !(live == nil && len(m) == 0) {
			return append(out, Difference{Path: path, Made: made, Live: live})
		}
		return compareLists(out, path, m, l)
	}
	if !same(made, live) {
		out = append(out, Difference{Path: path, Made: made, Live: live})
	}
	return out
}

func compareLists(out []Difference, path string, made, live []any) []Difference {
	key := keyOf(made, live)
	if key == nil {
		if len(made) != len(live) {
			return append(out, Difference{Path: path, Made: made, Live: live})
		}
		for i := range made {
			out = compare(out, fmt.Sprintf("%s[%d]", path, i), made[i], live[i])
		}
		return out
	}
	is, was := index(key, live), index(key, made)
	for _, item := range made {
		at := keyText(key, item)
		has, ok := is[at]
		if !ok {
			out = append(out, Difference{Path: path + "[" + at + "]", Made: item})
			continue
		}
		out = compare(out, path+"["+at+"]", item, has)
	}
	for _, item := range live {
		if at := keyText(key, item); was[at] == nil {
			out = append(out, Difference{Path: path + "[" + at + "]", Live: item})
		}
	}
	return out
}

// Join returns the path of a member below another.
func Join(path, name string) string {
	if strings.ContainsAny(name, ".[]/") {
		return path + "[" + name + "]"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

// keys returns the fields that identify the items of a list; the first that does in a list counts.
func keys() [][]string {
	return [][]string{{"mountPath"}, {"devicePath"}, {"containerPort", "protocol"}, {"port", "protocol"}, {"name"}, {"key"}, {"path"}, {"topologyKey"}, {"ip"}, {"type"}, {"Target"}, {"ConfigName"}, {"SecretName"}, {"PublishedPort", "Protocol"}}
}

// keyOf returns the fields that identify the items of two lists; nil if items are not maps, or
// if two items have equal keys.
func keyOf(a, b []any) []string {
	if len(a)+len(b) == 0 {
		return nil
	}
	for _, key := range keys() {
		if unique(key, a) && unique(key, b) {
			return key
		}
	}
	return nil
}

func unique(key []string, list []any) bool {
	texts := map[string]bool{}
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok || !isScalar(m[key[0]]) || texts[keyText(key, item)] {
			return false
		}
		texts[keyText(key, item)] = true
	}
	return true
}

func isScalar(value any) bool {
	switch value.(type) {
	case nil, map[string]any, []any:
		return false
	}
	return true
}

// keyText returns the key of an item. A protocol that is not said is TCP, as everywhere.
func keyText(key []string, item any) string {
	m, _ := item.(map[string]any)
	text := fmt.Sprint(m[key[0]])
	if len(key) > 1 && m[key[1]] != nil && m[key[1]] != "TCP" {
		text += "/" + fmt.Sprint(m[key[1]])
	}
	return text
}

func index(key []string, list []any) map[string]any {
	out := map[string]any{}
	if key != nil {
		for _, item := range list {
			out[keyText(key, item)] = item
		}
	}
	return out
}

// same compares scalars: numbers by what they are, however they were read.
func same(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	return reflect.DeepEqual(a, b)
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}
