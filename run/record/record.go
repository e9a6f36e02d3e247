// Package record has what the manager keeps: plain Go records, without any input or output.
// They are JSON in the store and in the API.
//
// A [Deployment] names the [Manifest] that is wanted. A change makes a manifest and an
// [Operation], which says how far the change has come; what runs is brought to what the
// deployment wants, whatever operation has asked for it. [Status] is how that went.
package record

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"kumiki.dev/targets"
)

// Deployment is an application that somebody wants to run in an environment.
type Deployment struct {
	// Name identifies it.
	Name string `json:"name" doc:"Its name."`
	// Environment is the name of the one in which it runs; it stays.
	Environment string `json:"environment" doc:"Where it runs."`
	// Labels are what it is selected by.
	Labels map[string]string `json:"labels,omitempty" doc:"What it is selected by."`
	// Template is what has placed it there, "" for one that somebody has made.
	Template string `json:"template,omitempty" doc:"The template that is placed there: it is changed by placing."`
	// Manifest is the number of the one that is wanted, 0 for none.
	Manifest int `json:"manifest" doc:"The number of the manifest that is wanted; 0 for none."`
	// Last is the number of the last manifest, wanted or not.
	Last int `json:"last" doc:"The number of the last manifest, wanted or not."`
	// Operation is the last one.
	Operation string `json:"operation" doc:"The last operation."`
	// Deleting marks one that is being removed.
	Deleting bool `json:"deleting,omitempty" doc:"It is being removed."`
	// Maintenance marks one that is looked at and never written.
	Maintenance bool `json:"maintenance,omitempty" doc:"It is looked at, and nothing of it is changed."`
	// Created and Changed are when it was made, and changed last.
	Created time.Time `json:"created"`
	Changed time.Time `json:"changed"`
}

// Input is what a manifest is compiled from.
type Input struct {
	// Bundle is the digest of the bundle, "" for that of a deletion or a recovery.
	Bundle string `json:"bundle,omitempty" doc:"The digest of the bundle; none for what was compiled from none."`
	// Sets are PATH=VALUE texts in place of what the bundle's manifest says.
	Sets []string `json:"sets,omitempty" doc:"PATH=VALUE, in place of what the bundle's manifest says."`
}

// Manifest is one state of a deployment. It never changes once it is compiled.
type Manifest struct {
	Deployment string `json:"deployment"`
	Number     int    `json:"number"`
	// Verb is what it was made by.
	Verb Verb `json:"verb"`
	// Empty marks the manifest of a deletion: nothing is to run.
	Empty bool `json:"empty,omitempty"`
	// Input is what it is compiled from.
	Input Input `json:"input"`
	// Solution is the digest of what came of it, "" as long as it is not compiled. Artifact is
	// what it deploys.
	Solution string `json:"solution,omitempty"`
	Artifact string `json:"artifact,omitempty"`
	// Problems are why it does not compile.
	Problems []Problem `json:"problems,omitempty"`
	// Placement is what it belongs to, "" for none.
	Placement string `json:"placement,omitempty"`
	// Operation has made it, and By has asked for that.
	Operation string    `json:"operation"`
	By        string    `json:"by"`
	Created   time.Time `json:"created"`
}

// Environment is a place where deployments run.
type Environment struct {
	Name   string            `json:"name" doc:"Its name."`
	Labels map[string]string `json:"labels,omitempty" doc:"What it is selected by."`
	// Target is what runs there: kubernetes or swarm.
	Target string `json:"target" doc:"What runs there: kubernetes or swarm."`
	// Context names a context of the server's kubeconfig, or of docker; "" is the current one.
	Context string `json:"context,omitempty" doc:"The name in the server's kubeconfig, or of docker's; the current one if it is left out."`
	// Options are how objects are made for it. The namespace is among them.
	Options targets.Options `json:"options,omitzero" doc:"How objects are made for it."`
	// Maintenance lets nothing of it be changed.
	Maintenance bool `json:"maintenance,omitempty" doc:"Deployments are looked at, and nothing is changed."`
}

