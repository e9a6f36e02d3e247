// Package notice finds what somebody has to be told of what runs, from how its roles are time
// after time, and sees to it that it gets there.
//
// [State.Observe] is a function of what was known and what is seen now. [Sender] delivers what
// it has found. A State is written to its file before anything is sent and after it was
// received: whoever is killed in between sends again, never less than once.
package notice

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kumiki.dev/live"
)

// Kind is what has happened.
type Kind string

// The kinds of notices.
const (
	// Exited: a container has ended with an error.
	Exited Kind = "exited"
	// Missing: a role has had fewer instances than it should for a while.
	Missing Kind = "missing"
	// NoAddress: an instance has run for a while and has no address.
	NoAddress Kind = "no-address"
	// Restarted: an instance was restarted often in a short time.
	Restarted Kind = "restarted-often"
)

// Notice is something to be told.
type Notice struct {
	// ID is the same each time that it is sent.
	ID       string    `json:"id"`
	Kind     Kind      `json:"kind"`
	Solution string    `json:"solution"`
	Role     string    `json:"role"`
	Instance string    `json:"instance,omitempty"`
	Text     string    `json:"text"`
	At       time.Time `json:"at"`
}

// Limits say when something is to be told.
type Limits struct {
	// After is how long an instance may be missing or without an address.
	After time.Duration
	// Restarts is how many restarts within a time are too many.
	Restarts int
	Within   time.Duration
}

// Format is that of the files that states are kept in.
const Format = 1

// State is what is known from before. The zero value knows nothing.
type State struct {
	Format int `json:"format"`
	// Pending are notices that nobody has received yet, the oldest first.
	Pending []Notice `json:"pending,omitempty"`
	// Since is when each condition began that holds, and Told which were told of.
	Since map[string]time.Time `json:"since,omitempty"`
	Told  map[string]bool      `json:"told,omitempty"`
	// Counts are the restarts of instances, the oldest within the time first.
	Counts map[string][]Count `json:"counts,omitempty"`
}

// Count is how often an instance had been restarted at a time.
type Count struct {
	At time.Time `json:"at"`
	N  int       `json:"n"`
}

// Observe adds to the pending notices what the roles of a solution give reason for that was
// not told before. It forgets what does not hold any more.
func (s *State) Observe(now time.Time, solution string, roles []live.Status, l Limits) {
	s.Format = Format
	o := &observer{s: s, now: now, solution: solution, limits: l, held: map[string]bool{}}
	for _, r := range roles {
		o.role(r)
	}
	own := func(key string) bool { return strings.HasPrefix(key, solution+" ") && !o.held[key] }
	maps.DeleteFunc(s.Since, func(key string, _ time.Time) bool { return own(key) })
	maps.DeleteFunc(s.Told, func(key string, _ bool) bool { return own(key) })
	maps.DeleteFunc(s.Counts, func(key string, _ []Count) bool { return own(key) })
}

// observer looks at the roles of a solution.
type observer struct {
	s        *State
	now      time.Time
	solution string
	limits   Limits
	held     map[string]bool // keys of what holds
}

func (o *observer) role(r live.Status) {
	if r.Stopped {
		return
	}
	for _, one := range r.Instances {
		o.exits(r, one)
		o.restarts(r, one)
		if one.Phase == "Running" && one.Address == "" {
			o.lasting(r, NoAddress, one.Name, fmt.Sprintf("%s runs and has no address", one.Name))
		}
	}
	there := len(r.Instances)
	switch {
	case r.Health == "missing":
		o.lasting(r, Missing, "", r.Object+" is not there")
	case there < r.Wanted:
		o.lasting(r, Missing, "", fmt.Sprintf("%d of %d instances are there", there, r.Wanted))
	}
}

// exits tells of each end of a container once.
func (o *observer) exits(r live.Status, one live.Instance) {
	for _, e := range one.Exits {
		key := o.key(Exited, one.Name+" "+e.Container+" "+e.At)
		if o.tell(key) {
			o.add(key, Exited, r, one.Name, fmt.Sprintf("container %s of %s has ended with exit code %d%s", e.Container, one.Name, e.Code, because(e.Reason)))
		}
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// restarts tells of an instance when it was restarted too often within the time, and begins
// to count anew then.
func (o *observer) restarts(r live.Status, one live.Instance) {
	key := o.key(Restarted, one.Name)
	o.held[key] = true
	if o.s.Counts == nil {
		o.s.Counts = map[string][]Count{}
	}
	// The newest count that is too old is where the time begins.
	counts := o.s.Counts[key]
	for len(counts) > 1 && o.now.Sub(counts[1].At) >= o.limits.Within {
		counts = counts[1:]
	}
	if len(counts) == 0 || counts[len(counts)-1].N != one.Restarts {
		counts = append(slices.Clone(counts), Count{o.now, one.Restarts})
	}
	if n := one.Restarts - counts[0].N; o.limits.Restarts > 0 && n >= o.limits.Restarts {
		o.add(fmt.Sprintf("%s %d", key, one.Restarts), Restarted, r, one.Name, fmt.Sprintf("%s was restarted %d times within %s", one.Name, n, o.limits.Within))
		counts = []Count{{o.now, one.Restarts}}
	}
	o.s.Counts[key] = counts
}

// lasting tells of a condition when it has held for long enough.
func (o *observer) lasting(r live.Status, kind Kind, instance, text string) {
	key := o.key(kind, r.Place+" "+r.Object+" "+instance)
	if o.s.Since == nil {
		o.s.Since = map[string]time.Time{}
	}
	since, known := o.s.Since[key]
	if !known {
		since = o.now
		o.s.Since[key] = since
	}
	o.held[key] = true
	if o.now.Sub(since) < o.limits.After || !o.tell(key) {
		return
	}
	o.add(key+" "+since.UTC().Format(time.RFC3339Nano), kind, r, instance, text)
}

func (o *observer) key(kind Kind, rest string) string {
	return o.solution + " " + string(kind) + " " + rest
}

// tell reports whether something was not told before, and notes that it is now.
func (o *observer) tell(key string) bool {
	o.held[key] = true
	if o.s.Told[key] {
		return false
	}
	if o.s.Told == nil {
		o.s.Told = map[string]bool{}
	}
	o.s.Told[key] = true
	return true
}

func (o *observer) add(key string, kind Kind, r live.Status, instance, text string) {
	sum := sha256.Sum256([]byte(key))
	o.s.Pending = append(o.s.Pending, Notice{ID: hex.EncodeToString(sum[:16]), Kind: kind, Solution: o.solution, Role: r.Place, Instance: instance, Text: text, At: o.now.UTC()})
}
