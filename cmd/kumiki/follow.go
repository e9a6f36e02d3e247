package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kumiki.dev/client"
	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// beyond is how long is waited for the end of an operation after its deadline: the manager may
// be on its way up again.
const beyond = time.Minute

// follow prints what an operation does, as it does it, and returns what the command ends with.
// Interrupted, it leaves the operation going, and says so.
func (m *manager) follow(ctx context.Context, s streams, o client.Operation) error {
	bounded, cancel := context.WithDeadline(ctx, o.Deadline.Add(beyond))
	defer cancel()
	t := &opTeller{s: s, m: m}
	ended, err := m.Follow(bounded, o.ID, t.changed, t.lost)
	if err != nil {
		return m.left(ctx, s, o.ID, err)
	}
	return m.ended(s, ended)
}

// left says that an operation is followed no further, and goes on.
func (m *manager) left(ctx context.Context, s streams, id string, err error) error {
	how := fmt.Sprintf("kumiki ops watch %s%s goes on looking, kumiki ops cancel %s%s ends it", id, m.flag, id, m.flag)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(s.err, "kumiki: operation %s goes on at %s: %s\n", id, m.URL(), how)
		return errLate
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(s.err, "kumiki: the time of operation %s is over, and %s does not say how it has ended: %s\n", id, m.URL(), how)
		return errLate
	}
	return m.failed(s, err)
}

// opTeller prints what an operation does.
type opTeller struct {
	s    streams
	m    *manager
	told int
	gone bool
}

func (t *opTeller) changed(o client.Operation) {
	if t.gone {
		t.gone = false
		t.s.hint("kumiki: %s answers again\n", t.m.URL())
	}
	for ; t.told < len(o.Steps); t.told++ {
		t.step(o.Steps[t.told])
	}
	if c, ok := t.s.err.(*console); ok {
		c.progress.tell(fmt.Sprintf("%s of %s: %s", o.Verb, aboutOf(o), o.Phase))
	}
}

func (t *opTeller) step(p client.Step) {
	if p.Message != "" && filter.Contains([]string{"restart", "move", "drain"}, p.Action) {
		fmt.Fprintln(t.s.out, "  "+diag.Safe(p.Message)) // a sentence
		return
	}
	text := cmp.Or(past[engine.Verb(p.Action)], p.Action) + ": " + p.Object
	if p.Place != "" {
		text += " (" + p.Place + ")"
	}
	if p.Message != "" {
		text += ": " + t.s.secrets.hide(p.Message)
	}
	fmt.Fprintln(t.s.out, diag.Safe(text))
}

// lost tells once that a connection is lost.
func (t *opTeller) lost(err error) {
	if !t.gone && err != nil {
		t.gone = true
		t.s.hint("kumiki: %s; the operation goes on there, and is looked for again\n", diag.Safe(err.Error()))
	}
}

// finished is an operation's verb, done.
func finished(verb string) string {
	switch verb {
	case "create":
		return "is made"
	case "update":
		return "is changed"
	case "rollback":
		return "is taken back"
	case "delete":
		return "is removed"
	}
	return "is as " + verb + " says"
}

// ended prints what has come of an operation, and returns what the command ends with.
func (m *manager) ended(s streams, o client.Operation) error {
	if o.Error == nil {
		text := o.Deployment + " " + finished(o.Verb)
		if what := finishedHalt(o); what != "" {
			text = what
		} else if o.Verb != "delete" {
			text += fmt.Sprintf(": manifest %d", o.Manifest)
		}
		fmt.Fprintln(s.out, diag.Safe(text))
		return nil
	}
	if len(o.Error.Problems) > 0 {
		_ = printProblems(s.err, client.Diagnostics(o.Error.Problems))
	}
	fmt.Fprintf(s.err, "kumiki: operation %s: %s [%s]\n", o.ID, diag.Safe(s.secrets.hide(o.Error.Message)), o.Error.Code)
	return endOf(o)
}

// endOf is what a command ends with after an operation.
func endOf(o client.Operation) error {
	if o.Error == nil {
		return nil
	}
	switch o.Error.Code {
	case "manager/compile", "manager/lower":
		return errWrong
	case "manager/late", "manager/blocked":
		return errLate
	case "manager/compiler", "manager/content", "manager/internal":
		return errSystem
	}
	if o.Wrote {
		return errUnhealthy
	}
	return errRefused
}

// begun goes along with the operation that a change has begun, or says how that is done.
func (m *manager) begun(ctx context.Context, s streams, a client.Answer, wait bool) error {
	if a.Operation == nil {
		return m.failed(s, &client.Error{Server: m.URL(), Status: http.StatusOK, Detail: "it answers a change without an operation"})
	}
	if !wait {
		id := printable(a.Operation.ID)
		fmt.Fprintf(s.out, "operation %s is begun: kumiki ops watch %s%s\n", id, id, m.flag)
		return nil
	}
	return m.follow(ctx, s, *a.Operation)
}
