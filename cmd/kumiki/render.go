package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRenderCmd(s streams) *cobra.Command {
	var in inputFlags
	var f lowerFlags
	cmd := &cobra.Command{
		Use:   "render [DIR | BUNDLE | ARTIFACT:VERSION | FILE | saved:NAME | git:REV:PATH]",
		Short: "Compile a deployment and turn it into objects of Kubernetes or Docker Swarm",
		Long: `Render compiles the #Deployment in DIR (default: the working directory) and
writes the objects that run it, as compile and lower do one after the other. What
the target cannot carry is listed on standard error, at the line of the manifest
that asks for it.

A solution that is there already, in a file or saved, is only lowered: 'kumiki help
arguments' lists what can be given.

With --strict nothing is written if anything is lost, or if there is a warning that is
not acknowledged.`,
		Example: `  kumiki render prod -t kubernetes | kubectl apply --server-side -f -
  kumiki render prod -t kubernetes -n prod --out prod-objects
  kumiki render prod -t kubernetes --ingress gateway --domain shop=shop.example.com`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := f.check()
			if err != nil {
				return err
			}
			return in.opening(s, func(o *opener) error {
				found, err := o.open(cmd.Context(), given(args, "."))
				if err != nil {
					return err
				}
				if found.sources == nil {
					if found.solution == nil {
						return fmt.Errorf("%s was deleted: there is nothing to render", found.arg)
					}
					if in.role != "" {
						return fmt.Errorf("--role %s: %s is a solution, whose roles have no levels any more; give the manifest", in.role, found.arg)
					}
					return runLower(s, t, f, found.solution, found.solution.Secrets())
				}
				sol, err := o.compile(cmd.Context(), found)
				if err != nil {
					return err
				}
				return runLower(o.streams(), t, f, sol, nil)
			})
		},
	}
	in.register(cmd)
	in.registerRole(cmd)
	f.register(cmd)
	return cmd
}
