package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"kumiki.dev/live"
	"kumiki.dev/live/application"
)

func newLiveDiffCmd(s streams) *cobra.Command {
	var f applyFlags
	var form string
	cmd := &cobra.Command{
		Use:   "diff [NAME | DIR | FILE]...",
		Short: "Say what 'kumiki apply' would change in a cluster, field by field",
		Long: `Diff compares what runs with what a deployment would make of it (default: the working
directory; NAME: what the inventory has): objects that would be created, changed,
repaired or removed, with each field that would become another. The API server tries
every change, so that what it adds or drops is among it. Nothing is written.

Two solutions are compared by 'kumiki plan', and what kumiki has saved by
'kumiki saved diff'. The exit code is 4 where there is a difference, and 5 where the
cluster would refuse it.`,
		Example: `  kumiki diff deploy --env prod
  kumiki compile deploy | kumiki diff - -n shop -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			if m := s.site.manager; m != nil {
				return f.diffManaged(cmd, s, m, form, args)
			}
			return runLiveDiff(cmd, s, &f.liveFlags, form, args)
		},
	}
	f.register(cmd)
	f.registerManaged(cmd)
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form`: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runLiveDiff(cmd *cobra.Command, s streams, f *liveFlags, form string, args []string) error {
	ctx := cmd.Context()
	all, c, err := f.sources(cmd, s, args)
	if err != nil {
		return err
	}
	out := []solutionDrift{}
	var differs error
	err = f.each(ctx, s, c, all, func(_ source, a *application.Application) error {
		found, err := preview(ctx, s, a)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			differs = errDiffers
		}
		out = append(out, solutionDrift{a.Next.Solution, found})
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(printFindings(s, form, "difference", live.Finding.Steps, out), differs)
}

// preview returns what would become of what runs.
func preview(ctx context.Context, s streams, a *application.Application) ([]live.Finding, error) {
	refused, err := a.Prepare(ctx)
	switch {
	case err != nil:
		return nil, unreachable(s, err)
	case len(refused) > 0:
		return nil, printRefusals(s, a, refused)
	}
	return a.Preview(), nil
}
