package solution

import (
	"encoding/json"
	"fmt"

	"kumiki.dev/internal/jsondata"
)

// maxGroups is how deep groups of resources may be nested.
const maxGroups = 20

// Resource is a resource of the cluster, of exactly one kind, or a named group
// of resources.
type Resource struct {
	Volume      *Volume
	Secret      string
	Port        string
	Domain      string
	Certificate string
	CA          string
	Group       map[string]*Resource
}

// Volume is a registered volume (ID) or a volatile one (Size).
type Volume struct {
	ID   string
	Size *Amount
}

// Kind is what the resource is: volume, secret, port, domain, certificate, ca,
// or group.
func (r *Resource) Kind() string {
	if r.Volume != nil {
		return "volume"
	}
	for kind, id := range r.ids() {
		if *id != "" {
			return kind
		}
	}
	return "group"
}

// ids are the fields that hold the id of a registered resource, by kind.
func (r *Resource) ids() map[string]*string {
	return map[string]*string{
		"secret": &r.Secret, "port": &r.Port, "domain": &r.Domain, "certificate": &r.Certificate, "ca": &r.CA,
	}
}

// MarshalJSON writes {"secret": "id"} and the like, or the group's members.
func (r *Resource) MarshalJSON() ([]byte, error) { return json.Marshal(r.plain()) }

// plain is what MarshalJSON writes.
func (r *Resource) plain() any {
	switch kind := r.Kind(); kind {
	case "volume":
		if r.Volume.Size != nil {
			return map[string]any{kind: *r.Volume.Size}
		}
		return map[string]any{kind: r.Volume.ID}
	case "group":
		group := map[string]any{}
		for name, member := range r.Group {
			group[name] = member
		}
		return group
	default:
		return map[string]any{kind: *r.ids()[kind]}
	}
}

// UnmarshalJSON is the inverse of MarshalJSON. An object with one member that
// is called like a kind of resource and holds what that kind holds is a
// resource, any other is a group.
func (r *Resource) UnmarshalJSON(b []byte) error {
	x, err := jsondata.Decode(b)
	if err != nil {
		return err
	}
	*r = Resource{}
	return r.set(x, 0)
}

// badResource is what is wrong with a resource; path leads there through the
// groups around it.
type badResource struct {
	path []string
	text string
}

func (b *badResource) Error() string {
	if len(b.path) == 0 {
		return "the resource " + b.text
	}
	return dotted(b.path) + " " + b.text
}

// set makes r of plain data, each part of which is looked at once; depth counts
// the groups around it. The error is a [badResource].
func (r *Resource) set(x any, depth int) error {
	members, ok := x.(map[string]any)
	if !ok {
		return &badResource{nil, fmt.Sprintf("is %s, where the format has a resource such as {\"secret\": \"id\"}", found(x))}
	}
	if len(members) == 1 {
		for kind, id := range r.ids() {
			if text, ok := members[kind].(string); ok {
				*id = text
				return filled(kind, text)
			}
		}
		if v := volume(members["volume"]); v != nil {
			r.Volume = v
			if v.Size == nil {
				return filled("volume", v.ID)
			}
			if !isAmount(v.Size.Size) {
				return &badResource{[]string{"volume", "size"}, notAmount(v.Size.Size)}
			}
			return nil
		}
	}
	if depth == maxGroups {
		return &badResource{nil, fmt.Sprintf("is in %d groups of resources in each other, which are the most", maxGroups)}
	}
	r.Group = map[string]*Resource{}
	for _, name := range keys(members) {
		r.Group[name] = &Resource{}
		if err := r.Group[name].set(members[name], depth+1); err != nil {
			bad := err.(*badResource)
			bad.path = append([]string{name}, bad.path...)
			return bad
		}
	}
	return nil
}

func filled(kind, id string) error {
	if id == "" {
		return &badResource{[]string{kind}, "is empty: it is the id of a registered resource"}
	}
	return nil
}

// volume makes a volume of plain data; nil for what does not look like one.
// The amount's kind may be left out.
func volume(x any) *Volume {
	switch x := x.(type) {
	case string:
		return &Volume{ID: x}
	case map[string]any:
		size, sized := x["size"].(json.Number)
		unit, in := x["unit"].(string)
		members := 2
		if kind, ok := x["kind"]; ok {
			members = 3
			sized = sized && kind == "storage"
		}
		if !sized || !in || len(x) != members {
			return nil
		}
		return &Volume{Size: &Amount{Kind: "storage", Size: size, Unit: unit}}
	default:
		return nil
	}
}

// MarshalJSON writes the id of a registered volume as a string, a volatile one
// as its amount.
func (v *Volume) MarshalJSON() ([]byte, error) {
	if v.Size != nil {
		return json.Marshal(v.Size)
	}
	return json.Marshal(v.ID)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (v *Volume) UnmarshalJSON(b []byte) error {
	x, err := jsondata.Decode(b)
	if err != nil {
		return err
	}
	read := volume(x)
	if read == nil {
		return fmt.Errorf("a volume is an id or {\"size\": 1, \"unit\": \"G\"}, not %s", found(x))
	}
	*v = *read
	return nil
}
