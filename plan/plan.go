package plan

import (
	"maps"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Class says what happens to the instances of a role, or to a deployment.
type Class string

// The classes. What is [Unchanged] to [Recreate] is there before and after, in
// the order of how much happens.
const (
	// Unchanged: nothing differs, neither in the solution nor in the objects.
	Unchanged Class = "unchanged"
	// ScaleOnly: only the number of instances does.
	ScaleOnly Class = "scale-only"
	// ConfigOnly: something does that the instances are not restarted for.
	ConfigOnly Class = "config-only"
	// Rollout: the instances are replaced, one after the other.
	Rollout Class = "rollout"
	// Recreate: the instances are removed before there are new ones.
	Recreate Class = "recreate"
	// Create: it is new.
	Create Class = "create"
	// Delete: it is gone.
	Delete Class = "delete"
	// Renamed: it is gone under its old name and new under this one.
	Renamed Class = "renamed"
	// DataLoss: whatever else happens, the instances lose data that outlives
	// them.
	DataLoss Class = "data-loss"
)

// Classes are all classes, in the order in which they are counted.
var Classes = []Class{DataLoss, Delete, Renamed, Recreate, Rollout, Create, ConfigOnly, ScaleOnly, Unchanged}

// grade orders the classes of what is there before and after.
func (c Class) grade() int {
	return slices.Index([]Class{Unchanged, ScaleOnly, ConfigOnly, Rollout, Recreate}, c)
}

// restarts reports whether instances that run are replaced by others.
func (c Class) restarts() bool { return c == Rollout || c == Recreate }

// Place is a role of a deployment; Role is "" for the deployment itself.
type Place struct {
	Deployment string `json:"deployment"`
	Role       string `json:"role,omitempty"`
}

// String is DEPLOYMENT or DEPLOYMENT/ROLE: no name of a deployment has a slash.
func (p Place) String() string {
	if p.Role == "" {
		return p.Deployment
	}
	return p.Deployment + "/" + p.Role
}

func (p Place) compare(q Place) int {
	if c := strings.Compare(p.Deployment, q.Deployment); c != 0 {
		return c
	}
	return strings.Compare(p.Role, q.Role)
}

// Plan is the difference between two solutions.
type Plan struct {
	// Old and New are what is compared; empty for nothing.
	Old Side `json:"old"`
	New Side `json:"new"`
	// Entries has one for each deployment and role of both, sorted by place.
	Entries []Entry `json:"entries"`
	// Restarts are the places of roles whose running instances are replaced,
	// sorted: as the model has it, or as the target does if there is one.
	Restarts []string `json:"restarts"`
	// Dangling is what other solutions say of deployments that are gone.
	Dangling []Dangling `json:"dangling"`
	// Stale are values that other solutions have taken and that change.
	Stale []Stale `json:"stale"`
	// Target is what changes on a target, nil if none has been asked for.
	Target *Target `json:"target,omitempty"`
}

// Side names a solution.
type Side struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"`
}

// Entry is what happens to one deployment or role.
type Entry struct {
	Place
	Class Class `json:"class"`
	// Base is what Class would be if no data were lost.
	Base Class `json:"base"`
	// From is the place that it was renamed from.
	From *Place `json:"from,omitempty"`
	// Changes are the fields that differ, sorted by path.
	Changes []Change `json:"changes,omitempty"`
	// Losses are the volumes that are lost, sorted by path.
	Losses []Loss `json:"losses,omitempty"`
}

// Change is a field that differs. From or To is nil where there is none.
type Change struct {
	// Path is that of the field in the role or deployment, dotted.
	Path string `json:"path"`
	From any    `json:"from,omitempty"`
	To   any    `json:"to,omitempty"`
	// Class is what this change alone leads to, as the model has it.
	Class Class `json:"class,omitempty"`
}

// Compare says what becomes of an old solution with a new one; nil stands for
// nothing. It changes neither.
func Compare(old, new *solution.Solution) *Plan {
	c := comparer{old: index(old), new: index(new)}
	p := &Plan{Old: side(old), New: side(new), Entries: []Entry{}, Dangling: []Dangling{}, Stale: []Stale{}}
	was := renames(c.old.deployments, c.new.deployments, sameDeployment)
	for _, name := range sorting.Ordered(c.new.deployments) {
		from := name
		if old, ok := was[name]; ok {
			from = old
		}
		p.Entries = append(p.Entries, c.deployment(from, name)...)
	}
	gone := slices.Sorted(maps.Values(was))
	for _, name := range sorting.Ordered(c.old.deployments) {
		if c.new.deployments[name] == nil && !filter.Contains(gone, name) {
			p.Entries = append(p.Entries, c.deployment(name, "")...)
		}
	}
	p.finish()
	return p
}

func side(s *solution.Solution) Side {
	if s == nil {
		return Side{}
	}
	return Side{Name: s.Ref.Name, Digest: s.Digest}
}

// finish sorts the entries and fills in what follows from them.
func (p *Plan) finish() {
	sorting.By(p.Entries, func(a, b Entry) int { return a.compare(b.Place) })
	p.Restarts = []string{}
	for i := range p.Entries {
		e := &p.Entries[i]
		sorting.By(e.Losses, func(a, b Loss) int { return strings.Compare(a.Path, b.Path) })
		e.Class = e.Base
		if len(e.Losses) > 0 {
			e.Class = DataLoss
		}
		if e.Role != "" && e.Base.restarts() {
			p.Restarts = append(p.Restarts, e.String())
		}
	}
}

// Count is the number of entries of a class.
func (p *Plan) Count(c Class) int {
	n := 0
	for _, e := range p.Entries {
		if e.Class == c {
			n++
		}
	}
	return n
}

// Empty reports whether nothing changes at all.
func (p *Plan) Empty() bool {
	return p.Count(Unchanged) == len(p.Entries) && (p.Target == nil || len(p.Target.Objects) == 0)
}

// Worst is the class of all that happens, by what is least wanted of it.
func (p *Plan) Worst() Class {
	for _, c := range Classes {
		if p.Count(c) > 0 {
			return c
		}
	}
	return Unchanged
}
