package report

import (
	"fmt"
	"io"
	"strings"

	"kumiki.dev/diag"
)

// Options say how problems are shown.
type Options struct {
	// Dir is the directory that the names of files are relative to, absolute;
	// "" leaves the names as the positions have them.
	Dir string
	// Name returns what a file is called whose name says nothing to the reader,
	// such as one in a cache; "" for what is no place to look at. It may be nil.
	Name func(file string) string
	// Source returns the contents of a file, nil where there is none (a --set
	// has no file). Without contents a place has no end, and no excerpt is shown.
	// It may be nil itself.
	Source func(file string) []byte
	// Terminal makes Text use colours and show the line that a problem is in.
	Terminal bool
	// All shows what follows from a problem below it. JSON always has it.
	All bool
	// Hide replaces in a message what is not to be shown; nil shows everything. Of a
	// place where there is something of it, nothing tells how long that is.
	Hide func(text string) string
	// Version is kumiki's own, for SARIF; "" leaves it out.
	Version string
}

// reporter is one report that is being made.
type reporter struct {
	Options
	sources map[string][]byte
}

func newReporter(o Options) *reporter {
	return &reporter{Options: o, sources: map[string][]byte{}}
}

// source returns the contents of a file, which are asked for once.
func (r *reporter) source(file string) []byte {
	if r.Source == nil {
		return nil
	}
	text, ok := r.sources[file]
	if !ok {
		text = r.Source(file)
		r.sources[file] = text
	}
	return text
}

// listed is the problems that a flat form lists: with All each is followed by
// what follows from it.
func (r *reporter) listed(problems diag.List) diag.List {
	if !r.All {
		return problems
	}
	var out diag.List
	for _, d := range problems {
		out = append(append(out, d), r.listed(d.Consequences)...)
	}
	return out
}

// Summary is the line below a list of problems, with the number of each kind
// and of what is not shown: "2 errors, 1 warning (3 consequences hidden, --all
// shows them)". It is "" where it would say nothing that one can't see.
func Summary(problems diag.List, o Options) string {
	hidden := ""
	if n := consequences(problems); n > 0 && !o.All {
		hidden = fmt.Sprintf("(%s hidden, --all shows %s)", count(n, "consequence"), map[bool]string{true: "it", false: "them"}[n == 1])
	}
	if len(problems) < 2 {
		return hidden
	}
	errors, warnings := tally(problems)
	var parts []string
	if errors > 0 {
		parts = append(parts, count(errors, "error"))
	}
	if warnings > 0 {
		parts = append(parts, count(warnings, "warning"))
	}
	return strings.TrimSpace(strings.Join(parts, ", ") + " " + hidden)
}

func tally(problems diag.List) (errors, warnings int) {
	for _, d := range problems {
		if d.Severity == diag.Warning {
			warnings++
		} else {
			errors++
		}
	}
	return errors, warnings
}

func consequences(problems diag.List) int {
	n := 0
	for _, d := range problems {
		n += len(d.Consequences) + consequences(d.Consequences)
	}
	return n
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// write writes the text whole: a reader never gets half a document of ours
// because of a mistake of ours.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
