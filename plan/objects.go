package plan

import (
	"fmt"
	"maps"
	"reflect"

	"kumiki.dev/internal/jsondata"
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
	// Restarts reports whether what runs for it is replaced.
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

// seen is an object with its value as data, and what its orchestrator knows of it.
type seen struct {
	targets.Object
	targets.About
	id   id
	data targets.Object // with the value as data
	// same marks an object that is equal in the other list: nothing is known of it
	// here, as most objects are and nobody asks about them.
	same bool
}

// orchestrator is the target's, with what plan asks of it.
type orchestrator struct{ targets.Orchestrator }

// read makes data of objects that belong together.
func (t orchestrator) read(objects []targets.Object) ([]seen, error) {
	return t.readBut(objects, nil)
}

// readBoth makes data of what two lists of objects do not have in common.
func (t orchestrator) readBoth(old, new []targets.Object) (before, after []seen, err error) {
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
	if before, err = t.readBut(old, same); err != nil {
		return nil, nil, err
	}
	after, err = t.readBut(new, same)
	return before, after, err
}

func (t orchestrator) readBut(objects []targets.Object, same map[[2]string]bool) ([]seen, error) {
	out := make([]seen, 0, len(objects))
	for _, o := range objects {
		if same[[2]string{o.Kind, o.Name}] {
			out = append(out, seen{Object: o, same: true})
			continue
		}
		s, err := t.see(o)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Name, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (t orchestrator) see(o targets.Object) (seen, error) {
	value, err := jsondata.Of(o.Value)
	if err != nil {
		return seen{}, err
	}
	data := o
	data.Value = value
	about := t.About(data)
	return seen{Object: o, About: about, id: id{o.Kind, about.Namespace, o.Name}, data: data}, nil
}

// On adds what changes on a target of that name, which makes the objects of the two
// solutions, and corrects the entries by it: what restarts is what the target
// restarts.
func (p *Plan) On(name string, by targets.Orchestrator, old, new []targets.Object) error {
	t := orchestrator{by}
	before, after, err := t.readBoth(old, new)
	if err != nil {
		return err
	}
	p.Target = &Target{Name: name, Objects: t.compare(before, after)}
	p.refine(t.outcomes(before, after, p.Target.Objects))
	p.claims(t, before, after)
	p.finish()
	return nil
}

func (t orchestrator) compare(before, after []seen) []Object {
	was := byID(before)
	is := byID(after)
	objects := []Object{}
	for _, n := range after {
		if n.same || n.External {
			continue
		}
		o, ok := was[n.id]
		if !ok {
			objects = append(objects, n.object(CreateObject))
			continue
		}
		if reflect.DeepEqual(o.data.Value, n.data.Value) {
			continue // made differently, written the same
		}
		changed := n.object(ChangeObject)
		diff(nil, o.data.Value, n.data.Value, exact, func(path []string, from, to any) {
			changed.Changes = append(changed.Changes, Change{Path: dotted(path), From: from, To: to})
		})
		if t.Fixed(o.data, n.data) {
			changed.Action = ReplaceObject
		}
		changed.Restarts = t.Restarts(o.data, n.data) || changed.Action == ReplaceObject && n.Workload
		objects = append(objects, changed)
	}
	for _, o := range removal(before) {
		if _, ok := is[o.id]; !ok && !o.same && !o.External && !o.Stays {
			objects = append(objects, o.object(DeleteObject))
		}
	}
	return objects
}

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
	return Object{Action: a, Kind: s.Kind, Namespace: s.id.namespace, Name: s.Name, Deployment: s.Deployment, Role: s.Role, Helper: s.Helper}
}

// String is KIND/NAME, the namespace before it where there is one.
func (o Object) String() string { return id{o.Kind, o.Namespace, o.Name}.String() }

// outcome is what a target does to a role, or to what stands for a deployment.
type outcome struct {
	changed, scaled, restarted, recreated bool
}

// outcomes sums up the objects of each place.
func (t orchestrator) outcomes(before, after []seen, objects []Object) map[Place]outcome {
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
			sum.scaled = sum.scaled || !o.Helper && t.Scales(o.Kind, c.Path)
		}
		out[at] = sum
	}
	for at := range t.replaced(before, after) {
		sum := out[at]
		sum.restarted, sum.recreated = true, true
		out[at] = sum
	}
	return out
}

// replaced are the places whose workloads all go while others of theirs come:
// they take the instances with them.
func (t orchestrator) replaced(before, after []seen) map[Place]bool {
	gone, come := leaving(before, after), leaving(after, before)
	maps.DeleteFunc(gone, func(at Place, _ bool) bool { return !come[at] })
	is := byID(after)
	for _, o := range before {
		at := Place{o.Deployment, o.Role}
		if !gone[at] {
			continue
		}
		if o.same {
			o, _ = t.see(o.Object) // what is in both does not matter if it does not encode
			o.same = true
		}
		if _, ok := is[o.id]; (ok || o.same) && o.Workload && !o.Helper {
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
		if _, ok := stay[o.id]; !ok && !o.same && o.Workload && !o.Helper {
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
