package targets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Hints are what a role's meta tells the platform, in the same words on every
// target. What a target cannot follow, it reports as lost.
type Hints struct {
	// Share is "node" for one instance on each node, "namespace" for one in the
	// namespace, "pod" for one in each pod of a client.
	Share string `json:"share"`
	// Dependency keeps instances where those of the role's clients run.
	Dependency bool `json:"dependency"`
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
	// Egress is where instances connect to besides the role's channels: addresses
	// outside, private ones too.
	Egress []Egress `json:"egress"`
	// RBAC is what instances may do with the cluster's own objects, by its API.
	RBAC []Right `json:"rbac"`
	// ReadOnlyRoot keeps containers from writing to the file systems of their images.
	ReadOnlyRoot *ReadOnlyRoot `json:"readOnlyRoot"`
	// EphemeralStorage is what each container may write to the disk of its node, its
	// logs included.
	EphemeralStorage *solution.Amount `json:"ephemeralStorage"`
}

// Egress is a range of addresses that instances connect to.
type Egress struct {
	// CIDR is the range: 203.0.113.0/24, or one address as 203.0.113.7/32.
	CIDR string `json:"cidr"`
	// Ports are those at which they are asked; none are all.
	Ports []int `json:"ports"`
	// Protocol is "tcp" or "udp"; "" is tcp where there are ports, else any.
	Protocol string `json:"protocol"`
}

// Right is what may be done with some kinds of objects in the namespace, as a rule of
// Kubernetes' roles has it.
type Right struct {
	Groups    []string `json:"groups"`    // of the kinds; none are the core's, ""
	Resources []string `json:"resources"` // the kinds: "pods"
	Names     []string `json:"names"`     // of the objects; none are all
	Verbs     []string `json:"verbs"`     // "get", "list", "watch", …
}

// ReadOnlyRoot is true, or the list of directories that can be written to all the same.
type ReadOnlyRoot struct {
	On       bool
	Writable []string
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *ReadOnlyRoot) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		r.On = true
		return json.Unmarshal(text, &r.Writable)
	}
	return json.Unmarshal(text, &r.On)
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

// On reports whether the number of instances follows the load.
func (a *Autoscaling) On() bool { return a != nil && (a.Enabled == nil || *a.Enabled) }

// hintKeys are the members of meta that are hints. The others are the author's
// own and left alone.
var hintKeys = []string{"share", "dependency", "restart", "rollout", "placement", "spread", "maxPerNode", "init", "stopGrace", "hpa", "names", "root", "internet", "egress", "rbac", "readOnlyRoot", "ephemeralStorage"}

// hintTakes says what each hint takes, by its path below meta: whoever writes another
// thing is told so.
var hintTakes = map[string]string{
	"share":               `"node", "namespace" or "pod"`,
	"dependency":          "true or false",
	"restart":             `"always", "on-failure" or "never"`,
	"rollout":             "{parallelism, delay, order}",
	"rollout.parallelism": "a whole number of instances",
	"rollout.delay":       "milliseconds, a whole number such as 10000",
	"rollout.order":       `"start-first" or "stop-first"`,
	"placement":           `a list of {label, value, equal, soft}`,
	"spread":              "a label of nodes, as a text",
	"maxPerNode":          "a whole number of instances",
	"init":                "true or false",
	"stopGrace":           "milliseconds, a whole number such as 30000",
	"hpa":                 "{enabled, minReplicas, maxReplicas, metrics}",
	"hpa.enabled":         "true or false",
	"hpa.minReplicas":     "a whole number of instances",
	"hpa.maxReplicas":     "a whole number of instances",
	"hpa.metrics":         "{cpu: PERCENT, memory: PERCENT} or a list of Kubernetes' metrics",
	"names":               "true or false",
	"root":                "true or false",
	"internet":            "true or false",
	"egress":              `a list of {cidr, ports, protocol}, such as {cidr: "203.0.113.0/24", ports: [443]}`,
	"rbac":                `a list of {groups, resources, names, verbs}, such as {resources: ["pods"], verbs: ["get", "list"]}`,
	"readOnlyRoot":        `true or false, or a list of directories that stay writable, such as ["/tmp"]`,
	"ephemeralStorage":    `an amount such as {size: 1, unit: "Gi"}`,
}

