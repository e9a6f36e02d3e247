package swarm

import (
	"bytes"
	"path"

	"kumiki.dev/targets"
)

// StackFile is the name of the stack file in a directory.
const StackFile = "stack.yaml"

// Files are the stack file and all that it refers to, by their names in a
// directory in which docker stack deploy -c stack.yaml finds them.
func Files(objects []targets.Object) (map[string][]byte, error) {
	var stack bytes.Buffer
	err := Encode(&stack, objects)
	files := Beside(objects)
	files[StackFile] = stack.Bytes()
	return files, err
}

// Beside are the contents of the stack's configs, by the names that the stack
// file has for them: it cannot hold them itself.
func Beside(objects []targets.Object) map[string][]byte {
	files := map[string][]byte{}
	for _, o := range objects {
		if f, ok := o.Value.(*File); ok && !f.External {
			files[path.Clean(f.File)] = f.Content
		}
	}
	return files
}
