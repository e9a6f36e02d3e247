package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
)

// formsRun measures `kumiki render` of forms of manifests, as multiples of what
// it takes for the plainest.
type formsRun struct {
	roles, pairs int
	seed         uint64
	only         string
}

// plainEvery is how many measurements share one of the plainest form: few
// enough that the machine is the same for all.
const plainEvery = 10

// formRuns is how often each form is run. On a shared machine, the lowest of two runs still varies by
// a tenth.
const formRuns = 3

// formed is what a form took, or several in one application.
type formed struct {
	name      string
	count     int // of forms
	took      took
	cpu, peak float64 // multiples of the plainest
}

// run prints the table and its summary.
func (f formsRun) run(t tools) error {
	before := load()
	measured, err := f.measure(t)
	if err != nil {
		return err
	}
	fmt.Printf("%d roles. Load of the machine before and after: %s, %s.\n\n%s\n%s", f.roles, before, load(), formsSummary(measured), formsTable(measured))
	return nil
}

// chosen are the forms alone, then random pairs, then as many triples.
func (f formsRun) chosen() [][]benchapp.Form {
	var forms []benchapp.Form
	var out [][]benchapp.Form
	for _, x := range benchapp.Forms() {
		if strings.Contains(x.Name, f.only) {
			forms, out = append(forms, x), append(out, []benchapp.Form{x})
		}
	}
	r := rand.New(rand.NewPCG(f.seed, 0))
	for _, size := range []int{2, 3} {
		for range f.pairs {
			if len(forms) < size {
				break
			}
			if drawn := draw(r, forms, size); drawn != nil {
				out = append(out, drawn)
			}
		}
	}
	return out
}

// draw picks forms that go together; where that fails often, none. Two that give the same parameter different
// values do not.
func draw(r *rand.Rand, forms []benchapp.Form, size int) []benchapp.Form {
	for range 100 {
		var out []benchapp.Form
		for range size {
			out = append(out, forms[r.IntN(len(forms))])
		}
		if benchapp.Together(out...) && distinct(out) && compiles(out) {
			return out
		}
	}
	return nil
}

// smallest is the number of roles of the application that is compiled to find out whether forms go together.
const smallest = 20

func compiles(forms []benchapp.Form) bool {
	dir, err := os.MkdirTemp("", "forms")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	if err := benchapp.FormApp(smallest, forms...).Write(dir); err != nil {
		return false
	}
	in := compiler.Input{}
	in.Dir = filepath.Join(dir, "deploy")
	_, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
	return !found.HasErrors()
}

func distinct(forms []benchapp.Form) bool {
	seen := map[string]bool{}
	for _, f := range forms {
		seen[f.Name] = true
	}
	return len(seen) == len(forms)
}

// measure runs all, with the plainest form before every few of them and at the
// end, and compares each with the nearest of those.
func (f formsRun) measure(t tools) ([]formed, error) {
	chosen := f.chosen()
	var out []formed
	var plain []took
	for i := 0; ; i++ {
		if i%plainEvery == 0 || i == len(chosen) {
			p, err := f.lowest(t, nil)
			if err != nil {
				return nil, err
			}
			if math.IsInf(p.CPU, 1) {
				return nil, fmt.Errorf("the plainest form takes over %v", limit)
			}
			plain = append(plain, p)
		}
		if i == len(chosen) {
			break
		}
		took, err := f.lowest(t, chosen[i])
		if err != nil {
			return nil, err
		}
		out = append(out, formed{name: nameOf(chosen[i]), count: len(chosen[i]), took: took})
		fmt.Fprintf(os.Stderr, "%d/%d %s: %.2f s, %.0f MiB\n", i+1, len(chosen), out[i].name, took.CPU, took.Peak/1024)
	}
	for i := range out {
		p := plain[min((i+plainEvery/2)/plainEvery, len(plain)-1)]
		out[i].cpu, out[i].peak = out[i].took.CPU/p.CPU, out[i].took.Peak/p.Peak
	}
	return out, nil
}

func nameOf(forms []benchapp.Form) string {
	var names []string
	for _, f := range forms {
		names = append(names, f.Name)
	}
	return strings.Join(names, " + ")
}

// lowest is what the cheapest of formRuns runs took; what takes too long is infinite.
func (f formsRun) lowest(t tools, forms []benchapp.Form) (took, error) {
	root, err := os.MkdirTemp(t.dir, "forms")
	if err != nil {
		return took{}, err
	}
	defer os.RemoveAll(root)
	if err := errors.Join(benchapp.FormApp(f.roles, forms...).Write(filepath.Join(root, "kumiki")), os.Mkdir(filepath.Join(root, "cache"), 0o755)); err != nil {
		return took{}, err
	}
	i := slices.IndexFunc(contenders, func(c contender) bool { return c.name == kubernetes })
	var best took
	for range formRuns {
		now, err := t.run(contenders[i], root)
		if errors.Is(err, context.DeadlineExceeded) {
			return took{math.Inf(1), math.Inf(1), math.Inf(1)}, nil
		}
		if err != nil {
			return took{}, fmt.Errorf("%s: %w", nameOf(forms), err)
		}
		best = least(best, now)
	}
	return best, nil
}

// formsTable has the worst first.
func formsTable(measured []formed) string {
	sorted := slices.SortedStableFunc(slices.Values(measured), func(a, b formed) int { return cmp.Compare(b.cpu, a.cpu) })
	t := table{header: []string{"form", "CPU, ×", "peak, ×", "CPU, s", "peak, MiB"}}
	for _, x := range sorted {
		row := []string{x.name, fmt.Sprintf("over %v", limit), "", "", ""}
		if !math.IsInf(x.cpu, 1) {
			row = []string{x.name, fmt.Sprintf("%.2f", x.cpu), fmt.Sprintf("%.2f", x.peak), fmt.Sprintf("%.2f", x.took.CPU), fmt.Sprintf("%.0f", x.took.Peak/1024)}
		}
		t.rows = append(t.rows, row)
	}
	return t.String()
}

// formsSummary says how forms alone, pairs and triples are spread.
func formsSummary(measured []formed) string {
	t := table{header: []string{"multiples of the plainest", "number", "median", "95th percentile", "maximum"}}
	for count, what := range []string{"", "forms alone", "pairs", "triples"} {
		var cpu, peak []float64
		for _, x := range measured {
			if x.count == count {
				cpu, peak = append(cpu, x.cpu), append(peak, x.peak)
			}
		}
		if len(cpu) > 0 {
			t.rows = append(t.rows, spreadOf(what+", CPU", cpu), spreadOf(what+", peak memory", peak))
		}
	}
	return t.String()
}

func spreadOf(what string, x []float64) []string {
	slices.Sort(x)
	at := func(share float64) string { return fmt.Sprintf("%.2f", x[int(math.Ceil(share*float64(len(x))))-1]) }
	return []string{what, fmt.Sprint(len(x)), at(0.5), at(0.95), at(1)}
}

// load is how many processes ran or waited in the last minute.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