// Engine is what carries out operations, all servers together.
type Engine struct {
	// Maintenance lets nothing be changed, in whatever environment.
	Maintenance bool `json:"maintenance" doc:"Environments are looked at, and nothing is changed in any of them."`
	// Reason is for people, By has said so.
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why, for people."`
	By     string `json:"by,omitempty" readOnly:"true" doc:"Who has said so."`
	// Changed is when it was said.
	Changed *time.Time `json:"changed,omitempty" readOnly:"true"`
}

// Verb is what an operation does.
type Verb string

// The verbs.
const (
	Create   Verb = "create"
	Update   Verb = "update"
	Rollback Verb = "rollback"
	Delete   Verb = "delete"
	// What is wanted stays the same with these.
	Stop    Verb = "stop"
	Start   Verb = "start"
	Restart Verb = "restart"
	// These are about a node of an environment.
	MoveNode  Verb = "move"
	DrainNode Verb = "drain"
	OpenNode  Verb = "open"
)

// Phase is how far an operation has come.
type Phase string

// The phases, in their order.
const (
	Waiting   Phase = "waiting"
	Compiling Phase = "compiling"
	Trying    Phase = "trying"
	Applying  Phase = "applying"
	Removing  Phase = "removing"
	Ended     Phase = "ended"
)

// Operation is a change that was asked for.
type Operation struct {
	ID         string `json:"id"`
	Deployment string `json:"deployment" doc:"What it is about; empty for one about a node."`
	// Labels are the deployment's.
	Labels map[string]string `json:"labels,omitempty"`
	Verb   Verb              `json:"verb"`
	// Manifest is the number of the one that it makes wanted, Previous of the one that was.
	Manifest int `json:"manifest"`
	Previous int `json:"previous"`
	// Halts are what it stops, starts and restarts, in that order.
	Halts []Halt `json:"halts,omitempty" doc:"What it stops, starts and restarts, in that order; those of an operation that it takes the place of too."`
	// Move is what it does with a node, nil for one about a deployment.
	Move *Move `json:"move,omitempty" doc:"What it does with a node, where it is about one."`
	// Trace is the span of the request that has asked for it, as the header traceparent of W3C
	// has it; "" where nobody looks at traces.
	Trace string `json:"trace,omitempty" doc:"The traceparent of the request that has asked for it."`
	// Allow are the dangers that were allowed.
	Allow Allow `json:"allow,omitzero"`
	// By is who has asked.
	By    string `json:"by"`
	Phase Phase  `json:"phase"`
	// Wrote tells that something in the environment may have been changed.
	Wrote bool `json:"wrote,omitempty"`
	// Steps are what was done.
	Steps []Step `json:"steps,omitempty"`
	// Cancel marks one that is to go no further.
	Cancel bool `json:"cancel,omitempty"`
	// Done marks one that has ended: Error is why it did not come to its end.
	Done     bool       `json:"done"`
	Error    *Failure   `json:"error,omitempty"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended,omitempty"`
	Deadline time.Time  `json:"deadline"`
}

// Halt is a place whose instances are stopped, started or restarted.
type Halt struct {
	Verb Verb   `json:"verb"`
	Path string `json:"path" doc:"DEPLOYMENT or DEPLOYMENT/ROLE."`
	// Times is how often the place was restarted with this, 0 as long as that is not decided.
	Times int `json:"times,omitempty" doc:"How often the place was restarted with this."`
	// Instance is the one that is restarted, "" for all of them; ID tells it from later ones of
	// the same name.
	Instance string `json:"instance,omitempty" doc:"The one that is restarted; all of them if it is left out."`
	ID       string `json:"id,omitempty" doc:"What tells the instance from later ones of its name."`
}

// Move is what is done with a node.
type Move struct {
	Environment string `json:"environment"`
	Node        string `json:"node"`
	// To is the node that instances are to run on, "" for any.
	To string `json:"to,omitempty"`
	// Path is what is moved: a solution, deployment or role, "" for all.
	Path string `json:"path,omitempty"`
	// Data are the paths of what may be moved though it has data.
	Data []string `json:"data,omitempty"`
}

