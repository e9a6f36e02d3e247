package plan

import (
	"fmt"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets"
)

// claims adds the losses that only show on the target: instances that are given
// other volumes than they had, and claims that ask for less than they hold.
func (p *Plan) claims(t orchestrator, before, after []seen) {
	had, has := t.claimsOf(before), t.claimsOf(after)
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Base.grade() < 0 || len(e.Losses) > 0 {
			continue // said already, in the solution's words
		}
		for _, name := range sorting.Ordered(had[e.Place]) {
			old := had[e.Place][name]
			new, kept := has[e.Place][name]
			path := e.String() + "/" + name
			switch {
			case !kept:
				e.Losses = append(e.Losses, Loss{path, fmt.Sprintf("the instances have another volume than %s on %s", name, p.Target.Name)})
			case t.Smaller(new, old):
				e.Losses = append(e.Losses, Loss{path, fmt.Sprintf("volume %s shrinks from %s to %s", name, old, new)})
			}
		}
	}
}

// claimsOf are the volumes of each place's instances that outlive them, with
// the size that they ask for, "" where none is said.
func (t orchestrator) claimsOf(objects []seen) map[Place]map[string]string {
	all := make([]targets.Object, 0, len(objects))
	for _, o := range objects {
		all = append(all, o.data)
	}
	out := map[Place]map[string]string{}
	for _, c := range t.Claims(all) {
		at := Place{c.Deployment, c.Role}
		if out[at] == nil {
			out[at] = map[string]string{}
		}
		out[at][c.Name] = c.Size
	}
	return out
}
