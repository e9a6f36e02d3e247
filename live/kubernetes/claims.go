package kubernetes

import (
	"context"
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kumiki.dev/engine"
	"kumiki.dev/targets"
)

// instanceClaim is the name of a claim that a StatefulSet has made: VOLUME-SET-NUMBER.
var instanceClaim = regexp.MustCompile(`-[0-9]+$`)

// Claims implements [live.System].
func (c *Cluster) Claims(ctx context.Context, solution string, workloads []engine.About) ([]engine.About, error) {
	sets := map[string]engine.Place{}
	for _, about := range workloads {
		if about.Kind == "StatefulSet" {
			sets[about.Name] = about.Place
		}
	}
	if len(sets) == 0 {
		return nil, nil
	}
	in, err := c.in(ctx, engine.About{ID: engine.ID{Kind: "PersistentVolumeClaim"}, Version: "v1"})
	if err != nil {
		return nil, err
	}
	list, err := in.List(ctx, metav1.ListOptions{LabelSelector: targets.SolutionLabel + "=" + targets.ForeignLabels(solution, "", "")[targets.SolutionLabel]})
	if err != nil {
		return nil, plainly(err)
	}
	var out []engine.About
	for _, u := range list.Items {
		base := instanceClaim.ReplaceAllString(u.GetName(), "")
		for set, place := range sets {
			if volume := trimSuffix(base, "-"+set); volume != "" && base != u.GetName() {
				out = append(out, engine.About{ID: engine.ID{Kind: "PersistentVolumeClaim", Namespace: u.GetNamespace(), Name: u.GetName()}, Version: "v1", Place: place, Volume: place.String() + "/" + volume})
			}
		}
	}
	return out, nil
}

// trimSuffix returns the text before a suffix, "" if it does not end in it.
func trimSuffix(text, suffix string) string {
	if len(text) <= len(suffix) || text[len(text)-len(suffix):] != suffix {
		return ""
	}
	return text[:len(text)-len(suffix)]
}
