package compiler

import "kumiki.dev/value"

// Replacement is a value for a field of the deployment's config.
type Replacement struct {
	Path  []string // "parameter", "title"
	Value *value.Data
}

// replace is the config with the other values.
func replace(config *value.Data, values []Replacement) *value.Data {
	for _, r := range values {
		config = replaced(config, r.Path, r.Value)
	}
	return config
}

func replaced(d *value.Data, path []string, by *value.Data) *value.Data {
	if len(path) == 0 {
		return by
	}
	if d != nil && d.Kind != value.Struct {
		d = nil
	}
	return d.Set(path[0], replaced(d.Get(path[0]), path[1:], by))
}
