package main

import (
	"fmt"
	"math"
	"strings"

	"kumiki.dev/internal/benchapp"
)

// results are those of all cases, in their order.
type results []result

// metric is one of the figures that a command leaves.
type metric func(took) float64

func cpu(t took) float64  { return t.CPU }
func wall(t took) float64 { return t.Wall }
func peak(t took) float64 { return t.Peak }

// of finds what a contender took for a case.
func (r results) of(name, contender string) (result, took, bool) {
	for _, x := range r {
		if x.Name() == name {
			t, ok := x.by[contender]
			return x, t, ok
		}
	}
	return result{}, took{}, false
}

// ratio is what a takes as a multiple of what b takes.
func (r results) ratio(name, a, b string, m metric) (float64, bool) {
	_, x, ok := r.of(name, a)
	_, y, there := r.of(name, b)
	return m(x) / m(y), ok && there
}

// report is the page's part that a run writes.
func (r results) report() string {
	var b strings.Builder
	b.WriteString("### Targets\n\n" + r.targets())
	b.WriteString("\n### Kumiki beside plain CUE\n\nMultiples of processor time and of peak memory: below 1, kumiki takes less.\n\n" + r.ratios())
	b.WriteString("\n### Growth\n\nOf `kumiki compile` and of one unification, from each size to the next: the exponent of processor time (1 is linear), and the memory that each further component takes.\n\n" + r.growth())
	for _, x := range []struct {
		title, format string
		m             metric
	}{
		{"Processor time, seconds", "%.2f", cpu},
		{"Wall clock, seconds", "%.2f", wall},
		{"Peak memory, MiB", "%.0f", func(t took) float64 { return t.Peak / 1024 }},
	} {
		fmt.Fprintf(&b, "\n### %s\n\n%s", x.title, r.figures(x.format, x.m))
	}
	b.WriteString("\n### What is measured\n\n")
	for _, c := range contenders {
		fmt.Fprintf(&b, "- %s: %s\n", c.name, c.about)
	}
	b.WriteString("\n")
	for _, s := range benchapp.Shapes {
		fmt.Fprintf(&b, "- %s: %s\n", s.Name, s.About)
	}
	return b.String()
}

// figures is a table of all cases and all contenders.
func (r results) figures(format string, m metric) string {
	header := []string{"case"}
	for _, c := range contenders {
		header = append(header, c.name)
	}
	t := table{header: header}
	for _, x := range r {
		row := []string{x.Name()}
		for _, c := range contenders {
			took, ok := x.by[c.name]
			switch {
			case ok:
				row = append(row, fmt.Sprintf(format, m(took)))
			case c.in(x.Case):
				row = append(row, fmt.Sprintf("over %v", limit))
			default:
				row = append(row, "")
			}
		}
		t.rows = append(t.rows, row)
	}
	return t.String()
}

// comparisons are the columns of the table of ratios.
var comparisons = []struct{ a, b string }{
	{compile, unified}, {compile, finished}, {compile, plainJSON}, {compile, whole}, {edited, compile}, {kubernetes, objects},
}

func (r results) ratios() string {
	t := table{header: []string{"case"}}
	for _, c := range comparisons {
		t.header = append(t.header, c.a+" / "+c.b)
	}
	for _, x := range r {
		row := []string{x.Name()}
		for _, c := range comparisons {
			time, ok := r.ratio(x.Name(), c.a, c.b, cpu)
			memory, _ := r.ratio(x.Name(), c.a, c.b, peak)
			cell := ""
			if ok {
				cell = fmt.Sprintf("%s, %s", multiple(time), multiple(memory))
			}
			row = append(row, cell)
		}
		t.rows = append(t.rows, row)
	}
	return t.String()
}

// growth compares each case with the one before of the same shape.
func (r results) growth() string {
	t := table{header: []string{"from", "to", compile, "MiB", unified, "MiB"}}
	for i, x := range r[min(1, len(r)):] {
		before := r[i]
		if before.Shape != x.Shape {
			continue
		}
		row := []string{before.Name(), x.Name()}
		for _, c := range []string{compile, unified} {
			e, ok := r.exponent(before.Name(), x.Name(), c)
			m, alright := r.perRole(before.Name(), x.Name(), c)
			row = append(row, cell(e, ok), cell(m, alright))
		}
		t.rows = append(t.rows, row)
	}
	return t.String()
}

// exponent is how processor time grows with size between two cases.
func (r results) exponent(small, large, contender string) (float64, bool) {
	a, x, ok := r.of(small, contender)
	b, y, there := r.of(large, contender)
	return math.Log(y.CPU/x.CPU) / math.Log(float64(b.Size)/float64(a.Size)), ok && there
}

// perRole is the memory that each further component takes between two cases, in
// MiB; where there are none, it is not known.
func (r results) perRole(small, large, contender string) (float64, bool) {
	a, x, ok := r.of(small, contender)
	b, y, there := r.of(large, contender)
	return (y.Peak - x.Peak) / 1024 / float64(b.Roles-a.Roles), ok && there && a.Roles < b.Roles
}

func cell(x float64, ok bool) string {
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

// multiple is short for what is near 1 and exact enough for what is not.
func multiple(x float64) string { return fmt.Sprintf("%.2g×", x) }
