package capacity

import (
	"math"
	"slices"
	"strconv"

	"kumiki.dev/internal/filter"
)

// Amounts are amounts of resources, by their names: thousandths of processors ([CPU]),
// bytes ([Memory]), or whole ones.
type Amounts map[string]int64

// The resources that every node has. Each instance is one of [Instances].
const (
	CPU       = "cpu"
	Memory    = "memory"
	Storage   = "ephemeral-storage"
	Instances = "pods"
)

// Site is where instances are to run.
type Site struct {
	Nodes   []Node
	Running []Running
	// Waiting is how many instances of others wait for a node already. They are not counted.
	Waiting int
}

// Node takes instances.
type Node struct {
	Name string
	// Type is what its owner calls nodes of its size, "" if nothing is known.
	Type   string
	Labels map[string]string
	Taints []Taint
	// Room is what its instances may ask for together.
	Room Amounts
	// Out says why nothing new runs here ("is drained"), "" where something does.
	Out string
	// Own are the labels whose values are unique to a node.
	Own []string
}

// Running are instances that run on a node, or are about to start there.
type Running struct {
	Node      string
	Namespace string
	Labels    map[string]string
	Asks      Amounts
	Ports     []string
	Apart     []Term
	// EachNode tells that a new node gets one of them as well.
	EachNode bool
}

// Taint keeps instances away that do not tolerate it.
type Taint struct{ Key, Value, Effect string }

// Toleration lets instances run in spite of taints. No key is every key, no effect every
// effect; Any is every value.
type Toleration struct {
	Key, Value, Effect string
	Any                bool
}

func (t Toleration) tolerates(taint Taint) bool {
	return (t.Effect == "" || t.Effect == taint.Effect) && (t.Key == "" && t.Any || t.Key == taint.Key) && (t.Any || t.Value == taint.Value)
}

// Operator compares a label with values.
type Operator string

// The operators are Kubernetes'. NotIn and Absent also hold where there is no such label.
const (
	In      Operator = "In"
	NotIn   Operator = "NotIn"
	Exists  Operator = "Exists"
	Absent  Operator = "DoesNotExist"
	Greater Operator = "Gt"
	Less    Operator = "Lt"
)

// Requirement is a condition on a label.
type Requirement struct {
	Label  string
	Is     Operator
	Values []string
}

// Holds reports whether labels meet the requirement.
func (r Requirement) Holds(labels map[string]string) bool {
	value, there := labels[r.Label]
	switch r.Is {
	case In:
		return there && filter.Contains(r.Values, value)
	case NotIn:
		return !there || !filter.Contains(r.Values, value)
	case Exists:
		return there
	case Absent:
		return !there
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if !there || err != nil || len(r.Values) != 1 {
		return false
	}
	than, err := strconv.ParseInt(r.Values[0], 10, 64)
	return err == nil && (r.Is == Greater && n > than || r.Is == Less && n < than)
}

func all(rules []Requirement, labels map[string]string) bool {
	return !filter.Any(rules, func(r Requirement) bool { return !r.Holds(labels) })
}

// Term is about other instances on the nodes that have the same value of a label.
type Term struct {
	Over string
	// Match are what the labels of those instances meet; nil is no instance.
	Match []Requirement
	// Namespaces are those of the instances; Everywhere is every one.
	Namespaces []string
	Everywhere bool
}

func (t Term) matches(namespace string, labels map[string]string) bool {
	return t.Match != nil && (t.Everywhere || filter.Contains(t.Namespaces, namespace)) && all(t.Match, labels)
}

// Skew is how much the numbers of instances may differ between values of a label.
type Skew struct {
	Term
	Most int64
}

// most is how many instances that ask for amounts there is room for, and which resource
// ends first, "" for none.
func most(asks, free Amounts) (n int64, short string) {
	n = math.MaxInt64
	for name, ask := range asks {
		if ask <= 0 {
			continue
		}
		if fit := max(0, free[name]) / ask; fit < n || fit == n && name < short {
			n, short = fit, name
		}
	}
	return n, short
}

// resources are the names of what is asked for, sorted. What is not asked for never lacks.
func resources(asks Amounts) []string {
	var names []string
	for name, n := range asks {
		if n > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// take adds what n instances ask for to amounts. It saturates at the bounds of int64.
func (a Amounts) take(asks Amounts, n int64) {
	for name, ask := range asks {
		a[name] = plus(a[name], -times(ask, n))
	}
}

func times(a, b int64) int64 {
	if a > 0 && b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

func plus(a, b int64) int64 {
	switch {
	case a > 0 && b > math.MaxInt64-a:
		return math.MaxInt64
	case a < 0 && b < math.MinInt64-a:
		return math.MinInt64
	}
	return a + b
}