// Allow are dangers, each by its name.
type Allow struct {
	// Data are the paths of data that may be lost.
	Data []string `json:"data,omitempty" doc:"Paths of data that may be lost: DEPLOYMENT, DEPLOYMENT/ROLE or DEPLOYMENT/ROLE/VOLUME."`
	// Gone are deployments, channels and fields that may go though others use them.
	Gone []string `json:"gone,omitempty" doc:"Deployments, DEPLOYMENT.CHANNEL or DEPLOYMENT.FIELD that may go though other solutions use them."`
	// Orphans are deployments that may go though others hang from them.
	Orphans []string `json:"orphans,omitempty" doc:"Deployments that may go though others hang from them."`
	// Adopt takes over objects that are somebody else's.
	Adopt bool `json:"adopt,omitempty" doc:"Take over objects that are there already and somebody else's."`
}

// Step is what was done with an object.
type Step struct {
	Action string `json:"action"`
	Object string `json:"object"`
	Place  string `json:"place,omitempty"`
	// Message is why it failed, or what is to be known; "" for nothing.
	Message string `json:"message,omitempty"`
}

// Failure is why an operation did not come to its end.
type Failure struct {
	// Code is stable; Message is for people.
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is one problem, with the position to mend.
type Problem struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	// File, Line and Column are the position in the bundle, "" and 0 where there is none.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Related are other places.
	Related []Related `json:"related,omitempty"`
}

// Related is a place that takes part in a problem.
type Related struct {
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
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
	// Type is Compiled, Applied or Healthy.
	Type string `json:"type"`
	// Status is True, False or Unknown.
	Status string `json:"status"`
	// Reason is a stable code, Message is for people.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Manifest is the number of the one that it is about, Since when it became so.
	Manifest int       `json:"manifest"`
	Since    time.Time `json:"since"`
}

// Set replaces the condition of a type, and keeps since when it is so if it was before.
func (s *Status) Set(c Condition) {
	for i, was := range s.Conditions {
		if was.Type == c.Type {
			if was.Status == c.Status && was.Reason == c.Reason {
				c.Since = was.Since
			}
			s.Conditions[i] = c
			return
		}
	}
	s.Conditions = append(s.Conditions, c)
}

// maxName is what a DNS label may have.
const maxName = 63

var name = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// CheckName returns an error for what cannot be the name of a deployment or environment.
func CheckName(text string) error {
	if len(text) > maxName || !name.MatchString(text) {
		return fmt.Errorf("%q is no name: it has lower case letters, digits and -, begins and ends with a letter or digit, and has at most %d of them", text, maxName)
	}
	return nil
}

// The keys of records, of which all of a kind have the same beginning.
const (
	Deployments  = "deployments/"
	Manifests    = "manifests/"
	Operations   = "operations/"
	Pending      = "pending/"
	Statuses     = "status/"
	Environments = "environments/"
	Facts        = "facts/"
	Tokens       = "tokens/"
	Idempotency  = "idempotency/"
	EngineKey    = "engine"
	Placements   = "placements/"
	Placing      = "placing/"
	CatalogKey   = "catalog"
)

// NodeName is what a node of an environment is called among what is changed.
func NodeName(environment, node string) string { return Environments + environment + "/nodes/" + node }

// ManifestKey is that of a manifest: they sort by their numbers.
func ManifestKey(deployment string, number int) string {
	return fmt.Sprintf("%s%s/%08d", Manifests, deployment, number)
}

// Position is FILE:LINE:COLUMN, or as much of it as is known.
func (p Problem) Position() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// String is the problem in one line.
func (p Problem) String() string {
	at := p.Position()
	return strings.TrimPrefix(at+": ", ": ") + p.Message + " [" + cmp.Or(p.Code, "internal") + "]"
}
