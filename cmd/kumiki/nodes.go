package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/live"
)

func newNodesCmd(s streams) *cobra.Command {
	var f liveFlags
	var form, environment string
	cmd := &cobra.Command{
		Use:   "nodes",
		Short: "List the nodes of a cluster, and what runs on them",
		Long: `Nodes prints a line for each node: whether it is ready and takes new instances, or why
not, what it has for instances, and which roles of the namespace have instances on it.
It changes nothing.`,
		Example: `  kumiki nodes
  kumiki nodes -n shop -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkForm(form, "table", "json"); err != nil {
				return err
			}
			if m := s.site.manager; m != nil {
				return nodesManaged(cmd.Context(), s, m, environment, form)
			}
			return runNodes(cmd, s, &f, form)
		},
	}
	f.register(cmd)
	registerManagedEnvironment(cmd, &environment, "`name` of the manager's environment whose nodes they are (default: all)")
	cmd.Flags().StringVarP(&form, "output", "o", "table", "`form`: table or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// nodeLine is a node with the instances on it.
type nodeLine struct {
	live.Node
	Instances []string `json:"instances"`
}

func runNodes(cmd *cobra.Command, s streams, f *liveFlags, form string) error {
	ctx := cmd.Context()
	c, err := f.connect(cmd, s)
	if err != nil {
		return err
	}
	from, ok := c.(live.Noder)
	if !ok {
		return f.unknown(cmd, s)
	}
	nodes, err := from.Nodes(ctx)
	if err != nil {
		return unreachable(s, err)
	}
	on := map[string][]string{}
	if m, ok := c.(live.Mover); ok {
		all, err := m.Movables(ctx, "")
		if err != nil {
			return unreachable(s, err)
		}
		for _, one := range all {
			on[one.Node] = append(on[one.Node], one.String())
		}
	}
	out := []nodeLine{}
	rows := [][]string{{"NODE", "STATE", "CPU", "MEMORY", "VERSION", "ADDRESS", "INSTANCES", "WHY"}}
	for _, n := range nodes {
		line := nodeLine{n, append([]string{}, on[n.Name]...)}
		out = append(out, line)
		rows = append(rows, []string{n.Name, stateOf(n), n.CPU, n.Memory, n.Version, n.Address, counted(line.Instances), n.Why})
	}
	return printAnswer(s.out, form, out, rows)
}

func stateOf(n live.Node) string {
	switch {
	case !n.Ready:
		return "not ready"
	case !n.Open:
		return "closed"
	}
	return "ready"
}

// counted returns instances by their roles: "shop/web 2, shop/db 1".
func counted(instances []string) string {
	var order []string
	counts := map[string]int{}
	for _, one := range instances {
		place, _, _ := strings.Cut(one, " ")
		if counts[place]++; counts[place] == 1 {
			order = append(order, place)
		}
	}
	for i, place := range order {
		order[i] = fmt.Sprintf("%s %d", place, counts[place])
	}
	return strings.Join(order, ", ")
}
