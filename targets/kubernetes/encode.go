package kubernetes

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"kumiki.dev/targets"
)

// Encode writes objects of [Lower] as a stream of YAML documents, in their
// order.
func Encode(objects []targets.Object) ([]byte, error) {
	texts, err := documents(objects)
	if err != nil {
		return nil, err
	}
	var stream [][]byte
	for _, text := range texts {
		stream = append(stream, []byte("---\n"), text)
	}
	return slices.Concat(stream...), nil
}

// Files writes each object to a file of its own, and a kustomization that names
// them in their order: the contents by the files' names.
func Files(objects []targets.Object) (map[string][]byte, error) {
	files := map[string][]byte{}
	kustomization := map[string]any{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
	texts, err := documents(objects)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for i, o := range objects {
		file := strings.ToLower(o.Kind) + "-" + o.Name + ".yaml"
		files[file] = texts[i]
		names = append(names, file)
	}
	kustomization["resources"] = names
	text, err := yaml.Marshal(kustomization)
	files["kustomization.yaml"] = text
	return files, err
}

// documents are the objects in YAML, in their order.
func documents(objects []targets.Object) ([][]byte, error) {
	w := writer{scalars: map[string]string{}}
	texts := make([][]byte, len(objects))
	c := newConverter()
	for i, o := range objects {
		plain, err := c.plain(o)
		if err != nil {
			return nil, err
		}
		if texts[i], err = w.document(plain); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// Plain is an object as data: maps, lists, strings, numbers and truth values.
func Plain(o targets.Object) (map[string]any, error) {
	return newConverter().plain(o)
}

// converter makes objects to data by way of JSON, of which it holds one object's
// at a time.
type converter struct {
	enc *json.Encoder
	dec *json.Decoder
}

func newConverter() converter {
	var pipe bytes.Buffer
	c := converter{json.NewEncoder(&pipe), json.NewDecoder(&pipe)}
	c.dec.UseNumber()
	return c
}

func (c converter) plain(o targets.Object) (map[string]any, error) {
	if err := c.enc.Encode(o.Value); err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := c.dec.Decode(&plain); err != nil {
		return nil, err
	}
	delete(plain, "status")
	drop(plain)
	return plain, nil
}

// void are fields of structs that say nothing when they are empty. In others,
// such as selectors, nothing is something.
var void = map[string]bool{"creationTimestamp": true, "strategy": true, "updateStrategy": true, "resources": true, "status": true, "spec": true}

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
