package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"kumiki.dev/internal/filter"
)

// suite is tests of a package that are asked together. Suites are asked one after
// the other, about the mutants that those before did not notice.
type suite struct {
	pkg  string // from the root of the repository
	run  string // a pattern of names; those of suites before are left out
	skip string // a pattern of some that measure, and mutants take time; "" for none
	args []string
	env  []string
}

// suites are the tests that may notice a mutant, the fastest first. Random ones are
// the same in each run, and write down no failure.
var suites = []suite{
	{pkg: "spread/depends", run: "."},
	{pkg: "spread/partial", run: "."},
	{pkg: "spread/compute", run: "."},
	{pkg: "spread", run: ".", args: rapid},
	{pkg: "load", run: "."},
	{pkg: "compiler", run: "BadInput|TestCases|Partial|Compared|Oracle|FuzzCompile", args: rapid},
	{pkg: "compiler", run: "^TestWorkOf"},
	{pkg: "compiler", run: "Forms|Decided|Errors|^TestMistakes"},
	{pkg: "compiler", run: "TestMemory$|Extremes|Constants|Mutants|PlainRoles|Described", args: rapid},
	{pkg: "compiler", run: "Laws", args: append([]string{"-rapid.checks=30"}, rapid...)},
	{pkg: "spread/check", run: "."},
	{pkg: "compiler", run: ".", skip: "^TestWork$|ManyRoles", args: rapid},
	{pkg: "internal/differential", run: "^TestDifferential$", env: []string{"KUMIKI_CASES=400"}},
}

var rapid = []string{"-rapid.seed=1", "-rapid.nofailfile"}

// runner has a binary for each package, in which all mutants are.
type runner struct {
	root, dir string // of the repository, and for files of its own
	workers   int
	patience  time.Duration
	progress  func(format string, args ...any)
	asked     map[string]bool // tests of suites before
}

// build makes the binaries.
func (r *runner) build(overlay string, suites []suite) error {
	args := []string{"test", "-c", "-vet=off", "-overlay", overlay, "-o", r.dir + string(filepath.Separator)}
	var pkgs []string
	for _, s := range suites {
		pkgs = append(pkgs, "./"+s.pkg)
	}
	slices.Sort(pkgs)
	cmd := exec.Command("go", append(args, slices.Compact(pkgs)...)...)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the mutants do not compile: %w\n%s", err, out)
	}
	return nil
}

// test is a test as it is without any mutant.
type test struct {
	suite
	name    string
	took    time.Duration
	reached map[int]bool // the mutants that it evaluates
	differs map[int]bool // those of which it sees another value than the original
}

// tests runs the tests of a suite with no mutant on, each by itself.
func (r *runner) tests(ctx context.Context, s suite) ([]*test, error) {
	out, err := r.command(ctx, s, "-test.list", s.run).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.pkg, err)
	}
	var all []*test
	for _, name := range strings.Fields(string(out)) {
		if key := s.pkg + " " + name; isTest.MatchString(name) && !r.asked[key] && (s.skip == "" || !regexp.MustCompile(s.skip).MatchString(name)) {
			r.asked[key] = true
			all = append(all, &test{suite: s, name: name})
		}
	}
	failed := make([]error, len(all))
	each(r.workers, len(all), func(i int) { failed[i] = r.first(ctx, all[i]) })
	slices.SortStableFunc(all, func(a, b *test) int { return int(a.took - b.took) })
	return all, errors.Join(failed...)
}

var isTest = regexp.MustCompile(`^(Test|Fuzz)`)

// first runs a test for the first time.
func (r *runner) first(ctx context.Context, t *test) error {
	seen := filepath.Join(r.dir, "seen-"+t.name)
	defer os.Remove(seen)
	start := time.Now()
	cmd := r.command(ctx, t.suite, "-test.run", "^"+t.name+"$", "-test.timeout=10m")
	cmd.Env = append(cmd.Env, "MUTANT_SEEN="+seen)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s fails without any mutant: %w\n%s", t.name, err, out)
	}
	t.took, t.reached, t.differs = time.Since(start), map[int]bool{}, map[int]bool{}
	text, err := os.ReadFile(seen)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(text)) {
		var id int
		var what string
		if _, err := fmt.Sscan(line, &id, &what); err != nil {
			return fmt.Errorf("%s: %q: %w", t.name, line, err)
		}
		map[string]map[int]bool{"reached": t.reached, "differs": t.differs}[what][id] = true
	}
	return nil
}

// command is a run of a suite's binary, in the directory of its package. What is
// left over of temporary files is in a directory of its own.
func (r *runner) command(ctx context.Context, s suite, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(r.dir, filepath.Base(s.pkg)+".test"), append(args, s.args...)...)
	cmd.Dir = filepath.Join(r.root, s.pkg)
	cmd.Env = append(filter.Out(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "UPDATE_GOLDEN=") }), "TMPDIR="+r.dir)
	cmd.Env = append(cmd.Env, s.env...)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// verdict is what became of a mutant.
type verdict struct {
	by       string // the test that noticed it, "" if none did
	how      string // "" for a failure, or what else happened
	reached  int    // tests that evaluate it
	differed int    // tests that see another value
}

// judge runs the tests of a suite that may notice a mutant, until one does.
func (r *runner) judge(ctx context.Context, tests []*test, id int, v *verdict) error {
	var batch []*test
	var took time.Duration
	for i, t := range tests {
		if t.reached[id] {
			v.reached++
		}
		if t.differs[id] {
			v.differed++
			batch, took = append(batch, t), took+t.took
		}
		if len(batch) > 0 && (took > 2*time.Second || i == len(tests)-1) {
			if err := r.batch(ctx, batch, took, id, v); err != nil || v.by != "" {
				return err
			}
			batch, took = nil, 0
		}
	}
	return nil
}

// batch runs some tests with a mutant on. One that takes ten times as long as
// without has noticed it.
func (r *runner) batch(ctx context.Context, tests []*test, took time.Duration, id int, v *verdict) error {
	var names []string
	for _, t := range tests {
		names = append(names, t.name)
	}
	limit := 10*took + r.patience
	cmd := r.command(ctx, tests[0].suite, "-test.failfast", "-test.run", "^("+strings.Join(names, "|")+")$", "-test.timeout="+limit.String())
	cmd.Env = append(cmd.Env, fmt.Sprintf("MUTANT_ACTIVE=%d", id))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return err
	}
	v.by, v.how = noticed(out.String(), names)
	return ctx.Err()
}

var (
	failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	running = regexp.MustCompile(`(?m)^\s*(\w+)(?:/.*)? \(.*\)$`)
)

// noticed is the test that failed, by the output of its run, and how.
func noticed(out string, names []string) (by, how string) {
	by = names[0]
	if len(names) > 1 {
		by = fmt.Sprintf("%s or one of %d others", by, len(names)-1)
	}
	if m := failure.FindStringSubmatch(out); m != nil {
		by = m[1]
	}
	switch {
	case strings.Contains(out, "panic: test timed out"):
		how = "never ends"
		_, rest, _ := strings.Cut(out, "running tests:")
		if m := running.FindStringSubmatch(rest); m != nil {
			by = m[1]
		}
	case strings.Contains(out, "mutant: more than"):
		how = "fills the memory"
	case strings.Contains(out, "goroutine stack exceeds"):
		how = "exhausts the stack"
	case strings.Contains(out, "\npanic: ") || strings.HasPrefix(out, "panic: "):
		how = "panics"
	}
	return by, how
}

// each calls f with 0 to n-1, some at a time.
func each(workers, n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
