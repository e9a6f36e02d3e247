package report

import (
	"fmt"
	"io"
	"strings"

	"kumiki.dev/diag"
)

// GitHub writes the problems as commands that GitHub's runners make annotations
// of, one a line:
//
//	::error file=deploy/d.cue,line=10,endLine=10,col=4,endColumn=10,title=spread/undeclared-field::message
//
// Related places follow the message as lines of their own.
func GitHub(w io.Writer, problems diag.List, o Options) error {
	r := newReporter(o)
	var b strings.Builder
	for _, d := range r.listed(r.shown(problems)) {
		message := d.Message
		var properties []string
		if s, ok := r.span(d.Pos); ok && s.text != nil {
			properties = append(properties, "file="+property.Replace(s.name), fmt.Sprintf("line=%d,endLine=%d", s.start.line, s.end.line))
			if s.start.line == s.end.line { // GitHub wants columns in one line only
				properties = append(properties, fmt.Sprintf("col=%d,endColumn=%d", s.start.chars, s.end.chars))
			}
		} else {
			message = r.place(d.Pos) + message // of no file in the repository
		}
		properties = append(properties, "title="+property.Replace(string(d.Code)))
		for _, x := range d.Related {
			message += "\n" + r.place(x.Pos) + x.Message
		}
		fmt.Fprintf(&b, "::%s %s::%s\n", d.Severity, strings.Join(properties, ","), data.Replace(message))
	}
	return write(w, b.String())
}

// What the runner takes back out of the two parts of a command.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
