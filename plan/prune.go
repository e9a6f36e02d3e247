package plan

import (
	"slices"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/internal/volumepath"
	"kumiki.dev/targets"
)

// PruneOptions say what else may go; the zero value is the safe one.
type PruneOptions struct {
	// Data allows claims, which hold what the instances have stored: those of the
	// volumes DEPLOYMENT/ROLE/VOLUME, roles and deployments that it names.
	Data []string
	// Replaced adds the objects that have to be deleted because a field of theirs
	// cannot change.
	Replaced bool
}

// Prune lists the objects of old that new no longer has, in the order in which
// they can be deleted. What is in
// keep as well belongs to another solution too, and stays. What a target never
// removes or only refers to is not in the list, and what holds data only with the
// option: that which an object leaves behind comes after it.
func Prune(by targets.Orchestrator, old, new, keep []targets.Object, o PruneOptions) ([]targets.Object, error) {
	t := orchestrator{by}
	before, err := t.read(old)
	if err != nil {
		return nil, err
	}
	after, err := t.read(slices.Concat(new, keep))
	if err != nil {
		return nil, err
	}
	stays := byID(after)
	var out []targets.Object
	for _, s := range removal(before) {
		n, ok := stays[s.id]
		if ok && !(o.Replaced && t.Fixed(s.data, n.data)) || s.Stays || s.External {
			continue
		}
		if s.Volume != "" && !volumepath.Covers(o.Data, s.volume(s.Volume)) {
			continue
		}
		out = append(out, s.Object)
		if !ok {
			for volume, left := range t.Left(s.data) {
				if volumepath.Covers(o.Data, s.volume(volume)) {
					out = append(out, left)
				}
			}
		}
	}
	return out, nil
}

// removal is the order in which objects can go: the reverse of that in which
// they are made, but for those that the target wants to go first.
func removal(objects []seen) []seen {
	out := slices.Clone(objects)
	slices.Reverse(out)
	sorting.By(out, func(a, b seen) int {
		switch x, y := a.GoesFirst, b.GoesFirst; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return out
}

// Deleted describes objects that go.
func Deleted(by targets.Orchestrator, objects []targets.Object) ([]Object, error) {
	all, err := orchestrator{by}.read(objects)
	out := make([]Object, 0, len(all))
	for _, s := range all {
		out = append(out, s.object(DeleteObject))
	}
	return out, err
}

// volume is the path of a volume of an object's role.
func (s seen) volume(name string) string {
	return Place{s.Deployment, s.Role}.String() + "/" + name
}
