package targets

import (
	"iter"
	"maps"
	"strconv"
)

// Orchestrator is what is known of what runs a target's objects: what it does with
// them when they change. The values of the objects that it gets are data, as
// encoding/json decodes it with numbers as they are written; nil stands for an
// object that does not matter, and nothing is known of it.
type Orchestrator interface {
	// About is what is known of one object.
	About(o Object) About
	// Restarts reports whether what runs for a workload is replaced when it changes.
	// Nothing is where nothing has run, or will.
	Restarts(old, new Object) bool
	// Fixed reports whether a field differs that an object cannot change.
	Fixed(old, new Object) bool
	// Scales reports whether a field of an object is about the number of instances.
	Scales(kind, path string) bool
	// Claims are the volumes of instances that outlive them.
	Claims(objects []Object) []Claim
	// Smaller reports whether one size of a claim is less than another; false if
	// one of them is none.
	Smaller(a, b string) bool
	// Left are objects that nobody has written and that outlive the one that they
	// were made for, with the volumes whose data they hold.
	Left(o Object) iter.Seq2[string, Object]
}

// About is what an orchestrator knows of an object.
type About struct {
	// Namespace is the one that it is in, "" if there are none.
	Namespace string
	// Workload marks objects that instances run for. Those of a Helper stand beside
	// the role's instances: it is a proxy that the target adds.
	Workload, Helper bool
	// External marks objects that have to be there before the solution is: they are
	// referred to, and neither made nor removed.
	External bool
	// Stays marks what is never removed with a solution.
	Stays bool
	// Volume is the volume whose data the object holds, "" for none.
	Volume string
	// GoesFirst marks what has to be removed before all that is not so marked.
	GoesFirst bool
}

// Claim is a volume of a role's instances, with the size that it asks for, "" where
// none is said.
type Claim struct{ Deployment, Role, Name, Size string }

// At is the member of data that a path leads to, nil if there is none. The elements of a
// list are called by their numbers.
func At(v any, path ...string) any {
	for _, name := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// Text is a string in data, at the end of a path; "" for none.
func Text(v any, path ...string) string {
	t, _ := At(v, path...).(string)
	return t
}

// Items are those of a list in data, at the end of a path.
func Items(v any, path ...string) []any {
	l, _ := At(v, path...).([]any)
	return l
}

// Without is a struct of data but for some members.
func Without(v any, names ...string) map[string]any {
	m, _ := v.(map[string]any)
	m = maps.Clone(m)
	for _, name := range names {
		delete(m, name)
	}
	return m
}
