package live

import (
	"context"
	"time"

	"kumiki.dev/engine"
)

// LogOptions say what of the output of instances is read.
type LogOptions struct {
	// Instance and Container are names, "" for all.
	Instance, Container string
	// Follow goes on with what is written until the context ends.
	Follow bool
	// Previous reads what a container wrote before it was restarted last.
	Previous bool
	// Tail is how many of the last lines are read; below 0 for all.
	Tail int
	// Since leaves out what is older, 0 for nothing.
	Since time.Duration
}

// Line is one line of output.
type Line struct {
	Instance  string `json:"instance"`
	Container string `json:"container"`
	Text      string `json:"text"`
}

// Logger is a system whose instances' output can be read.
type Logger interface {
	// Logs calls line with each line of the instances of a place, in the order in which each
	// of them has written it. An error of one does not end the others.
	Logs(ctx context.Context, solution string, place engine.Place, o LogOptions, line func(Line)) error
}

// Tidier is a target on which a run that was killed can leave parts of a record.
type Tidier interface {
	// Tidy removes those that a record has found.
	Tidy(ctx context.Context, r *Record) error
}

// Gatherer is a system that can look at many solutions at once.
type Gatherer interface {
	// Gather lets the next looks at solutions and at their records be answered by what there
	// was when the first of them was made, one list for each kind, until it is called with
	// false: only what was asked since counts before anything is written.
	Gather(on bool)
}

// Node is a machine that instances run on.
type Node struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"`
	Version string `json:"version,omitempty"`
	// Ready tells that it works, and Open that it takes new instances.
	Ready bool `json:"ready"`
	Open  bool `json:"open"`
	// Why is the reason for not being ready, or who has closed it.
	Why string `json:"why,omitempty"`
	// CPU and Memory are what instances can have of it, in the system's notation.
	CPU    string            `json:"cpu,omitempty"`
	Memory string            `json:"memory,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Noder is a system whose nodes can be listed.
type Noder interface {
	// Nodes returns them sorted by their names.
	Nodes(ctx context.Context) ([]Node, error)
}
