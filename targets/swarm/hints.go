package swarm

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kumiki.dev/internal/diag"
)

// hints are what a role's meta tells the platform.
type hints struct {
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
	Placement []nodeHint `json:"placement"`
	// Spread is a label of nodes, over the values of which instances are spread.
	Spread string `json:"spread"`
	// MaxPerNode is how many instances may run on a node.
	MaxPerNode int `json:"maxPerNode"`
	// Init is whether a process of Docker's adopts and reaps orphans.
	Init *bool `json:"init"`
	// StopGrace is how long an instance may take to end, in milliseconds.
	StopGrace *int64 `json:"stopGrace"`
	// Internet is whether instances connect to the world outside the cluster.
	Internet bool `json:"internet"`
	// Names and Root are hints for other targets.
	Names *bool `json:"names"`
	Root  bool  `json:"root"`
	// HPA is how the number of instances follows the load.
	HPA json.RawMessage `json:"hpa"`

	autoscaled  bool
	constraints []string
}

// nodeHint is a label that nodes must, or should, have or not have.
type nodeHint struct {
	Label string `json:"label"`
	Value string `json:"value"`
	Equal *bool  `json:"equal"` // true unless said otherwise
	Soft  bool   `json:"soft"`
}

var hintKeys = []string{"share", "restart", "rollout", "placement", "spread", "maxPerNode", "init", "stopGrace", "hpa", "names", "root", "internet"}

func decode(given map[string]any, h *hints) error {
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

// hints reads the meta of a role. What is not a hint is the author's own and
// left alone.
func (b *builder) hints(at place, meta any) hints {
	var h hints
	members, _ := meta.(map[string]any)
	given := map[string]any{}
	for _, key := range hintKeys {
		if value, ok := members[key]; ok {
			given[key] = value
		}
	}
	if err := decode(given, &h); err != nil {
		h = hints{} // find out which, and take the others
		for _, key := range slices.Sorted(maps.Keys(given)) {
			if err := decode(map[string]any{key: given[key]}, &h); err != nil {
				b.lost(diag.LostMeta, at, []string{"meta", key}, "meta.%s of %v is not what is understood: %v", key, at, strings.TrimPrefix(err.Error(), "json: "))
			}
		}
	}
	h.autoscaled = len(h.HPA) > 0 && !strings.Contains(string(h.HPA), `"enabled":false`)
	known := func(key string, value *string, good ...string) {
		if *value != "" && !slices.Contains(good, *value) {
			b.lost(diag.LostMeta, at, []string{"meta", key}, "meta.%s of %v is %q: it is one of %s", key, at, *value, strings.Join(good, ", "))
			*value = ""
		}
	}
	known("share", &h.Share, "node")
	known("restart", &h.Restart, "always", "on-failure", "never")
	known("rollout", &h.Rollout.Order, "start-first", "stop-first")
	if n, d := h.Rollout.Parallelism, h.Rollout.Delay; n != nil && *n < 0 || d != nil && *d < 0 || h.MaxPerNode < 0 || h.StopGrace != nil && *h.StopGrace < 0 {
		b.lost(diag.LostMeta, at, []string{"meta"}, "a number in the meta of %v is negative: it is left out", at)
		h.Rollout.Parallelism, h.Rollout.Delay, h.StopGrace, h.MaxPerNode = nil, nil, nil, max(0, h.MaxPerNode)
	}
	b.internet[at] = h.Internet
	for _, p := range h.Placement {
		b.constrain(at, &h, p)
	}
	if h.Spread != "" {
		h.Spread = b.attribute(at, "spread", h.Spread)
	}
	if h.Spread != "" && !strings.Contains(h.Spread, ".labels.") {
		b.lost(diag.LostPlacement, at, []string{"meta", "spread"}, "Swarm spreads over labels of nodes only, so that %v is not spread over %s", at, h.Spread)
		h.Spread = ""
	}
	return h
}

// constrain adds a constraint. Swarm has no soft ones.
func (b *builder) constrain(at place, h *hints, p nodeHint) {
	path := []string{"meta", "placement"}
	operator := "=="
	if p.Equal != nil && !*p.Equal {
		operator = "!="
	}
	if p.Soft {
		b.lost(diag.LostPlacement, at, path, "Swarm has no wishes, only constraints: that %v should run where %s %s %s is left out", at, p.Label, operator, p.Value)
		return
	}
	if !constraintValue.MatchString(p.Value) {
		b.lost(diag.LostPlacement, at, path, "a constraint of Swarm cannot hold the value %q: that %v has to run where %s %s it is left out", p.Value, at, p.Label, operator)
		return
	}
	if attribute := b.attribute(at, "placement", p.Label); attribute != "" {
		h.constraints = append(h.constraints, attribute+" "+operator+" "+p.Value)
	}
}

var (
	constraintValue = regexp.MustCompile(`^[a-zA-Z0-9:\-_.][a-zA-Z0-9:\-_\s./]*$`)
	constraintKey   = regexp.MustCompile(`^(node\.labels|engine\.labels)\.[a-zA-Z_][a-zA-Z0-9\-_.]*$`)
)

// attributes are what Swarm knows of every node, by their own names and by
// those of the labels that say the same on Kubernetes. Swarm takes constraints
// on any other attribute too, and then places nothing.
var attributes = map[string]string{
	"node.id": "node.id", "node.hostname": "node.hostname", "node.role": "node.role",
	"node.platform.os": "node.platform.os", "node.platform.arch": "node.platform.arch",
	"kubernetes.io/hostname": "node.hostname", "kubernetes.io/os": "node.platform.os", "kubernetes.io/arch": "node.platform.arch",
}

// attribute is a label in Swarm's words, "" with a loss if it has none.
func (b *builder) attribute(at place, hint, label string) string {
	if known, ok := attributes[label]; ok {
		return known
	}
	attribute := label
	if !strings.HasPrefix(label, "node.labels.") && !strings.HasPrefix(label, "engine.labels.") {
		attribute = "node.labels." + strings.ReplaceAll(label, "/", ".")
	}
	if !constraintKey.MatchString(attribute) {
		b.lost(diag.LostPlacement, at, []string{"meta", hint}, "Swarm cannot ask nodes for a label %q: it consists of letters, digits, dots, hyphens and underscores", label)
		return ""
	}
	return attribute
}
