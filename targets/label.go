package targets

import (
	"encoding/json"
	"strconv"
	"strings"

	"kumiki.dev/solution"
)

// The labels of Kumiki's own. Their values are those of the solution, or their
// [Name] where they are not fit for a label.
const (
	SolutionLabel   = "kumiki.dev/solution"
	DeploymentLabel = "kumiki.dev/deployment"
	RoleLabel       = "kumiki.dev/role"
)

// ConfigLabel is, on what runs a role, a hash of its config.
const ConfigLabel = "kumiki.dev/config"

// ConfigHash tells versions of a role apart whose config is not the same. It is "" for a config
// that cannot be written.
func ConfigHash(r *solution.Role) string {
	text, err := json.Marshal([]any{r.Config, r.Artifact.Description.Config})
	if err != nil {
		return ""
	}
	return Hash(text)
}

// The labels of solutions that kumiki gives them: the template that a solution was made
// of, and the environment that it was made for.
const (
	TemplateLabel    = "kumiki.dev/template"
	EnvironmentLabel = "kumiki.dev/environment"
)

// ClientLabels begin the keys of labels that say by which of their deployments roles link to
// other solutions.
const ClientLabels = "client.kumiki.dev/"

// ClientLabel is the key for a deployment.
func ClientLabel(deployment string) string { return ClientLabels + labelValue(deployment) }

// ForeignLabels tell the instances of a role of another solution from all others.
func ForeignLabels(solution, deployment, role string) map[string]string {
	return map[string]string{SolutionLabel: labelValue(solution), DeploymentLabel: labelValue(deployment), RoleLabel: labelValue(role)}
}

// labelsOfRole is how many labels the objects of a role have.
const labelsOfRole = 9

// Labels are the labels of all objects that are made for a role; role may be
// "" for those of a deployment, and both for those of the solution.
func Labels(s *solution.Solution, deployment, role string) map[string]string {
	labels := make(map[string]string, labelsOfRole)
	labels["app.kubernetes.io/managed-by"] = "kumiki"
	labels["app.kubernetes.io/part-of"] = labelValue(s.Ref.Name)
	labels[SolutionLabel] = labels["app.kubernetes.io/part-of"]
	if deployment == "" {
		return labels
	}
	d := s.Deployments[deployment]
	ref := d.Artifact.Ref
	labels[DeploymentLabel] = labelValue(deployment)
	labels["app.kubernetes.io/instance"] = labelValue(deployment)
	if role != "" {
		ref = d.Artifact.Description.Role[role].Artifact.Ref
		labels[RoleLabel] = labelValue(role)
		labels["app.kubernetes.io/component"] = labelValue(role)
	}
	if ref.Name != "" { // it may be left out
		labels["app.kubernetes.io/name"] = labelValue(ref.Name)
	}
	labels["app.kubernetes.io/version"] = labelValue(version(ref.Version))
	return labels
}

// MetadataLabels are [Labels], and what the solution says of itself: where it runs, what
// it was made of. They are for what objects say of themselves alone: a label of an
// instance would replace it when it changes, and a selector never changes.
func MetadataLabels(s *solution.Solution, deployment, role string) map[string]string {
	labels := Labels(s, deployment, role)
	for key, value := range s.ObjectLabels {
		if _, own := labels[key]; !own {
			labels[key] = value
		}
	}
	return labels
}

// labelValue is the text where it is fit for a label: up to 63 letters, digits,
// dots, underscores and hyphens, the first and the last a letter or digit.
func labelValue(text string) string {
	fit := len(text) <= MaxName && text != "" && strings.Trim(text, "._-") == text
	for _, r := range text {
		fit = fit && (r == '.' || r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	if fit {
		return text
	}
	return Name(MaxName, text)
}

func version(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ".")
}

// OfDeployment reports whether a label [DeploymentLabel] is that of a deployment, or of one
// that was made of a role of it.
func OfDeployment(label, deployment string) bool {
	return label == labelValue(deployment) || strings.HasPrefix(label, deployment+".") || strings.HasPrefix(deployment, label+".")
}

// SameRole reports whether labels are those of one role.
func SameRole(a, b map[string]string) bool {
	for _, label := range []string{SolutionLabel, DeploymentLabel, RoleLabel} {
		if a[label] == "" || a[label] != b[label] {
			return false
		}
	}
	return true
}
