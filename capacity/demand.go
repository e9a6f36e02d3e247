package capacity

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
)

// Demand is a number of instances with the same requirements.
type Demand struct {
	// Solution, Deployment and Role are what they are for, Object what runs them.
	Solution, Deployment, Role, Object string
	// Namespace and Labels are those of the instances, which other demands' terms match.
	Namespace string
	Labels    map[string]string
	Count     int64
	// EachNode is one instance on each node that takes it, whatever Count says.
	EachNode bool
	Asks     Amounts
	// Where lists alternatives: a node is allowed if it meets all requirements of one of
	// them. nil allows any node.
	Where     [][]Requirement
	Tolerates []Toleration
	// Apart and Beside are instances that must not, and have to, be on the same nodes.
	Apart, Beside []Term
	Spread        []Skew
	// Ports are those of nodes that each instance takes.
	Ports []string
	// PerNode is how many may run on a node, 0 for any number.
	PerNode int64
	// Surge tells that a new version starts before the old one ends, so that it takes room
	// beside it.
	Surge bool
	// Replaces is how many instances run already that these take the place of.
	Replaces int64
}

// String names a demand in words of roles.
func (d *Demand) String() string {
	if d.Role == "" {
		return d.Object
	}
	return fmt.Sprintf("role %s of %s", d.Role, d.Deployment)
}

// nameField is what a requirement calls the name of a node, which is no label.
const nameField = "metadata.name"

// refused returns why a node can never take an instance, however much room it has, or "".
func (d *Demand) refused(n *Node) string {
	if n.Out != "" {
		return n.Out
	}
	for _, t := range n.Taints {
		if t.Effect != "NoSchedule" && t.Effect != "NoExecute" || filter.Any(d.Tolerates, func(by Toleration) bool { return by.tolerates(t) }) {
			continue
		}
		return taintWords(t)
	}
	if d.Where == nil {
		return ""
	}
	var missing string
	for _, rules := range d.Where {
		failed := slices.IndexFunc(rules, func(r Requirement) bool { return !r.on(n) })
		if failed < 0 && len(rules) > 0 {
			return ""
		}
		if failed >= 0 && missing == "" {
			missing = rules[failed].words(n)
		}
	}
	if missing == "" {
		missing = "no node is asked for"
	}
	return missing
}

// on reports whether a node meets the requirement.
func (r Requirement) on(n *Node) bool {
	if r.Label == nameField {
		return r.Holds(map[string]string{nameField: n.Name})
	}
	return r.Holds(n.Labels)
}

// words describes how a node differs from the requirement.
func (r Requirement) words(n *Node) string {
	has := "there is no such label"
	if value, ok := n.Labels[r.Label]; ok && !filter.Contains(n.Own, r.Label) {
		has = "it is " + value
	} else if ok {
		has = "it is another"
	}
	want := strings.Join(r.Values, " or ")
	switch r.Is {
	case In:
		return fmt.Sprintf("%s has to be %s: %s", r.Label, want, has)
	case NotIn:
		return fmt.Sprintf("%s must not be %s", r.Label, want)
	case Exists:
		return fmt.Sprintf("the label %s has to be there", r.Label)
	case Absent:
		return fmt.Sprintf("the label %s must not be there", r.Label)
	case Greater:
		return fmt.Sprintf("%s has to be more than %s: %s", r.Label, want, has)
	}
	return fmt.Sprintf("%s has to be less than %s: %s", r.Label, want, has)
}

// Taints that Kubernetes itself sets for the condition of a node.
var conditions = map[string]string{
	"node.kubernetes.io/unschedulable": "is cordoned",
	"node.kubernetes.io/not-ready":     "is not ready",
	"node.kubernetes.io/unreachable":   "cannot be reached",
}

func taintWords(t Taint) string {
	if words, ok := conditions[t.Key]; ok {
		return words
	}
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	return fmt.Sprintf("the taint %s:%s is not tolerated", text, t.Effect)
}
