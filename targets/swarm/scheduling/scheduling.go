// Package scheduling says what Swarm's scheduler looks at: what the tasks of a stack ask
// for, and what there is on nodes. It makes the input of package capacity.
package scheduling

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/capacity"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// service is what is looked at in a service of a stack.
type service struct {
	Ports []struct {
		Published int    `json:"published"`
		Protocol  string `json:"protocol"`
		Mode      string `json:"mode"`
	} `json:"ports"`
	Labels map[string]string `json:"labels"`
	Deploy struct {
		Mode         string `json:"mode"`
		Replicas     *int64 `json:"replicas"`
		UpdateConfig struct {
			Order string `json:"order"`
		} `json:"update_config"`
		Labels    map[string]string `json:"labels"`
		Placement struct {
			Constraints []string `json:"constraints"`
			PerNode     int64    `json:"max_replicas_per_node"`
		} `json:"placement"`
		Resources struct {
			Reservations struct {
				CPUs   string `json:"cpus"`
				Memory string `json:"memory"`
			} `json:"reservations"`
		} `json:"resources"`
	} `json:"deploy"`
}

// maxInstances is more than any Swarm has, and maxAmount keeps sums far from the end of int64.
const (
	maxInstances = 1 << 24
	maxAmount    = 1 << 56
)

