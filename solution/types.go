package solution

import (
	"encoding/json"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// Cspec is the version of the format that is written and read.
const Cspec = "1.0"

// Ref names an artifact.
type Ref = value.Ref

// Solution is a collection of deployments and the links between them. One
// deployment is the top; the others descend from it by up.
type Solution struct {
	Comment     string                 `json:"comment"`
	Cspec       string                 `json:"cspec"`
	Deployments map[string]*Deployment `json:"deployments"`
	// Digest is "sha256:…" over the canonical bytes of all the rest; "" in files
	// that other tools wrote, and until the solution is encoded.
	Digest string `json:"digest,omitempty"`
	// External is what it has to do with deployments of other solutions; nil for nothing.
	External *External `json:"external,omitempty"`
	// Inputs are what the solution was made of.
	Inputs *Inputs `json:"inputs,omitempty"`
	// Labels tell it from other solutions, to whom it links among others.
	Labels map[string]string `json:"labels,omitempty"`
	// Late are the values that are not known yet.
	Late []Late `json:"late,omitempty"`
	// Layout is the tree of roles before it was flattened.
	Layout *Layout `json:"layout,omitempty"`
	Links  []Link  `json:"links"`
	// ObjectLabels are those of the template and the environment that it was made for. The
	// objects have them, and their instances do not.
	ObjectLabels map[string]string `json:"objectLabels,omitempty"`
	// Objects are those of Kubernetes' that go with it as they are, by the names that the
	// author gives them.
	Objects map[string]any `json:"objects,omitempty"`
	Ref     SolutionRef    `json:"ref"`
	// SLA is the service level agreement of the top deployment, an object; nil for none.
	SLA any    `json:"sla,omitempty"`
	Top string `json:"top"`

	// Acknowledged are the warnings that the sources say are known; none for a solution
	// that was read from a file.
	Acknowledged diag.Acknowledgements `json:"-"`

	sources map[string]source // where deployments and roles were written
	objects *value.Data       // where Objects were
}

// SolutionRef names a solution: who deploys it, and as what.
type SolutionRef struct {
	Domain string `json:"domain"`
	Kind   string `json:"kind"` // "solution"
	Name   string `json:"name"`
}

// Inputs are the sources of a solution.
type Inputs struct {
	Modules []Input `json:"modules"`
	// References are the values that were taken from other deployments.
	References []Reference `json:"references,omitempty"`
	// Values is the digest of what the command line gave; "" for nothing.
	Values string `json:"values,omitempty"`
}

// Input is a module that took part.
type Input struct {
	Digest  string `json:"digest,omitempty"` // of those of its packages that took part; "" for modules of kumiki's own
	Module  string `json:"module"`
	Version string `json:"version,omitempty"`
}

// Reference is a field of the config whose value is that of another deployment's
// field.
type Reference struct {
	At         string `json:"at"` // the field: config.parameter.host
	Deployment string `json:"deployment"`
	Field      string `json:"field"` // what it is of: config.parameter.host
}

// Layout says where a role of the original tree went.
type Layout struct {
	Artifact   Ref                `json:"artifact"`
	Deployment string             `json:"deployment"`     // the deployment that the role is, or is in
	Role       string             `json:"role,omitempty"` // its name there; "" when it is the deployment
	Roles      map[string]*Layout `json:"roles,omitempty"`
}

// Deployment is an artifact with its configuration.
type Deployment struct {
	Artifact *Artifact `json:"artifact"`
	Config   Config    `json:"config"`
	Meta     any       `json:"meta"`
	Name     string    `json:"name"`
	Up       *string   `json:"up"`

	kept *value.Kept // in place of Artifact and Config
}

// Artifact is a component, a flat service, or a builtin.
type Artifact struct {
	Description Description `json:"description"`
	Ref         Ref         `json:"ref"`
	Spec        []int       `json:"spec"`
}

// Description is what an artifact consists of. Code, Probe, Profile and Size
// are there for components, Connector and Role for services, neither for
// builtins.
type Description struct {
	Builtin   bool                  `json:"builtin"`
	Code      map[string]*Container `json:"code,omitempty"`
	Config    Config                `json:"config"`
	Connector map[string]*Connector `json:"connector,omitzero"`
	Probe     map[string]*Probe     `json:"probe,omitzero"`
	Profile   *Profile              `json:"profile,omitempty"`
	Role      map[string]*Role      `json:"role,omitzero"`
	Size      *Size                 `json:"size,omitempty"`
	Srv       Srv                   `json:"srv"`
}

// Config is a finished configuration. Parameter is absent (nil) where the
// format has none: in the config of a role.
type Config struct {
	Parameter  map[string]any       `json:"parameter,omitzero"`
	Resilience json.Number          `json:"resilience"`
	Resource   map[string]*Resource `json:"resource"`
	Scale      Scale                `json:"scale"`
}

// Scale says how many instances run.
type Scale struct {
	Detail map[string]*Scale `json:"detail,omitzero"`
	Hsize  *int              `json:"hsize,omitempty"`
	Qos    any               `json:"qos,omitempty"`
}

// Srv is the set of an artifact's channels.
type Srv struct {
	Client map[string]*Channel `json:"client"`
	Duplex map[string]*Channel `json:"duplex"`
	Server map[string]*Channel `json:"server"`
}

// Channel is a place where requests leave or arrive.
type Channel struct {
	// Inherited marks a channel that belongs to a role which has become a
	// deployment of its own; it is named "role.channel".
	Inherited bool `json:"inherited"`
	// Port is where the code listens; 0 for client and inherited channels.
	Port int `json:"port,omitempty"`
	// Portnum is the number of ports, 1 where there is a port.
	Portnum  int    `json:"portnum,omitempty"`
	Protocol string `json:"protocol"`
}

// Role is a component in a service.
type Role struct {
	Artifact *Artifact `json:"artifact"`
	Config   Config    `json:"config"`
	Meta     any       `json:"meta,omitempty"`
	Name     string    `json:"name"`
}

// Connector joins clients with groups of servers.
type Connector struct {
	Clients []Endpoint    `json:"clients"`
	Kind    string        `json:"kind"` // "lb" or "full"
	Servers []ServerGroup `json:"servers"`
}

// Endpoint is a channel of a role; the role "self" is the service itself.
type Endpoint struct {
	Channel string `json:"channel"`
	Role    string `json:"role"`
}

// ServerGroup is what one index of a client channel (0.name) leads to. Meta has
// an entry for each of Links.
type ServerGroup struct {
	Links []Endpoint `json:"links"`
	Meta  []LinkMeta `json:"meta"`
}

// LinkMeta is what a client can learn of a server.
type LinkMeta struct {
	Auto AutoMeta `json:"auto"`
	User any      `json:"user"`
}

// AutoMeta names the artifact behind a channel.
type AutoMeta struct {
	CompRef  Ref    `json:"compRef"`
	RoleName string `json:"roleName"`
}

// Link joins a client channel of the source deployment with a server channel
// of the target.
type Link struct {
	Meta          TargetMeta `json:"meta"`
	SourceChannel string     `json:"s_c"`
	Source        string     `json:"s_d"`
	TargetChannel string     `json:"t_c"`
	Target        string     `json:"t_d"`
}

// TargetMeta is the meta of the deployment that a link leads to.
type TargetMeta struct {
	Meta any `json:"meta"`
}
