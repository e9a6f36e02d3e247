// Command bench measures kumiki beside plain CUE, which does the same work on
// the same applications, as whole processes: wall clock, processor time and peak
// memory. It prints tables of ratios, and writes them into a page between two
// markers.
//
//	go run ./internal/bench -page docs/performance.md
//	go run ./internal/bench -quick -only flat
//	go run ./internal/bench -forms 300 -pairs 40 -only file:
//
// It runs in the root of the repository, on Linux.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"kumiki.dev/internal/benchapp"
)

func main() {
	quick := flag.Bool("quick", false, "measure the small cases only, under a minute")
	only := flag.String("only", "", "measure the `shapes` of this list only: flat,nested; with -forms, those whose name has this in it")
	page := flag.String("page", "", "`file` to write the tables into, between its markers")
	var f formsRun
	flag.IntVar(&f.roles, "forms", 0, "measure the forms of manifests beside the plainest one, at this `number` of roles")
	flag.IntVar(&f.pairs, "pairs", 0, "with -forms, measure this `number` of pairs of them, and of triples, too")
	flag.Uint64Var(&f.seed, "seed", 1, "with -pairs, what they are drawn by")
	m := matrixRun{roles: 10}
	flag.IntVar(&m.size, "matrix", 0, "measure this `number` of templates for as many environments")
	flag.IntVar(&m.sample, "sample", 200, "with -matrix, the `number` of solutions that are made one at a time")
	flag.Parse()
	f.only = *only
	measure := func(t tools) error { return run(t, *quick, *only, *page) }
	if f.roles > 0 {
		measure = f.run
	}
	if m.size > 0 {
		m.page = *page
		measure = m.run
	}
	if err := withTools(measure); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// withTools builds what is measured into a directory that lives as long as the
// run does.
func withTools(measure func(tools) error) error {
	dir, err := os.MkdirTemp("", "kumiki-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t, err := build(dir)
	if err != nil {
		return err
	}
	return measure(t)
}

func run(t tools, quick bool, only, page string) error {
	goVersion, cueVersion, err := t.versions()
	if err != nil {
		return err
	}
	var r results
	for _, c := range chosen(quick, only) {
		took, err := t.measure(c, quick)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		r = append(r, result{c, took})
	}
	text := fmt.Sprintf("Measured on %d cores, %s/%s, with %s and CUE %s.\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, goVersion, cueVersion) + r.report()
	fmt.Print(text)
	if page == "" {
		return nil
	}
	return write(page, text)
}

// chosen are the cases to measure.
func chosen(quick bool, only string) []benchapp.Case {
	var out []benchapp.Case
	for _, c := range benchapp.Cases() {
		if (c.Quick || !quick) && (only == "" || strings.Contains(","+only+",", ","+c.Shape+",")) {
			out = append(out, c)
		}
	}
	return out
}

// Markers of the part of a page that a run writes.
const (
	begin = "<!-- written by make bench -->\n"
	end   = "<!-- end of what make bench writes -->\n"
)

// write replaces what is between the markers of the page.
func write(page, text string) error { return writeBetween(page, begin, end, text) }

func writeBetween(page, begin, end, text string) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ends := strings.Cut(rest, end)
	if !ok || !ends {
		return fmt.Errorf("%s has no line %q followed by %q", page, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(page, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}
