package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/live"
)

func newMoveCmd(s streams) *cobra.Command {
	var f moveFlags
	cmd := f.command(s, "move NODE", "Let instances run on another node",
		`Move lets the instances that a node has, of all solutions in the namespace or of --role,
run on other nodes, or on --to: for the time being the node takes no new ones (with
--to: no other node but that), instances leave as far as budgets allow it, so that
never too few run, and when those in their place are healthy the node takes new ones
again.

Instances with data of their own move only with --allow-data-move: the data has to be
reachable from the other node. What each node has to have one of stays. Where it is
interrupted or too late, nodes are opened again; if it was killed, the next move from the
node does so, or any move when the time was over.`,
		`  kumiki move node-1 --role shop/web
  kumiki move node-1 --to node-2 --role shop/db --allow-data-move shop/db`)
	cmd.Flags().StringVar(&f.move.To, "to", "", "`node` to run on (default: where the cluster wants)")
	return cmd
}

func newDrainCmd(s streams) *cobra.Command {
	var f moveFlags
	cmd := f.command(s, "drain NODE", "Take the instances from a node, and let it take no new ones",
		`Drain is 'kumiki move' for a node that is about to be taken away or worked on: it stays
closed. --undo lets it take instances again. Instances of other namespaces, or that
kumiki has not made, are not touched: 'kubectl drain' is for those.

Swarm takes all instances from a node at once, also those of others, which are listed
first. Data in a volume of the node stays there: who has some moves only with
--allow-data-move, and begins elsewhere with an empty volume.`,
		`  kumiki drain node-1
  kumiki drain node-1 --undo`)
	f.move.Drain = true
	cmd.Flags().BoolVar(&f.undo, "undo", false, "let the node take instances again")
	return cmd
}

// moveFlags are the flags of move and drain.
type moveFlags struct {
	applyFlags
	move live.Move
	undo bool
}

func (f *moveFlags) command(s streams, use, short, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.move.From = args[0]
			if m := s.site.manager; m != nil {
				return f.moveManaged(cmd, s, m)
			}
			return f.run(cmd, s)
		},
	}
	f.register(cmd)
	f.registerTimeout(cmd, "to wait until other instances are healthy")
	registerManagedEnvironment(cmd, &f.environment, "`name` of the manager's environment that the node is in (default: local)")
	flags := cmd.Flags()
	flags.StringVar(&f.move.Path, "role", "", "`path` of what is moved: a solution, DEPLOYMENT or DEPLOYMENT/ROLE (default: all)")
	repeatedVar(flags, &f.move.Data, "allow-data-move", "", "`path` of a DEPLOYMENT or DEPLOYMENT/ROLE whose instances move though they have data; may be given several times")
	flags.BoolVar(&f.yes, "yes", false, "don't ask")
	return cmd
}

func (f *moveFlags) run(cmd *cobra.Command, s streams) error {
	ctx := cmd.Context()
	c, err := f.connect(cmd, s)
	if err != nil {
		return err
	}
	m, ok := c.(live.Drainer)
	if _, single := c.(live.Mover); !ok || !single && (!f.move.Drain || f.move.Path != "") {
		return f.whole(cmd, s)
	}
	open, err := m.Reopen(ctx, f.move.From, time.Now())
	if err != nil {
		return unreachable(s, err)
	}
	for _, name := range open {
		fmt.Fprintf(s.err, "%s takes instances again: a move was broken off\n", name)
	}
	if f.undo {
		if err := m.Open(ctx, []string{f.move.From}); err != nil {
			return unreachable(s, err)
		}
		return f.opened(ctx, s, m)
	}
	return f.begun(ctx, s, c, m)
}

// whole says that a target takes all instances from a node, or none.
func (f *moveFlags) whole(cmd *cobra.Command, s streams) error {
	name := cmd.Name()
	if f.move.Drain {
		name += " --role"
	}
	return printProblems(s.err, diag.List{diag.New(diag.LiveTarget, diag.NoPos,
		"%s: %s lets no single instance leave a node: kumiki drain %s takes all of them from it, kumiki drain %[3]s --undo lets it take some again, and --placement says where those of a solution run", name, f.lower.target, f.move.From)})
}

