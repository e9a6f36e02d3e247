package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"kumiki.dev/diag"
)

// maxValue is how much of a value is written on a line.
const maxValue = 60

// Text is the plan for a person: a line for each place that changes, and with
// details the fields behind it and the objects' own.
func (p *Plan) Text(details bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s → %s: %s\n", diag.Printable(p.Old.name()), diag.Printable(p.New.name()), p.summary())
	var rows []row
	for _, e := range p.Entries {
		if e.Class != Unchanged {
			rows = append(rows, row{[]string{string(e.Class), e.String(), e.what()}, e.Changes})
		}
	}
	write(&b, rows, details)
	if p.Target != nil {
		fmt.Fprintf(&b, "\n%s: %s\n", p.Target.Name, p.Target.summary())
		write(&b, p.Target.rows(), details)
	}
	if len(p.Restarts) > 0 {
		fmt.Fprintf(&b, "\nrestarts: %s\n", diag.Printable(strings.Join(p.Restarts, ", ")))
	}
	if len(p.Stale) > 0 {
		b.WriteString("\n")
	}
	for _, one := range p.Stale {
		fmt.Fprintf(&b, "stale: %s\n", diag.Printable(one.String()))
	}
	return b.String()
}

// row is a line of a table, with what is below it.
type row struct {
	cells   []string
	changes []Change
}

// write makes a table, in which details have no columns.
func write(b *strings.Builder, rows []row, details bool) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		for i, cell := range r.cells {
			r.cells[i] = diag.Printable(cell)
		}
		fmt.Fprintln(w, strings.Join(r.cells, "\t"))
	}
	_ = w.Flush() // a builder takes everything
	lines := strings.Split(table.String(), "\n")
	for i, r := range rows {
		b.WriteString(strings.TrimRight(lines[i], " ") + "\n")
		for _, c := range r.changes {
			if details {
				fmt.Fprintf(b, "    %s\n", diag.Printable(c.String()))
			}
		}
	}
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

func (t *Target) rows() []row {
	var rows []row
	for _, o := range t.Objects {
		what := ""
		if o.Restarts {
			what = "restarts"
		}
		rows = append(rows, row{[]string{string(o.Action), o.String(), what}, o.Changes})
	}
	return rows
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
