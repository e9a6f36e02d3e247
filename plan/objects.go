package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"kumiki.dev/targets"
)

// Action is what is done with an object.
type Action string

// The actions.
const (
	CreateObject Action = "create"
	ChangeObject Action = "change"
	// ReplaceObject: a field differs that cannot change, so that the object has to
	// be deleted before it can be as it should.
	ReplaceObject Action = "replace"
	DeleteObject  Action = "delete"
)

// Target is what changes on a target.
type Target struct {
	Name string `json:"name"`
	// Objects are those that are not left alone: first the new and changed ones,
	// in the order in which they can be applied, then the deleted ones, in the
	// order in which they can go.
	Objects []Object `json:"objects"`
}

// Object is one object that does not stay as it is.
type Object struct {
	Action     Action `json:"action"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Deployment string `json:"deployment,omitempty"`
	Role       string `json:"role,omitempty"`
	// Restarts tells whether what runs for it is replaced.
	Restarts bool `json:"restarts,omitempty"`
	// Helper marks a workload that stands beside the role's instances and is not
	// one of them: a proxy that the target adds.
	Helper bool `json:"helper,omitempty"`
	// Changes are the fields that differ, of an object that is there before and
	// after.
	Changes []Change `json:"changes,omitempty"`
}

// id identifies an object among those of a target.
type id struct{ kind, namespace, name string }

func (o id) String() string {
	if o.namespace == "" {
		return o.kind + "/" + o.name
	}
	return o.namespace + "/" + o.kind + "/" + o.name
}

// identify makes the identity of an object; that of a target with namespaces
// has the one that it is in.
func identify(o targets.Object, value map[string]any) id {
	namespace, _ := at(value, "metadata", "namespace").(string)
	return id{o.Kind, namespace, o.Name}
}

// at is the member that a path leads to, nil if there is none.
func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// seen is an object with its value as data.
type seen struct {
	targets.Object
	id    id
	value map[string]any
	// same marks an object that is equal in the other list: it has no id and no
	// value here, as most objects are and nobody asks about them.
	same bool
}

// read makes data of objects that belong together.
func read(objects []targets.Object) ([]seen, error) {
	return readBut(objects, nil)
}

// readBoth makes data of what two lists of objects do not have in common.
func readBoth(old, new []targets.Object) (before, after []seen, err error) {
	was := make(map[[2]string]any, len(old))
	for _, o := range old {
		was[[2]string{o.Kind, o.Name}] = o.Value
	}
	same := map[[2]string]bool{}
	for _, o := range new {
		key := [2]string{o.Kind, o.Name}
		value, ok := was[key]
		same[key] = ok && reflect.DeepEqual(value, o.Value)
	}
	if before, err = readBut(old, same); err != nil {
		return nil, nil, err
	}
	after, err = readBut(new, same)
	return before, after, err
}

func readBut(objects []targets.Object, same map[[2]string]bool) ([]seen, error) {
	out := make([]seen, 0, len(objects))
	for _, o := range objects {
		if same[[2]string{o.Kind, o.Name}] {
			out = append(out, seen{Object: o, same: true})
			continue
		}
		value, err := data(o.Value)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Name, err)
		}
		out = append(out, seen{Object: o, id: identify(o, value), value: value})
	}
	return out, nil
}

func data(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var out map[string]any
	return out, dec.Decode(&out)
}

// On adds what changes on a target, which makes the objects of the two
// solutions, and corrects the entries by it: what restarts is what the target
// restarts.
func (p *Plan) On(name string, old, new []targets.Object) error {
	before, after, err := readBoth(old, new)
	if err != nil {
		return err
	}
	p.Target = &Target{Name: name, Objects: compareObjects(before, after)}
	p.refine(outcomes(before, after, p.Target.Objects))
	p.claims(before, after)
	p.finish()
	return nil
}

func compareObjects(before, after []seen) []Object {
	was := byID(before)
	is := byID(after)
	objects := []Object{}
	for _, n := range after {
		if n.same || n.external() {
			continue
		}
		o, ok := was[n.id]
		if !ok {
			objects = append(objects, n.object(CreateObject))
			continue
		}
		if !differ(o.value, n.value) {
			continue // made differently, written the same
		}
		changed := n.object(ChangeObject)
		diff(nil, o.value, n.value, exact, func(path []string, from, to any) {
			changed.Changes = append(changed.Changes, Change{Path: dotted(path), From: from, To: to})
		})
		if fixed(o.value, n.value) {
			changed.Action = ReplaceObject
		}
		changed.Restarts = restarts(o.value, n.value) || changed.Action == ReplaceObject && isWorkload(n.value)
		objects = append(objects, changed)
	}
	for _, o := range removal(before) {
		if _, ok := is[o.id]; !ok && !o.same && !o.external() {
			objects = append(objects, o.object(DeleteObject))
		}
	}
	return objects
}

// external tells whether an object has to be there before the solution is: it is
// referred to, and neither made nor removed.
func (s seen) external() bool { return s.value["external"] == true }

func byID(objects []seen) map[id]seen {
	out := make(map[id]seen, len(objects))
	for _, o := range objects {
		if !o.same {
			out[o.id] = o
		}
	}
	return out
}

func (s seen) object(a Action) Object {
	return Object{Action: a, Kind: s.Kind, Namespace: s.id.namespace, Name: s.Name, Deployment: s.Deployment, Role: s.Role, Helper: isHelper(s)}
}

// String is KIND/NAME, the namespace before it where there is one.
func (o Object) String() string { return id{o.Kind, o.Namespace, o.Name}.String() }

// outcome is what a target does to a role, or to what stands for a deployment.
type outcome struct {
	changed, scaled, restarted, recreated bool
}

// outcomes sums up the objects of each place.
func outcomes(before, after []seen, objects []Object) map[Place]outcome {
	out := map[Place]outcome{}
	for _, o := range objects {
		at := Place{o.Deployment, o.Role}
		sum := out[at]
		sum.changed = true
		if o.Restarts && !o.Helper {
			sum.restarted = true
			sum.recreated = sum.recreated || o.Action == ReplaceObject
		}
		for _, c := range o.Changes {
			sum.scaled = sum.scaled || !o.Helper && isScale(o.Kind, c.Path)
		}
		out[at] = sum
	}
	for at := range replaced(before, after) {
		sum := out[at]
		sum.restarted, sum.recreated = true, true
		out[at] = sum
	}
	return out
}

// replaced are the places whose workloads all go while others of theirs come:
// they take the instances with them.
func replaced(before, after []seen) map[Place]bool {
	gone, come := leaving(before, after), leaving(after, before)
	maps.DeleteFunc(gone, func(at Place, _ bool) bool { return !come[at] })
	is := byID(after)
	for _, o := range before {
		at := Place{o.Deployment, o.Role}
		if !gone[at] {
			continue
		}
		if o.same {
			o.value, _ = data(o.Value) // what is in both does not matter if it does not encode
		}
		if _, ok := is[o.id]; (ok || o.same) && isWorkload(o.value) && !isHelper(o) {
			delete(gone, at)
		}
	}
	return gone
}

// leaving are the places with a workload that the other list does not have.
func leaving(objects, others []seen) map[Place]bool {
	stay := byID(others)
	out := map[Place]bool{}
	for _, o := range objects {
		if _, ok := stay[o.id]; !ok && !o.same && isWorkload(o.value) && !isHelper(o) {
			out[Place{o.Deployment, o.Role}] = true
		}
	}
	return out
}

// refine corrects the entries of what is there before and after by what the
// target does.
func (p *Plan) refine(out map[Place]outcome) {
	for i := range p.Entries {
		e := &p.Entries[i]
		o := out[e.Place]
		if e.Base.grade() < 0 {
			continue
		}
		model := e.Base
		switch {
		case o.recreated:
			e.Base = Recreate
		case o.restarted:
			e.Base = Rollout
		case model.grade() <= ScaleOnly.grade() && o.scaled, model == ScaleOnly:
			e.Base = ScaleOnly
		case o.changed || model != Unchanged:
			e.Base = ConfigOnly
		}
	}
}

// isScale tells whether a field of an object is about the number of instances.
func isScale(kind, path string) bool {
	return path == "spec.replicas" || path == "deploy.replicas" || kind == "HorizontalPodAutoscaler" && strings.HasPrefix(path, "spec.")
}
