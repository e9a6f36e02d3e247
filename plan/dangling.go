package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kumiki.dev/solution"
)

// Dangling is something that another solution says of a deployment that a plan
// removes or renames, or of a channel that it takes away.
type Dangling struct {
	// Solution and Deployment are the other's.
	Solution   string `json:"solution"`
	Deployment string `json:"deployment"`
	// Removed is the deployment, or the channel DEPLOYMENT.CHANNEL, that it names.
	Removed string `json:"removed"`
	// How is "up" or "link CHANNEL".
	How string `json:"how"`
}

func (d Dangling) String() string {
	return fmt.Sprintf("%s of solution %s names %s (%s)", d.Deployment, d.Solution, d.Removed, d.How)
}

// Others leaves out of solutions what is nothing, and versions of those that are
// compared: they say nothing about the next.
func Others(old, new *solution.Solution, all []*solution.Solution) []*solution.Solution {
	return slices.DeleteFunc(slices.Clone(all), func(s *solution.Solution) bool {
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
		for _, name := range slices.Sorted(maps.Keys(other.Deployments)) {
			if up := other.Deployments[name].Up; up != nil && gone(*up) {
				out = append(out, Dangling{other.Ref.Name, name, *up, "up"})
			}
		}
		for _, l := range other.Links {
			out = append(out, end(old, new, other, gone, l.Source, l.SourceChannel, l.Target, l.TargetChannel)...)
			out = append(out, end(old, new, other, gone, l.Target, l.TargetChannel, l.Source, l.SourceChannel)...)
		}
	}
	slices.SortFunc(out, func(a, b Dangling) int {
		return cmp.Or(strings.Compare(a.Solution, b.Solution), strings.Compare(a.Deployment, b.Deployment), strings.Compare(a.Removed, b.Removed), strings.Compare(a.How, b.How))
	})
	return slices.Compact(out)
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
