package client

import (
	"encoding/json"
	"time"
)

// Deployment is an application that somebody wants to run in an environment.
type Deployment struct {
	Name        string            `json:"name"`
	Environment string            `json:"environment"`
	Labels      map[string]string `json:"labels,omitempty"`
	// Template is what is placed there, "" for what somebody has made.
	Template string `json:"template,omitempty"`
	// Manifest is the number of the one that is wanted, 0 for none; Last that of the last one.
	Manifest int `json:"manifest"`
	Last     int `json:"last"`
	// Operation is the last one.
	Operation   string    `json:"operation"`
	Deleting    bool      `json:"deleting,omitempty"`
	Maintenance bool      `json:"maintenance,omitempty"`
	Created     time.Time `json:"created"`
	Changed     time.Time `json:"changed"`
	// Revision is what a change has to name.
	Revision int64 `json:"revision"`
	// Status is how it is, as far as the manager knows without asking the environment.
	Status Status `json:"status"`
}

// Status is how a deployment is.
type Status struct {
	Deployment string `json:"deployment"`
	// Labels are the deployment's.
	Labels map[string]string `json:"labels,omitempty"`
	// Applied is the number of the manifest that was applied whole, 0 for none.
	Applied    int         `json:"applied"`
	Conditions []Condition `json:"conditions,omitempty"`
}

// Condition is one thing that is true of a deployment, or is not.
type Condition struct {
	// Type is Compiled, Applied or Healthy; Status True, False or Unknown.
	Type     string    `json:"type"`
	Status   string    `json:"status"`
	Reason   string    `json:"reason,omitempty"`
	Message  string    `json:"message,omitempty"`
	Manifest int       `json:"manifest"`
	Since    time.Time `json:"since"`
}

// Observed is how a deployment is, as its environment says.
type Observed struct {
	Status
	Roles []Role    `json:"roles"`
	Drift []Finding `json:"drift"`
}

// Role is how a role is.
type Role struct {
	Place  string `json:"place"`
	Object string `json:"object"`
	// Health is healthy, progressing, failed or missing.
	Health    string     `json:"health"`
	Why       string     `json:"why,omitempty"`
	Stopped   bool       `json:"stopped,omitempty"`
	Ready     int        `json:"ready"`
	Wanted    int        `json:"wanted"`
	Restarts  int        `json:"restarts"`
	Images    []string   `json:"images"`
	Since     string     `json:"since,omitempty"`
	Instances []Instance `json:"instances,omitempty"`
}

// Instance is one of a role's.
type Instance struct {
	Name     string `json:"name"`
	Node     string `json:"node,omitempty"`
	Address  string `json:"address,omitempty"`
	Phase    string `json:"phase,omitempty"`
	Restarts int    `json:"restarts,omitempty"`
	Exits    []Exit `json:"exits,omitempty"`
}

// Exit is the end of a container, with an error.
type Exit struct {
	Container string `json:"container"`
	Code      int    `json:"code"`
	Reason    string `json:"reason,omitempty"`
	At        string `json:"at"`
}

// Finding is something that is not as it was made.
type Finding struct {
	Kind   string   `json:"kind"`
	Object string   `json:"object"`
	Place  string   `json:"place,omitempty"`
	Why    string   `json:"why,omitempty"`
	Fields []string `json:"fields,omitempty"`
}

// Input is what a manifest is compiled from.
type Input struct {
	// Bundle is the digest of one that was uploaded.
	Bundle string `json:"bundle"`
	// Sets are PATH=VALUE, on top of what the bundle says.
	Sets []string `json:"sets,omitempty"`
}

// Manifest is one state of a deployment.
type Manifest struct {
	Deployment string `json:"deployment"`
	Number     int    `json:"number"`
	// Verb is what it was made by: create, update, rollback or delete.
	Verb string `json:"verb"`
	// Empty marks that of a deletion.
	Empty bool  `json:"empty,omitempty"`
	Input Input `json:"input"`
	// Solution is the digest of what came of it, "" as long as it is not compiled.
	Solution string    `json:"solution,omitempty"`
	Artifact string    `json:"artifact,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// Placement is what it belongs to, "" for none.
	Placement string    `json:"placement,omitempty"`
	Operation string    `json:"operation"`
	By        string    `json:"by"`
	Created   time.Time `json:"created"`
}

// Environment is a place where deployments run.
type Environment struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Target is kubernetes or swarm; Context a name in the server's kubeconfig, or of docker's.
	Target  string `json:"target"`
	Context string `json:"context,omitempty"`
	// Options are how objects are made for it, as the manager's OpenAPI document has them.
	Options     json.RawMessage `json:"options,omitempty"`
	Maintenance bool            `json:"maintenance,omitempty"`
}

// Node is a node of an environment.
type Node struct {
	Environment string `json:"environment"`
	Name        string `json:"name"`
	Address     string `json:"address,omitempty"`
	Version     string `json:"version,omitempty"`
	// Ready tells that it works, and Open that it takes new instances.
	Ready bool `json:"ready"`
	Open  bool `json:"open"`
	// Why is the reason for not being ready, or who has closed it.
	Why string `json:"why,omitempty"`
	// CPU and Memory are what instances can have of it, in the system's notation.
	CPU    string            `json:"cpu,omitempty"`
	Memory string            `json:"memory,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	// Instances are those on it, DEPLOYMENT/ROLE NAME.
	Instances []string `json:"instances"`
}

