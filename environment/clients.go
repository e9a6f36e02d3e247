package environment

import (
	"strings"

	"kumiki.dev/solution"
)

// Clients are the deployments that link to a template in an environment, with the labels
// of their solutions. Pods do not have these labels, as they would restart with each change
// of one: who accepts clients by labels accepts such deployments by their names. There are
// none if the template accepts nobody by labels.
func (e *Environment) Clients(t *Template, templates []*Template) (out []solution.Client) {
	if !t.ByLabels.IsValid() {
		return nil
	}
	for _, other := range templates {
		if other.Name == t.Name || !other.Environments.Matches(e) {
			continue
		}
		for _, l := range other.Links {
			if to, _, _ := strings.Cut(l.To, "."); to != t.Name {
				continue
			}
			top, rest, below := strings.Cut(l.From, ".")
			if top != other.Name {
				continue // the compiler refuses it
			}
			name := e.SolutionName(top)
			if below {
				name += "." + rest
			}
			out = append(out, solution.Client{Deployment: name, Labels: other.SolutionLabels(e)})
		}
	}
	return out
}
