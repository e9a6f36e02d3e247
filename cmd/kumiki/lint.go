package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/module/catalog"
)

func newLintCmd(s streams) *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "lint [DIR]",
		Short: "Say where a module does not do as most do",
		Long: `Lint looks at the module that DIR (default: the working directory) lies in, and
says what is not wrong, but not the custom either: an artifact in a file that is
not called component.cue or service.cue, a deployment in one that is not called
deployment.cue, an artifact without a doc comment. With --strict that is an error.`,
		Example: "  kumiki lint --strict shop",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			remarks, problems := catalog.Lint(cmd.Context(), append(args, ".")[0], s.secrets.texts())
			if err := printProblems(s.err, problems); err != nil {
				return err
			}
			for _, r := range remarks {
				fmt.Fprintln(s.out, r)
			}
			if strict && len(remarks) > 0 {
				return errWrong
			}
			if len(remarks) == 0 && len(problems) == 0 {
				s.fine("the module does as most do")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "make what is not the custom an error")
	return cmd
}
