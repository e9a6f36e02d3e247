package engine

import (
	"maps"
	"strings"
)

// without returns data without the fields of some dotted paths, and what these are.
func without(data map[string]any, paths map[string]string) (map[string]any, map[string]any) {
	taken := map[string]any{}
	for path := range paths {
		if value := at(data, path); value != nil {
			taken[path] = value
			data = set(data, path, nil)
		}
	}
	return data, taken
}

// Excused puts fields by their dotted paths into a copy of data: what an object was made
// with is known, also where somebody else has the say in it.
func Excused(data, fields map[string]any) map[string]any {
	for path, value := range fields {
		data = set(data, path, value)
	}
	return data
}

func at(data map[string]any, path string) any {
	name, rest, more := strings.Cut(path, ".")
	if !more {
		return data[name]
	}
	below, _ := data[name].(map[string]any)
	return at(below, rest)
}

// set returns a copy of data with another value at a path, nil for none.
func set(data map[string]any, path string, value any) map[string]any {
	data = maps.Clone(data)
	if data == nil {
		data = map[string]any{}
	}
	name, rest, more := strings.Cut(path, ".")
	switch {
	case more:
		below, _ := data[name].(map[string]any)
		data[name] = set(below, rest, value)
	case value == nil:
		delete(data, name)
	default:
		data[name] = value
	}
	return data
}
