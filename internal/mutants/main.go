// Command mutants edits the sources, an edit at a time, and looks whether a test
// notices: a condition is made true, a comparison gets another operator, a return
// is left out. It reads the edits off the syntax trees of the files that [mutated]
// names, draws some of them, compiles all of those into one binary for each
// package of tests, and runs that with one after the other switched on. Nothing is
// changed in the checkout.
//
//	go run ./internal/mutants -n 80 -seed 1
//	go run ./internal/mutants -only checkBound
//	go run ./internal/mutants -list -only checkBound
//
// It prints what became of each, and fails where no test notices an edit which
// equivalent.txt does not prove to be none.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	seed     uint64
	n        int
	only     string
	list     bool
	proved   bool
	first    int // suites to ask, 0 for all
	patterns []pattern
	suites   []suite
	proofs   string
	progress func(format string, args ...any)
	patience time.Duration // that a test has beyond ten times what it takes
}

func main() {
	o := options{patterns: mutated, suites: suites, proofs: "internal/mutants/equivalent.txt", patience: 10 * time.Second}
	o.progress = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	flag.Uint64Var(&o.seed, "seed", 1, "which mutants are drawn")
	flag.IntVar(&o.n, "n", 80, "how many are drawn, evenly over the files; 0 is all")
	flag.StringVar(&o.only, "only", "", "draw from those whose place or key has this `text` in it")
	flag.BoolVar(&o.list, "list", false, "list what could be drawn, and judge nothing")
	flag.IntVar(&o.first, "suites", 0, "ask the first so many suites only, for a quick look; 0 is all")
	flag.BoolVar(&o.proved, "proved", false, "try those that are proved to be no mutants: a test that notices one is an error")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, ".", o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// run draws and judges mutants of the repository in root. It reports whether what
// was found is as it should be.
func run(ctx context.Context, root string, o options, w io.Writer) (bool, error) {
	start := time.Now()
	root, err := filepath.Abs(root)
	if err != nil {
		return false, err
	}
	drawn, total, err := choose(root, o)
	if err != nil {
		return false, err
	}
	if o.list {
		for _, m := range drawn {
			fmt.Fprintf(w, "%s: %s\n", m.place(), m.key())
		}
		return true, nil
	}
	dir, err := os.MkdirTemp("", "kumiki-mutants-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // tests read theirs as somebody else
		return false, err
	}
	verdicts, err := judge(ctx, &runner{root: root, dir: dir, workers: runtime.NumCPU(), patience: o.patience, progress: o.progress, asked: map[string]bool{}}, drawn, o.suites[:cmp.Or(o.first, len(o.suites))])
	if err != nil {
		return false, err
	}
	ok := report(w, drawn, verdicts, o.proved)
	fmt.Fprintf(w, "Seed %d, %d of %d mutants, %.0f s.\n", o.seed, len(drawn), total, time.Since(start).Seconds())
	return ok, nil
}

// choose returns the mutants that are to be judged, and how many there are.
func choose(root string, o options) (drawn []*mutant, total int, err error) {
	sources, err := load(root, o.patterns)
	if err != nil {
		return nil, 0, err
	}
	proofs, err := readProofs(o.proofs)
	if err != nil {
		return nil, 0, err
	}
	proved, others, err := split(mutants(sources), proofs, o.proofs)
	if err != nil {
		return nil, 0, err
	}
	if o.proved {
		others = proved
	}
	var from []*mutant
	for _, m := range others {
		if strings.Contains(m.place()+": "+m.key(), o.only) {
			from = append(from, m)
		}
	}
	switch {
	case len(from) == 0:
		return nil, 0, fmt.Errorf("there is no mutant with %q", o.only)
	case o.list:
		return from, len(from), nil
	case o.n == 0:
		o.n = len(from)
	}
	return draw(from, o.seed, o.n), len(from), nil
}

// judge asks the suites about mutants, one suite after the other.
func judge(ctx context.Context, r *runner, drawn []*mutant, suites []suite) ([]*verdict, error) {
	name, err := overlay(r.dir, drawn)
	if err != nil {
		return nil, err
	}
	built := time.Now()
	if err := r.build(name, suites); err != nil {
		return nil, err
	}
	r.progress("built, %.0f s", time.Since(built).Seconds())
	verdicts := make([]*verdict, len(drawn))
	for i := range verdicts {
		verdicts[i] = &verdict{}
	}
	for _, s := range suites {
		var left []int
		for i, v := range verdicts {
			if v.by == "" {
				left = append(left, i)
			}
		}
		if len(left) == 0 {
			break
		}
		asked := time.Now()
		tests, err := r.tests(ctx, s)
		if err != nil {
			return nil, err
		}
		failed := make([]error, len(left))
		each(r.workers, len(left), func(i int) { failed[i] = r.judge(ctx, tests, left[i]+1, verdicts[left[i]]) })
		for _, err := range failed {
			if err != nil {
				return nil, err
			}
		}
		r.progress("%s %s: %d tests about %d mutants, %.0f s", s.pkg, s.run, len(tests), len(left), time.Since(asked).Seconds())
	}
	return verdicts, nil
}
