// Package compile runs the compiler as a process of its own, with limits: bundles are written
// by strangers.
//
// The process gets a bundle that has all that it is compiled from, an environment without a
// registry or a proxy, a directory of its own and, where the system allows it, a network
// without anything in it.
package compile

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/run/record"
	"kumiki.dev/solution"
)

// Limits bound one compilation. The zero value of each is the default.
type Limits struct {
	// Wall limits the elapsed time of a compilation, CPU its processor time.
	Wall, CPU time.Duration
	// Memory is how many bytes it may take.
	Memory int64
	// AtOnce is how many there may be at the same time.
	AtOnce int
}

// The defaults, and what bounds a child's output.
const (
	defaultWall   = 2 * time.Minute
	defaultCPU    = 2 * time.Minute
	defaultMemory = 1 << 30
	defaultAtOnce = 2
	maxOutput     = 64 << 20
)

func (l Limits) filled() Limits {
	if l.Wall <= 0 {
		l.Wall = defaultWall
	}
	if l.CPU <= 0 {
		l.CPU = defaultCPU
	}
	if l.Memory <= 0 {
		l.Memory = defaultMemory
	}
	if l.AtOnce <= 0 {
		l.AtOnce = defaultAtOnce
	}
	return l
}

// ErrLimit says that a compilation has gone past what it may take.
var ErrLimit = errors.New("the compilation takes more than it may")

// Compiler compiles bundles. It is for several goroutines.
type Compiler struct {
	binary string
	limits Limits
	slots  chan struct{}
	alone  bool // children get a network of their own
	// registry is a directory with modules that a child may read, "" for none.
	registry string
}

// New finds the compiler: binary, or where that is "" kumiki beside this program or on PATH.
func New(ctx context.Context, binary string, l Limits) (*Compiler, error) {
	l = l.filled()
	c := &Compiler{limits: l, slots: make(chan struct{}, l.AtOnce)}
	var err error
	if c.binary, err = find(binary); err != nil {
		return nil, err
	}
	c.alone = true
	out, err := c.run(ctx, os.TempDir(), "version")
	if err != nil { // it is not allowed to make a network
		c.alone = false
		out, err = c.run(ctx, os.TempDir(), "version")
	}
	if err != nil {
		return nil, fmt.Errorf("%s version: %w: %s", c.binary, err, out.stderr.text)
	}
	return c, nil
}

// Alone reports whether children run in a network without anything in it.
func (c *Compiler) Alone() bool { return c.alone }

func find(binary string) (string, error) {
	if binary != "" {
		return filepath.Abs(binary)
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), "kumiki")
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	found, err := exec.LookPath("kumiki")
	if err != nil {
		return "", errors.New("no compiler: kumiki is neither beside kumikid nor on PATH; --compiler FILE names it")
	}
	return filepath.Abs(found)
}

// Result is what came of a bundle.
type Result struct {
	// Text is the solution, canonical, and Solution what it says; nil if there are errors.
	Text     []byte
	Solution *solution.Solution
	// Problems are errors if there is no solution, and else warnings, which are asked for where
	// there are secrets among them.
	Problems []record.Problem
}

// bundleName is what positions call the bundle.
const bundleName = "input.bundle"

// enter waits until one compilation more may run, and makes it an empty directory.
func (c *Compiler) enter(ctx context.Context) (dir string, leave func(), err error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
	if dir, err = os.MkdirTemp("", "kumikid-compile"); err != nil {
		<-c.slots
		return "", nil, err
	}
	return dir, func() {
		_ = os.RemoveAll(dir)
		<-c.slots
	}, nil
}

// Compile makes the solution of a bundle under a name, with sets in place of what it says. What
// is wrong with the bundle is in the result; the error is [ErrLimit], or that the compiler
// cannot be run.
func (c *Compiler) Compile(ctx context.Context, bundle []byte, name string, sets []string) (*Result, error) {
	dir, leave, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := os.WriteFile(filepath.Join(dir, bundleName), bundle, 0o600); err != nil {
		return nil, err
	}
	args := []string{bundleName, "--name=" + name}
	for _, set := range sets {
		path, value, _ := strings.Cut(set, "=")
		args = append(args, "--set="+strings.TrimSuffix(path, ":")+":="+value)
	}
	out, err := c.run(ctx, dir, append([]string{"compile"}, args...)...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return c.warned(ctx, dir, args, out)
	case !errors.As(err, &exit) || exit.ExitCode() != 1:
		return nil, c.wrong(ctx, out, err)
	}
	return c.problems(ctx, dir, args)
}

