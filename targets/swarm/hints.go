package swarm

import (
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/targets"
)

// hints are those of a role in Swarm's words.
type hints struct {
	targets.Hints
	constraints []string
}

// hints reads the meta of a role.
func (b *builder) hints(at place, meta any) hints {
	h := hints{Hints: targets.ReadHints(meta, func(path []string, problem string) {
		b.lost(diag.LostMeta, at, append([]string{"meta"}, path...), "meta.%s of %v %s", strings.Join(path, "."), at, problem)
	})}
	b.internet[at] = h.Internet || len(h.Egress) > 0
	if len(h.Egress) > 0 && !h.Internet {
		b.lost(diag.LostPolicy, at, []string{"meta", "egress"}, "Swarm's networks lead out to all addresses or to none: %v can connect to more than meta.egress says", at)
	}
	if len(h.RBAC) > 0 {
		b.lost(diag.LostMeta, at, []string{"meta", "rbac"}, "Swarm has no API with rights for instances: meta.rbac of %v plays no part", at)
	}
	if h.EphemeralStorage != nil {
		b.lost(diag.LostMeta, at, []string{"meta", "ephemeralStorage"}, "Swarm does not limit what containers write to their node: meta.ephemeralStorage of %v plays no part", at)
	}
	for _, p := range slices.Concat(h.Placement, targets.Around(b.solution, at.deployment, b.wrongAround), b.options.Placement) {
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
func (b *builder) constrain(at place, h *hints, p targets.NodeHint) {
	path := []string{"meta", "placement"}
	operator := "=="
	if p.Equal != nil && !*p.Equal {
		operator = "!="
	}
	if p.Soft {
		b.lost(diag.LostPlacement, at, path, "Swarm has no wishes, only constraints: that %v should run where %s %s %s is left out", at, p.Label, operator, p.Value)
		return
	}
	if !constraintValue().MatchString(p.Value) {
		b.lost(diag.LostPlacement, at, path, "a constraint of Swarm cannot hold the value %q: that %v has to run where %s %s it is left out", p.Value, at, p.Label, operator)
		return
	}
	if attribute := b.attribute(at, "placement", p.Label); attribute != "" {
		h.constraints = append(h.constraints, attribute+" "+operator+" "+p.Value)
	}
}

var (
	constraintValue = lazyregexp.New(`^[a-zA-Z0-9:\-_.][a-zA-Z0-9:\-_\s./]*$`)
	constraintKey   = lazyregexp.New(`^(node\.labels|engine\.labels)\.[a-zA-Z_][a-zA-Z0-9\-_.]*$`)
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
	if !constraintKey().MatchString(attribute) {
		b.lost(diag.LostPlacement, at, []string{"meta", hint}, "Swarm cannot ask nodes for a label %q: it consists of letters, digits, dots, hyphens and underscores", label)
		return ""
	}
	return attribute
}

// wrongAround tells once of a constraint of a whole deployment that is none.
func (b *builder) wrongAround(deployment string, path []string, problem string) {
	if key := deployment + " " + problem; !b.around[key] {
		b.around[key] = true
		b.lost(diag.LostMeta, place{deployment, ""}, append([]string{"meta"}, path...), "meta.%s of %s %s", strings.Join(path, "."), deployment, problem)
	}
}
