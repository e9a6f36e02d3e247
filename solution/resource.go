package solution

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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
func (r *Resource) MarshalJSON() ([]byte, error) {
	switch kind := r.Kind(); kind {
	case "volume":
		return json.Marshal(map[string]*Volume{kind: r.Volume})
	case "group":
		if r.Group == nil {
			return []byte("{}"), nil
		}
		return json.Marshal(r.Group)
	default:
		return json.Marshal(map[string]string{kind: *r.ids()[kind]})
	}
}

// UnmarshalJSON is the inverse of MarshalJSON. An object with one member that
// is called like a kind of resource and holds what that kind holds is a
// resource, any other is a group.
func (r *Resource) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var x any
	if err := dec.Decode(&x); err != nil {
		return err
	}
	*r = Resource{}
	return r.set(x, 0)
}

// set makes r of plain data, each part of which is looked at once.
func (r *Resource) set(x any, depth int) error {
	members, ok := x.(map[string]any)
	if !ok {
		return fmt.Errorf("a resource is an object such as {\"secret\": \"id\"}")
	}
	if len(members) == 1 {
		for kind, id := range r.ids() {
			if text, ok := members[kind].(string); ok {
				*id = text
				return filled(kind, text)
			}
		}
		if v, err := volume(members["volume"]); v != nil {
			r.Volume = v
			return err
		}
	}
	if depth == maxGroups {
		return fmt.Errorf("more than %d groups of resources in each other", maxGroups)
	}
	r.Group = map[string]*Resource{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		r.Group[name] = &Resource{}
		if err := r.Group[name].set(members[name], depth+1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func filled(kind, id string) error {
	if id == "" {
		return fmt.Errorf("the id of the %s is empty", kind)
	}
	return nil
}

// volume makes a volume of plain data; nil for what does not look like one.
func volume(x any) (*Volume, error) {
	switch x := x.(type) {
	case string:
		return &Volume{ID: x}, filled("volume", x)
	case map[string]any:
		size, sized := x["size"].(json.Number)
		unit, in := x["unit"].(string)
		kind, known := x["kind"].(string)
		if !sized || !in || known && (len(x) > 3 || kind != "storage") || !known && len(x) > 2 {
			return nil, nil
		}
		v := &Volume{Size: &Amount{Kind: "storage", Size: size, Unit: unit}}
		if rat(size).Sign() < 0 {
			return v, fmt.Errorf("the size of the volume is %s", size)
		}
		return v, nil
	default:
		return nil, nil
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
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var x any
	if err := dec.Decode(&x); err != nil {
		return err
	}
	read, err := volume(x)
	if read == nil {
		return fmt.Errorf("a volume is an id or {\"size\": 1, \"unit\": \"G\"}")
	}
	*v = *read
	return err
}