// warned is the solution that a child has made. Where the child warns of secrets, it is asked
// for what it warns of, with places.
func (c *Compiler) warned(ctx context.Context, dir string, args []string, out *output) (*Result, error) {
	r, err := read(out.stdout.text)
	if err != nil || !strings.Contains(string(out.stderr.text), "["+string(diag.SecretInEnv)+"]") {
		return r, err
	}
	told, err := c.problems(ctx, dir, args)
	if err != nil {
		return nil, err
	}
	r.Problems = told.Problems
	if len(r.Secrets()) == 0 {
		return nil, errors.New("the compiler: it warns of a secret, and does not say where")
	}
	return r, nil
}

// Secrets are the warnings of values that look like secrets, and are not acknowledged.
func (r *Result) Secrets() (out []record.Problem) {
	for _, p := range r.Problems {
		if p.Code == string(diag.SecretInEnv) {
			out = append(out, p)
		}
	}
	return out
}

func read(text []byte) (*Result, error) {
	sol, problems := solution.Read(text, "the solution")
	if problems.HasErrors() {
		return nil, fmt.Errorf("the compiler's solution cannot be read: %s; kumikid and kumiki are to be of the same version", problems[0].Message)
	}
	return &Result{Text: text, Solution: sol}, nil
}

// wrong says why a child did not do its work.
func (c *Compiler) wrong(ctx context.Context, out *output, err error) error {
	text := strings.TrimSpace(string(out.stderr.text))
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case out.stdout.over || out.stderr.over:
		return fmt.Errorf("%w: it prints more than %d MB", ErrLimit, maxOutput>>20)
	case errors.Is(out.ended, context.DeadlineExceeded):
		return fmt.Errorf("%w: %s by the clock", ErrLimit, c.limits.Wall)
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		return fmt.Errorf("%w: it was ended (%v) after %s of processors; allowed are %s and %d MB", ErrLimit, exit, exit.UserTime().Round(time.Millisecond), c.limits.CPU, c.limits.Memory>>20)
	case errors.As(err, &exit) && (exit.ExitCode() == 3 || exit.ExitCode() == 7):
		return fmt.Errorf("%w: %s", ErrLimit, firstLine(text))
	}
	return fmt.Errorf("the compiler: %w: %s", err, firstLine(text))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// problems asks what is wrong with a bundle.
func (c *Compiler) problems(ctx context.Context, dir string, args []string) (*Result, error) {
	out, err := c.run(ctx, dir, append([]string{"vet", "-o", "json"}, args...)...)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, c.wrong(ctx, out, err)
	}
	var document struct {
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if json.Unmarshal(out.stdout.text, &document) != nil || len(document.Diagnostics) == 0 {
		// It says so in words: what is given is no bundle.
		return &Result{Problems: []record.Problem{{Code: "bundle/bad", Severity: "error", Message: strings.TrimSpace(string(out.stderr.text))}}}, nil
	}
	r := &Result{}
	for _, d := range document.Diagnostics {
		r.Problems = append(r.Problems, d.problem())
	}
	return r, nil
}

// diagnostic is a problem as the compiler prints it.
type diagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	place
	Related []struct {
		Message string `json:"message"`
		place
	} `json:"related"`
}

type place struct {
	File  string `json:"file"`
	Range struct {
		Start struct {
			Line   int `json:"line"`
			Column int `json:"column"`
		} `json:"start"`
	} `json:"range"`
}

func (d diagnostic) problem() record.Problem {
	p := record.Problem{Code: d.Code, Severity: d.Severity, Message: d.Message, File: d.File, Line: d.Range.Start.Line, Column: d.Range.Start.Column}
	for _, r := range d.Related {
		p.Related = append(p.Related, record.Related{Message: r.Message, File: r.File, Line: r.Range.Start.Line, Column: r.Range.Start.Column})
	}
	return p
}

// output is what a child has written, and why it was ended.
type output struct {
	stdout, stderr bounded
	ended          error
}

// bounded keeps what is written, and calls stop if that is too much.
type bounded struct {
	text []byte
	stop func()
	over bool
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if len(b.text)+len(p) > maxOutput {
		b.over = true
		b.stop()
		return 0, io.ErrShortWrite
	}
	b.text = append(b.text, p...)
	return len(p), nil
}

// run runs the compiler in a directory.
func (c *Compiler) run(ctx context.Context, dir string, args ...string) (*output, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.Wall)
	defer cancel()
	args = append(args, "--memory="+strconv.FormatInt(c.limits.Memory>>20, 10)+"Mi", "--color=never")
	cmd := exec.CommandContext(ctx, c.binary, args...)
	out := &output{stdout: bounded{stop: cancel}, stderr: bounded{stop: cancel}}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out.stdout, &out.stderr
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "CUE_CACHE_DIR=" + filepath.Join(dir, "cache"), "CUE_REGISTRY=" + cmp.Or(c.registry, "none"), "PATH=/nonexistent"}
	cmd.WaitDelay = time.Second
	c.confine(cmd)
	err := c.start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	out.ended = ctx.Err()
	return out, err
}
