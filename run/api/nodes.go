package api

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"kumiki.dev/live"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Node is a node of an environment, with the instances on it.
type Node struct {
	live.Node
	Environment string `json:"environment" doc:"The environment that it is a node of."`
	// Instances are SOLUTION/ROLE NAME.
	Instances []string `json:"instances" doc:"The instances of deployments on it, DEPLOYMENT/ROLE NAME: those that may be seen."`
}

// Silent is an environment that says nothing, and why.
type Silent struct {
	Environment string `json:"environment"`
	Why         string `json:"why"`
}

type nodesInput struct {
	Environment string `query:"environment" doc:"Only those of this environment; all if it is left out."`
}

type nodesOutput struct {
	Body struct {
		Items []Node `json:"items"`
		// Silent are the environments that have not answered: their nodes are not known.
		Silent []Silent `json:"silent" doc:"The environments that have not answered, or have no nodes that could be listed."`
	}
}

// listNodes asks environments for their nodes. One that is asked for by its name has to answer;
// of all of them, those that do not are named.
func (s *Server) listNodes(ctx context.Context, in *nodesInput) (*nodesOutput, error) {
	asked, err := s.environmentsOf(ctx, in.Environment)
	if err != nil {
		return nil, err
	}
	out := &nodesOutput{}
	out.Body.Items, out.Body.Silent = []Node{}, []Silent{}
	nodes, errs := s.nodesOfAll(ctx, asked)
	for i, e := range asked {
		switch {
		case errs[i] == nil:
			out.Body.Items = append(out.Body.Items, nodes[i]...)
		case ctx.Err() != nil || in.Environment != "":
			return nil, unreached(e, errs[i])
		default:
			out.Body.Silent = append(out.Body.Silent, Silent{e.Name, errs[i].Error()})
		}
	}
	return out, nil
}

// askedAtOnce is how many environments are asked at the same time, and askedFor how long each.
const (
	askedAtOnce = 8
	askedFor    = 15 * time.Second
)

// nodesOfAll asks environments, in their order.
func (s *Server) nodesOfAll(ctx context.Context, all []record.Environment) ([][]Node, []error) {
	nodes, errs := make([][]Node, len(all)), make([]error, len(all))
	slots := make(chan struct{}, askedAtOnce)
	var wg sync.WaitGroup
	for i, e := range all {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			bounded, cancel := context.WithTimeout(ctx, askedFor)
			defer cancel()
			nodes[i], errs[i] = s.nodesOf(bounded, e)
		})
	}
	wg.Wait()
	return nodes, errs
}

// environmentsOf are the environment of a name, "" for all, by their names.
func (s *Server) environmentsOf(ctx context.Context, name string) ([]record.Environment, error) {
	if name != "" {
		e, err := s.environment(ctx, name)
		return []record.Environment{e}, err
	}
	entries, _, _, err := s.Store.List(ctx, record.Environments, store.Page{})
	if err != nil {
		return nil, answer(err)
	}
	all := make([]record.Environment, len(entries))
	for i, entry := range entries {
		if err := unmarshal(entry, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var errNoNodes = errors.New("what runs there has no nodes that could be listed")

func (s *Server) nodesOf(ctx context.Context, e record.Environment) ([]Node, error) {
	system, _, err := s.Connect(e)
	if err != nil {
		return nil, err
	}
	from, ok := system.(live.Noder)
	if !ok {
		return nil, errNoNodes
	}
	nodes, err := from.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	on, err := s.instancesOn(ctx, system)
	if err != nil {
		return nil, err
	}
	out := make([]Node, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, Node{n, e.Name, append([]string{}, on[n.Name]...)})
	}
	return out, nil
}

// instancesOn are the instances of an environment that may be seen, by the names of nodes.
func (s *Server) instancesOn(ctx context.Context, system live.System) (map[string][]string, error) {
	from, ok := system.(live.Drainer)
	if !ok {
		return nil, nil
	}
	all, err := from.Movables(ctx, "")
	if err != nil {
		return nil, err
	}
	on, hidden := map[string][]string{}, map[string]bool{}
	if who(ctx).Selector != nil {
		if hidden, err = s.hidden(ctx, all); err != nil {
			return nil, err
		}
	}
	for _, one := range all {
		if !hidden[one.Solution] {
			on[one.Node] = append(on[one.Node], one.String())
		}
	}
	return on, nil
}

// hidden are the solutions whose instances the caller may not see: the manager does not know
// them, or their labels do not match the caller's selector.
func (s *Server) hidden(ctx context.Context, all []live.Movable) (map[string]bool, error) {
	keys := map[string]string{}
	for _, one := range all {
		keys[record.Deployments+one.Solution] = one.Solution
	}
	known, err := s.Store.GetAll(ctx, slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return nil, err
	}
	hidden := map[string]bool{}
	for key, solution := range keys {
		var d record.Deployment
		e, ok := known[key]
		if ok {
			if err := unmarshal(e, &d); err != nil {
				return nil, err
			}
		}
		hidden[solution] = !ok || !who(ctx).Sees(d.Labels)
	}
	return hidden, nil
}
