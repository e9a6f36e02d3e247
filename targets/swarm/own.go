package swarm

import (
	"bytes"
	"path"
	"strings"

	"kumiki.dev/targets"
)

// Own reports whether a file is of a form that [Files] writes, by its name in the
// directory and its contents: a stack of a solution, or the contents of a config,
// whose name ends with their hash.
func Own(name string, data []byte) bool {
	if name == StackFile {
		return bytes.HasPrefix(data, []byte("version: ")) && bytes.Contains(data, []byte("\n      kumiki.dev/solution: "))
	}
	return path.Dir(name) == FileDir && strings.HasSuffix(name, "-"+targets.Hash(data))
}
