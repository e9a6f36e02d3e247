// Command sweep compares kumiki with the reference on a fresh range of made-up
// applications, and makes those on which they differ smaller.
//
//	go run ./internal/differential/sweep -n 5000 -seed 100000
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"kumiki.dev/internal/differential"
	"kumiki.dev/internal/differential/reference"
)

func main() {
	n := flag.Int("n", 1000, "how many applications to make up")
	first := flag.Uint64("seed", uint64(time.Now().Unix()), "the first seed; by default the time")
	out := flag.String("out", "", "where to write cases on which they differ; by default a temporary directory")
	show := flag.Bool("show", false, "print the application of the first seed and what comes of it, nothing else")
	all := flag.Bool("all", false, "leave out the shortcuts in every combination, not only none or all of them")
	trials := flag.Int("trials", 1500, "how much to try to make a case smaller")
	flag.Parse()
	debug.SetGCPercent(4000) // it is short of time, not of memory
	debug.SetMemoryLimit(4 << 30)
	run := sweep
	if *show {
		run = shown
	}
	settings := differential.Settings()
	if *all {
		settings = differential.Combinations()
	}
	if err := run(*first, *n, *out, settings, *trials); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sweep(first uint64, n int, out string, settings []differential.Setting, trials int) error {
	tmp, err := os.MkdirTemp("", "kumiki-sweep-")
	if err != nil {
		return err
	}
	if out == "" {
		out = filepath.Join(tmp, "mismatches")
	}
	var total tally
	err = differential.Sweep(first, n, tmp, settings, func(s differential.Seen) {
		total.add(s)
		if s.Mismatch != nil {
			fmt.Fprintf(os.Stderr, "seed %d: %s\n", s.Seed, s.Mismatch.Kind)
		}
		if total.all%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d: %v\n", total.all, n, &total)
		}
	})
	fmt.Printf("seeds %d to %d: %v\n", first, first+uint64(n)-1, &total)
	for _, kind := range slices.Sorted(maps.Keys(total.kinds)) {
		seen := total.kinds[kind]
		c, m := differential.Smallest(seen[0], tmp, settings, trials)
		dir := filepath.Join(out, fmt.Sprint(seen[0].Seed))
		if err := c.Write(dir); err != nil {
			return err
		}
		fmt.Printf("\n%d × %s, first seed %d, in %s\n%s\n%s\n", len(seen), kind, seen[0].Seed, dir, m.Text, c)
	}
	if err == nil && len(total.kinds) > 0 {
		err = fmt.Errorf("kumiki and CUE differ in %d ways", len(total.kinds))
	}
	return err
}

// tally counts outcomes.
type tally struct {
	all, deployed, undecided, fast int
	kinds                          map[string][]differential.Seen
}

func (t *tally) add(s differential.Seen) {
	t.all++
	if s.Undecided {
		t.undecided++
	}
	if s.Deployed {
		t.deployed++
		if s.Work.Instantiated > 0 {
			t.fast++
		}
	}
	if s.Mismatch != nil {
		if t.kinds == nil {
			t.kinds = map[string][]differential.Seen{}
		}
		t.kinds[s.Mismatch.Kind] = append(t.kinds[s.Mismatch.Kind], s)
	}
}

func (t *tally) String() string {
	different := 0
	for _, seen := range t.kinds {
		different += len(seen)
	}
	return fmt.Sprintf("%d deploy (%d by a shortcut), %d are refused, %d are undecided, %d differ", t.deployed, t.fast, t.all-t.deployed-t.undecided, t.undecided, different)
}

// shown prints one case.
func shown(seed uint64, _ int, _ string, settings []differential.Setting, _ int) error {
	c, app := differential.Made(seed)
	fmt.Printf("%s\nmistake: %q\nconstructs: %q\n", c, app.Mistake, app.Uses)
	tmp, err := os.MkdirTemp("", "kumiki-sweep-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	out, err := differential.Run(reference.NewModel(), c, tmp, settings)
	fmt.Printf("deployed: %v, undecided: %v, refused by CUE: %v\n", out.Deployed, out.Undecided, out.Refused)
	if out.Mismatch != nil {
		fmt.Printf("%s\n%s\n", out.Mismatch.Kind, out.Mismatch.Text)
	}
	return err
}