// opened tells whether the node takes instances now. What somebody else has closed stays so.
func (f *moveFlags) opened(ctx context.Context, s streams, m live.Drainer) error {
	nodes, err := m.Nodes(ctx)
	if err != nil {
		return unreachable(s, err)
	}
	at := slices.IndexFunc(nodes, func(n live.Node) bool { return n.Name == f.move.From })
	switch {
	case at < 0:
		return unreachable(s, live.Missing("there is no node "+f.move.From))
	case !nodes[at].Open:
		fmt.Fprintf(s.err, "kumiki: %s takes no instances: kumiki has not closed it, and %s\n", f.move.From, diag.Safe(nodes[at].Why))
		return errRefused
	}
	fmt.Fprintf(s.out, "%s takes instances\n", f.move.From)
	return nil
}

// begun moves what there is to be moved.
func (f *moveFlags) begun(ctx context.Context, s streams, c live.System, m live.Drainer) error {
	moving, staying, err := f.move.Instances(ctx, m)
	if errors.Is(err, live.ErrStays) {
		fmt.Fprintf(s.err, "kumiki: %s\n", diag.Safe(err.Error()))
		return errRefused
	} else if err != nil {
		return unreachable(s, err)
	}
	for _, one := range staying {
		fmt.Fprintf(s.out, "%v stays: %s\n", one, one.Fixed)
	}
	for _, one := range moving {
		switch {
		case one.Ends:
			fmt.Fprintf(s.out, "%v ends: %s\n", one, live.EachNode)
		case one.Solution == "":
			fmt.Fprintf(s.out, "%v leaves too, which is no solution's\n", one)
		}
	}
	if len(moving) == 0 && !f.move.Drain {
		fmt.Fprintf(s.out, "%s has no instances that could move\n", f.move.From)
		return nil
	}
	if ok, err := confirmed(s, f.yes, fmt.Sprintf("Move %d instances away from %s?", len(moving), f.move.From)); !ok || err != nil {
		return err
	}
	bounded, cancel := f.bounds(true).Context(ctx)
	defer cancel()
	f.move.Until, _ = bounded.Deadline()
	err = f.move.Run(bounded, m, moving, func(ctx context.Context) error { return f.again(ctx, s, c, moving) }, func(text string) {
		fmt.Fprintln(s.out, "  "+diag.Safe(text))
	})
	switch {
	case errors.Is(err, errLate), errors.Is(err, errUnhealthy), errors.Is(err, errSystem):
		return err
	case errors.Is(err, live.ErrStays):
		fmt.Fprintf(s.err, "kumiki: %s\n", diag.Safe(err.Error()))
		return errRefused
	case err != nil:
		return unreachable(s, err)
	}
	fmt.Fprintf(s.out, "%s: %s\n", f.move.From, f.moved(moving))
	return nil
}

func (f *moveFlags) moved(moving []live.Movable) string {
	count := 0
	for _, one := range moving {
		if !one.Ends && !one.Leaving {
			count++
		}
	}
	text := fmt.Sprintf("%d instances run elsewhere", count)
	if f.move.Drain {
		text += ", and it takes no new ones"
	}
	return text
}

// again waits until the solutions of instances are healthy.
func (f *moveFlags) again(ctx context.Context, s streams, c live.System, moving []live.Movable) error {
	done := map[string]bool{}
	for _, one := range moving {
		if done[one.Solution] || one.Solution == "" {
			continue
		}
		done[one.Solution] = true
		r, err := c.Record(ctx, one.Solution)
		if err != nil {
			return err
		}
		if !r.Known() { // its objects were applied by kubectl
			continue
		}
		if err := f.settled(ctx, s, c, r); err != nil {
			return err
		}
	}
	return nil
}
