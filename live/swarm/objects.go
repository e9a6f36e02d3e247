package swarm

import (
	"fmt"
	"slices"
	"strconv"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

const (
	// restartKey is the label of containers that counts how often they were restarted.
	restartKey = "kumiki.dev/restart"
	// nowhere is a constraint that no node keeps to.
	nowhere = "node.labels.kumiki.stopped == true"
)

// The stages in which objects are made.
const (
	beforehand = iota
	running
)

// Objects implements [live.System]. What is registered in the swarm is not among them.
func (s *Swarm) Objects(name string, lowered []targets.Object, restarts map[string]int) ([]engine.Object, error) {
	st := stack{swarm.StackName(name), swarm.New(lowered)}
	if err := s.external(lowered); err != nil {
		return nil, err
	}
	var out []engine.Object
	for _, o := range lowered {
		made := engine.Object{About: engine.About{
			ID: engine.ID{Kind: o.Kind, Namespace: st.name, Name: o.Name}, Place: engine.Place{Deployment: o.Deployment, Role: o.Role},
		}}
		wanted, err := s.object(st, &made, o, restarts)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", o.Kind, o.Name, err)
		}
		if wanted {
			s.owned[key(o.Kind, real(made.ID))] = true
			out = append(out, made)
		}
	}
	return out, nil
}

// key is that of a network, config or secret.
func key(kind, name string) string { return kind + "/" + name }

// external keeps how what services refer to is made where it is not there.
func (s *Swarm) external(lowered []targets.Object) error {
	needs, err := swarm.Needs(&solution.Solution{}, lowered, targets.Options{})
	for _, n := range needs {
		s.needs[key(n.Kind, n.Name)] = n.Command
	}
	return err
}

// object fills in the fields of an object; false for one that is there before the stack.
func (s *Swarm) object(st stack, made *engine.Object, o targets.Object, restarts map[string]int) (bool, error) {
	switch v := o.Value.(type) {
	case *swarm.Network:
		made.Given = plainNetwork(v.Driver, v.Internal, false)
		s.bodies[made.ID] = body{labels: st.labels(v.Labels)}
		return !v.External, nil
	case *swarm.File:
		if v.External {
			return false, nil
		}
		spec := configSpec(real(made.ID), body{labels: st.labels(v.Labels), data: v.Content})
		made.Given = plainConfig(spec)
		s.bodies[made.ID] = body{labels: spec.Labels, data: v.Content}
		return true, nil
	case *swarm.Service:
		return true, s.service(st, made, o.Name, v, restarts)
	}
	return false, nil // a volume
}

func (s *Swarm) service(st stack, made *engine.Object, name string, v *swarm.Service, restarts map[string]int) error {
	spec, err := st.service(name, v)
	if err != nil {
		return err
	}
	n := 0
	for _, path := range sorting.Ordered(restarts) {
		if made.Within(path) {
			n += restarts[path]
		}
	}
	if n > 0 {
		spec.TaskTemplate.ContainerSpec.Labels[restartKey] = strconv.Itoa(n)
	}
	spec.TaskTemplate.ContainerSpec.Image = familiar(v.Image)
	made.Stage, made.Runs, made.Halts = running, true, true
	if made.Given, err = plainly(spec, nil); err != nil {
		return err
	}
	if spec.Mode.Global != nil {
		spec.TaskTemplate.Placement.Constraints = append(slices.Clone(spec.TaskTemplate.Placement.Constraints), nowhere)
	} else {
		none := uint64(0)
		spec.Mode.Replicated.Replicas = &none
	}
	made.Halted, err = plainly(spec, nil)
	return err
}

// Origin implements [live.System]: what a field was made of is not known, but where the role is.
func (s *Swarm) Origin(*solution.Solution, targets.Object, string) diag.Pos { return diag.NoPos }
