package swarm

import (
	"context"
	"fmt"
	"strconv"

	api "github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
)

// Nodes implements [live.Noder].
func (s *Swarm) Nodes(ctx context.Context) ([]live.Node, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	list, err := s.client.NodeList(ctx, client.NodeListOptions{})
	if err != nil {
		return nil, plainError(err)
	}
	out := []live.Node{}
	names := namesOf(list.Items)
	for _, n := range list.Items {
		one := live.Node{
			Name: names[n.ID], Address: n.Status.Addr, Version: n.Description.Engine.EngineVersion, Labels: n.Spec.Labels,
			Ready: n.Status.State == api.NodeStateReady, Open: n.Spec.Availability == api.NodeAvailabilityActive,
			CPU:    strconv.FormatFloat(float64(n.Description.Resources.NanoCPUs)/1e9, 'f', -1, 64),
			Memory: fmt.Sprintf("%dMi", n.Description.Resources.MemoryBytes>>20),
		}
		switch {
		case !one.Ready:
			one.Why = fmt.Sprintf("it is %s: %s", n.Status.State, n.Status.Message)
		case !one.Open && n.Spec.Labels[closedKey] != "":
			one.Why = closedBy(n.Spec.Labels[closedKey])
		case !one.Open:
			one.Why = "its availability is " + string(n.Spec.Availability)
		}
		out = append(out, one)
	}
	sorting.By(out, func(a, b live.Node) int { return compareText(a.Name+" "+a.Address, b.Name+" "+b.Address) })
	return out, nil
}

// namesOf returns the names of nodes by their IDs: hostnames, and IDs where several have the same.
func namesOf(nodes []api.Node) map[string]string {
	count, out := map[string]int{}, map[string]string{}
	for _, n := range nodes {
		count[n.Description.Hostname]++
	}
	for _, n := range nodes {
		if out[n.ID] = n.Description.Hostname; count[n.Description.Hostname] > 1 {
			out[n.ID] = n.ID
		}
	}
	return out
}
