package diag

import (
	"slices"
	"strings"
)

// Acknowledgement says that a warning is known and to be lived with, in a part of the
// sources.
type Acknowledgement struct {
	// Code is that of the warnings.
	Code Code
	// Reason is why they are lived with, as their author wrote it; never "".
	Reason string
	// File is the file that it counts in, with all lines from First to Last; all
	// lines for 0. "" is any file below Dir, and any place at all without one.
	File        string
	First, Last int
	Dir         string
}

// covers reports whether a place is one that the acknowledgement counts at.
func (a Acknowledgement) covers(pos Pos) bool {
	switch {
	case a.File != "":
		line := pos.Line()
		return pos.Filename() == a.File && (a.Last == 0 || a.First <= line && line <= a.Last)
	case a.Dir != "":
		return strings.HasPrefix(pos.Filename(), a.Dir)
	}
	return true
}

// Acknowledgements are those of a program.
type Acknowledgements []Acknowledgement

// Cover reports whether a warning of the code at that place is acknowledged.
func (a Acknowledgements) Cover(code Code, pos Pos) bool {
	return slices.ContainsFunc(a, func(one Acknowledgement) bool { return one.Code == code && one.covers(pos) })
}

// Strict returns the list with each warning as an error, for somebody who lives with
// none but those that are acknowledged: call it after [List.Without]. l and what is in
// it are left alone.
func (l List) Strict() List {
	out := slices.Clone(l)
	for i, d := range out {
		if d.Severity == Warning {
			worse := *d
			worse.Severity = Error
			out[i] = &worse
		}
	}
	return out
}

// Without returns the list without the warnings that are acknowledged; l itself is left
// alone. An error is none that one can live with.
func (l List) Without(a Acknowledgements) List {
	if len(a) == 0 {
		return l
	}
	return slices.DeleteFunc(slices.Clone(l), func(d *Diagnostic) bool {
		return d.Severity == Warning && a.Cover(d.Code, d.Pos)
	})
}
