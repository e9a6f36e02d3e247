package compiler

import "kumiki.dev/spread"

// Replacement is a value for a field of the deployment's config.
type Replacement struct {
	Path  []string // "parameter", "title"
	Value *spread.Data
}

// replace is the config with the other values.
func replace(config *spread.Data, values []Replacement) *spread.Data {
	for _, r := range values {
		config = replaced(config, r.Path, r.Value)
	}
	return config
}

func replaced(d *spread.Data, path []string, value *spread.Data) *spread.Data {
	if len(path) == 0 {
		return value
	}
	if d != nil && d.Kind != spread.Struct {
		d = nil
	}
	return d.Set(path[0], replaced(d.Get(path[0]), path[1:], value))
}
