package targets

import (
	"slices"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Need is something that has to be where objects are to run, and is not one of them.
type Need struct {
	// Kind and Name are the target's: Secret, shop-db-password.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// ID is what it is registered as, where that is no name that the target takes.
	ID string `json:"id,omitempty"`
	// Type is that of a Secret of Kubernetes, "" for any.
	Type string `json:"type,omitempty"`
	// Keys are those that are read of it, sorted; empty where that is not how it is used.
	Keys []string `json:"keys,omitempty"`
	// Note says what it is for, or what it is like.
	Note string `json:"note,omitempty"`
	// Command makes it, with words in capitals for what only its owner knows; "" where
	// there is no such line.
	Command string `json:"command,omitempty"`
	// For are the objects that refer to it, KIND/NAME, sorted.
	For []string `json:"for"`
}

// Needs are collected from objects, each once.
type Needs struct {
	all []*Need
	at  map[[2]string]*Need
}

// Of is the need of a kind and name, which an object has.
func (n *Needs) Of(kind, name string, by Object) *Need {
	if n.at == nil {
		n.at = map[[2]string]*Need{}
	}
	found := n.at[[2]string{kind, name}]
	if found == nil {
		found = &Need{Kind: kind, Name: name}
		n.at[[2]string{kind, name}] = found
		n.all = append(n.all, found)
	}
	found.For = append(found.For, by.Kind+"/"+by.Name)
	return found
}

// Sorted are all, by kind and name.
func (n *Needs) Sorted() []*Need {
	sorting.By(n.all, func(a, b *Need) int {
		return slices.Compare([]string{a.Kind, a.Name}, []string{b.Kind, b.Name})
	})
	for _, x := range n.all {
		slices.Sort(x.For)
		x.For = slices.Compact(x.For)
		slices.Sort(x.Keys)
		x.Keys = slices.Compact(x.Keys)
	}
	return n.all
}

// RegisteredIDs are the ids of all resources that a solution says are registered, sorted.
func RegisteredIDs(s *solution.Solution) []string {
	found := map[string]bool{}
	var look func(r *solution.Resource)
	look = func(r *solution.Resource) {
		if r == nil {
			return
		}
		for _, id := range []string{r.Secret, r.Port, r.Domain, r.Certificate, r.CA} {
			found[id] = true
		}
		if r.Volume != nil {
			found[r.Volume.ID] = true
		}
		for _, member := range r.Group {
			look(member)
		}
	}
	all := func(c solution.Config) {
		for _, r := range c.Resource {
			look(r)
		}
	}
	for _, d := range s.Deployments {
		all(d.Config)
		for _, r := range d.Artifact.Description.Role {
			all(r.Config)
		}
	}
	delete(found, "")
	return Keys(found)
}
