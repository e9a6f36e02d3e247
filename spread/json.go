package spread

import "encoding/json"

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
