package plan

import (
	"fmt"
	"slices"

	"kumiki.dev/targets"
)

// PruneOptions say what else may go; the zero value is the safe one.
type PruneOptions struct {
	// Data allows claims, which hold what the instances have stored.
	Data bool
	// Replaced adds the objects that have to be deleted because a field of theirs
	// cannot change.
	Replaced bool
}

// Prune lists the objects of old that new no longer has, in the order in which
// they can be deleted: the reverse of that in which they were made. What is in
// keep as well belongs to another solution too, and stays. A namespace is never
// in the list, a claim only with the option, and what a target only refers to
// never is.
func Prune(old, new, keep []targets.Object, o PruneOptions) ([]targets.Object, error) {
	before, err := read(old)
	if err != nil {
		return nil, err
	}
	after, err := read(slices.Concat(new, keep))
	if err != nil {
		return nil, err
	}
	stays := byID(after)
	var out []targets.Object
	for _, s := range slices.Backward(before) {
		n, ok := stays[s.id]
		if ok && !(o.Replaced && fixed(s.value, n.value)) || s.Kind == "Namespace" || s.value["external"] == true {
			continue
		}
		if s.Kind == "PersistentVolumeClaim" && !o.Data {
			continue
		}
		out = append(out, s.Object)
		if o.Data && !ok {
			out = append(out, s.claims()...)
		}
	}
	return out, nil
}

// claims are those that a StatefulSet has made for its instances, which outlive
// it: they go after it.
func (s seen) claims() []targets.Object {
	if s.value["kind"] != "StatefulSet" {
		return nil
	}
	var out []targets.Object
	n := 1
	if text := fmt.Sprint(at(s.value, "spec", "replicas")); text != "<nil>" {
		_, _ = fmt.Sscan(text, &n) // a number, as the object was encoded here
	}
	for _, t := range list(at(s.value, "spec", "volumeClaimTemplates")) {
		for i := range n {
			name := fmt.Sprintf("%v-%s-%d", at(t, "metadata", "name"), s.Name, i)
			metadata := map[string]any{"name": name}
			if s.id.namespace != "" {
				metadata["namespace"] = s.id.namespace
			}
			out = append(out, targets.Object{Kind: "PersistentVolumeClaim", Name: name, Deployment: s.Deployment, Role: s.Role, Value: map[string]any{
				"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata,
			}})
		}
	}
	return out
}
