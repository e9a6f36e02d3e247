package targets

import (
	"fmt"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
)

// Field finds a field of an object as data: its path is that of the object's
// own tool, spec.template.spec.containers[web].image, where an element of a list
// is told by its number, its name, or the path where it is mounted. Names are
// the path's parts, with names in place of numbers where there are any.
func Field(object any, path string) (value any, names []string, err error) {
	parts, err := fieldParts(path)
	if err != nil {
		return nil, nil, err
	}
	value = object
	for i, part := range parts {
		next, name, known := step(value, part)
		if next == nil {
			at := "the object"
			if i > 0 {
				at = strings.Join(names, ".")
			}
			if near, ok := diag.Nearest(part, known); ok {
				return nil, nil, fmt.Errorf("%s has no %s; did you mean %s?", at, part, near)
			}
			return nil, nil, fmt.Errorf("%s has no %s; it has %s", at, part, strings.Join(known, ", "))
		}
		value, names = next, append(names, name)
	}
	return value, names, nil
}

// fieldParts takes a path apart: at dots, and at brackets, in which dots are
// part of the name.
func fieldParts(path string) ([]string, error) {
	var parts []string
	for rest := path; rest != ""; {
		switch i := strings.IndexAny(rest, ".["); {
		case i < 0:
			parts, rest = append(parts, rest), ""
		case rest[i] == '.':
			if i > 0 {
				parts = append(parts, rest[:i])
			}
			rest = rest[i+1:]
		default:
			end := strings.IndexByte(rest, ']')
			if end < i {
				return nil, fmt.Errorf("%q is no path of a field: a bracket is not closed", path)
			}
			if i > 0 {
				parts = append(parts, rest[:i])
			}
			parts, rest = append(parts, strings.Trim(rest[i+1:end], `"'`)), rest[end+1:]
		}
	}
	return parts, nil
}

// step goes one part down, and tells which parts there are.
func step(value any, part string) (next any, name string, known []string) {
	switch v := value.(type) {
	case map[string]any:
		return v[part], part, sorting.Ordered(v)
	case []any:
		for i, element := range v {
			name := elementName(element)
			if name == "" {
				name = strconv.Itoa(i)
			}
			if part == name || part == strconv.Itoa(i) {
				return element, name, nil
			}
			known = append(known, name)
		}
	}
	return nil, "", known
}

// elementName is what tells an element of a list from the others, "" if nothing
// does.
func elementName(element any) string {
	if text, ok := element.(string); ok {
		return text
	}
	members, _ := element.(map[string]any)
	for _, key := range []string{"mountPath", "name", "host", "port"} {
		if name, ok := members[key].(string); ok {
			return name
		}
	}
	return ""
}
