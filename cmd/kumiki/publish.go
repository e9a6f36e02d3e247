package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/compat"
	"kumiki.dev/registry"
)

func newPublishCmd(s streams) *cobra.Command {
	var p registry.Publication
	cmd := &cobra.Command{
		Use:   "publish VERSION [DIR]",
		Short: "Publish a version of a module, if it is fit to be published",
		Long: `Publish pushes the module that DIR (default: the working directory) lies in to
the registry that CUE_REGISTRY names, in CUE's own format. It refuses if

  files are not committed (in git; --dirty allows it)
  an example does not pass, or an artifact has none (kumiki test)
  a dependency is not published
  the version is published already
  the change since the version before needs a greater step (kumiki compat)

and has then pushed nothing.`,
		Example: `  kumiki publish v1.2.0 --dry-run
  kumiki publish v1.2.0 shop`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Version, p.Dir = args[0], "."
			if len(args) > 1 {
				p.Dir = args[1]
			}
			return runPublish(cmd.Context(), s, p)
		},
	}
	cmd.Flags().BoolVar(&p.Dirty, "dirty", false, "publish what is not committed")
	cmd.Flags().BoolVar(&p.DryRun, "dry-run", false, "do everything but push")
	return cmd
}

func runPublish(ctx context.Context, s streams, p registry.Publication) error {
	var err error
	if p.Client, err = registry.Client(""); err != nil {
		return err
	}
	if p.Registry, err = registry.Open(); err != nil {
		return err
	}
	done, err := registry.Publish(ctx, p)
	if err != nil {
		return wrong(s, err)
	}
	what := "published"
	if p.DryRun {
		what = "fit to be published"
	}
	fmt.Fprintf(s.out, "%s is %s: %d examples passed", done.Module, what, done.Cases)
	if done.Before.IsValid() {
		fmt.Fprintf(s.out, "; since %s it is a %s step", done.Before.Version(), max(done.Step, compat.Patch))
	}
	fmt.Fprintln(s.out)
	return nil
}
