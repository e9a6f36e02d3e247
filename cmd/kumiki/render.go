package main

import (
	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
)

func newRenderCmd(s streams) *cobra.Command {
	var in inputFlags
	var f lowerFlags
	cmd := &cobra.Command{
		Use:   "render [DIR | BUNDLE]",
		Short: "Compile a deployment and turn it into objects of Kubernetes or Docker Swarm",
		Long: `Render compiles the #Deployment in DIR (default: the working directory) and
writes the objects that run it, as compile and lower do one after the other. What
the target cannot carry is listed on standard error, at the line of the manifest
that asks for it.

With --strict nothing is written if anything is lost.`,
		Example: `  kumiki render prod -t kubernetes | kubectl apply --server-side -f -
  kumiki render prod -t kubernetes -n prod --out prod-objects
  kumiki render prod -t kubernetes --ingress gateway --domain shop=shop.example.com`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := f.check()
			if err != nil {
				return err
			}
			return bundled(s, &in, args, func(s streams, args []string) error {
				input, err := in.input(s, args)
				if err != nil {
					return err
				}
				result, problems := compiler.Run(cmd.Context(), input, compiler.ExtractStage)
				if err := printProblems(s.err, problems); err != nil {
					return err
				}
				return runLower(s, t, f, result.Solution, in.strict, nil)
			})
		},
	}
	in.register(cmd)
	f.register(cmd)
	return cmd
}
