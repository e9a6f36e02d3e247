package report

import (
	"fmt"
	"io"
	"strings"

	"kumiki.dev/diag"
)

// Text writes a line a problem, "file:line:col: message [code]", with
// "warning: " before the message of a warning, and related places indented
// below it. On a terminal the line has colours and is followed by the line of
// the source, the word that is meant underlined.
func Text(w io.Writer, problems diag.List, o Options) error {
	t := &textWriter{reporter: newReporter(o)}
	for _, d := range t.shown(problems) {
		t.problem(d, "")
	}
	return write(w, t.b.String())
}

type textWriter struct {
	*reporter
	b strings.Builder
}

// problem writes a problem and all that belongs to it.
func (t *textWriter) problem(d *diag.Diagnostic, indent string) {
	what, ink := t.ink(red, t.printable(d.Message)), red
	if d.Severity == diag.Warning {
		what, ink = t.ink(yellow, "warning: ")+t.printable(d.Message), yellow
	}
	fmt.Fprintf(&t.b, "%s%s %s\n", t.ink(bold, t.place(d.Pos)), what, t.ink(faint, "["+string(d.Code)+"]"))
	if t.Terminal && indent == "" {
		t.b.WriteString(t.excerpt(d.Pos, ink))
	}
	if d.Code == diag.Internal && d.Cause != nil {
		fmt.Fprintf(&t.b, "%v\n", d.Cause)
	}
	indent += "    "
	for _, r := range d.Related {
		fmt.Fprintf(&t.b, "%s%s%s\n", indent, t.ink(bold, t.place(r.Pos)), t.printable(r.Message))
	}
	if !t.All {
		return
	}
	for _, c := range d.Consequences { // what follows from a problem
		t.b.WriteString(indent + "→ ")
		t.problem(c, indent)
	}
}

// place is [Place] in the words of the report.
func (r *reporter) place(pos diag.Pos) string {
	p := pos.Position()
	if !pos.IsValid() || r.Name != nil && r.Name(p.Filename) == "" {
		return ""
	}
	return r.printable(fmt.Sprintf("%s:%d:%d: ", r.Called(p.Filename), p.Line, p.Column))
}