// ReadHints reads the meta of a role. A hint that is not understood is left out, as
// if nobody had given it, and wrong is told its path below meta and what is wrong
// with it; of the author's own members, which nearly are called like a hint.
func ReadHints(meta any, wrong func(path []string, problem string)) Hints {
	var h Hints
	members, _ := meta.(map[string]any)
	given := map[string]any{}
	for _, key := range hintKeys {
		if value, ok := members[key]; ok {
			given[key] = value
		}
	}
	for _, key := range Keys(members) {
		if hint := meantHint(key); hint != "" && given[hint] == nil {
			wrong([]string{key}, "is no hint: write "+hint)
		}
	}
	if len(given) == 0 {
		return h
	}
	if err := h.decode(given); err != nil {
		h = Hints{} // what was decoded before the error may be half of it
		for _, key := range sorting.Ordered(given) {
			h.readOne([]string{key}, given[key], wrong)
		}
	}
	h.check(wrong)
	return h
}

// meantHint is the hint that a member of meta was probably meant to be, "" for none: it
// is written in another way (stop_grace), or, if it is long enough, misspelt. Short
// names, such as name, are the author's own.
func meantHint(key string) string {
	const long = 8
	plain := func(name string) string {
		return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "-", ""), "_", ""))
	}
	if filter.Contains(hintKeys, key) {
		return ""
	}
	for _, hint := range hintKeys {
		if plain(hint) == plain(key) {
			return hint
		}
	}
	if len(key) < long {
		return ""
	}
	if near, ok := diag.Nearest(key, hintKeys); ok && len(near) >= long && max(len(key), len(near))-min(len(key), len(near)) <= 1 {
		return near
	}
	return ""
}

// readOne reads a hint by itself, and its members each by itself.
func (h *Hints) readOne(path []string, value any, wrong func(path []string, problem string)) {
	members, isStruct := value.(map[string]any)
	if len(path) == 1 && isStruct && (path[0] == "rollout" || path[0] == "hpa") {
		for _, key := range sorting.Ordered(members) {
			h.readOne([]string{path[0], key}, members[key], wrong)
		}
		return
	}
	for _, key := range slices.Backward(path) {
		value = map[string]any{key: value}
	}
	given := value.(map[string]any)
	if (&Hints{}).decode(given) == nil {
		_ = h.decode(given) // it was just decoded
		return
	}
	takes, ok := hintTakes[strings.Join(path, ".")]
	if !ok {
		wrong(path, "is not known: "+path[0]+" is "+hintTakes[path[0]])
		return
	}
	for _, key := range path {
		value = value.(map[string]any)[key]
	}
	text, _ := json.Marshal(value) // it was marshalled to be decoded
	wrong(path, fmt.Sprintf("is %s, and left out: it takes %s", cut(string(text)), takes))
}

