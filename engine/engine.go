package engine

import (
	"cmp"
	"strings"
	"time"
)

// ID names an object in an environment.
type ID struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns KIND/NAME.
func (id ID) String() string { return id.Kind + "/" + id.Name }

func (id ID) compare(other ID) int {
	return cmp.Or(cmp.Compare(id.Kind, other.Kind), cmp.Compare(id.Namespace, other.Namespace), cmp.Compare(id.Name, other.Name))
}

// Place is what an object was made for: a role, a deployment (Role is ""), or the whole
// solution (both are).
type Place struct {
	Deployment string `json:"deployment,omitempty"`
	Role       string `json:"role,omitempty"`
}

// String returns DEPLOYMENT/ROLE, DEPLOYMENT or nothing.
func (p Place) String() string {
	return strings.TrimSuffix(p.Deployment+"/"+p.Role, "/")
}

// Within reports whether a place is another, or below it: a role of a deployment, or a
// deployment that was made of a role.
func (p Place) Within(path string) bool {
	own := p.String()
	return own == path || strings.HasPrefix(own, path+"/") || strings.HasPrefix(own, path+".")
}

// About is what is known of an object beside its fields.
type About struct {
	ID
	Place
	// Stage is when the object is made: those of a stage after those of all before, and
	// removed in the reverse order.
	Stage int `json:"stage"`
	// Version is what a target needs to know besides to find the object again.
	Version string `json:"version,omitempty"`
	// Volume is the path of the volume whose data goes with the object, "" for none.
	Volume string `json:"volume,omitempty"`
	// Stays marks what is never removed with a solution.
	Stays bool `json:"stays,omitempty"`
	// Runs marks a workload: its health is the solution's.
	Runs bool `json:"runs,omitempty"`
}

// Object is one that is to be there.
type Object struct {
	About
	// Given are its fields.
	Given map[string]any
	// Halts marks an object that is another while its place is stopped: Halted, nil for
	// none at all.
	Halts  bool
	Halted map[string]any
}

// Desired is what is wanted.
type Desired struct {
	// Solution is the name by which objects are known as the solution's.
	Solution string
	Objects  []Object
	// Stopped are the places whose instances are not to run.
	Stopped []string
	// Adopt takes over objects that are nobody's, or another solution's.
	Adopt bool
	// Data are the volumes, roles and deployments whose data may go.
	Data []string
	// Patience is how long an object may take to become healthy; 0 for as long as it
	// takes.
	Patience time.Duration
}

// Made is an object of the record: it is there, or was about to be made.
type Made struct {
	About
	// Hash is that of the fields which were given, "" where that is not known.
	Hash string `json:"hash,omitempty"`
	// Begun marks an object that a run was about to write or to remove: whether it did is not
	// known.
	Begun bool `json:"begun,omitempty"`
	// Answer is what the target made of the fields that were given, nil where that is not
	// known.
	Answer map[string]any `json:"answer,omitempty"`
}

// Health is how an object is, by what the target says of it.
type Health string

// The states of health.
const (
	Healthy     Health = "healthy"
	Progressing Health = "progressing"
	Failed      Health = "failed"
)

// Seen is an object that is there.
type Seen struct {
	About
	// Solution is whose the object says that it is, "" for nobody's.
	Solution string
	// Owner is in words who has made it, where it is not the solution's.
	Owner  string
	Value  map[string]any
	Health Health
	// Why is the reason for the health, in words, and Since when it became so.
	Why   string
	Since time.Time
	// Ready and Wanted are the numbers of instances that are ready, and that should be.
	Ready, Wanted int
	// Going marks an object that is being removed; Held is what keeps it.
	Going bool
	Held  string
	// Fixed marks one that cannot become what is desired, but has to be made anew.
	Fixed bool
	// Excused are fields, by their paths, that somebody else has the say in, with who.
	Excused map[string]string
	// Again is why it should be given its fields once more though it has them, such as
	// credentials that are there now; "" for no reason.
	Again string
}

// Verb is what an action does.
type Verb string

// The verbs. What follows [Remove] does nothing.
const (
	// Create makes what is missing.
	Create Verb = "create"
	// Change gives an object other fields than it was given before.
	Change Verb = "change"
	// Replace removes an object and makes it anew.
	Replace Verb = "replace"
	// Adopt takes an object into the record. It gets the fields that it lacks.
	Adopt Verb = "adopt"
	// Resume gives an object its fields after a run that was broken off: it may have them.
	Resume Verb = "resume"
	// Repair gives an object the fields again that somebody has changed.
	Repair Verb = "repair"
	// Remove removes what is not desired any more.
	Remove Verb = "remove"
	// Refuse tells of an object that is somebody else's.
	Refuse Verb = "refuse"
	// Wait tells of an object that is not as it will be.
	Wait Verb = "wait"
	// Tell tells of an object that is not healthy, and for too long.
	Tell Verb = "tell"
	// Keep tells of an object that is not desired, and that holds data.
	Keep Verb = "keep"
	// Leave tells of an object that is not desired, and that is another solution's now.
	Leave Verb = "leave"
	// Excuse tells of fields that somebody else has the say in.
	Excuse Verb = "excuse"
	// Residue tells of an object with the solution's name in it that no record has.
	Residue Verb = "residue"
)

// Writes reports whether an action of the verb changes the environment.
func (v Verb) Writes() bool {
	switch v {
	case Create, Change, Replace, Adopt, Resume, Repair, Remove:
		return true
	}
	return false
}

// Action is what is to be done with an object, or told of it.
type Action struct {
	Verb Verb `json:"verb"`
	About
	// Give are the fields that the object gets: those that are given but for Excused, which
	// somebody else has the say in. Hash is that of all of them.
	Give    map[string]any `json:"-"`
	Hash    string         `json:"-"`
	Excused map[string]any `json:"-"`
	// Why is the reason, in words.
	Why string `json:"why,omitempty"`
	// Changes are the fields that differ from what they were.
	Changes []Difference `json:"changes,omitempty"`
}
