package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/run/record"
)

// moving is a move in an environment.
type moving struct {
	live.Move
	system live.System
	by     application.Lowering
	nodes  live.Drainer
}

// moveOf finds what a move is done with. The failure says what the target has in its place.
func moveOf(connect Connector, e record.Environment, verb record.Verb, m *record.Move) (*moving, *record.Failure) {
	system, by, err := connect(e)
	if err != nil {
		return nil, failure("manager/environment", err.Error())
	}
	out := &moving{live.Move{From: m.Node, To: m.To, Path: m.Path, Data: m.Data, Drain: verb == record.DrainNode}, system, by, nil}
	nodes, ok := system.(live.Drainer)
	_, single := system.(live.Mover)
	if !ok || !single && (verb == record.MoveNode || m.Path != "") {
		return nil, failure(string(diag.LiveTarget), fmt.Sprintf("%s lets no single instance leave a node: drain takes all of them from it, open lets it take some again", by.Name))
	}
	out.nodes = nodes
	return out, nil
}

// instances are those that move and those that stay; the failure is why none may.
func (m *moving) instances(ctx context.Context) (moves, stays []live.Movable, failed *record.Failure, err error) {
	moves, stays, err = m.Instances(ctx, m.nodes)
	var missing live.Missing
	switch {
	case errors.Is(err, live.ErrStays):
		return nil, nil, failure("manager/guarded", err.Error()), nil
	case errors.As(err, &missing):
		return nil, nil, failure("manager/not-found", err.Error()), nil
	}
	return moves, stays, nil, asked(err)
}

// stepsOf are what becomes of instances.
func (m *moving) stepsOf(moves, stays []live.Movable) []record.Step {
	steps := []record.Step{}
	for _, one := range stays {
		steps = append(steps, record.Step{Action: "keep", Object: one.Name, Place: one.Place.String(), Message: one.Fixed})
	}
	for _, one := range moves {
		s := record.Step{Action: "move", Object: one.Name, Place: one.Place.String()}
		switch {
		case one.Ends:
			s.Action, s.Message = "end", live.EachNode
		case one.Solution == "":
			s.Message = "it is no deployment's"
		}
		steps = append(steps, s)
	}
	return steps
}

// MoveOf says which instances would leave a node.
func MoveOf(ctx context.Context, connect Connector, e record.Environment, verb record.Verb, to *record.Move) (*Preview, *record.Failure, error) {
	m, failed := moveOf(connect, e, verb, to)
	if failed != nil {
		return nil, failed, nil
	}
	p := &Preview{Steps: []record.Step{}, Refused: []record.Problem{}, Problems: []record.Problem{}, Losses: []record.Problem{}}
	if verb == record.OpenNode {
		_, failed, err := m.node(ctx)
		return p, failed, err
	}
	moves, stays, failed, err := m.instances(ctx)
	if failed != nil || err != nil {
		return nil, failed, err
	}
	p.Steps = m.stepsOf(moves, stays)
	var text strings.Builder
	for _, s := range p.Steps {
		fmt.Fprintf(&text, "%s: %s (%s)", s.Action, s.Object, s.Place)
		if s.Message != "" {
			text.WriteString(": " + s.Message)
		}
		text.WriteByte('\n')
	}
	p.Text = text.String()
	return p, nil, nil
}

// node is how the node is that the move is about.
func (m *moving) node(ctx context.Context) (live.Node, *record.Failure, error) {
	all, err := m.nodes.Nodes(ctx)
	if err != nil {
		return live.Node{}, nil, asked(err)
	}
	at := slices.IndexFunc(all, func(n live.Node) bool { return n.Name == m.From })
	if at < 0 {
		return live.Node{}, failure("manager/not-found", "there is no node "+m.From), nil
	}
	return all[at], nil, nil
}

