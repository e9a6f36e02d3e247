package kubernetes

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"kumiki.dev/internal/jsondata"
	"kumiki.dev/targets"
	"kumiki.dev/targets/yamlwriter"
)

// void are fields that say nothing when they are empty. In others, such as
// selectors, nothing is something.
var void = map[string]bool{"creationTimestamp": true, "strategy": true, "updateStrategy": true, "resources": true, "status": true, "spec": true}

// newWriter returns a writer of objects. Fields that say nothing are left out, and
// the status, which is the cluster's to say.
func newWriter(to io.Writer) *yamlwriter.Writer {
	return yamlwriter.New(to, yamlwriter.Style{Scalar: scalars{}.of, Lines: lineByLine, Own: own, Void: void, Never: "status"})
}

// own is the plain data of the types that are not written as what they consist of.
func own(x any) (any, bool) {
	switch x := x.(type) {
	case resource.Quantity:
		return x.String(), true
	case intstr.IntOrString:
		if x.Type == intstr.Int {
			return x.IntVal, true
		}
		return x.StrVal, true
	}
	return nil, false
}

// Encode writes objects of [Lower] as a stream of YAML documents, in their
// order.
func Encode(to io.Writer, objects []targets.Object) error {
	w := newWriter(to)
	for _, o := range objects {
		w.Out = append(w.Out, "---\n"...)
		if err := document(w, o); err != nil {
			return err
		}
	}
	return w.Flush()
}

// document writes an object. One that goes with a deployment is written whole: what says
// nothing in our own may say something there.
func document(w *yamlwriter.Writer, o targets.Object) error {
	if isGiven(o) {
		return w.Whole(o.Value)
	}
	return w.Document(o.Value)
}

// isGiven reports whether an object is the author's own.
func isGiven(o targets.Object) bool {
	_, ok := o.Value.(map[string]any)
	return ok
}

// EncodeJSON writes objects of [Lower] as one List, as kubectl prints and takes several.
func EncodeJSON(to io.Writer, objects []targets.Object) error {
	items := []any{}
	for _, o := range objects {
		item, err := Plain(o)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	text, err := jsondata.Indented(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err == nil {
		_, err = to.Write(text)
	}
	return err
}

const (
	kustomizationFile    = "kustomization.yaml"
	kustomizationVersion = "kustomize.config.k8s.io/v1beta1"
)

// Files writes each object to a file of its own, and a kustomization that names
// them in their order: the contents by the files' names.
func Files(objects []targets.Object) (map[string][]byte, error) {
	files := map[string][]byte{}
	kustomization := map[string]any{"apiVersion": kustomizationVersion, "kind": "Kustomization"}
	w := newWriter(nil)
	names := []string{}
	for _, o := range objects {
		file := strings.ToLower(o.Kind) + "-" + o.Name + ".yaml"
		w.Out = w.Out[:0]
		if err := document(w, o); err != nil {
			return nil, err
		}
		if files[file] != nil {
			return nil, fmt.Errorf("two objects would be written to %s: call one of them otherwise", file)
		}
		files[file] = bytes.Clone(w.Out)
		names = append(names, file)
	}
	kustomization["resources"] = names
	text, err := yaml.Marshal(kustomization)
	files[kustomizationFile] = text
	return files, err
}

// Plain is an object as data: maps, lists, strings, numbers and truth values.
func Plain(o targets.Object) (map[string]any, error) {
	data, err := jsondata.Of(o.Value)
	if err != nil {
		return nil, err
	}
	plain, ok := data.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is no object", o.Value)
	}
	if !isGiven(o) {
		delete(plain, "status")
		drop(plain)
	}
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
