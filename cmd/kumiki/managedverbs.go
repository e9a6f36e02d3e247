package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/client"
	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
)

// owner is the deployment at a manager that a path leads into: the one that is called as it
// begins, else the one that has such a deployment within.
func (m *manager) owner(ctx context.Context, s streams, path string) (client.Deployment, error) {
	name, _, _ := strings.Cut(path, "/")
	d, err := m.Deployment(ctx, name)
	if err == nil || !isAbsent(err) {
		return d, m.failed(s, err)
	}
	all, listed := m.Instances(ctx, "*")
	at := slices.IndexFunc(all, func(one client.Filled) bool { return one.Deployment == name })
	if listed != nil || at < 0 {
		return d, m.failed(s, err)
	}
	d, err = m.Deployment(ctx, all[at].Solution)
	return d, m.failed(s, err)
}

// haltManaged has a manager stop, start or restart what paths lead to.
func (f *applyFlags) haltManaged(cmd *cobra.Command, s streams, m *manager, paths []string) error {
	ctx := cmd.Context()
	if f.one != "" && len(paths) != 1 {
		return errOneRole
	}
	for _, path := range paths {
		d, err := m.owner(ctx, s, path)
		if err != nil {
			return err
		}
		var a client.Answer
		switch cmd.Name() {
		case "stop":
			a, err = m.Stop(ctx, d.Name, d.Revision, path, f.write())
		case "start":
			a, err = m.Start(ctx, d.Name, d.Revision, path, f.write())
		case "restart":
			a, err = m.Restart(ctx, d.Name, d.Revision, path, f.one, f.write())
		}
		if err != nil {
			return m.failed(s, err)
		}
		if err := m.begun(ctx, s, a, f.wait); err != nil {
			return err
		}
	}
	return nil
}

var errOneRole = errors.New("--instance NAME is one of one role: name that alone")

// logsManaged prints what instances have written, as a manager's environment has it.
func logsManaged(ctx context.Context, s streams, m *manager, o live.LogOptions, form, path string) error {
	d, err := m.owner(ctx, s, path)
	if err != nil {
		return err
	}
	p := &logPrinter{s: s, form: form}
	of := client.LogOptions{Path: path, Instance: o.Instance, Container: o.Container, Follow: o.Follow, Previous: o.Previous, Tail: o.Tail, Since: o.Since}
	err = m.Logs(ctx, d.Name, of, func(l client.Line) { p.line(live.Line(l)) })
	if o.Follow && ctx.Err() != nil {
		return nil // interrupted
	}
	return m.failed(s, err)
}

// nodesManaged lists the nodes of a manager's environments.
func nodesManaged(ctx context.Context, s streams, m *manager, environment, form string) error {
	nodes, silent, err := m.Nodes(ctx, environment)
	if err != nil {
		return m.failed(s, err)
	}
	rows := [][]string{{"ENVIRONMENT", "NODE", "STATE", "CPU", "MEMORY", "VERSION", "ADDRESS", "INSTANCES", "WHY"}}
	for _, n := range nodes {
		state := stateOf(live.Node{Ready: n.Ready, Open: n.Open})
		rows = append(rows, []string{n.Environment, n.Name, state, n.CPU, n.Memory, n.Version, n.Address, counted(n.Instances), n.Why})
	}
	err = printAnswer(s.out, form, nodes, rows)
	for _, e := range silent {
		fmt.Fprintf(s.err, "kumiki: environment %s does not answer: %s\n", printable(e.Environment), diag.Safe(s.secrets.hide(e.Why)))
		err = errors.Join(err, errSystem)
	}
	return err
}

// moveManaged has a manager let instances leave a node, or come to it again.
func (f *moveFlags) moveManaged(cmd *cobra.Command, s streams, m *manager) error {
	ctx := cmd.Context()
	to := client.Move{Environment: f.environment, Node: f.move.From, To: f.move.To, Path: f.move.Path, Data: f.move.Data}
	if to.Environment == "" {
		to.Environment = "local"
	}
	send := m.MoveNode
	switch {
	case f.undo:
		return f.moves(ctx, s, m, func(w client.Write) (client.Answer, error) {
			return m.OpenNode(ctx, client.Move{Environment: to.Environment, Node: to.Node}, w)
		})
	case f.move.Drain:
		send = m.DrainNode
	}
	w := f.write()
	w.DryRun = true
	a, err := send(ctx, to, w)
	switch {
	case err != nil:
		return m.failed(s, err)
	case a.Plan == nil:
		return m.failed(s, noPlan(m))
	}
	fmt.Fprint(s.out, diag.Safe(a.Plan.Text))
	moving := len(filter.Out(a.Plan.Steps, func(p client.Step) bool { return p.Action == "keep" }))
	if moving == 0 && !f.move.Drain {
		fmt.Fprintf(s.out, "%s has no instances that could move\n", f.move.From)
		return nil
	}
	if ok, err := confirmed(s, f.yes, fmt.Sprintf("Move %d instances away from %s of %s, at %s?", moving, to.Node, to.Environment, m.URL())); !ok || err != nil {
		return err
	}
	return f.moves(ctx, s, m, func(w client.Write) (client.Answer, error) { return send(ctx, to, w) })
}

// moves sends what is about a node, and goes along with it.
func (f *moveFlags) moves(ctx context.Context, s streams, m *manager, send func(client.Write) (client.Answer, error)) error {
	a, err := send(f.write())
	if err != nil {
		return m.failed(s, err)
	}
	return m.begun(ctx, s, a, true)
}

// noPlan is the error of a manager that answers a dry run without one.
func noPlan(m *manager) error {
	return &client.Error{Server: m.URL(), Detail: "it answers a dry run without a plan"}
}

// rolesManaged is how what a manager has deployed is, for notify.
func rolesManaged(ctx context.Context, s streams, m *manager, l *looker, f *liveFlags, args []string) ([]solutionStatus, error) {
	names, err := m.deployments(ctx, s, f, args)
	if err != nil {
		return nil, err
	}
	found, unasked, err := l.look(ctx, names)
	if err == nil && len(found) == 0 {
		err = unasked
	}
	return asLive(found), err
}

// finishedHalt is what has come of an operation that changes nothing of what is wanted, "" for
// another.
func finishedHalt(o client.Operation) string {
	if o.Move != nil {
		switch o.Verb {
		case "open":
			return o.Move.Node + " takes instances"
		case "drain":
			return o.Move.Node + ": its instances run elsewhere, and it takes no new ones"
		}
		return o.Move.Node + ": its instances run elsewhere"
	}
	if len(o.Halts) == 0 || !filter.Contains([]string{"stop", "start", "restart"}, o.Verb) {
		return ""
	}
	h := o.Halts[len(o.Halts)-1]
	what := strings.TrimSpace(h.Path + " " + h.Instance)
	switch o.Verb {
	case "stop":
		return what + " is stopped"
	case "start":
		return what + " runs"
	}
	return what + " is restarted"
}

// aboutOf is what an operation is about, for a person.
func aboutOf(o client.Operation) string {
	if o.Move != nil {
		return o.Move.Environment + "/" + o.Move.Node
	}
	return o.Deployment
}
