package targets

import (
	"sigs.k8s.io/yaml"

	"kumiki.dev/solution"
)

// Content is the text of a file.
func Content(f *solution.File) ([]byte, error) {
	switch f.Format {
	case "json":
		return solution.Indented(f.Data.Value)
	case "yaml":
		return yaml.Marshal(f.Data.Value)
	default:
		text, _ := f.Data.Value.(string)
		return []byte(text), nil
	}
}
