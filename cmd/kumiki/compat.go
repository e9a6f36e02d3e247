package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kumiki.dev/module/compat"
	"kumiki.dev/module/registry"
)

func newCompatCmd(s streams) *cobra.Command {
	var form, most string
	var modules []string
	cmd := &cobra.Command{
		Use:   "compat OLD NEW",
		Short: "Say which step of its version a change of a module needs",
		Long: `Compat compares the artifacts of two versions of a module, each given as a
directory or, if it is published, as MODULE@VERSION, and says which step of a
semantic version lies between them:

  major  a deployment of the old one may not compile with the new one
  minor  all do; something is new, or has another default
  patch  what the artifacts take and serve is the same; their sources differ
  none   nothing differs

That the new version takes every config that the old one takes is proved; where
it is not, the line has a value that is refused now. What cannot be proved is
major. Examples and tests do not count.

With --at-most the exit code is 1 if the change needs more than that.`,
		Example: `  kumiki compat ../shop-1.2.0 .
  kumiki compat --at-most minor example.com/shop@v1.2 .`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := compat.ParseStep(most)
			if err != nil {
				return fmt.Errorf("--at-most %w", err)
			}
			write, ok := map[string]func(*compat.Report, io.Writer, compat.Show) error{"text": (*compat.Report).Text, "json": (*compat.Report).JSON}[form]
			if !ok {
				return fmt.Errorf("-o %s: there are json, text", form)
			}
			for i := range args {
				if args[i], err = registry.Directory(cmd.Context(), args[i]); err != nil {
					return wrong(s, err)
				}
			}
			return runCompat(cmd.Context(), s, compat.Side{Dir: args[0], Modules: modules, Texts: s.secrets.texts()}, compat.Side{Dir: args[1], Modules: modules, Texts: s.secrets.texts()}, limit, write)
		},
	}
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form`: text, json")
	cmd.Flags().StringVar(&most, "at-most", "major", "greatest `step` that is fine: none, patch, minor, major")
	repeatedVar(cmd.Flags(), &modules, "modules", "", "`directory` that is or holds kam-style modules which the two depend on; may be given several times")
	_ = cmd.RegisterFlagCompletionFunc("at-most", cobra.FixedCompletions([]string{"none", "patch", "minor", "major"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runCompat(ctx context.Context, s streams, before, after compat.Side, limit compat.Step, write func(*compat.Report, io.Writer, compat.Show) error) error {
	r, problems := compat.Compare(ctx, before, after)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	if err := write(r, s.out, reportOptions(s.err).Place); err != nil {
		return err
	}
	switch err := r.Check(); {
	case r.Step > limit:
		fmt.Fprintf(s.err, "the change needs a %s step, %s is fine\n", r.Step, limit)
		return errWrong
	case errors.Is(err, compat.ErrVersion):
		fmt.Fprintln(s.err, err)
		return errWrong
	}
	return nil
}
