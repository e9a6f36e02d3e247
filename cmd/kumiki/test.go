package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/module/moduletest"
	"kumiki.dev/report"
)

// testForms are the output forms of test.
var testForms = map[string]func(*moduletest.Result, io.Writer, report.Options) error{
	"text":  (*moduletest.Result).Text,
	"json":  (*moduletest.Result).JSON,
	"junit": (*moduletest.Result).JUnit,
}

func newTestCmd(s streams) *cobra.Command {
	var o moduletest.Options
	var form string
	forms := sorting.Ordered(testForms)
	cmd := &cobra.Command{
		Use:   "test [DIR]",
		Short: "Compile a module's examples and compare them with what is expected",
		Long: `Test compiles the deployments of the module that DIR (default: the working
directory) lies in: those in examples/* and in directories whose name ends in
_test. A case passes if it compiles, its solution is the one in want.json, where
there is one, and what the *_test.cue files beside it say of the solution is
true. These are CUE: each field has to be there, each value one that is allowed.

The last lines say which config fields of the module's artifacts no case gives a
value to, and which ifs of theirs no case takes, or all do. Nothing is fetched but dependencies that the module asks for.`,
		Example: `  kumiki test
  kumiki test --update shop
  kumiki test -o junit > report.xml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := testForms[form]
			if !ok {
				return fmt.Errorf("-o %s: there are %s", form, strings.Join(forms, ", "))
			}
			if len(args) > 0 {
				o.Dir = args[0]
			}
			return runTest(cmd.Context(), s, o, write)
		},
	}
	cmd.Flags().BoolVar(&o.Update, "update", false, "write want.json of every case that compiles")
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form`: "+strings.Join(forms, ", "))
	repeatedVar(cmd.Flags(), &o.Modules, "modules", "", "`directory` that is or holds kam-style modules which the module depends on; may be given several times")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runTest(ctx context.Context, s streams, o moduletest.Options, write func(*moduletest.Result, io.Writer, report.Options) error) error {
	result, problems := moduletest.Run(ctx, o)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	if err := write(result, s.out, reportOptions(s.err)); err != nil {
		return err
	}
	if result.Failed() > 0 {
		return errWrong
	}
	s.fine("all cases pass")
	return nil
}