// move lets instances leave a node, or lets it take some again.
func (w *work) move(ctx context.Context) (*record.Failure, error) {
	e, failed, err := w.environment(ctx)
	if failed != nil || err != nil {
		return failed, err
	}
	m, failed := moveOf(w.Connect, e, w.op.Verb, w.op.Move)
	if failed != nil {
		return failed, nil
	}
	m.Until = w.op.Deadline
	return insist(ctx, func() (*record.Failure, error) { return w.moveOnce(ctx, m) }, func(why string) { w.waits(ctx, e, why) })
}

func (w *work) moveOnce(ctx context.Context, m *moving) (*record.Failure, error) {
	if err := w.phase(ctx, record.Trying); err != nil {
		return nil, err
	}
	opened, err := m.nodes.Reopen(ctx, m.From, time.Now())
	if err != nil {
		return nil, asked(err)
	}
	for _, name := range opened {
		w.says(ctx, "open", "Node/"+name, "a move was broken off")
	}
	if w.op.Verb == record.OpenNode {
		return w.open(ctx, m)
	}
	moves, stays, failed, err := m.instances(ctx)
	if failed != nil || err != nil {
		return failed, err
	}
	for _, s := range m.stepsOf(nil, stays) {
		w.step(ctx, s)
	}
	if len(moves) == 0 && !m.Drain {
		return nil, nil
	}
	w.op.Wrote = true
	if err := w.phase(ctx, record.Applying); err != nil {
		return nil, err
	}
	var unwell *record.Failure
	err = m.Run(ctx, m.nodes, moves, func(ctx context.Context) (err error) {
		if unwell, err = w.elsewhere(ctx, m, moves); unwell != nil {
			err = errUnwell // nodes are opened again
		}
		return err
	}, func(text string) { w.says(ctx, string(w.op.Verb), "Node/"+m.From, text) })
	switch {
	case errors.Is(err, errUnwell):
		return unwell, nil
	case errors.Is(err, live.ErrStays):
		return failure("manager/guarded", err.Error()), nil
	case err != nil:
		return nil, asked(err)
	}
	return nil, nil
}

var errUnwell = errors.New("what has moved is not healthy")

// open lets a node take instances again. What somebody else has closed stays closed.
func (w *work) open(ctx context.Context, m *moving) (*record.Failure, error) {
	w.op.Wrote = true
	if err := w.phase(ctx, record.Applying); err != nil {
		return nil, err
	}
	if err := m.nodes.Open(ctx, []string{m.From}); err != nil {
		return nil, asked(err)
	}
	n, failed, err := m.node(ctx)
	switch {
	case failed != nil || err != nil:
		return failed, err
	case !n.Open:
		w.op.Wrote = false
		return failure("manager/closed", fmt.Sprintf("%s takes no instances: kumiki has not closed it, and %s", m.From, n.Why)), nil
	}
	w.says(ctx, "open", "Node/"+m.From, "")
	return nil, nil
}

// elsewhere waits until the solutions of instances that have moved are healthy.
func (w *work) elsewhere(ctx context.Context, m *moving, moves []live.Movable) (*record.Failure, error) {
	done := map[string]bool{"": true}
	for _, one := range moves {
		if done[one.Solution] {
			continue
		}
		done[one.Solution] = true
		r, err := m.system.Record(ctx, one.Solution)
		if err != nil {
			return nil, err
		}
		if !r.Known() { // its objects were applied by others
			continue
		}
		a := &application.Application{System: m.system, Run: &live.Run{Target: m.system, Record: r, Desired: r.Answers(), Next: *r, Looks: true}}
		a.Desired.Stopped = r.Stopped
		o, err := a.Await(ctx, application.Bounds{Wait: true, Timeout: time.Until(w.op.Deadline)}, w.teller(ctx))
		if err != nil {
			return nil, err
		}
		if len(o.Unwell) > 0 {
			return &record.Failure{Code: "manager/unhealthy", Message: "it has moved, and is not healthy", Problems: unwellIn(ctx, m.system, r.Solution, o.Unwell)}, nil
		}
	}
	return nil, nil
}
