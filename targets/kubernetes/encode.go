package kubernetes

import (
	"bytes"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"kumiki.dev/targets"
)

// Encode writes objects of [Lower] as a stream of YAML documents, in their
// order.
func Encode(objects []targets.Object) ([]byte, error) {
	w := newWriter()
	for _, o := range objects {
		w.out.WriteString("---\n")
		if err := w.document(o.Value); err != nil {
			return nil, err
		}
	}
	return w.out.Bytes(), nil
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
		w.out.Reset()
		if err := w.document(o.Value); err != nil {
			return nil, err
		}
		files[file] = bytes.Clone(w.out.Bytes())
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
