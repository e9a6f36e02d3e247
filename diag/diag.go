// Package diag is what every stage reports problems with: one [Diagnostic] a
// problem, in the words of the person who has to mend it.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Code names a class of problem. It is stable: tools branch on it, never on
// the text. Every code is listed in codes.go and explained in docs/errors.md.
type Code string

// Severity says whether a problem stops the compilation.
type Severity int

const (
	// Error stops the compilation: nothing is written.
	Error Severity = iota
	// Warning is reported and lets the compilation go on.
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Related is a second place that takes part in a problem, with a few words
// that say how ("declared here", "needed by role cache").
type Related struct {
	Pos     Pos
	Message string
}

// Fix is a change of the sources that mends a problem.
type Fix struct {
	// Title says what it does: "rename regoin to region".
	Title string
	Edits []Edit
}

// Edit replaces Len bytes at Pos by Text.
type Edit struct {
	Pos  Pos
	Len  int
	Text string
}

// Diagnostic is one problem in a manifest, an artifact or a solution file.
type Diagnostic struct {
	Code     Code
	Severity Severity
	// Message says what was found, what was expected and what to write; lower
	// case, one line, without position and code.
	Message string
	// Pos is the first place to look at: in the deployer's file where one took
	// part, else in the service's, else in the component's. It may be invalid
	// for a problem with no place in a file (a missing directory, say).
	Pos Pos
	// At is the path of the value, outermost first: role.cache.config.parameter.size.
	At []string
	// Scope relates the problem to others of its artifact.
	Scope Scope
	// Related lists other places, the schema's last.
	Related []Related
	// Cause is the error beneath, where there is one; of CUE's own errors, one with the
	// same messages, paths and positions.
	Cause error
	// Fixes are changes of the sources that mend the problem for certain.
	Fixes []Fix
	// Consequences are problems that will go when this one is mended. They are
	// shown on request only.
	Consequences List
}

// New returns an error at pos; add related places with [Diagnostic.With].
func New(code Code, pos Pos, format string, args ...any) *Diagnostic {
	return &Diagnostic{Code: code, Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// Warn is [New] for a warning.
func Warn(code Code, pos Pos, format string, args ...any) *Diagnostic {
	d := New(code, pos, format, args...)
	d.Severity = Warning
	return d
}

// With adds a related place and returns d. An invalid position is left out.
func (d *Diagnostic) With(pos Pos, format string, args ...any) *Diagnostic {
	if pos.IsValid() {
		d.Related = append(d.Related, Related{Pos: pos, Message: fmt.Sprintf(format, args...)})
	}
	return d
}

// AtPath sets the path of the value and returns d.
func (d *Diagnostic) AtPath(path ...string) *Diagnostic {
	d.At = path
	return d
}

// Error returns the message without position and code.
func (d *Diagnostic) Error() string { return d.Message }

// Unwrap returns the error beneath.
func (d *Diagnostic) Unwrap() error { return d.Cause }

// List is the problems of one run.
type List []*Diagnostic

// HasErrors reports whether any of them stops the compilation.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the list in reading order (file, line, column, code, text)
// without repetitions; l itself is left alone.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(a, b *Diagnostic) bool { return compare(a, b) == 0 })
}

func compare(a, b *Diagnostic) int {
	return cmp.Or(
		a.Pos.Compare(b.Pos),
		strings.Compare(string(a.Code), string(b.Code)),
		strings.Compare(a.Message, b.Message),
	)
}