// cut is the beginning of a text that may be long.
func cut(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// decode takes hints of the types that they have; null is none of them.
func (h *Hints) decode(given map[string]any) error {
	if len(given) == 0 {
		return nil
	}
	text, err := json.Marshal(given)
	if err != nil {
		return err
	}
	if hasNull(given) {
		return errors.New("null")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(h)
}

func hasNull(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case []any:
		return filter.Any(v, hasNull)
	case map[string]any:
		return filter.Any(slices.Collect(maps.Values(v)), hasNull)
	}
	return false
}

// Largest numbers that both targets can hold.
const (
	mostInstances    = 1<<31 - 1
	mostMilliseconds = mostInstances * 1000
)

// check leaves out words that mean nothing and numbers that none of the targets can
// hold.
func (h *Hints) check(wrong func(path []string, problem string)) {
	known := func(value *string, path []string, good ...string) {
		if *value != "" && !filter.Contains(good, *value) {
			wrong(path, fmt.Sprintf("is %q: it is one of %s", *value, strings.Join(good, ", ")))
			*value = ""
		}
	}
	known(&h.Share, []string{"share"}, ShareNode, ShareNamespace, SharePod)
	known(&h.Restart, []string{"restart"}, "always", "on-failure", "never")
	known(&h.Rollout.Order, []string{"rollout", "order"}, "start-first", "stop-first")
	within(&h.Rollout.Parallelism, []string{"rollout", "parallelism"}, mostInstances, wrong)
	within(&h.Rollout.Delay, []string{"rollout", "delay"}, mostMilliseconds, wrong)
	within(&h.StopGrace, []string{"stopGrace"}, mostMilliseconds, wrong)
	h.checkEgress(wrong)
	h.checkStorage(wrong)
	h.checkRights(wrong)
	perNode := &h.MaxPerNode
	if within(&perNode, []string{"maxPerNode"}, mostInstances, wrong); perNode == nil {
		h.MaxPerNode = 0
	}
	if h.HPA == nil {
		return
	}
	least, most := &h.HPA.MinReplicas, &h.HPA.MaxReplicas
	if within(&least, []string{"hpa", "minReplicas"}, mostInstances, wrong); least == nil {
		h.HPA.MinReplicas = 0
	}
	if within(&most, []string{"hpa", "maxReplicas"}, mostInstances, wrong); most == nil {
		h.HPA.MaxReplicas = 0
	}
}

// checkEgress leaves out ranges that are none: nothing is opened that was not said.
func (h *Hints) checkEgress(wrong func(path []string, problem string)) {
	for i, e := range h.Egress {
		if prefix, err := netip.ParsePrefix(e.CIDR); err == nil {
			h.Egress[i].CIDR = prefix.String() // as Kubernetes wants it: small letters, nothing that can be left out
		}
	}
	h.Egress = filter.Out(h.Egress, func(e Egress) bool {
		at := []string{"egress"}
		prefix, err := netip.ParsePrefix(e.CIDR)
		switch {
		case err != nil || prefix.Addr().Is4In6():
			wrong(at, fmt.Sprintf("has %q, which is left out: a range of addresses is written 203.0.113.0/24, or 203.0.113.7/32 for one of them", cut(e.CIDR)))
		case prefix.Masked() != prefix:
			wrong(at, fmt.Sprintf("has %s, which is left out: the range that it lies in is %s", e.CIDR, prefix.Masked()))
		case filter.Any(e.Ports, func(port int) bool { return port < 1 || port > 65535 }):
			wrong(at, fmt.Sprintf("has a port of %s that is none, which is left out with its range: ports are from 1 to 65535", e.CIDR))
		case e.Protocol != "" && e.Protocol != "tcp" && e.Protocol != "udp":
			wrong(at, fmt.Sprintf("has protocol %q for %s, which is left out: it is one of tcp, udp", cut(e.Protocol), e.CIDR))
		default:
			return false
		}
		return true
	})

}

// checkRights leaves out those that are none.
func (h *Hints) checkRights(wrong func(path []string, problem string)) {
	h.RBAC = filter.Out(h.RBAC, func(r Right) bool {
		problem := ""
		switch {
		case len(r.Resources) == 0:
			problem = `has no resources: write resources: ["pods"]`
		case len(r.Verbs) == 0:
			problem = `has no verbs: write verbs: ["get", "list"]`
		case filter.Contains(slices.Concat(r.Resources, r.Verbs, r.Names), ""):
			problem = `has an empty text in it`
		}
		if problem != "" {
			wrong([]string{"rbac"}, fmt.Sprintf("has an entry that %s; it is left out", problem))
		}
		return problem != ""
	})

	for i := range h.RBAC {
		if len(h.RBAC[i].Groups) == 0 {
			h.RBAC[i].Groups = []string{""}
		}
	}
}

// checkStorage leaves out directories and amounts that are none.
func (h *Hints) checkStorage(wrong func(path []string, problem string)) {
	if r := h.ReadOnlyRoot; r != nil {
		r.Writable = filter.Out(r.Writable, func(dir string) bool {
			bad := !strings.HasPrefix(dir, "/") || path.Clean(dir) != dir || dir == "/" || strings.ContainsAny(dir, ":\x00")
			if bad {
				wrong([]string{"readOnlyRoot"}, fmt.Sprintf("has %q, which is left out: a directory is written /var/cache", cut(dir)))
			}
			return bad
		})

		slices.Sort(r.Writable)
		r.Writable = slices.Compact(r.Writable)
	}
	if a := h.EphemeralStorage; a != nil {
		if n, ok := Whole(*a); !ok || n <= 0 {
			wrong([]string{"ephemeralStorage"}, `is no amount of storage, and left out: write {size: 1, unit: "Gi"}`)
			h.EphemeralStorage = nil
		}
	}
}

// within leaves out a number that is negative or too large.
func within[N int | int32 | int64](n **N, path []string, most int64, wrong func(path []string, problem string)) {
	switch {
	case *n == nil:
		return
	case **n < 0:
		wrong(path, "is negative, and left out")
	case int64(**n) > most:
		wrong(path, fmt.Sprintf("is %d, and left out: it is at most %d", **n, most))
	default:
		return
	}
	*n = nil
}
