package matrix

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/plan"
)

// Report is what is shown of a matrix.
type Report struct {
	Cells   []ReportCell `json:"cells"`
	Renamed []Rename     `json:"renamed,omitempty"`
	// Changes leaves rows and columns out of tables in which nothing changes.
	Changes bool `json:"-"`
}

// ReportCell is a cell as it is shown.
type ReportCell struct {
	Template    string `json:"template"`
	Environment string `json:"environment"`
	Name        string `json:"name"`
	Artifact    string `json:"artifact"`
	Wave        string `json:"wave,omitempty"`
	// WaveNumber is which of the template's waves that is, from 1; 0 for none.
	WaveNumber int        `json:"waveNumber,omitempty"`
	Level      int        `json:"level"`
	State      State      `json:"state"`
	Class      plan.Class `json:"class,omitempty"`
	Digest     string     `json:"digest,omitempty"`
	// Problems are what is wrong with it, as texts.
	Problems []string `json:"problems,omitempty"`
	// Plan is what a change does, where that was asked for.
	Plan *plan.Plan `json:"plan,omitempty"`
}

// Report is what is shown of a matrix and of what is gone; changes may be nil.
func (m *Matrix) Report(changes *Changes) *Report {
	out := &Report{Cells: []ReportCell{}}
	for _, r := range m.Results {
		c := ReportCell{r.Template.Name, r.Environment.Name, r.Name, r.Artifact.String(), "", 0, r.Level, r.State, r.Class, r.Digest, nil, r.Plan}
		if r.Wave != nil {
			c.Wave, c.WaveNumber = r.Wave.Name, slices.Index(r.Template.Waves, r.Wave)+1
		}
		if r.State == Problem {
			for _, d := range r.Problems {
				c.Problems = append(c.Problems, d.Message)
			}
		}
		out.Cells = append(out.Cells, c)
	}
	if changes == nil {
		return out
	}
	out.gone(changes.Removed, Removed)
	out.gone(changes.Unknown, Unknown)
	out.Renamed = changes.Renamed
	sorting.By(out.Cells, func(a, b ReportCell) int {
		return cmp.Or(strings.Compare(a.Environment, b.Environment), strings.Compare(a.Template, b.Template))
	})
	return out
}

func (r *Report) gone(entries []*Entry, state State) {
	for _, e := range entries {
		r.Cells = append(r.Cells, ReportCell{e.Template, e.Environment, e.Name, e.Artifact, e.Wave, 0, e.Level, state, "", e.Digest, nil, nil})
	}
}

// word is what a table has for a cell.
func (c ReportCell) word() string {
	if c.State == Changed && c.Class != "" {
		return string(c.Class)
	}
	return string(c.State)
}

// Rows are the table: a row for each template, a column for each environment. The first has
// their names, and is alone if there is nothing to show.
func (r *Report) Rows() [][]string {
	environments, templates, words := map[string]bool{}, map[string]bool{}, map[[2]string]string{}
	for _, c := range r.Cells {
		if !r.Changes || c.State != Unchanged {
			environments[c.Environment], templates[c.Template] = true, true
		}
		words[[2]string{c.Template, c.Environment}] = c.word()
	}
	columns := sorted(environments)
	rows := [][]string{append([]string{""}, columns...)}
	for _, t := range sorted(templates) {
		row := []string{t}
		for _, e := range columns {
			row = append(row, cmp.Or(words[[2]string{t, e}], "-"))
		}
		rows = append(rows, row)
	}
	return rows
}

func sorted(names map[string]bool) []string {
	var out []string
	for name := range names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Summary counts the cells of each state.
func (r *Report) Summary() string {
	count := map[State]int{}
	for _, c := range r.Cells {
		count[c.State]++
	}
	var parts []string
	for _, s := range []State{New, Changed, Unchanged, Removed, Problem, Unknown} {
		if n := count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if parts == nil {
		return "no template is for any environment"
	}
	return strings.Join(parts, ", ")
}

// renames says which names seem to be new ones of old things.
func (r *Report) renames() (lines []string) {
	for _, x := range r.Renamed {
		what := fmt.Sprintf("%d solutions are removed, and are", x.Cells)
		if x.Cells == 1 {
			what = "solution is removed, and is"
		}
		lines = append(lines, fmt.Sprintf("%s %s is called %s now: its %s new under that name", x.What, x.From, x.To, what))
	}
	return lines
}

// Text writes the table for a terminal.
func (r *Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows := r.Rows()
	rows[0][0] = "TEMPLATE"
	if len(rows) == 1 {
		rows = nil
	}
	for _, row := range rows {
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, line := range append(r.renames(), r.Summary()) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes the table for a pull request.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", r.Summary())
	rows := r.Rows()
	rows[0][0] = "template"
	if len(rows) == 1 {
		rows = nil
	}
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	for _, line := range r.renames() {
		fmt.Fprintf(&b, "\n- %s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// page is the table as a page of its own.
const page = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Templates and environments</title><style>
body{font:15px/1.4 system-ui,sans-serif;margin:2rem;color-scheme:light dark}
table{border-collapse:collapse}th,td{border:1px solid #8886;padding:.3rem .6rem;text-align:left}
thead th{position:sticky;top:0;background:Canvas}
.new{background:#2a62}.unchanged{color:GrayText}.problem,.data-loss,.removed,.delete{background:#c332}.unknown{background:#8882}
.changed,.rollout,.recreate,.config-only,.scale-only{background:#c922}
</style></head><body><h1>Templates and environments</h1><p>{{.Summary}}</p>
<table><thead><tr>{{range index .Rows 0}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range slice .Rows 1}}<tr>{{range $i, $word := .}}{{if $i}}<td class="{{$word}}">{{$word}}</td>{{else}}<th>{{$word}}</th>{{end}}{{end}}</tr>
{{end}}</tbody></table>
{{range .Lines}}<p>{{.}}</p>
{{end}}</body></html>
`

// HTML writes the table as a page that needs nothing else.
func (r *Report) HTML(w io.Writer) error {
	t, err := template.New("matrix").Parse(page)
	if err != nil {
		return err
	}
	rows := r.Rows()
	rows[0][0] = "template"
	return t.Execute(w, struct {
		Summary string
		Rows    [][]string
		Lines   []string
	}{r.Summary(), rows, r.renames()})
}
