package kubernetes

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// maxWorkload is the length of a workload's name: a StatefulSet puts its own
// name and a hash of ten characters into a label of its pods.
const maxWorkload = targets.MaxName - 11

// hashLength is what follows the name of what is named by its content.
const hashLength = 11

func name(path ...string) string { return targets.Name(targets.MaxName, path...) }

// serviceName is the name of a Service, which begins with a letter: one that
// would not, because that of the solution does not, gets one in front.
func serviceName(path ...string) string {
	if name := name(path...); isLetter(name[0]) {
		return name
	}
	return "s-" + targets.Name(targets.MaxName-len("s-"), path...)
}

// governing is the name of the Service for the instances of a StatefulSet: its own.
func governing(workload string) string {
	if isLetter(workload[0]) {
		return workload
	}
	return "s-" + workload
}

// isLetter reports whether a character of a DNS label is one.
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// workload is the name of all that a role has one of.
func workload(at place) string { return targets.Name(maxWorkload, at.deployment, at.role) }

// meta is what the objects of a place have in common. They share the map of
// labels.
func (b *builder) meta(name string, at place) metav1.ObjectMeta {
	if b.labels[at] == nil {
		b.labels[at] = targets.MetadataLabels(b.solution, at.deployment, at.role)
	}
	return metav1.ObjectMeta{Name: name, Namespace: b.options.Namespace, Labels: b.labels[at]}
}

// selector is what tells a role's pods from all others. It never changes: that
// of a workload cannot.
func (b *builder) selector(at place) map[string]string {
	if b.selectors[at] == nil {
		labels := b.meta("", at).Labels
		own := map[string]string{}
		for _, key := range []string{targets.SolutionLabel, targets.DeploymentLabel, targets.RoleLabel} {
			own[key] = labels[key]
		}
		b.selectors[at] = own
		b.alone(at, own)
	}
	return b.selectors[at]
}

// alone reports roles whose names give the same labels: requests to one would
// reach the other.
func (b *builder) alone(at place, selector map[string]string) {
	key := [2]string{selector[targets.DeploymentLabel], selector[targets.RoleLabel]}
	if old, ok := b.selected[key]; ok && old != at {
		b.broken(diag.TargetName, at, nil, "%v and %v get the same labels, which tell the pods of one from those of the other: rename one of them", old, at)
	}
	b.selected[key] = at
}

// registeredName is the name under which the cluster keeps a registered
// resource: its id, "owner-name" for that of somebody else, and with a hash where
// that is no name of an object.
func registeredName(id string) string {
	out := strings.ReplaceAll(id, "/", "-")
	if len(validation.IsDNS1123Subdomain(out)) > 0 {
		out = targets.Name(targets.MaxName, id)
	}
	return out
}

// registeredAs is [registeredName]. Ids that come out the same are reported.
func (b *builder) registeredAs(at place, path []string, id string) string {
	out := registeredName(id)
	if old, ok := b.registered[out]; ok && old != id {
		b.broken(diag.TargetName, at, path, "%q and %q, which are registered in the cluster, would both be called %s there: rename one of them", old, id, out)
	}
	b.registered[out] = id
	return out
}

// isHost reports whether the id of a domain is the name of a host, which has a
// dot, rather than one that it is registered under.
func isHost(id string) bool {
	return strings.Contains(id, ".") && len(validation.IsDNS1123Subdomain(id)) == 0
}

// host is the name of a registered domain's host: what the options say, or the
// id itself where it is one.
func (b *builder) host(id string) (string, bool) {
	if host, ok := b.options.Domains[id]; ok {
		return host, true
	}
	return id, isHost(id)
}

// portName makes the name of a port of a channel's: at most 15 small letters,
// digits and single hyphens.
func portName(channel string) string {
	if len(validation.IsValidPortName(channel)) == 0 {
		return channel
	}
	return "c-" + targets.Hash([]byte(channel))
}

// label makes a DNS label of a key, for names that are only looked at within a
// pod.
func label(key string) string { return targets.Name(targets.MaxName, key) }

// labelsOf makes a different label of each key: one that is the same as another's,
// as those of a.b and a-b are, or that something else has, gets a hash.
func labelsOf(keys []string, taken func(label string) bool) map[string]string {
	labels, used := make(map[string]string, len(keys)), make(map[string]bool, len(keys))
	for _, key := range slices.Sorted(slices.Values(keys)) {
		word := label(key)
		if used[word] || taken(word) {
			word = otherLabel(key)
		}
		labels[key], used[word] = word, true
	}
	return labels
}

// isLabelOf reports whether a label was made of a key.
func isLabelOf(word, key string) bool {
	return word == label(key) || word == otherLabel(key)
}

func otherLabel(key string) string { return targets.Hashed(targets.MaxName, key, "own") }
