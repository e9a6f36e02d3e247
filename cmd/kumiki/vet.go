package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"
	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/report"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// documents are the forms of vet's output that are read by programs, and go to
// standard output.
var documents = map[string]func(io.Writer, diag.List, report.Options) error{
	"json":   report.JSON,
	"sarif":  report.SARIF,
	"github": report.GitHub,
}

func newVetCmd(s streams) *cobra.Command {
	var in inputFlags
	var opts vetOptions
	forms := append([]string{"text"}, sorting.Ordered(documents)...)
	cmd := &cobra.Command{
		Use:   "vet [DIR | DIR/... | BUNDLE | ARTIFACT:VERSION | git:REV:PATH]...",
		Short: "Report every problem of deployments and artifacts",
		Long: `Vet compiles the #Deployment of each DIR (default: the working directory) and
reports all problems: one line each, first the place in the file that you can
edit, what was found there, what was expected and what to write, and a code in
brackets that kumiki explain CODE explains. Of a directory with an artifact and
no deployment it reports what can be told without one; of DIR/... all that lies
below.

With -o the problems go to standard output as one document: json for scripts,
sarif for services that show them beside the code, github for annotations of a
GitHub workflow.

With --fix it mends what can be mended for certain: it renames a misspelt field
to the only one that comes near, and adds missing fields with their type as a
placeholder. Only files of the module that DIR lies in are changed.

With --watch it vets again whenever a source changes, until it is interrupted.`,
		Example: `  kumiki vet examples/shop/deploy
  kumiki vet prod staging --strict
  kumiki vet ./...
  kumiki vet -o sarif prod > kumiki.sarif
  kumiki vet --fix --dry-run prod
  kumiki vet --watch prod`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			if opts.watch {
				return watchVet(cmd.Context(), s, in, opts, args)
			}
			return in.opening(s, func(o *opener) error { return runVet(cmd.Context(), o, opts, args) })
		},
	}
	in.register(cmd)
	cmd.Flags().StringVarP(&opts.form, "output", "o", "text", "`form`: "+strings.Join(forms, ", "))
	cmd.Flags().BoolVar(&opts.fix, "fix", false, "mend what can be mended for certain")
	cmd.Flags().BoolVar(&opts.dryRun, "dry-run", false, "with --fix, print the difference and change nothing")
	cmd.Flags().BoolVar(&opts.watch, "watch", false, "vet again whenever a source changes")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// vetOptions are the flags of vet beside those that say what to read.
type vetOptions struct {
	form        string
	fix, dryRun bool
	watch       bool
}

func (o vetOptions) check() error {
	switch {
	case o.form != "text" && documents[o.form] == nil:
		return fmt.Errorf("-o %s: there are text, %s", o.form, strings.Join(sorting.Ordered(documents), ", "))
	case o.dryRun && !o.fix:
		return errors.New("--dry-run goes with --fix")
	case o.watch && (o.fix || o.form != "text"):
		return errors.New("--watch goes with neither --fix nor -o: it prints lines, again and again")
	case o.dryRun && o.form != "text":
		return fmt.Errorf("--dry-run prints a difference where -o %s prints a document: leave one of them out", o.form)
	}
	return nil
}

// runVet checks what each argument names by itself: what is wrong with one says nothing
// about the others. Text is printed as it comes, a document at the end.
func runVet(ctx context.Context, o *opener, opts vetOptions, args []string) error {
	if err := opts.check(); err != nil {
		return err
	}
	subjects, err := vetted(ctx, o, opts, args)
	if err != nil {
		return err
	}
	s := o.streams()
	var failed *multierror.Error
	var all diag.List
	for i, of := range subjects {
		compiler.Begin(ctx, i+1, len(subjects), "directories")
		problems, err := vet(ctx, s, o.f, opts, of)
		if err != nil {
			return err
		}
		all = append(all, problems...)
		failed = multierror.Append(failed, verdict(problems))
		if opts.form == "text" {
			_ = report.Text(s.err, problems, reportOptions(s.err))
		}
	}
	if write := documents[opts.form]; write == nil {
		printSummary(s.err, all)
		saidFine(s, subjects, all)
	} else if err := write(s.out, all.Sorted(), reportOptions(s.err)); err != nil { // deployments of one artifact share its problems
		return err
	}
	for _, worst := range []error{errBug, errSystem} {
		if errors.Is(failed.ErrorOrNil(), worst) {
			return worst
		}
	}
	if failed.ErrorOrNil() != nil {
		return errWrong
	}
	return nil
}

// saidFine tells a person at a terminal that there is nothing to tell.
func saidFine(s streams, subjects []subject, found diag.List) {
	if len(found) > 0 {
		return
	}
	what := subjects[0].arg
	if len(subjects) > 1 {
		what = fmt.Sprintf("all %d", len(subjects))
	}
	s.fine("no problem in %s", what)
}

// vetted are the sources that the arguments name. A reference without a name is an
// artifact; with one, it is deployed.
func vetted(ctx context.Context, o *opener, opts vetOptions, args []string) ([]subject, error) {
	o.artifacts = o.f.name == ""
	var subjects []subject
	for _, arg := range args {
		all, err := several(arg, true)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			of, err := o.sources(ctx, one)
			if err != nil {
				return nil, err
			}
			subjects = append(subjects, of)
		}
	}
	if opts.fix && len(o.standIns) > 0 {
		return nil, errors.New("--fix mends files of the working tree: name directories")
	}
	return subjects, nil
}

// vet returns the problems of one subject, with fix those that are left.
func vet(ctx context.Context, s streams, flags *inputFlags, opts vetOptions, of subject) (diag.List, error) {
	in, err := flags.input(s, of)
	if err != nil {
		return nil, err
	}
	in.Artifacts = true
	check, options := in.Check, s.site.options()
	in.Check = func(sol *solution.Solution) diag.List { // losses say it where objects are made
		return slices.Concat(check(sol), targets.SharedVolumes(sol, options), targets.WrongHints(sol))
	}
	result, problems := compiler.Run(ctx, in, compiler.ExtractStage)
	if opts.fix && result.Program != nil {
		if err := fix(s, problems, result.Program.Dir, opts.dryRun); err != nil {
			return nil, err
		}
		if !opts.dryRun {
			_, problems = compiler.Run(ctx, in, compiler.ExtractStage)
		}
	}
	return problems, nil
}
