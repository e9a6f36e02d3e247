package value

import (
	"cmp"
	"encoding/json"

	"kumiki.dev/diag"
)

// Tree is what a deployment becomes when its configuration has reached every
// component and builtin: the artifact at the top with its roles below it,
// everything concrete.
type Tree struct {
	// Config is what the deployer gives, defaults of the artifact not included.
	Config *Data
	// Name is the deployment's name, as the manifest or the command line has it.
	Name string
	// Up names the deployment that governs this one's life cycle; nil for none.
	Up *string
	// UpPos is where that is written.
	UpPos diag.Pos
	// Meta is the deployment's meta, {} when absent.
	Meta *Data
	// SLA is the deployment's service level agreement, nil when absent.
	SLA *Data
	// Objects are those of the target's own that go with the deployment, by the names
	// that its author gives them; nil when absent.
	Objects *Data
	// Root is the artifact that is deployed.
	Root *Node
	// Pos is the place of the #Deployment.
	Pos diag.Pos
	// Work tells how the nodes were made, for those who watch over speed.
	Work Work
	// Lent are the places of configs that shared nodes were made with, where another
	// role with an equal config has it from elsewhere: of a problem at one of them, it
	// is not certain whose it is.
	Lent map[diag.Pos]bool
}

// Work counts the nodes of a tree by how they were made. One of an artifact and a
// config that there has been before counts as remembered, whatever is below it.
type Work struct {
	Evaluated    int // by CUE, which is where the time goes
	Instantiated int // by partial evaluation
	Sliced       int // slices of artifacts, by CUE
	Remembered   int // by the memo
	Kept         int // by an earlier run, see [Keeper]
	Recalled     int // by an earlier run of this process, see [Memory]
	// Compiled is how many nodes of syntax CUE was given for that, the model apart.
	Compiled int
}

// Node is an artifact together with one finished configuration. Nodes of equal
// artifact and configuration may be shared, so a Node is never changed.
type Node struct {
	// Ref is the artifact's name.
	Ref Ref
	// Spec is the version of the model, [1 0].
	Spec []int
	// Package is the package that the artifact is defined in; nil where nothing is
	// known of it.
	Package Package
	// Builtin tells that the platform itself implements the artifact; it has
	// channels and a config, but neither code nor roles.
	Builtin bool
	// Config has parameter, resource, scale and resilience, all present, the
	// artifact's defaults included.
	Config *Data
	// Description is the artifact's finished description without config, role
	// and builtin: srv; code, size, probe, profile of a component; connect and
	// vset of a service. Optional members may be absent.
	Description *Data
	// Roles are a service's roles, sorted by name; nil for a component or builtin.
	Roles []*Role
	// Pos is the place of the artifact's definition.
	Pos diag.Pos
	// UnreadQos are the parts of the load (scale.qos) that the node is given and nothing
	// in its artifact reads, each as a path from "config" on.
	UnreadQos [][]string
	// Unknown tells that nothing is known about the artifact, for a reason that
	// is reported: its package is missing or cannot be evaluated.
	Unknown bool
	// Kept is what the solution of an earlier run has of the node; nil where this
	// run has made it. A node with it has neither Config nor Spec, of its description
	// only srv, and roles without anything in them are within it.
	Kept *Kept
}

// Package is where an artifact is defined, as the loader has it.
type Package interface {
	// ImportPath is the import path with its qualifier.
	ImportPath() string
}

// Kept is a node in the bytes of a solution, as they are there.
type Kept struct{ Artifact, Config []byte }

// Ref names an artifact. It is Kumori's #Ref.
//
// Its fields are in the order of their JSON keys, as canonical JSON has them.
type Ref struct {
	BuildMetadata string `json:"buildmetadata,omitempty"`
	Domain        string `json:"domain"`
	Kind          string `json:"kind"` // "component" or "service"
	Module        string `json:"module"`
	Name          string `json:"name"`
	Prerelease    string `json:"prerelease,omitempty"`
	Version       []int  `json:"version"` // major, minor, patch
}

// Role is a place in a service that an artifact fills.
type Role struct {
	Name string
	// Meta is the role's meta, {} when absent.
	Meta *Data
	// Node is the artifact with the configuration that reached it.
	Node *Node
	// Pos is the place of the role in the service.
	Pos diag.Pos
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

// Called is the artifact's name for people: that of its reference, or the path
// of its package where that says none.
func (n *Node) Called() string {
	if n.Package == nil {
		return n.Ref.Name
	}
	return cmp.Or(n.Ref.Name, n.Package.ImportPath())
}
