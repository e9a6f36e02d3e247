package swarm

import (
	"cmp"
	"encoding/json"
	"slices"

	api "github.com/moby/moby/api/types/swarm"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// wellness is how a service is. Bad is a task that is not well, nil for none.
type wellness struct {
	health        engine.Health
	ready, wanted int
	why           string
	bad           *api.Task
}

// healthOf is how a service is, by its tasks and by what Swarm says of its update.
func healthOf(service api.Service, tasks []api.Task) wellness {
	slots := latest(tasks)
	want := template(service.Spec.TaskTemplate)
	w := wellness{health: engine.Progressing, wanted: wanted(service, slots), bad: unwell(slots, want)}
	settled := service.UpdateStatus != nil && service.UpdateStatus.State == api.UpdateStateCompleted
	for _, slot := range slots {
		if filter.Any(slot, func(t api.Task) bool { return isReady(service, t) && (settled || template(t.Spec) == want) }) {
			w.ready++
		}
	}
	w.ready = min(w.ready, max(w.wanted, 0))
	if update := service.UpdateStatus; update != nil {
		switch update.State {
		case api.UpdateStateUpdating:
			w.why = "it is being updated"
			return w
		case api.UpdateStatePaused, api.UpdateStateRollbackPaused, api.UpdateStateRollbackStarted, api.UpdateStateRollbackCompleted:
			w.health, w.why, w.bad = engine.Failed, update.Message, failure(slots)
			return w
		}
	}
	switch {
	case spent(service, slots):
		w.health = engine.Failed
	case service.Spec.Mode.Global != nil && w.wanted == 0 && !isNowhere(service):
		w.why = "no node has it yet"
	case w.ready == w.wanted:
		w.health, w.bad = engine.Healthy, nil
	case w.bad == nil:
		w.why = "instances are being started"
	}
	return w
}

// latest are the tasks of each instance, the newest first.
func latest(tasks []api.Task) [][]api.Task {
	type slot struct {
		number int
		node   string
	}
	at := map[slot]int{}
	var out [][]api.Task
	sorted := make([]*api.Task, len(tasks))
	for i := range tasks {
		sorted[i] = &tasks[i]
	}
	slices.SortFunc(sorted, func(a, b *api.Task) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, t := range sorted {
		k := slot{number: t.Slot}
		if t.Slot == 0 {
			k.node = t.NodeID
		}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, nil)
		}
		out[i] = append(out[i], *t)
	}
	return out
}

// wanted is how many instances a service should have.
func wanted(service api.Service, slots [][]api.Task) int {
	if service.Spec.Mode.Global == nil {
		if r := service.Spec.Mode.Replicated; r != nil && r.Replicas != nil {
			return int(*r.Replicas)
		}
		return 1
	}
	n := 0
	for _, slot := range slots {
		if filter.Any(slot, func(t api.Task) bool { return t.DesiredState == api.TaskStateRunning }) {
			n++
		}
	}
	return n
}

func isNowhere(service api.Service) bool {
	p := service.Spec.TaskTemplate.Placement
	return p != nil && filter.Contains(p.Constraints, nowhere)
}

// isReady reports whether a task does what it is for: it runs, or it was to end and has.
func isReady(service api.Service, t api.Task) bool {
	if t.DesiredState == api.TaskStateRunning && t.Status.State == api.TaskStateRunning {
		return true
	}
	return t.Status.State == api.TaskStateComplete && ends(service)
}

// ends reports whether instances that have ended are not started again.
func ends(service api.Service) bool {
	p := service.Spec.TaskTemplate.RestartPolicy
	return p != nil && (p.Condition == api.RestartPolicyConditionNone || p.Condition == api.RestartPolicyConditionOnFailure)
}

// spent reports whether an instance has failed and is not started again.
func spent(service api.Service, slots [][]api.Task) bool {
	p := service.Spec.TaskTemplate.RestartPolicy
	return p != nil && p.Condition == api.RestartPolicyConditionNone && filter.Any(slots, func(slot []api.Task) bool {
		s := slot[0].Status.State
		return s == api.TaskStateFailed || s == api.TaskStateRejected
	})
}

// unwell is a task of the present version that keeps an instance from running: the newest of
// it, or what became of the one before while that is only being started.
func unwell(slots [][]api.Task, want string) *api.Task {
	for _, slot := range slots {
		if slot[0].Status.State == api.TaskStateRunning {
			continue
		}
		for i, t := range slot[:min(2, len(slot))] {
			if t.Status.Err != "" && template(t.Spec) == want {
				return &slot[i]
			}
		}
	}
	return nil
}

// failure is the newest task that has failed, nil for none.
func failure(slots [][]api.Task) (out *api.Task) {
	for _, slot := range slots {
		for i, t := range slot {
			if (t.Status.State == api.TaskStateFailed || t.Status.State == api.TaskStateRejected) && (out == nil || t.CreatedAt.After(out.CreatedAt)) {
				out = &slot[i]
			}
		}
	}
	return out
}

// template is what Swarm compares to tell whether a task is of the present version: where it
// may run does not count, as long as it may run where it is. The engine writes what is not
// said in one way for services, and in another for tasks.
func template(spec api.TaskSpec) string {
	spec.Placement, spec.Runtime = nil, ""
	plain, err := fields(spec)
	if err != nil {
		return ""
	}
	text, err := json.Marshal(meaning(plain))
	if err != nil {
		return ""
	}
	return string(text)
}

// meaning is a value without members that say nothing; nil for one that says nothing itself.
func meaning(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if m := meaning(member); m != nil {
				out[name] = m
			}
		}
		if len(out) > 0 {
			return out
		}
		return nil
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, meaning(item))
		}
		if len(out) > 0 {
			return out
		}
		return nil
	case string, float64, bool:
		if v == "" || v == 0.0 || v == false {
			return nil
		}
	}
	return value
}
