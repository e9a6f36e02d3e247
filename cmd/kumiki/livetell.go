package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
)

// past is what was done, in words.
var past = map[engine.Verb]string{
	engine.Create: "created", engine.Change: "changed", engine.Replace: "made anew", engine.Adopt: "adopted", engine.Resume: "resumed", engine.Repair: "repaired", engine.Remove: "removed",
}

// tellEvent prints what was done with an object.
func tellEvent(s streams, e live.Event) {
	if e.Failed == nil {
		fmt.Fprintln(s.out, diag.Safe(past[e.Verb]+": "+e.ID.String()+ofPlace(e.Place)))
	}
}

func ofPlace(p engine.Place) string {
	if p.String() == "" {
		return ""
	}
	return " (" + p.String() + ")"
}

// tellActions prints what differs though nobody has changed the solution, and what is left
// as it is.
func tellActions(s streams, a *application.Application) {
	var told []engine.Action
	for _, action := range a.Actions() {
		switch action.Verb {
		case engine.Repair, engine.Excuse, engine.Keep, engine.Leave, engine.Residue, engine.Adopt, engine.Resume, engine.Change:
			if len(action.Changes) > 0 || !action.Verb.Writes() {
				told = append(told, action)
			}
		}
	}
	for _, f := range live.Drift(told) {
		for _, line := range f.Lines() {
			fmt.Fprintln(s.out, diag.Safe(s.secrets.hide(line)))
		}
	}
	for _, path := range a.Desired.Stopped {
		fmt.Fprintf(s.out, "%s is stopped, and stays so: kumiki start %s lets it run\n", path, path)
	}
}

// printRefusals prints all that the cluster does not take.
func printRefusals(s streams, a *application.Application, refused []live.Refusal) error {
	var problems diag.List
	alike := map[string][]string{}
	for _, r := range refused {
		if r.Refused != "" && r.Field == "" {
			alike[r.Refused] = append(alike[r.Refused], r.ID.String())
		}
	}
	for _, r := range refused {
		at := a.Line(r.ID, r.Field)
		same := alike[r.Refused]
		switch {
		case len(same) > 1 && same[0] != r.ID.String():
			continue // told with the first
		case len(same) > 1:
			hint := ""
			if strings.HasPrefix(r.Refused, "namespaces ") && strings.HasSuffix(r.Refused, " not found") {
				hint = "; --create-namespace makes it"
			}
			problems = append(problems, diag.New(diag.LiveRefused, at, "the cluster refuses %d objects: %s%s (%s)", len(same), s.secrets.hide(r.Refused), hint, strings.Join(same, ", ")))
		case r.Foreign != "":
			problems = append(problems, diag.New(diag.LiveForeign, at, "%v: %s; say --adopt to take it over, or call the deployment otherwise (--name)", r.ID, r.Foreign))
		default:
			problems = append(problems, diag.New(diag.LiveRefused, at, "%v: the cluster refuses it: %s", r.ID, s.secrets.hide(r.Refused)))
		}
	}
	if err := printProblems(s.err, problems); err != nil && !errors.Is(err, errWrong) {
		return err
	}
	fmt.Fprintf(s.err, "kumiki: nothing was changed\n")
	return errRefused
}

// printBlocked tells of what does not go.
func printBlocked(s streams, blocked []engine.Action) error {
	var problems diag.List
	for _, a := range blocked {
		problems = append(problems, diag.New(diag.LiveBlocked, diag.NoPos, "%v does not go: %s", a.ID, a.Why))
	}
	if err := printProblems(s.err, problems); err != nil && !errors.Is(err, errWrong) {
		return err
	}
	return errLate
}

// teller tells what is done, what the system makes of it, and what becomes of roles.
func (f *liveFlags) teller(s streams, a *application.Application) application.Teller {
	var losses diag.List
	w := &watcher{s: s, said: map[string]string{}, why: map[string]string{}}
	f.watched = w
	return application.Teller{
		Event: func(e live.Event) {
			tellEvent(s, e)
			for _, field := range e.Dropped {
				losses = append(losses, diag.Warn(diag.LostByCluster, a.Line(e.ID, field), "%v: the cluster has dropped %s", e.ID, field))
			}
		},
		Changed: w.changed,
		Written: func() {
			for _, text := range a.System.Warnings() {
				w.warned = errors.Join(w.warned, s.warn("the cluster: %s", diag.Safe(text)))
			}
			w.warned = errors.Join(w.warned, printProblems(s.err, losses)) // warnings alone
		},
	}
}

// outcome prints what has come of carrying out, and returns what the command ends with.
func (f *liveFlags) outcome(ctx context.Context, s streams, a *application.Application, o application.Outcome, err error) error {
	switch {
	case err != nil:
		return unreachable(s, err)
	case len(o.Blocked) > 0:
		return printBlocked(s, o.Blocked)
	case errors.Is(o.Failed, live.ErrContest):
		fmt.Fprintf(s.err, "kumiki: %s\n", diag.Safe(o.Failed.Error()))
		return errRefused
	case o.Failed != nil:
		fmt.Fprintf(s.err, "kumiki: not all could be done; the next run goes on:\n%s\n", diag.Safe(o.Failed.Error()))
		return errUnhealthy
	case len(o.Unwell) > 0:
		return f.unwell(ctx, s, a, o)
	}
	return nil
}

// unwell prints what is not healthy, and why.
func (f *liveFlags) unwell(ctx context.Context, s streams, a *application.Application, o application.Outcome) error {
	var problems diag.List
	for _, u := range o.Unwell {
		why := f.watched.why[u.Place.String()]
		if why == "" {
			var err error
			if why, err = a.System.Reasons(context.WithoutCancel(ctx), a.Next.Solution, u.Place); err != nil || why == "" {
				why = u.Why
			}
		}
		problems = append(problems, diag.New(diag.LiveUnhealthy, a.Line(u.ID, "spec.template.spec.containers"), "%s is not healthy: %s", u.Place, why))
	}
	_ = printProblems(s.err, problems)
	if o.Late {
		fmt.Fprintf(s.err, "kumiki: the time is over (--timeout %s)\n", f.timeout)
		return errLate
	}
	return errUnhealthy
}

// await waits until all is healthy, tells of each role when something of it changes, and in
// the end of what is not.
func (f *liveFlags) await(ctx context.Context, s streams, a *application.Application) error {
	o, err := a.Await(ctx, f.bounds(true), f.teller(s, a))
	return f.outcome(ctx, s, a, o, err)
}

// watcher tells what becomes of roles.
type watcher struct {
	s      streams
	said   map[string]string // by place
	why    map[string]string // pods that are not well, by place
	warned error             // what warnings come to with --strict
}

func (w *watcher) changed(seen engine.Seen) {
	at := seen.Place.String()
	text := fmt.Sprintf("%s: %d of %d ready", at, seen.Ready, seen.Wanted)
	key := seen.ID.String() // a role may have several
	switch {
	case seen.Value == nil:
		return
	case !seen.Runs:
		key, text = at+" pod", fmt.Sprintf("%s: %s", at, seen.Why)
		w.why[at] = seen.Why
	case seen.Health == engine.Healthy:
		delete(w.why, at)
	}
	before, again := w.said[key]
	w.said[key] = text
	if before != text && (again || !seen.Runs || seen.Health != engine.Healthy) {
		fmt.Fprintln(w.s.out, "  "+diag.Safe(w.s.secrets.hide(text)))
	}
}
