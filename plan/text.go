package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
)

// maxValue is how much of a value is written on a line.
const maxValue = 60

// Text is the plan for a person: a line for each place that changes, and with
// details the fields behind it and the objects' own.
func (p *Plan) Text(details bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s → %s: %s\n", p.Old.name(), p.New.name(), p.summary())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, e := range p.Entries {
		if e.Class == Unchanged {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Class, e.Place, e.what())
		if details {
			for _, c := range e.Changes {
				fmt.Fprintf(w, "\t\t%s\n", c)
			}
		}
	}
	_ = w.Flush() // a builder takes everything
	if p.Target != nil {
		b.WriteString("\n")
		p.Target.text(&b, details)
	}
	if len(p.Restarts) > 0 {
		fmt.Fprintf(&b, "\nrestarts: %s\n", strings.Join(p.Restarts, ", "))
	}
	return trim(b.String())
}

// trim takes away the spaces that a table leaves at the end of lines.
func trim(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// name is what stands for a side; nothing has none.
func (s Side) name() string {
	if s.Name == "" {
		return "nothing"
	}
	return s.Name
}

// summary counts the classes.
func (p *Plan) summary() string {
	var words []string
	for _, c := range Classes {
		if n := p.Count(c); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, c))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// what says in a few words what happens.
func (e Entry) what() string {
	var words []string
	if e.From != nil {
		words = append(words, "was "+e.From.String())
	}
	if e.Class == DataLoss && e.Base != Renamed {
		words = append(words, string(e.Base))
	}
	for _, l := range e.Losses {
		words = append(words, l.Why)
	}
	if len(words) > 0 {
		return strings.Join(words, "; ")
	}
	if len(e.Changes) == 1 {
		return e.Changes[0].String()
	}
	for i, c := range e.Changes {
		if i == 2 && len(e.Changes) > 3 {
			words = append(words, fmt.Sprintf("and %d more", len(e.Changes)-i))
			break
		}
		words = append(words, c.Path)
	}
	return strings.Join(words, ", ")
}

// String is "path: from → to".
func (c Change) String() string {
	return fmt.Sprintf("%s: %s → %s", c.Path, short(c.From), short(c.To))
}

// short is a value on one line; "none" for no value.
func short(v any) string {
	if v == nil {
		return "none"
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "?"
	}
	text := []rune(strings.TrimSpace(b.String()))
	if len(text) > maxValue {
		return string(text[:maxValue-1]) + "…"
	}
	return string(text)
}

func (t *Target) text(b *strings.Builder, details bool) {
	fmt.Fprintf(b, "%s: %s\n", t.Name, t.summary())
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, o := range t.Objects {
		what := ""
		if o.Restarts {
			what = "restarts"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", o.Action, o, what)
		if details {
			for _, c := range o.Changes {
				fmt.Fprintf(w, "\t\t%s\n", c)
			}
		}
	}
	_ = w.Flush() // a builder takes everything
}

// summary counts the actions.
func (t *Target) summary() string {
	counts := map[Action]int{}
	for _, o := range t.Objects {
		counts[o.Action]++
	}
	var words []string
	for _, a := range []Action{CreateObject, ChangeObject, ReplaceObject, DeleteObject} {
		if counts[a] > 0 {
			words = append(words, fmt.Sprintf("%d to %s", counts[a], a))
		}
	}
	if len(words) == 0 {
		return "no object changes"
	}
	return strings.Join(words, ", ")
}