// Silent is an environment that says nothing, and why.
type Silent struct {
	Environment string `json:"environment"`
	Why         string `json:"why"`
}

// Engine is what carries out operations, all servers together.
type Engine struct {
	// Maintenance lets nothing be changed, in whatever environment. Reason is for people.
	Maintenance bool   `json:"maintenance"`
	Reason      string `json:"reason,omitempty"`
	// By is who set it last, Changed when.
	By      string     `json:"by,omitempty"`
	Changed *time.Time `json:"changed,omitempty"`
}

// Operation is a change that was asked for.
type Operation struct {
	ID string `json:"id"`
	// Deployment is what it is about, "" for one about a node.
	Deployment string            `json:"deployment"`
	Labels     map[string]string `json:"labels,omitempty"`
	Verb       string            `json:"verb"`
	// Manifest is the number of the one that it makes wanted, Previous of the one that was.
	Manifest int `json:"manifest"`
	Previous int `json:"previous"`
	// Halts are what it stops, starts and restarts, in that order.
	Halts []Halt `json:"halts,omitempty"`
	// Move is what it does with a node, nil for one about a deployment.
	Move *Move `json:"move,omitempty"`
	// Trace is the traceparent of the request that has asked for it, where traces are kept.
	Trace string `json:"trace,omitempty"`
	Allow Allow  `json:"allow,omitzero"`
	By    string `json:"by"`
	// Phase is waiting, compiling, trying, applying, removing or ended.
	Phase string `json:"phase"`
	// Wrote tells that something in the environment may have been changed.
	Wrote  bool   `json:"wrote,omitempty"`
	Steps  []Step `json:"steps,omitempty"`
	Cancel bool   `json:"cancel,omitempty"`
	// Done marks one that has ended: Error is why it did not come to its end.
	Done     bool       `json:"done"`
	Error    *Failure   `json:"error,omitempty"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended,omitempty"`
	Deadline time.Time  `json:"deadline"`
}

// Halt is a place whose instances are stopped, started or restarted.
type Halt struct {
	// Verb is stop, start or restart; Path a DEPLOYMENT or DEPLOYMENT/ROLE.
	Verb string `json:"verb"`
	Path string `json:"path"`
	// Times is how often the place was restarted with this.
	Times int `json:"times,omitempty"`
	// Instance is the one that is restarted, "" for all; ID tells it from later ones of its name.
	Instance string `json:"instance,omitempty"`
	ID       string `json:"id,omitempty"`
}

// Move is what is done with a node of an environment.
type Move struct {
	Environment string `json:"environment"`
	Node        string `json:"node"`
	// To is the node that instances are to run on, "" for any.
	To string `json:"to,omitempty"`
	// Path is what is moved, "" for all; Data are the paths of what may be though it has data.
	Path string   `json:"path,omitempty"`
	Data []string `json:"data,omitempty"`
}

// Allow are dangers, each by its name.
type Allow struct {
	// Data are paths of data that may be lost.
	Data []string `json:"data,omitempty"`
	// Gone are what may go though others use it, Orphans what may though others hang from it.
	Gone    []string `json:"gone,omitempty"`
	Orphans []string `json:"orphans,omitempty"`
	// Adopt takes over objects that are somebody else's.
	Adopt bool `json:"adopt,omitempty"`
}

// Step is what was done with an object.
type Step struct {
	Action  string `json:"action"`
	Object  string `json:"object"`
	Place   string `json:"place,omitempty"`
	Message string `json:"message,omitempty"`
}

// Failure is why an operation did not come to its end.
type Failure struct {
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	Problems []Problem `json:"problems,omitempty"`
}

// Preview is what would become of what runs.
type Preview struct {
	// Text is the plan for people, Plan the same as 'kumiki plan -o json' has it.
	Text string          `json:"text"`
	Plan json.RawMessage `json:"plan"`
	// Steps are what would be written.
	Steps []Step `json:"steps"`
	// Refused is what the environment does not take, Problems what nobody has allowed, Losses
	// what the target cannot carry.
	Refused  []Problem `json:"refused"`
	Problems []Problem `json:"problems"`
	Losses   []Problem `json:"losses"`
}

// Token lets somebody in.
type Token struct {
	Name string `json:"name"`
	// Role is viewer, deployer, operator or admin.
	Role string `json:"role"`
	// Selector selects the deployments that it may see, "" for all.
	Selector string `json:"selector,omitempty"`
	Hash     string `json:"hash"`
}

// MadeToken is a token that was just made. The secret is not shown again.
type MadeToken struct {
	Token
	Secret string `json:"token"`
}

// Audited is one change, and who has made it.
type Audited struct {
	Number    int       `json:"number"`
	At        time.Time `json:"at"`
	By        string    `json:"by"`
	Role      string    `json:"role"`
	Verb      string    `json:"verb"`
	What      string    `json:"what"`
	Operation string    `json:"operation,omitempty"`
	Manifest  int       `json:"manifest,omitempty"`
	Bundle    string    `json:"bundle,omitempty"`
	// Placement is what a change belongs to.
	Placement string `json:"placement,omitempty"`
	Allow     Allow  `json:"allow,omitzero"`
	// Path is the deployment or role that is stopped, started, restarted or moved.
	Path string `json:"path,omitempty"`
	// Classes are how many places change in which way, where an operation begins to apply or
	// remove.
	Classes  map[string]int `json:"classes,omitempty"`
	Previous string         `json:"previous"`
	Hash     string         `json:"hash"`
}
