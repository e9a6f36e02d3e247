package main

import (
	"runtime"

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
				sol := result.Solution
				collectMuch()
				return runLower(s, t, f, sol, in.strict)
			})
		},
	}
	in.register(cmd)
	f.register(cmd)
	return cmd
}

// much is how much memory is worth being collected between two steps.
const much = 32 << 20

// collectMuch makes the next step use the memory of what the last one has left
// behind, in place of more: the garbage collector would come in its midst, when
// there is more to keep.
func collectMuch() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > much {
		runtime.GC()
	}
}
