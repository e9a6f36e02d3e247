package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/module/registry"
	"kumiki.dev/report"
)

// console is standard error with what the flags of every command say about
// the problems that are printed there.
type console struct {
	io.Writer
	color  string
	all    bool
	strict bool // warnings are errors
	quiet  bool // neither hints nor progress, nor that all is well

	progress progress

	generated []string // directories of manifests that nobody wrote

	secrets *secrets
	mu      sync.Mutex
	said    int  // how often something was written
	over    bool // nothing is written any more
}

// Write writes what is safe to be shown.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return len(p), nil
	}
	c.said++
	c.wipe()
	if _, err := io.WriteString(c.Writer, c.safe(c.secrets.hide(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ours are the sequences that change the look of a report for a terminal.
var ours = regexp.MustCompile("\x1b\\[(?:0|1|2|1;31|1;33)m")

// safe is text whose characters steer nothing but colours: whatever it quotes, a
// registry's message, the name of a file, what is in a manifest.
func (c *console) safe(text string) string {
	if !c.terminal() {
		return diag.Safe(text)
	}
	var b strings.Builder
	end := 0
	for _, at := range ours.FindAllStringIndex(text, -1) {
		b.WriteString(diag.Safe(text[end:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		end = at[1]
	}
	b.WriteString(diag.Safe(text[end:]))
	return b.String()
}

// times is how often something was written.
func (c *console) times() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.said
}

// end takes nothing any more, and reports whether nothing was written since it was
// so often.
func (c *console) end(said int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	return c.said == said
}

var colors = []string{"auto", "always", "never"}

func (c *console) register(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&c.color, "color", "auto", "`when` to print problems with colours and the source: auto (on a terminal), always, never")
	flags.BoolVar(&c.all, "all", false, "show what follows from a problem below it")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "print neither hints, nor progress, nor that all is well: only data and problems")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colors, cobra.ShellCompDirectiveNoFileComp))
}

// check is run before any command.
func (c *console) check() error {
	for _, color := range colors {
		if c.color == color {
			return nil
		}
	}
	return fmt.Errorf("--color %s: there are %s", c.color, strings.Join(colors, ", "))
}

// terminal reports whether problems are printed for a person at a terminal: what
// the flag says, else the environment as is customary (no-color.org,
// bixense.com/clicolors), else what standard error is.
func (c *console) terminal() bool {
	set := func(name string) bool { v := os.Getenv(name); return v != "" && v != "0" }
	switch {
	case c.color != "auto":
		return c.color == "always"
	case os.Getenv("NO_COLOR") != "":
		return false
	case set("CLICOLOR_FORCE"):
		return true
	}
	return c.isTerminal()
}

// hint tells a person what nobody needs who knows it.
func (s streams) hint(format string, args ...any) {
	if c, ok := s.err.(*console); ok && c.quiet {
		return
	}
	fmt.Fprintf(s.err, format, args...)
}

// fine tells a person at a terminal that all is well.
func (s streams) fine(format string, args ...any) {
	if c, ok := s.err.(*console); ok && c.terminal() {
		s.hint("ok: "+format+"\n", args...)
	}
}

// reportOptions are how problems are reported on w.
func reportOptions(w io.Writer) report.Options {
	cwd, _ := os.Getwd() // without it, names stay absolute
	o := report.Options{Dir: cwd, Source: readSource}
	if v := version(); strings.HasPrefix(v, "v") {
		o.Version = v
	}
	if c, ok := w.(*console); ok {
		o.Terminal, o.All, o.Name, o.Hide = c.terminal(), c.all, func(file string) string { return published(file, c.generated) }, c.secrets.hideMessage
	}
	return o
}

// readSource returns the contents of a file that a place is in, nil if it is in
// none: in a flag, in standard input, or in what comes with kumiki.
func readSource(name string) []byte {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return text
}

// strictly are the problems as --strict has them: there are no warnings.
func strictly(w io.Writer, problems diag.List) diag.List {
	if c, ok := w.(*console); ok && c.strict {
		return problems.Strict()
	}
	return problems
}

// warn tells of what has no place in a file. With --strict it is an error, which is
// returned.
func (s streams) warn(format string, args ...any) error {
	if c, ok := s.err.(*console); ok && c.strict {
		fmt.Fprintf(s.err, format+"\n", args...)
		return errWrong
	}
	fmt.Fprintf(s.err, "warning: "+format+"\n", args...)
	return nil
}

// printProblems writes the problems for a person, and returns errWrong or
// errBug if one of them is an error: whether or not standard error takes it.
func printProblems(w io.Writer, problems diag.List) error {
	problems = strictly(w, problems)
	_ = report.Text(w, problems, reportOptions(w))
	printSummary(w, problems)
	return verdict(problems)
}

// printSummary writes the line below all problems of a command.
func printSummary(w io.Writer, problems diag.List) {
	if summary := report.Summary(problems, reportOptions(w)); summary != "" {
		fmt.Fprintln(w, summary)
	}
}

// verdict is errWrong if one of the problems is an error; errSystem if that is a registry
// that cannot be asked, as what is wrong beside it may be so because of that; errBug if it
// is kumiki's own.
func verdict(problems diag.List) error {
	var result error
	for _, d := range problems {
		switch {
		case d.Code == diag.Internal:
			return errBug
		case d.Severity != diag.Error:
		case d.Cause != nil && registry.IsDown(d.Cause):
			result = errSystem
		case result == nil:
			result = errWrong
		}
	}
	return result
}
