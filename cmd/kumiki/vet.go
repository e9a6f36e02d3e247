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
	cmd := &cobra.Command{
		Use:   "vet [DIR...]",
		Short: "Report every problem of deployments",
		Long: `Vet compiles the #Deployment of each DIR (default: the working directory),
writes nothing, and reports all problems: one line each, first the place in the
file that you can edit, what was found there, what was expected and what to
write, and a code in brackets that docs/errors.md explains.`,
		Example: `  kumiki vet examples/shop/deploy
  kumiki vet prod staging --strict`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return runVet(cmd.Context(), s, in, args)
		},
	}
	in.register(cmd)
	return cmd
}

// runVet checks each directory by itself: what is wrong with one says nothing
// about the others.
func runVet(ctx context.Context, s streams, flags inputFlags, dirs []string) error {
	var failed *multierror.Error
	for _, dir := range dirs {
		in, err := flags.input(s, []string{dir})
		if err != nil {
			return err
		}
		in.Artifacts = true
		_, problems := compiler.Run(ctx, in, compiler.ExtractStage)
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