// Demands are the tasks of a stack's services. Swarm has no autoscaler, so that there is one
// number of them.
func Demands(s *solution.Solution, objects []targets.Object, _ targets.Options, _ bool) ([]capacity.Demand, error) {
	var out []capacity.Demand
	for _, x := range objects {
		if x.Kind != "Service" {
			continue
		}
		text, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		var from service
		if err := json.Unmarshal(text, &from); err != nil {
			return nil, err
		}
		d := capacity.Demand{Solution: s.Ref.Name, Deployment: x.Deployment, Role: x.Role, Object: x.Kind + "/" + x.Name, Labels: from.Deploy.Labels, Count: 1, Asks: from.asks()}
		if from.Deploy.Replicas != nil {
			d.Count = min(max(0, *from.Deploy.Replicas), maxInstances)
		}
		d.EachNode, d.PerNode = from.Deploy.Mode == "global", from.Deploy.Placement.PerNode
		d.Surge = from.Deploy.UpdateConfig.Order == "start-first"
		if rules := constraints(from.Deploy.Placement.Constraints); rules != nil {
			d.Where = [][]capacity.Requirement{rules}
		}
		for _, p := range from.Ports {
			if p.Mode == "host" {
				d.Ports = append(d.Ports, fmt.Sprintf("%d/%s", p.Published, p.Protocol))
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// asks are what is kept free for a task of a service.
func (s *service) asks() capacity.Amounts {
	asks := capacity.Amounts{}
	if cpus, err := strconv.ParseFloat(s.Deploy.Resources.Reservations.CPUs, 64); err == nil {
		asks[capacity.CPU] = whole(cpus * 1000)
	}
	if memory, err := strconv.ParseInt(s.Deploy.Resources.Reservations.Memory, 10, 64); err == nil {
		asks[capacity.Memory] = min(max(0, memory), maxAmount)
	}
	return asks
}

// whole is a number, rounded to a whole one that is not negative.
func whole(n float64) int64 {
	if n < maxAmount {
		return max(0, int64(math.Round(n)))
	}
	return maxAmount
}

// constraint is one of Swarm's: node.labels.disk == ssd.
var constraint = lazyregexp.New(`^\s*(\S+?)\s*(==|!=)\s*(.*?)\s*$`)

// constraints are those of a service. Swarm takes capital letters for small ones.
func constraints(texts []string) (out []capacity.Requirement) {
	for _, text := range texts {
		m := constraint().FindStringSubmatch(text)
		if m == nil {
			continue
		}
		r := capacity.Requirement{Label: m[1], Is: capacity.In, Values: []string{strings.ToLower(m[3])}}
		if m[2] == "!=" {
			r.Is = capacity.NotIn
		}
		out = append(out, r)
	}
	return out
}

// node is what is looked at in a node, as docker node inspect prints it.
type node struct {
	ID   string
	Spec struct {
		Labels       map[string]string
		Role         string
		Availability string
	}
	Description struct {
		Hostname string
		Platform struct{ OS, Architecture string }
		Engine   struct{ Labels map[string]string }
		// Resources are nil in what docker node ls prints.
		Resources *struct{ NanoCPUs, MemoryBytes json.Number }
	}
	Status struct{ State string }
}

// task is what is looked at in a task, as docker inspect prints it.
type task struct {
	ID, NodeID, ServiceID string
	DesiredState          string
	Status                struct{ State string }
	Spec                  struct {
		ContainerSpec struct{ Labels map[string]string }
		Resources     struct {
			Reservations struct{ NanoCPUs, MemoryBytes json.Number }
		}
	}
}

// live is what is looked at in a service that runs.
type live struct {
	ID   string
	Spec struct {
		Labels map[string]string
		Mode   struct{ Global *struct{} }
	}
	Endpoint struct {
		Ports []struct {
			Protocol, PublishMode string
			PublishedPort         int
		}
	}
}

// Site is the nodes of a Swarm and the tasks on them, which are objects as docker inspect
// prints those of nodes, services and tasks. Tasks of the roles of demands are not in it:
// they are replaced.
func Site(objects []map[string]any, demands []capacity.Demand) (capacity.Site, error) {
	var site capacity.Site
	names, services := map[string]string{}, map[string]live{}
	listed := false
	for _, x := range objects {
		switch {
		case x["kind"] != nil:
			return site, errors.New("it has objects of Kubernetes: say -t kubernetes")
		case x["Availability"] != nil && x["Hostname"] != nil:
			listed = true
		case x["Description"] != nil:
			if err := addNode(&site, x, names); err != nil {
				return site, err
			}
		case targets.At(x, "Spec", "TaskTemplate") != nil:
			var s live
			if err := jsondata.Into(x, &s); err != nil {
				return site, fmt.Errorf("a service: %w", err)
			}
			services[s.ID] = s
		}
	}
	switch {
	case len(site.Nodes) == 0 && listed:
		return site, errors.New("it is what docker node ls prints, which does not say how large nodes are: docker node inspect $(docker node ls -q) does")
	case len(site.Nodes) == 0:
		return site, errors.New("it has no node: docker node inspect $(docker node ls -q) prints them")
	}
	for _, x := range objects {
		if x["NodeID"] == nil && x["ServiceID"] == nil {
			continue
		}
		if err := addTask(&site, x, names, services, demands); err != nil {
			return site, err
		}
	}
	return site, nil
}

// amount is a number that Docker prints, where it is one.
func amount(n json.Number) int64 {
	f, err := n.Float64()
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return whole(f)
}

func addNode(site *capacity.Site, data map[string]any, names map[string]string) error {
	var n node
	if err := jsondata.Into(data, &n); err != nil {
		return fmt.Errorf("a node: %w", err)
	}
	name := n.Description.Hostname
	if n.Description.Resources == nil {
		return fmt.Errorf("node %.80q does not say what there is on it (Description.Resources)", name)
	}
	if filter.Any(site.Nodes, func(x capacity.Node) bool { return x.Name == name }) {
		name += " " + n.ID // Swarm lets two have a name
	}
	if _, ok := names[n.ID]; ok {
		return fmt.Errorf("node %.80q is there twice", n.ID)
	}
	names[n.ID] = name
	out := capacity.Node{Name: name, Own: []string{"node.id", "node.hostname", "node.ip"}, Labels: map[string]string{
		"node.id": n.ID, "node.hostname": n.Description.Hostname, "node.role": n.Spec.Role,
		"node.platform.os": n.Description.Platform.OS, "node.platform.arch": n.Description.Platform.Architecture,
	}}
	for key, value := range n.Spec.Labels {
		out.Labels["node.labels."+key] = value
	}
	for key, value := range n.Description.Engine.Labels {
		out.Labels["engine.labels."+key] = value
	}
	for _, key := range slices.Collect(maps.Keys(out.Labels)) {
		out.Labels[key] = strings.ToLower(out.Labels[key])
	}
	switch {
	case n.Status.State != "" && n.Status.State != "ready":
		out.Out = fmt.Sprintf("is %s", n.Status.State)
	case n.Spec.Availability == "drain":
		out.Out = "is drained"
	case n.Spec.Availability == "pause":
		out.Out = "is paused"
	}
	out.Room = capacity.Amounts{
		capacity.CPU:    amount(n.Description.Resources.NanoCPUs) / 1e6,
		capacity.Memory: amount(n.Description.Resources.MemoryBytes),
	}
	site.Nodes = append(site.Nodes, out)
	return nil
}

// ended are the states in which a task takes nothing any more.
var ended = []string{"complete", "shutdown", "failed", "rejected", "remove", "orphaned"}

func addTask(site *capacity.Site, data map[string]any, names map[string]string, services map[string]live, demands []capacity.Demand) error {
	var t task
	if err := jsondata.Into(data, &t); err != nil {
		return fmt.Errorf("task %.80q: %w", data["ID"], err)
	}
	if filter.Contains(ended, t.Status.State) {
		return nil
	}
	from := services[t.ServiceID]
	labels := maps.Clone(t.Spec.ContainerSpec.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, from.Spec.Labels)
	for i := range demands {
		if d := &demands[i]; d.Role != "" && targets.SameRole(d.Labels, labels) {
			if t.NodeID != "" {
				d.Replaces++
			}
			return nil
		}
	}
	if t.NodeID == "" {
		site.Waiting++
		return nil
	}
	asks := capacity.Amounts{
		capacity.CPU:    amount(t.Spec.Resources.Reservations.NanoCPUs) / 1e6,
		capacity.Memory: amount(t.Spec.Resources.Reservations.MemoryBytes),
	}
	r := capacity.Running{Node: names[t.NodeID], Labels: labels, Asks: asks, EachNode: from.Spec.Mode.Global != nil}
	for _, p := range from.Endpoint.Ports {
		if p.PublishMode == "host" {
			r.Ports = append(r.Ports, fmt.Sprintf("%d/%s", p.PublishedPort, p.Protocol))
		}
	}
	site.Running = append(site.Running, r)
	return nil
}
