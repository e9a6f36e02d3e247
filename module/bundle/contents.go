package bundle

import (
	"kumiki.dev/internal/sorting"
)

// Contents is what is in a bundle.
type Contents struct {
	// Dir is the directory of the deployment, Package the name of its package.
	Dir     string   `json:"dir"`
	Package string   `json:"package"`
	Modules []Module `json:"modules"`
	// Given is what there is beside the sources, nil for nothing.
	Given *Given `json:"given,omitempty"`
	// Files are all files, by their names.
	Files []File `json:"files"`
}

// File is a file of a bundle.
type File struct {
	Name   string `json:"name"`
	Size   int    `json:"size"`
	Digest string `json:"digest"`
	Data   []byte `json:"-"`
}

// Read reads a bundle without unpacking it.
func Read(data []byte) (*Contents, error) {
	c, files, err := decode(data)
	if err != nil {
		return nil, err
	}
	out := &Contents{Dir: c.Dir, Package: c.Package, Modules: c.Modules, Given: c.Given}
	for _, name := range sorting.Ordered(files) {
		out.Files = append(out.Files, File{name, len(files[name]), c.Files[name], files[name]})
	}
	return out, nil
}
