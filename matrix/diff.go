package matrix

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// Difference is a value of config that a template does not have alike in all environments.
type Difference struct {
	Template string `json:"template"`
	// Path is that of the value in the deployment: config.parameter.replicas.
	Path string `json:"path"`
	// Values are by the names of environments; those that have none are not here.
	Values map[string]DifferentValue `json:"values"`
}

// DifferentValue is what one environment has.
type DifferentValue struct {
	// Value is as JSON writes it.
	Value string `json:"value"`
	// By is who gave it, Pos where, and Place is that for people, which whoever prints it says.
	By    value.Giver `json:"by"`
	Pos   diag.Pos    `json:"-"`
	Place string      `json:"place,omitempty"`
}

// Differences are the values of config that differ between environments, sorted by template
// and path. The results have to have their configs.
func (m *Matrix) Differences() []Difference {
	byTemplate := map[string][]*Result{}
	for _, r := range m.Results {
		if r.Config != nil {
			byTemplate[r.Template.Name] = append(byTemplate[r.Template.Name], r)
		}
	}
	out := []Difference{}
	for _, name := range sorting.Ordered(byTemplate) {
		out = append(out, differences(name, byTemplate[name])...)
	}
	return out
}

func differences(template string, results []*Result) (out []Difference) {
	paths := map[string]map[string]DifferentValue{}
	for _, r := range results {
		r.Config.Walk([]string{"config"}, func(path []string, d *value.Data) bool {
			if d.IsComposite() && (len(d.Members()) > 0 || d.Kind == value.Struct) {
				return true // a struct is its values
			}
			key := strings.Join(path, ".")
			if paths[key] == nil {
				paths[key] = map[string]DifferentValue{}
			}
			paths[key][r.Environment.Name] = DifferentValue{Value: d.JSON(), By: d.Origin.By, Pos: d.Pos}
			return true
		})
	}
	for _, path := range sorting.Ordered(paths) {
		seen := map[string]bool{}
		for _, v := range paths[path] {
			seen[v.Value] = true
		}
		if len(seen) > 1 || len(paths[path]) < len(results) {
			out = append(out, Difference{template, path, paths[path]})
		}
	}
	return out
}

// WriteDifferences writes a table for each template. Paint, if not nil, colours a value by
// who gave it.
func WriteDifferences(w io.Writer, all []Difference, paint func(text string, by value.Giver) string) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no value of config differs between environments")
		return err
	}
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && all[end].Template == all[i].Template {
			end++
		}
		if err := writeDifferences(w, all[i:end], paint); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// MarkdownDifferences writes a table of Markdown for each template.
func MarkdownDifferences(w io.Writer, all []Difference) error {
	var b strings.Builder
	if len(all) == 0 {
		b.WriteString("No value of config differs between environments.\n")
	}
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && all[end].Template == all[i].Template {
			end++
		}
		rows, _ := differenceRows(all[i:end])
		for n, row := range rows {
			for j, text := range row {
				if n > 0 && text != "-" {
					text = "`" + strings.ReplaceAll(text, "|", "\\|") + "`"
				}
				if n == 0 && j == 0 {
					text = all[i].Template
				}
				b.WriteString("| " + text + " ")
			}
			b.WriteString("|\n")
			if n == 0 {
				b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
			}
		}
		if i = end; i < len(all) {
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// differenceRows are the differences of one template as a table, and its environments.
func differenceRows(all []Difference) (rows [][]string, columns []string) {
	environments := map[string]bool{}
	for _, d := range all {
		for name := range d.Values {
			environments[name] = true
		}
	}
	columns = sorted(environments)
	rows = [][]string{append([]string{strings.ToUpper(all[0].Template)}, columns...)}
	for _, d := range all {
		row := []string{d.Path}
		for _, e := range columns {
			row = append(row, cmp.Or(d.Values[e].Value, "-"))
		}
		rows = append(rows, row)
	}
	return rows, columns
}

// writeDifferences writes those of one template.
func writeDifferences(w io.Writer, all []Difference, paint func(string, value.Giver) string) error {
	rows, columns := differenceRows(all)
	widths := make([]int, len(columns)+1)
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for n, row := range rows {
		var b strings.Builder
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if paint != nil && n > 0 && i > 0 {
				text = paint(text, all[n-1].Values[columns[i-1]].By)
			}
			b.WriteString(text)
			if i < len(row)-1 {
				b.WriteString(pad + "  ")
			}
		}
		if _, err := fmt.Fprintln(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
