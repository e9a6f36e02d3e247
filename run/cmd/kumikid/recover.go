package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kumiki.dev/run/operate"
)

func newRecoverCmd(out io.Writer) *cobra.Command {
	var o options
	var name string
	cmd := &cobra.Command{
		Use:   "recover",
		Short: "Make deployments anew from what runs, where what was kept is lost",
		Long: `Recover reads the inventories of an environment, which have the solutions that were
applied, and makes the deployments that are not known. Nothing that runs is changed.
What a solution was compiled from is in no inventory: the next change sends a bundle.
It is run for each environment; what is of another one in the same namespace or swarm is
left to that.

The server must not run meanwhile, unless it keeps its records in an etcd cluster.`,
		Example: "  kumikid recover\n  kumikid recover --environment prod --context prod -n shop",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := o.local()
			if err != nil {
				return err
			}
			e.Name = name
			s, err := o.open(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			found, err := operate.Recover(cmd.Context(), s, operate.Here(o.kubeconfig), e)
			for _, r := range found {
				if r.Left != "" {
					fmt.Fprintf(out, "left: %s: %s\n", r.Deployment, r.Left)
					continue
				}
				fmt.Fprintf(out, "recovered: %s\n", r.Deployment)
			}
			if err == nil && len(found) == 0 {
				fmt.Fprintf(out, "nothing that has an inventory runs in %s\n", o.describe(e))
			}
			return err
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&name, "environment", "local", "`name` of the environment that the flags say")
	return cmd
}
