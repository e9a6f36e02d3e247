package swarm

import (
	"maps"

	"kumiki.dev/targets"
)

// labels are those of all that is made for a place. What is made shares them.
func (b *builder) labels(at place) map[string]string {
	if b.labelled[at] == nil {
		b.labelled[at] = targets.MetadataLabels(b.solution, at.deployment, at.role)
	}
	return b.labelled[at]
}

// ownLabels are those that stay the same over the versions of an artifact: a
// container's labels cannot change without the container.
func (b *builder) ownLabels(at place) map[string]string {
	labels, own := b.labels(at), map[string]string{}
	for _, key := range []string{targets.SolutionLabel, targets.DeploymentLabel, targets.RoleLabel} {
		if v, ok := labels[key]; ok {
			own[key] = v
		}
	}
	return own
}

// serviceLabels are those of the role's services: they change with its config, and no task is
// replaced for that.
func (r *roleOf) serviceLabels() map[string]string {
	labels := maps.Clone(r.labels(r.at))
	if hash := targets.ConfigHash(r.role); hash != "" {
		labels[targets.ConfigLabel] = hash
	}
	return labels
}
