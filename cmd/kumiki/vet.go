package main

import (
	"context"
	"errors"

	"github.com/hashicorp/go-multierror"
	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
)

func newVetCmd(s streams) *cobra.Command {
	var in inputFlags
	var opts vetOptions
	cmd := &cobra.Command{
		Use:   "vet [DIR...]",
		Short: "Report every problem of deployments and artifacts",
		Long: `Vet compiles the #Deployment of each DIR (default: the working directory) and
reports all problems: one line each, first the place in the file that you can
edit, what was found there, what was expected and what to write, and a code in
brackets that docs/errors.md explains. Of a directory with an artifact and no
deployment it reports what can be told without one.

With --fix it mends what can be mended for certain: it renames a misspelt field
to the only one that comes near, and adds missing fields with their type as a
placeholder. Only files of the module that DIR lies in are changed.`,
		Example: `  kumiki vet examples/shop/deploy
  kumiki vet prod staging --strict
  kumiki vet --fix --dry-run prod`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return runVet(cmd.Context(), s, in, opts, args)
		},
	}
	in.register(cmd)
	cmd.Flags().BoolVar(&opts.fix, "fix", false, "mend what can be mended for certain")
	cmd.Flags().BoolVar(&opts.dryRun, "dry-run", false, "with --fix, print the difference and change nothing")
	return cmd
}

// vetOptions are the flags of vet beside those that say what to read.
type vetOptions struct{ fix, dryRun bool }

// runVet checks each directory by itself: what is wrong with one says nothing
// about the others.
func runVet(ctx context.Context, s streams, flags inputFlags, opts vetOptions, dirs []string) error {
	if opts.dryRun && !opts.fix {
		return errors.New("--dry-run goes with --fix")
	}
	var failed *multierror.Error
	for _, dir := range dirs {
		in, err := flags.input(s, []string{dir})
		if err != nil {
			return err
		}
		in.Artifacts = true
		result, problems := compiler.Run(ctx, in, compiler.ExtractStage)
		if opts.fix && result.Program != nil {
			if err := fix(s, problems, result.Program.Dir, opts.dryRun); err != nil {
				return err
			}
			if !opts.dryRun {
				_, problems = compiler.Run(ctx, in, compiler.ExtractStage) // what is left
			}
		}
		failed = multierror.Append(failed, printProblems(s.err, problems))
	}
	if errors.Is(failed.ErrorOrNil(), errBug) {
		return errBug
	}
	if failed.ErrorOrNil() != nil {
		return errWrong
	}
	return nil
}
