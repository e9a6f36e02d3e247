package spread

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// UnmarshalJSON implements [json.Unmarshaler]: what comes in has no places.
func (d *Data) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	*d = *plain(v)
	return nil
}

// plain makes data of what a decoder has made.
func plain(v any) *Data {
	switch v := v.(type) {
	case map[string]any:
		out := &Data{Kind: Struct}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out.Fields = append(out.Fields, Field{name, plain(v[name])})
		}
		return out
	case []any:
		out := &Data{Kind: List}
		for _, x := range v {
			out.Items = append(out.Items, plain(x))
		}
		return out
	case string:
		return &Data{Kind: String, Text: v}
	case bool:
		return &Data{Kind: Bool, Text: strconv.FormatBool(v)}
	case json.Number:
		kind := Int
		if strings.ContainsAny(v.String(), ".eE") {
			kind = Float
		}
		return &Data{Kind: kind, Text: v.String()}
	}
	return &Data{Kind: Null, Text: "null"}
}

// MarshalJSON shows the deployment's own level, as kumiki compile --emit
// unified prints it.
func (t *Top) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name   string  `json:"name"`
		Up     *string `json:"up"`
		Meta   *Data   `json:"meta"`
		Config *Data   `json:"config"`
	}{t.Name, t.Up, orEmpty(t.Meta), t.Config})
}

// MarshalJSON shows the tree, as kumiki compile --emit spread prints it.
func (t *Tree) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name     string  `json:"name"`
		Up       *string `json:"up"`
		Meta     *Data   `json:"meta"`
		Artifact *Node   `json:"artifact"`
	}{t.Name, t.Up, t.Meta, t.Root})
}

// MarshalJSON shows an artifact with the configuration that reached it.
func (n *Node) MarshalJSON() ([]byte, error) {
	type role struct {
		Meta     *Data `json:"meta"`
		Artifact *Node `json:"artifact"`
	}
	var roles map[string]role
	if n.Roles != nil {
		roles = make(map[string]role, len(n.Roles))
		for _, r := range n.Roles {
			roles[r.Name] = role{r.Meta, r.Node}
		}
	}
	return json.Marshal(struct {
		Ref         Ref             `json:"ref"`
		Builtin     bool            `json:"builtin"`
		Config      *Data           `json:"config"`
		Description *Data           `json:"description"`
		Roles       map[string]role `json:"role,omitempty"`
	}{n.Ref, n.Builtin, n.Config, n.Description, roles})
}
