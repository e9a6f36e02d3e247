package main

import "fmt"

// target is what the project wants to hold: a figure that is not over a limit.
type target struct {
	what  string
	limit float64
	why   string
	got   func(results) (float64, bool)
}

// ratioOf is a target's figure: a as a multiple of b.
func ratioOf(name, a, b string, m metric) func(results) (float64, bool) {
	return func(r results) (float64, bool) { return r.ratio(name, a, b, m) }
}

// The peers' limits are what Helm and Jsonnet take for the same objects, as
// multiples of plain CUE's.
var targets = []target{
	{"render usual-1000 / objects by CUE, CPU", 0.30, "Helm, one chart with a range", ratioOf("usual-1000", kubernetes, objects, cpu)},
	{"the same, peak memory", 0.30, "Helm: 0.21", ratioOf("usual-1000", kubernetes, objects, peak)},
	{"render nested-file-1024 / objects by CUE, CPU", 0.14, "Jsonnet", ratioOf("nested-file-1024", kubernetes, objects, cpu)},
	{"render nested-1024 / objects by CUE, CPU", 0.14, "Jsonnet, but for the file", ratioOf("nested-1024", kubernetes, objects, cpu)},
	{"render usual-10 / objects by CUE, CPU", 1, "start-up", ratioOf("usual-10", kubernetes, objects, cpu)},
	{"compile nested-equal-1024 / one unification, CPU", 1. / 40, "repeated services", ratioOf("nested-equal-1024", compile, unified, cpu)},
	{"the same, peak memory", 1. / 8, "", ratioOf("nested-equal-1024", compile, unified, peak)},
	{"compile nested-1024 / one unification, CPU", 1. / 40, "as much, where nothing is repeated", ratioOf("nested-1024", compile, unified, cpu)},
	{"the same, peak memory", 1. / 8, "", ratioOf("nested-1024", compile, unified, peak)},
	{"compile --cache nested-1024 after an edit, seconds of wall clock", 0.05, "while one types", func(r results) (float64, bool) {
		_, t, ok := r.of("nested-1024", edited)
		return t.Wall, ok
	}},
	{"compile flat-1000 / one unification, CPU", 1 / 2.5, "repeated artifacts", ratioOf("flat-1000", compile, unified, cpu)},
	{"compile flat-1000 / finished JSON by CUE, CPU", 0.6, "", ratioOf("flat-1000", compile, finished, cpu)},
	{"compile configs-1000 / one unification, CPU", 1, "nothing is repeated", ratioOf("configs-1000", compile, unified, cpu)},
	{"compile usual-1000 / one unification, CPU", 1, "nothing is repeated, and a file", ratioOf("usual-1000", compile, unified, cpu)},
	{"compile artifacts-1000 / one unification, CPU", 1, "nothing is repeated, not even artifacts", ratioOf("artifacts-1000", compile, unified, cpu)},
	{"compile minimal-1 / one unification, wall clock", 3, "start-up", ratioOf("minimal-1", compile, unified, wall)},
	{"MiB for each role, flat-1000 to flat-3000", 0.2, "", func(r results) (float64, bool) { return r.perRole("flat-1000", "flat-3000", compile) }},
	{"MiB for each role, usual-100 to usual-1000", 0.2, "", func(r results) (float64, bool) { return r.perRole("usual-100", "usual-1000", compile) }},
	{"growth with depth, chain-20 to chain-40", 1, "", func(r results) (float64, bool) { return r.exponent("chain-20", "chain-40", compile) }},
	{"growth with connections, connected-1000 to connected-2000", 1, "", func(r results) (float64, bool) { return r.exponent("connected-1000", "connected-2000", compile) }},
}

// targets is a table of those that the run measured.
func (r results) targets() string {
	t := table{header: []string{"target", "at most", "measured", "met", "why this limit"}}
	for _, x := range targets {
		got, ok := x.got(r)
		if !ok {
			continue
		}
		met := "yes"
		if got > x.limit {
			met = fmt.Sprintf("no: %.2g times the limit", got/x.limit)
		}
		t.rows = append(t.rows, []string{x.what, fmt.Sprintf("%.3g", x.limit), fmt.Sprintf("%.3g", got), met, x.why})
	}
	return t.String()
}
