package client

import (
	"fmt"
	"strings"
	"time"

	"kumiki.dev/diag"
)

// Error is what a manager says to be wrong, as RFC 9457 has it.
type Error struct {
	// Server is the manager's name.
	Server string `json:"-"`
	// Status is that of HTTP.
	Status int `json:"status"`
	// Code is what is wrong, for programs; "" where it was not the manager that has answered.
	Code string `json:"code"`
	// Detail says it, and what to do.
	Detail string `json:"detail"`
	// Problems are those of what was sent.
	Problems []Problem `json:"problems"`
	// RetryAfter is how long the manager asks to wait, 0 where it does not.
	RetryAfter time.Duration `json:"-"`
}

// Error implements error.
func (e *Error) Error() string {
	text := e.Server + ": " + e.Detail
	if e.Code != "" {
		text += " [" + e.Code + "]"
	}
	return text
}

// Diagnostics are the problems of what was sent, where the manager says some, else the error
// itself.
func (e *Error) Diagnostics() diag.List {
	if len(e.Problems) > 0 {
		return Diagnostics(e.Problems)
	}
	return diag.List{diag.New(diag.Code(e.Code), diag.NoPos, "%s", e.Detail)}
}

// ProtocolError says that a manager speaks a protocol that this client does not.
type ProtocolError struct {
	Server string
	Theirs int
}

// Error implements error.
func (e *ProtocolError) Error() string {
	what := "take a newer kumiki, or this one's kumikid"
	if e.Theirs < Protocol {
		what = "take a newer kumikid, or that one's kumiki"
	}
	return fmt.Sprintf("%s speaks protocol %d, and this kumiki %d, with managers of one less and one more: %s", e.Server, e.Theirs, Protocol, what)
}

// Unreachable says that a manager has not answered.
type Unreachable struct {
	Server string
	Err    error
}

// Error implements error.
func (e *Unreachable) Error() string { return e.Server + " does not answer: " + e.Err.Error() }

// Unwrap is why.
func (e *Unreachable) Unwrap() error { return e.Err }

// Problem is one problem, with the position to mend.
type Problem struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	// File, Line and Column are the position in the bundle, "" and 0 where there is none.
	File    string    `json:"file,omitempty"`
	Line    int       `json:"line,omitempty"`
	Column  int       `json:"column,omitempty"`
	Related []Related `json:"related,omitempty"`
}

// Related is a place that takes part in a problem.
type Related struct {
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// Diagnostics are problems as the compiler's own.
func Diagnostics(problems []Problem) (out diag.List) {
	for _, p := range problems {
		d := diag.New(diag.Code(p.Code), position(p.File, p.Line, p.Column), "%s", p.Message)
		if p.Severity == "warning" {
			d.Severity = diag.Warning
		}
		for _, r := range p.Related {
			d.With(position(r.File, r.Line, r.Column), "%s", r.Message)
		}
		out = append(out, d)
	}
	return out
}

// place is a position whose file is not here.
type place struct {
	file         string
	line, column int
}

func position(file string, line, column int) diag.Pos { return diag.At(place{file, line, column}) }

// IsValid implements [diag.Location].
func (p place) IsValid() bool { return strings.TrimSpace(p.file) != "" }

// Filename implements [diag.Location].
func (p place) Filename() string { return p.file }

// Offset implements [diag.Location]: it is not known.
func (p place) Offset() int { return 0 }

// Line implements [diag.Location].
func (p place) Line() int { return p.line }

// Column implements [diag.Location].
func (p place) Column() int { return p.column }
