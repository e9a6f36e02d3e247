package kubernetes

import (
	"bytes"
	"fmt"

	"kumiki.dev/targets"
)

// Remove writes what kubectl delete -f needs of objects, in their order: it
// looks for the kind, the name and the namespace, and at nothing else.
func Remove(objects []targets.Object) ([]byte, error) {
	short := make([]targets.Object, len(objects))
	for i, o := range objects {
		plain, err := Plain(o)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Name, err)
		}
		metadata := map[string]any{"name": o.Name}
		if all, ok := plain["metadata"].(map[string]any); ok && all["namespace"] != nil {
			metadata["namespace"] = all["namespace"]
		}
		short[i] = o
		short[i].Value = map[string]any{"apiVersion": plain["apiVersion"], "kind": plain["kind"], "metadata": metadata}
	}
	var b bytes.Buffer
	err := Encode(&b, short)
	return b.Bytes(), err
}
