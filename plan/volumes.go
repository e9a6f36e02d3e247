package plan

import (
	"fmt"
	"strings"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Loss is data that outlives instances and that they will not have any more.
type Loss struct {
	// Path is DEPLOYMENT/ROLE/VOLUME, in the old solution's words.
	Path string `json:"path"`
	// Why says what is done to the volume.
	Why string `json:"why"`
}

// registered are the ids of the volumes that a role's containers mount and that
// outlive its instances, with the keys that the role has for them.
func registered(r *solution.Role) map[string]string {
	ids := map[string]string{}
	if r == nil {
		return ids
	}
	resources := merged(r).Resource
	for _, c := range r.Artifact.Description.Code {
		for _, f := range c.Mapping.Filesystem {
			if v := find(resources, f.Volume); f.Volume != "" && v != nil && v.Volume != nil && v.Volume.Size == nil {
				ids[v.Volume.ID] = f.Volume
			}
		}
	}
	return ids
}

// find is a resource by its key; a dot leads into a group.
func find(resources map[string]*solution.Resource, key string) *solution.Resource {
	if r := resources[key]; r != nil {
		return r
	}
	group, rest, ok := strings.Cut(key, ".")
	if r := resources[group]; ok && r != nil {
		return find(r.Group, rest)
	}
	return nil
}

// lose adds the registered volumes that the old role has and the new one, nil
// for none, has not.
func (e *Entry) lose(o, n *solution.Role, why string) {
	at := e.Place
	if e.From != nil {
		at = *e.From
	}
	kept := registered(n)
	had := registered(o)
	for _, id := range sorting.Ordered(had) {
		if _, ok := kept[id]; !ok {
			e.Losses = append(e.Losses, Loss{Path: at.String() + "/" + id, Why: fmt.Sprintf("%s: volume %s (%s)", why, id, had[id])})
		}
	}
}
