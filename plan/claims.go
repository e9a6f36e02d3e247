package plan

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// claims adds the losses that only show on the target: instances that are given
// other volumes than they had, and claims that ask for less than they hold.
func (p *Plan) claims(before, after []seen) {
	had, has := claimsOf(before), claimsOf(after)
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Base.grade() < 0 || len(e.Losses) > 0 {
			continue // said already, in the solution's words
		}
		for _, name := range slices.Sorted(maps.Keys(had[e.Place])) {
			old := had[e.Place][name]
			new, kept := has[e.Place][name]
			path := e.String() + "/" + name
			switch {
			case !kept:
				e.Losses = append(e.Losses, Loss{path, fmt.Sprintf("the instances have another volume than %s on %s", name, p.Target.Name)})
			case smaller(new, old):
				e.Losses = append(e.Losses, Loss{path, fmt.Sprintf("volume %s shrinks from %s to %s", name, old, new)})
			}
		}
	}
}

// claimsOf are the volumes of each place's instances that outlive them, with
// the size that they ask for, "" where none is said.
func claimsOf(objects []seen) map[Place]map[string]string {
	out := map[Place]map[string]string{}
	add := func(o seen, name, size string) {
		at := Place{o.Deployment, o.Role}
		if out[at] == nil {
			out[at] = map[string]string{}
		}
		if o.id.namespace != "" {
			name = o.id.namespace + "/" + name
		}
		out[at][name] = size
	}
	volumes := map[string]string{} // of Swarm: the names in the swarm, by those in the stack
	for _, o := range objects {
		if name, ok := o.value["name"].(string); ok && o.Kind == "Volume" {
			// What follows is filled in for each task but the first.
			volumes[o.Name], _, _ = strings.Cut(name, "{{")
		}
	}
	for _, o := range objects {
		switch {
		case isPods(o.value):
			for _, v := range list(at(o.value, "spec", "template", "spec", "volumes")) {
				if name, ok := at(v, "persistentVolumeClaim", "claimName").(string); ok {
					add(o, name, "")
				}
			}
			for _, t := range list(at(o.value, "spec", "volumeClaimTemplates")) {
				name, _ := at(t, "metadata", "name").(string)
				size, _ := at(t, "spec", "resources", "requests", "storage").(string)
				add(o, name+"-"+o.Name, size)
			}
		case isTasks(o.value):
			for _, v := range list(o.value["volumes"]) {
				source, _ := at(v, "source").(string)
				if name, ok := volumes[source]; ok && source != "" {
					add(o, name, "")
				}
			}
		}
	}
	return out
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// units are those of Kubernetes' quantities.
var units = map[string]string{
	"": "1", "m": "1/1000", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18",
	"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776", "Pi": "1125899906842624", "Ei": "1152921504606846976",
}

// smaller tells whether one quantity is less than another; false if one of them
// is none.
func smaller(a, b string) bool {
	x, y := quantity(a), quantity(b)
	return x != nil && y != nil && x.Cmp(y) < 0
}

func quantity(text string) *big.Rat {
	number := strings.TrimRight(text, "mkKMGTPEi")
	unit, known := units[text[len(number):]]
	q, ok := new(big.Rat).SetString(number)
	u, fine := new(big.Rat).SetString(unit)
	if !known || !ok || !fine || number == "" {
		return nil
	}
	return q.Mul(q, u)
}
