package kubernetes

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"kumiki.dev/targets"
)

// chunk is how much text is gathered before it is written.
const chunk = 64 << 10

// Encode writes objects of [Lower] as a stream of YAML documents, in their
// order.
func Encode(to io.Writer, objects []targets.Object) error {
	w := newWriter()
	for _, o := range objects {
		w.put("---\n")
		if err := w.document(o.Value); err != nil {
			return err
		}
		if len(w.out) < chunk {
			continue
		}
		if _, err := to.Write(w.out); err != nil {
			return err
		}
		w.out = w.out[:0]
	}
	_, err := to.Write(w.out)
	return err
}

// Files writes each object to a file of its own, and a kustomization that names
// them in their order: the contents by the files' names.
func Files(objects []targets.Object) (map[string][]byte, error) {
	files := map[string][]byte{}
	kustomization := map[string]any{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
	w := newWriter()
	names := []string{}
	for _, o := range objects {
		file := strings.ToLower(o.Kind) + "-" + o.Name + ".yaml"
		w.out = w.out[:0]
		if err := w.document(o.Value); err != nil {
			return nil, err
		}
		files[file] = bytes.Clone(w.out)
		names = append(names, file)
	}
	kustomization["resources"] = names
	text, err := yaml.Marshal(kustomization)
	files["kustomization.yaml"] = text
	return files, err
}

// Plain is an object as data: maps, lists, strings, numbers and truth values.
func Plain(o targets.Object) (map[string]any, error) {
	data, err := byJSON(o.Value)
	if err != nil {
		return nil, err
	}
	plain, ok := data.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is no object", o.Value)
	}
	delete(plain, "status")
	drop(plain)
	return plain, nil
}

func drop(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			drop(member)
			if m, ok := member.(map[string]any); void[key] && (member == nil || ok && len(m) == 0) {
				delete(v, key)
			}
		}
	case []any:
		for _, member := range v {
			drop(member)
		}
	}
}
