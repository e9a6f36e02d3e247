package kubernetes

import (
	"bytes"
	"regexp"
)

// Own reports whether a file is of a form that [Files] writes, by its name in the
// directory and its contents: an object that says who manages it, or the
// kustomization of such.
func Own(name string, data []byte) bool {
	if name == kustomizationFile {
		return bytes.HasPrefix(data, []byte("apiVersion: "+kustomizationVersion+"\n"))
	}
	return regexp.MustCompile(`^[a-z][a-z0-9.-]*-[^/]+\.yaml$`).MatchString(name) && bytes.Contains(data, []byte("\n    app.kubernetes.io/managed-by: kumiki\n"))
}
