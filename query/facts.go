package query

import (
	"cmp"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Facts are what questions about many solutions need to know of each: names, and none of
// the values.
type Facts struct {
	// Solution is its name, Digest that of its contents.
	Solution string `json:"solution"`
	Digest   string `json:"digest"`
	// Entry is its number in the history that it was found in; 0 for the one that is
	// current, or is in none.
	Entry int `json:"-"`
	// Deployments are the names of its deployments, sorted.
	Deployments []string `json:"deployments"`
	// Up is the deployment that its top hangs from; "" for none.
	Up string `json:"up,omitempty"`
	// Modules are those that it was made of, PATH@VERSION, sorted.
	Modules []string `json:"modules"`
	// Instances are the places in it that artifacts fill.
	Instances []Instance `json:"instances"`
	// Mentions are the deployments of others that it names.
	Mentions []Mention `json:"mentions"`
}

// Mention is a place in a solution where a deployment of another one is named.
type Mention struct {
	// Solution and Deployment are the ones that name it.
	Solution   string `json:"solution"`
	Deployment string `json:"deployment"`
	// At is where: up, a field of the config, or "link CHANNEL".
	At string `json:"at"`
	// Of is the deployment that is named, Field what of it: a field that a value is
	// taken from, or a channel; "" for up.
	Of    string `json:"of"`
	Field string `json:"field,omitempty"`
}

// Link is the channel from which a link leads to what is mentioned; false for what else
// is.
func (m Mention) Link() (channel string, ok bool) { return strings.CutPrefix(m.At, "link ") }

// isLink reports whether a mention is of a channel that a link leads to.
func (m Mention) isLink() bool {
	_, ok := m.Link()
	return ok
}

// FactsOf are the facts of a solution.
func FactsOf(s *solution.Solution) Facts {
	f := Facts{Solution: s.Top, Digest: s.Digest, Deployments: sorting.Ordered(s.Deployments), Modules: []string{}, Instances: instances(s), Mentions: mentions(s)}
	if top := s.Deployments[s.Top]; top != nil && top.Up != nil {
		f.Up = *top.Up
	}
	if s.Inputs != nil {
		for _, m := range s.Inputs.Modules {
			f.Modules = append(f.Modules, strings.TrimSuffix(m.Module+"@"+m.Version, "@"))
		}
	}
	slices.Sort(f.Modules)
	return f
}

// FactsOfAll are the facts of solutions.
func FactsOfAll(all []*solution.Solution) []Facts {
	out := make([]Facts, 0, len(all))
	for _, s := range all {
		out = append(out, FactsOf(s))
	}
	return out
}

// mentions lists the deployments of others that a solution names.
func mentions(s *solution.Solution) []Mention {
	out := []Mention{}
	for name, d := range s.Deployments {
		if d.Up != nil && (name == s.Top || s.Deployments[*d.Up] == nil) {
			out = append(out, Mention{s.Top, name, "up", *d.Up, ""})
		}
	}
	if s.Inputs != nil {
		for _, r := range s.Inputs.References {
			out = append(out, Mention{s.Top, s.Top, r.At, r.Deployment, r.Field})
		}
	}
	link := func(from, fromChannel, to, toChannel string) {
		if s.Deployments[to] == nil {
			out = append(out, Mention{s.Top, from, "link " + fromChannel, to, toChannel})
		}
	}
	for _, l := range s.ExternalLinks() {
		link(l.From.Deployment, l.From.Channel, l.To.Deployment, l.To.Channel)
	}
	for _, l := range s.Links { // in files of other tools
		link(l.Source, l.SourceChannel, l.Target, l.TargetChannel)
		link(l.Target, l.TargetChannel, l.Source, l.SourceChannel)
	}
	sorting.By(out, compareMentions)
	return slices.Compact(out)
}

func compareMentions(a, b Mention) int {
	return cmp.Or(strings.Compare(a.Solution, b.Solution), strings.Compare(a.Deployment, b.Deployment),
		strings.Compare(a.At, b.At), strings.Compare(a.Of, b.Of), strings.Compare(a.Field, b.Field))
}

// Mentions lists where solutions name a deployment, or one that it was made into
// (shop.entry for shop), sorted. With DEPLOYMENT.FIELD or DEPLOYMENT.CHANNEL, only where
// that is named, or what is above or below it.
func Mentions(all []Facts, name string) []Mention {
	out := []Mention{}
	for _, f := range all {
		for _, m := range f.Mentions {
			if m.names(name) {
				out = append(out, m)
			}
		}
	}
	sorting.By(out, compareMentions)
	return out
}

// names reports whether a mention is of what a text names.
func (m Mention) names(text string) bool {
	whole := m.Of
	if m.Field != "" {
		whole += "." + m.Field
	}
	return within(whole, text) || m.Field != "" && within(text, whole)
}

// within reports whether a path is another one, or below it.
func within(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '.')
}

// Naming are the indices of the solutions that name one of the deployments, or one of a
// solution that does, and so on.
func Naming(all []Facts, deployments []string) []int {
	named, found := map[string]bool{}, map[int]bool{}
	for next := deployments; len(next) > 0; {
		for _, name := range next {
			named[name] = true
		}
		next = nil
		for i, f := range all {
			if !found[i] && filter.Any(f.Mentions, func(m Mention) bool { return named[m.Of] }) {
				found[i] = true
				next = append(next, f.Deployments...)
			}
		}
	}
	return sorting.Ordered(found)
}

// Involved are the indices of the solutions that have values of others or links to them,
// and of those that these are of. Who only hangs from others (up) is not among them: for
// that no values are needed.
func Involved(all []Facts) []int {
	owner, found := owners(all), map[int]bool{}
	for i, f := range all {
		for _, m := range f.Mentions {
			if m.At == "up" {
				continue
			}
			found[i] = true
			if other, ok := owner[m.Of]; ok {
				found[other] = true
			}
		}
	}
	return sorting.Ordered(found)
}

// owners are the indices of the solutions that have deployments.
func owners(all []Facts) map[string]int {
	out := map[string]int{}
	for i, f := range all {
		for _, name := range f.Deployments {
			out[name] = i
		}
	}
	return out
}
