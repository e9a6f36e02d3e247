package plan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Dangling is something that another solution says of a deployment that a plan
// removes or renames, or of a channel or field that it takes away.
type Dangling struct {
	// Solution and Deployment are the other's.
	Solution   string `json:"solution"`
	Deployment string `json:"deployment"`
	// Removed is the deployment, the channel DEPLOYMENT.CHANNEL, or the field of a
	// deployment, DEPLOYMENT.config.parameter.NAME, that it names.
	Removed string `json:"removed"`
	// How is "up", "link CHANNEL", or "takes FIELD", the field that has its value from there.
	How string `json:"how"`
}

func (d Dangling) String() string {
	return fmt.Sprintf("%s of solution %s names %s (%s)", d.Deployment, d.Solution, d.Removed, d.How)
}

// up is how a deployment names the one that governs its life cycle.
const up = "up"

// Others leaves out of solutions what is nothing, and versions of those that are
// compared: they say nothing about the next.
func Others(old, new *solution.Solution, all []*solution.Solution) []*solution.Solution {
	return filter.Out(all, func(s *solution.Solution) bool {
		return s == nil || old != nil && s.Ref == old.Ref || new != nil && s.Ref == new.Ref
	})

}

// Dangle lists what others say of deployments and channels of old that new no
// longer has, sorted.
func Dangle(old, new *solution.Solution, others []*solution.Solution) []Dangling {
	out := []Dangling{}
	if old == nil {
		return out
	}
	for _, other := range Others(old, new, others) {
		gone := func(name string) bool {
			return old.Deployments[name] != nil && other.Deployments[name] == nil && (new == nil || new.Deployments[name] == nil)
		}
		for _, name := range sorting.Ordered(other.Deployments) {
			if u := other.Deployments[name].Up; u != nil && gone(*u) {
				out = append(out, Dangling{other.Ref.Name, name, *u, up})
			}
		}
		out = append(out, taken(old, new, other, gone)...)
		for _, l := range other.ExternalLinks() {
			out = append(out, end(old, new, other, gone, l.From.Deployment, l.From.Channel, l.To.Deployment, l.To.Channel)...)
		}
		for _, l := range other.Links {
			out = append(out, end(old, new, other, gone, l.Source, l.SourceChannel, l.Target, l.TargetChannel)...)
			out = append(out, end(old, new, other, gone, l.Target, l.TargetChannel, l.Source, l.SourceChannel)...)
		}
	}
	sorting.By(out, func(a, b Dangling) int {
		return cmp.Or(strings.Compare(a.Solution, b.Solution), strings.Compare(a.Deployment, b.Deployment), strings.Compare(a.Removed, b.Removed), strings.Compare(a.How, b.How))
	})
	return slices.Compact(out)
}

// taken are the values that another solution takes from what goes.
func taken(old, new, other *solution.Solution, gone func(string) bool) []Dangling {
	if other.Inputs == nil {
		return nil
	}
	var out []Dangling
	for _, r := range other.Inputs.References {
		switch {
		case gone(r.Deployment):
			out = append(out, Dangling{other.Ref.Name, other.Top, r.Deployment, "takes " + r.At})
		case new != nil && hasField(old, r) && !hasField(new, r) && new.Deployments[r.Deployment] != nil:
			out = append(out, Dangling{other.Ref.Name, other.Top, r.Deployment + "." + r.Field, "takes " + r.At})
		}
	}
	return out
}

func hasField(s *solution.Solution, r solution.Reference) bool {
	d := s.Deployments[r.Deployment]
	if d == nil {
		return false
	}
	switch solution.KindOf(r.Field) {
	case solution.ChannelField:
		channel, _, _ := solution.SplitChannel(r.Field)
		return d.Artifact.Description.Srv.Server[channel] != nil
	case solution.ObjectField:
		return true // which no solution says
	}
	_, missing := d.Field(r.Field)
	return missing == ""
}

func field(s *solution.Solution, r solution.Reference) any {
	value, _ := s.Deployments[r.Deployment].Field(r.Field)
	return value
}

// Stale is a value that another solution has taken and that a plan changes, or a link that
// leads to something else then: the other one is to be compiled again.
type Stale struct {
	// Solution is the other's, At the field that has the value, or "link CHANNEL".
	Solution string `json:"solution"`
	At       string `json:"at"`
	// Deployment and Field are what it has been taken from; of a link, the channel.
	Deployment string `json:"deployment"`
	Field      string `json:"field"`
}

func (s Stale) String() string {
	return fmt.Sprintf("%s of solution %s is taken from %s of %s, which changes: compile it again", s.At, s.Solution, s.Field, s.Deployment)
}

// MakesStale lists what others have taken from old and new has another value of, sorted.
func MakesStale(old, new *solution.Solution, others []*solution.Solution) []Stale {
	out := []Stale{}
	if old == nil || new == nil {
		return out
	}
	for _, other := range Others(old, new, others) {
		if other.Inputs != nil {
			for _, r := range other.Inputs.References {
				if hasField(old, r) && hasField(new, r) && takenChanges(old, new, r) {
					out = append(out, Stale{other.Ref.Name, r.At, r.Deployment, r.Field})
				}
			}
		}
		for _, l := range other.ExternalLinks() {
			if has(old, l.To.Deployment, l.To.Channel) && has(new, l.To.Deployment, l.To.Channel) && !reflect.DeepEqual(old.Offer(l.To), new.Offer(l.To)) {
				out = append(out, Stale{other.Ref.Name, "link " + l.From.Channel, l.To.Deployment, l.To.Channel})
			}
		}
	}
	sorting.By(out, func(a, b Stale) int {
		return cmp.Or(strings.Compare(a.Solution, b.Solution), strings.Compare(a.At, b.At))
	})
	return out
}

// takenChanges reports whether the value that another solution has taken is another one.
func takenChanges(old, new *solution.Solution, r solution.Reference) bool {
	switch solution.KindOf(r.Field) {
	case solution.ObjectField:
		return false // which no solution says
	case solution.ChannelField:
		channel, _, _ := solution.SplitChannel(r.Field)
		end := solution.End{Deployment: r.Deployment, Channel: channel}
		return !reflect.DeepEqual(old.Offer(end), new.Offer(end)) // the address follows from that
	}
	return !reflect.DeepEqual(field(old, r), field(new, r))
}

// end looks at one end of a link, from is the other's own.
func end(old, new, other *solution.Solution, gone func(string) bool, from, fromChannel, to, toChannel string) []Dangling {
	switch {
	case other.Deployments[to] != nil:
		return nil
	case gone(to):
		return []Dangling{{other.Ref.Name, from, to, "link " + fromChannel}}
	case new != nil && has(old, to, toChannel) && !has(new, to, toChannel):
		return []Dangling{{other.Ref.Name, from, to + "." + toChannel, "link " + fromChannel}}
	}
	return nil
}

func has(s *solution.Solution, deployment, channel string) bool {
	d := s.Deployments[deployment]
	if d == nil {
		return false
	}
	srv := d.Artifact.Description.Srv
	return srv.Client[channel] != nil || srv.Server[channel] != nil || srv.Duplex[channel] != nil
}
