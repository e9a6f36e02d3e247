package load

import (
	"io/fs"
	"strings"

	"kumiki.dev/schema"
)

// modelPath is the module of the service model. Its packages define #Artifact
// and #Deployment, the others' are unified with them.
const modelPath = "kumori.systems/kumori"

// library is the modules that come with kumiki. They are always taken from
// here, never from disk or a registry.
type library struct {
	files   fs.FS
	modules []libraryModule
}

type libraryModule struct {
	path    string
	version string // the version that is meant when nobody names one
}

func embedded() library {
	lib := library{files: schema.Files()}
	for _, m := range schema.Modules() {
		lib.modules = append(lib.modules, libraryModule{m.Path, m.Version})
	}
	return lib
}

// find returns the module that the import path lies in, the longest one.
func (lib library) find(path string) (found libraryModule, ok bool) {
	for _, m := range lib.modules {
		if _, in := within(path, m.path); in && len(m.path) > len(found.path) {
			found, ok = m, true
		}
	}
	return found, ok
}

// within reports whether path is prefix or lies below it, and where: "." or a
// slash-separated directory.
func within(path, prefix string) (rel string, ok bool) {
	if path == prefix {
		return ".", true
	}
	rel, ok = strings.CutPrefix(path, prefix+"/")
	return rel, ok && prefix != ""
}

// EmbeddedModule reports whether the path is that of a module that comes with kumiki.
func EmbeddedModule(path string) bool {
	m, _ := embedded().find(path)
	return path != "" && m.path == path
}

// Embedded reports whether the import path is of a module that comes with kumiki.
func Embedded(path string) bool {
	_, ok := embedded().find(path)
	return ok
}
