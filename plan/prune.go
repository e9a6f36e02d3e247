package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"kumiki.dev/targets"
)

// PruneOptions say what else may go; the zero value is the safe one.
type PruneOptions struct {
	// Data allows claims, which hold what the instances have stored: those of the
	// volumes DEPLOYMENT/ROLE/VOLUME, roles and deployments that it names.
	Data []string
	// Replaced adds the objects that have to be deleted because a field of theirs
	// cannot change.
	Replaced bool
}

// Prune lists the objects of old that new no longer has, in the order in which
// they can be deleted. What is in
// keep as well belongs to another solution too, and stays. A namespace is never
// in the list, a claim only with the option, and what a target only refers to
// never is. Claims that a StatefulSet has made for its instances outlive it: where
// they may go, they do after it.
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
	for _, s := range removal(before) {
		n, ok := stays[s.id]
		if ok && !(o.Replaced && fixed(s.value, n.value)) || s.Kind == "Namespace" || s.external() {
			continue
		}
		if s.Kind == "PersistentVolumeClaim" && !covers(o.Data, s.volume(s.Name)) {
			continue
		}
		out = append(out, s.Object)
		if !ok {
			out = append(out, s.claims(o.Data)...)
		}
	}
	return out, nil
}

// removal is the order in which objects can go: the reverse of that in which
// they are made. A stack of Swarm is made as one, its services written first: they
// go first as well, since nothing can that is in use.
func removal(objects []seen) []seen {
	out := slices.Clone(objects)
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b seen) int {
		switch x, y := isTasks(a.value), isTasks(b.value); {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return out
}

// Deleted describes objects that go.
func Deleted(objects []targets.Object) ([]Object, error) {
	all, err := read(objects)
	out := make([]Object, 0, len(all))
	for _, s := range all {
		out = append(out, s.object(DeleteObject))
	}
	return out, err
}

// volume is the path of a volume of an object's role.
func (s seen) volume(name string) string {
	return Place{s.Deployment, s.Role}.String() + "/" + name
}

// claims are those that a StatefulSet has made for its instances, of the volumes
// that may go.
func (s seen) claims(allowed []string) []targets.Object {
	if s.value["kind"] != "StatefulSet" {
		return nil
	}
	n := 1
	if replicas, ok := at(s.value, "spec", "replicas").(json.Number); ok {
		if m, err := strconv.Atoi(replicas.String()); err == nil {
			n = m
		}
	}
	var out []targets.Object
	for _, t := range list(at(s.value, "spec", "volumeClaimTemplates")) {
		volume := fmt.Sprint(at(t, "metadata", "name"))
		if !covers(allowed, s.volume(volume)) {
			continue
		}
		for i := range n {
			name := fmt.Sprintf("%s-%s-%d", volume, s.Name, i)
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
