package targets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Hints are what a role's meta tells the platform, in the same words on every
// target. What a target cannot follow, it reports as lost.
type Hints struct {
	// Share is "node" for one instance on each node.
	Share string `json:"share"`
	// Restart says when an instance that has ended is started again: "always",
	// "on-failure" or "never".
	Restart string `json:"restart"`
	// Rollout is how a new version takes over.
	Rollout struct {
		Parallelism *int   `json:"parallelism"` // how many instances at a time
		Delay       *int64 `json:"delay"`       // milliseconds between them
		Order       string `json:"order"`       // "start-first" or "stop-first"
	} `json:"rollout"`
	// Placement is on which nodes instances run.
	Placement []NodeHint `json:"placement"`
	// Spread is a label of nodes, over the values of which instances are spread.
	Spread string `json:"spread"`
	// MaxPerNode is how many instances may run on a node, 0 for any number.
	MaxPerNode int `json:"maxPerNode"`
	// Init is whether a process of the platform's adopts and reaps orphans.
	Init *bool `json:"init"`
	// StopGrace is how long an instance may take to end, in milliseconds.
	StopGrace *int64 `json:"stopGrace"`
	// HPA is how the number of instances follows the load.
	HPA *Autoscaling `json:"hpa"`
	// Names is whether the role uses its channels' run-time names, where that
	// cannot be seen, or should not be.
	Names *bool `json:"names"`
	// Root is whether an image runs as root although its component does not say
	// so.
	Root bool `json:"root"`
	// Internet is whether instances connect to the world outside the cluster.
	Internet bool `json:"internet"`
}

// NodeHint is a label that nodes must, or should, have or not have.
type NodeHint struct {
	Label string `json:"label"`
	Value string `json:"value"`
	Equal *bool  `json:"equal"` // true unless said otherwise
	Soft  bool   `json:"soft"`
}

// Autoscaling is how the number of instances follows the load.
type Autoscaling struct {
	Enabled     *bool `json:"enabled"` // true unless said otherwise
	MinReplicas int32 `json:"minReplicas"`
	MaxReplicas int32 `json:"maxReplicas"`
	// Metrics is {"cpu": 80}, the average use of resources in percent of what is
	// requested, or a list of metrics as Kubernetes has them.
	Metrics json.RawMessage `json:"metrics"`
}

// On tells whether the number of instances follows the load.
func (a *Autoscaling) On() bool { return a != nil && (a.Enabled == nil || *a.Enabled) }

// hintKeys are the members of meta that are hints. The others are the author's
// own and left alone.
var hintKeys = []string{"share", "restart", "rollout", "placement", "spread", "maxPerNode", "init", "stopGrace", "hpa", "names", "root", "internet"}

// ReadHints reads the meta of a role. A hint that is not understood is left out,
// and wrong is told its path below meta and what is wrong with it.
func ReadHints(meta any, wrong func(path []string, problem string)) Hints {
	var h Hints
	members, _ := meta.(map[string]any)
	given := map[string]any{}
	for _, key := range hintKeys {
		if value, ok := members[key]; ok {
			given[key] = value
		}
	}
	if err := h.decode(given); err != nil {
		h = Hints{} // find out which, and take the others
		for _, key := range slices.Sorted(maps.Keys(given)) {
			if err := h.decode(map[string]any{key: given[key]}); err != nil {
				wrong([]string{key}, "is not what is understood: "+strings.TrimPrefix(err.Error(), "json: "))
			}
		}
	}
	h.check(wrong)
	return h
}

func (h *Hints) decode(given map[string]any) error {
	if len(given) == 0 {
		return nil
	}
	text, err := json.Marshal(given)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(h)
}

// check leaves out words that mean nothing and numbers below zero.
func (h *Hints) check(wrong func(path []string, problem string)) {
	known := func(value *string, path []string, good ...string) {
		if *value != "" && !slices.Contains(good, *value) {
			wrong(path, fmt.Sprintf("is %q: it is one of %s", *value, strings.Join(good, ", ")))
			*value = ""
		}
	}
	known(&h.Share, []string{"share"}, "node")
	known(&h.Restart, []string{"restart"}, "always", "on-failure", "never")
	known(&h.Rollout.Order, []string{"rollout", "order"}, "start-first", "stop-first")
	const negative = "is negative, and left out"
	if n := h.Rollout.Parallelism; n != nil && *n < 0 {
		wrong([]string{"rollout", "parallelism"}, negative)
		h.Rollout.Parallelism = nil
	}
	if n := h.Rollout.Delay; n != nil && *n < 0 {
		wrong([]string{"rollout", "delay"}, negative)
		h.Rollout.Delay = nil
	}
	if n := h.StopGrace; n != nil && *n < 0 {
		wrong([]string{"stopGrace"}, negative)
		h.StopGrace = nil
	}
	if h.MaxPerNode < 0 {
		wrong([]string{"maxPerNode"}, negative)
		h.MaxPerNode = 0
	}
}
