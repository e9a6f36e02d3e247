package query

import (
	"cmp"
	"fmt"
	"reflect"

	"kumiki.dev/internal/sorting"
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
// sorted. The solutions are those that are [Involved].
func StaleOf(all []Facts, involved []*solution.Solution) []Stale {
	out := hanging(all)
	owners := ownersOf(involved)
	for _, s := range involved {
		if s.Inputs != nil {
			for _, r := range s.Inputs.References {
				was, _ := s.Deployments[s.Top].Field(r.At)
				one := Stale{Solution: s.Ref.Name, At: r.At, Deployment: r.Deployment, Field: r.Field, Was: was}
				if one.Why = one.now(owners[r.Deployment]); one.Why != "" {
					out = append(out, one)
				}
			}
		}
		for _, l := range s.ExternalLinks() {
			if one := linked(s, l, owners); one.Why != "" {
				out = append(out, one)
			}
		}
	}
	sorting.By(out, func(a, b Stale) int {
		return cmp.Or(cmp.Compare(a.Solution, b.Solution), cmp.Compare(a.At, b.At))
	})
	return out
}

// hanging are the solutions that hang from a deployment which is not there.
func hanging(all []Facts) []Stale {
	out := []Stale{}
	owner := owners(all)
	for _, f := range all {
		if _, ok := owner[f.Up]; f.Up != "" && !ok {
			out = append(out, Stale{Solution: f.Solution, At: "up", Deployment: f.Up, Why: DeploymentGone})
		}
	}
	return out
}

func ownersOf(all []*solution.Solution) map[string]*solution.Solution {
	out := map[string]*solution.Solution{}
	for _, s := range all {
		for name := range s.Deployments {
			out[name] = s
		}
	}
	return out
}

// linked says whether a link is stale: its Why is "" if it is not.
func linked(s *solution.Solution, l solution.ExternalLink, owners map[string]*solution.Solution) Stale {
	one := Stale{Solution: s.Ref.Name, At: "link " + l.From.Channel, Deployment: l.To.Deployment, Field: l.To.Channel, Was: servers(l.Servers)}
	one.Why = one.linked(l, s.Labels, owners[l.To.Deployment])
	return one
}

// Link is a link between two solutions.
type Link struct {
	// Solution is the one that has it, From and To are its ends.
	Solution string `json:"solution"`
	From     End    `json:"from"`
	To       End    `json:"to"`
	// Other is the solution that it leads to, as it was when the link was made.
	Other string `json:"other"`
	// Accepted is the client by which the other solution lets it in: a deployment, or
	// labels.
	Accepted solution.Client `json:"accepted"`
	// Servers are the places where its requests arrive.
	Servers []string `json:"servers"`
	// Why says what has become of it, as for [Stale]; "" for a link that works.
	Why string `json:"why,omitempty"`
}

// End is a channel of a deployment.
type End = solution.End

// Links lists the links between solutions, sorted by where they come from.
func Links(involved []*solution.Solution) []Link {
	out := []Link{}
	owners := ownersOf(involved)
	for _, s := range involved {
		for _, l := range s.ExternalLinks() {
			out = append(out, Link{
				Solution: s.Ref.Name, From: l.From, To: l.To, Other: l.Solution, Accepted: l.Accepted,
				Servers: servers(l.Servers), Why: linked(s, l, owners).Why,
			})
		}
	}
	sorting.By(out, func(a, b Link) int { // those of a solution are sorted
		return cmp.Compare(a.Solution, b.Solution)
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
func servers(all []solution.Server) []string {
	out := []string{}
	for _, s := range all {
		out = append(out, fmt.Sprintf("%s/%s:%d %s", s.Deployment, s.Role, s.Port, TypeName(s.Artifact)))
	}
	return out
}
