package kubernetes

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"kumiki.dev/internal/diag"
)

// hints are what a role's meta tells the platform. Those that targets share
// have the same words on all of them.
type hints struct {
	// Share is "node" for one instance on each node.
	Share string `json:"share"`
	// Restart says when an instance that has ended is started again: "always",
	// "on-failure" or "never".
	Restart string `json:"restart"`
	// Rollout is how a new version takes over.
	Rollout struct {
		Parallelism int    `json:"parallelism"` // how many instances at a time
		Delay       int64  `json:"delay"`       // milliseconds between them
		Order       string `json:"order"`       // "start-first" or "stop-first"
	} `json:"rollout"`
	// Placement is on which nodes instances run.
	Placement []nodeHint `json:"placement"`
	// Spread is a label of nodes, over the values of which instances are spread.
	Spread string `json:"spread"`
	// MaxPerNode is how many instances may run on a node.
	MaxPerNode int `json:"maxPerNode"`
	// Init is whether a process of the platform's adopts and reaps orphans.
	Init bool `json:"init"`
	// StopGrace is how long an instance may take to end, in milliseconds.
	StopGrace *int64 `json:"stopGrace"`
	// HPA is how the number of instances follows the load.
	HPA *autoscaling `json:"hpa"`
	// Names is whether the role uses its channels' run-time names, where that
	// cannot be seen, or should not be.
	Names *bool `json:"names"`
	// Root is whether an image runs as root although its component does not say
	// so.
	Root bool `json:"root"`
	// Internet is whether instances connect to the world outside the cluster.
	Internet bool `json:"internet"`
}

// nodeHint is a label that nodes must, or should, have or not have.
type nodeHint struct {
	Label string `json:"label"`
	Value string `json:"value"`
	Equal *bool  `json:"equal"` // true unless said otherwise
	Soft  bool   `json:"soft"`
}

var hintKeys = []string{"share", "restart", "rollout", "placement", "spread", "maxPerNode", "init", "stopGrace", "hpa", "names", "root", "internet"}

// hints reads the meta of a role. What is not a hint is the author's own and
// left alone.
func (b *builder) hints(at place, meta any) hints {
	var h hints
	members, _ := meta.(map[string]any)
	for _, key := range hintKeys {
		value, ok := members[key]
		if !ok {
			continue
		}
		text, err := json.Marshal(map[string]any{key: value})
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err == nil {
			err = dec.Decode(&h)
		}
		if err != nil {
			b.lost(diag.LostMeta, at, []string{"meta", key}, "meta.%s of %v is not what is understood: %v", key, at, strings.TrimPrefix(err.Error(), "json: "))
		}
	}
	known := func(key string, value *string, good ...string) {
		if *value != "" && !slices.Contains(good, *value) {
			b.lost(diag.LostMeta, at, []string{"meta", key}, "meta.%s of %v is %q: it is one of %s", key, at, *value, strings.Join(good, ", "))
			*value = ""
		}
	}
	known("share", &h.Share, "node")
	known("restart", &h.Restart, "always", "on-failure", "never")
	known("rollout", &h.Rollout.Order, "start-first", "stop-first")
	if h.Restart == "on-failure" || h.Restart == "never" {
		b.lost(diag.LostMeta, at, []string{"meta", "restart"}, "Kubernetes always restarts the instances of a role: %v has meta.restart %q", at, h.Restart)
	}
	if h.Rollout.Parallelism < 0 || h.Rollout.Delay < 0 || h.MaxPerNode < 0 {
		b.lost(diag.LostMeta, at, []string{"meta"}, "a number in the meta of %v is negative: it is taken as none", at)
		h.Rollout.Parallelism, h.Rollout.Delay, h.MaxPerNode = max(0, h.Rollout.Parallelism), max(0, h.Rollout.Delay), max(0, h.MaxPerNode)
	}
	return h
}

// seconds is a time in milliseconds, rounded up.
func seconds(ms int64) int32 { return int32(min((ms+999)/1000, 1<<31-1)) }
