package query

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"kumiki.dev/solution"
)

// Stale is something that a solution has from another deployment, which is not so any
// more.
type Stale struct {
	// Solution is the name of the one that has it, At the field, up, or "link CHANNEL".
	Solution string `json:"solution"`
	At       string `json:"at"`
	// Deployment and Field are what it was taken from; of up there is no field, of a link
	// it is the channel, and the values are the servers behind it.
	Deployment string `json:"deployment"`
	Field      string `json:"field,omitempty"`
	// Was is the value that the solution has, Is the one that the other deployment has
	// now; nil where there is none.
	Was any `json:"was"`
	Is  any `json:"is"`
	// Why says what has become of it: changed, the field is gone, the deployment is gone.
	Why string `json:"why"`
}

// The reasons of [Stale].
const (
	Changed        = "changed"
	FieldGone      = "the field is gone"
	DeploymentGone = "the deployment is gone"
	ChannelGone    = "the channel is gone"
	Closed         = "the channel is not open to it any more"
)

// StaleOf lists what solutions have from others that has changed since, or is not there,
// sorted.
func StaleOf(solutions []*solution.Solution) []Stale {
	owners := map[string]*solution.Solution{}
	for _, s := range solutions {
		for name := range s.Deployments {
			owners[name] = s
		}
	}
	out := []Stale{}
	for _, s := range solutions {
		top := s.Deployments[s.Top]
		if up := top.Up; up != nil && owners[*up] == nil {
			out = append(out, Stale{Solution: s.Ref.Name, At: "up", Deployment: *up, Why: DeploymentGone})
		}
		if s.Inputs != nil {
			for _, r := range s.Inputs.References {
				was, _ := top.Field(r.At)
				one := Stale{Solution: s.Ref.Name, At: r.At, Deployment: r.Deployment, Field: r.Field, Was: was}
				if one.Why = one.now(owners[r.Deployment]); one.Why != "" {
					out = append(out, one)
				}
			}
		}
		for _, l := range s.ExternalLinks() {
			one := Stale{Solution: s.Ref.Name, At: "link " + l.From.Channel, Deployment: l.To.Deployment, Field: l.To.Channel, Was: servers(l.Servers)}
			if one.Why = one.linked(l, s.Labels, owners[l.To.Deployment]); one.Why != "" {
				out = append(out, one)
			}
		}
	}
	slices.SortFunc(out, func(a, b Stale) int {
		return cmp.Or(cmp.Compare(a.Solution, b.Solution), cmp.Compare(a.At, b.At))
	})
	return out
}

// now finds what the field is now, and says why the old value is stale; "" if it is not.
func (s *Stale) now(owner *solution.Solution) string {
	if owner == nil {
		return DeploymentGone
	}
	d := owner.Deployments[s.Deployment]
	switch solution.KindOf(s.Field) {
	case solution.ObjectField:
		return "" // what it was or is now is not in a solution
	case solution.ChannelField:
		if channel, _, _ := solution.SplitChannel(s.Field); d.Artifact.Description.Srv.Server[channel] == nil {
			return FieldGone
		}
		return ""
	}
	is, missing := d.Field(s.Field)
	if missing != "" {
		return FieldGone
	}
	s.Is = is
	if !reflect.DeepEqual(s.Was, is) {
		return Changed
	}
	return ""
}

// linked finds what a link leads to now, and says why it is stale; "" if it is not.
func (s *Stale) linked(l solution.ExternalLink, labels map[string]string, owner *solution.Solution) string {
	if owner == nil {
		return DeploymentGone
	}
	srv := owner.Deployments[s.Deployment].Artifact.Description.Srv
	if srv.Server[l.To.Channel] == nil && srv.Duplex[l.To.Channel] == nil {
		return ChannelGone
	}
	if _, ok := owner.Admits(l.To, l.From.Deployment, labels); !ok {
		return Closed
	}
	offer := owner.Offer(l.To)
	s.Is = servers(offer)
	if !reflect.DeepEqual(l.Servers, offer) {
		return Changed
	}
	return ""
}

// servers are the places where requests of a link arrive, each on a line.
func servers(all []solution.Server) any {
	out := []string{}
	for _, s := range all {
		out = append(out, fmt.Sprintf("%s/%s:%d %s", s.Deployment, s.Role, s.Port, TypeName(s.Artifact)))
	}
	return out
}
