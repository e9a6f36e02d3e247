package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/live"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

// past is what was done, in words.
var past = map[engine.Verb]string{
	engine.Create: "created", engine.Change: "changed", engine.Replace: "made anew", engine.Adopt: "adopted", engine.Repair: "repaired", engine.Remove: "removed",
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
func tellActions(s streams, a *application) {
	var told []engine.Action
	for _, action := range a.Actions() {
		switch action.Verb {
		case engine.Repair, engine.Excuse, engine.Keep, engine.Leave, engine.Residue, engine.Adopt, engine.Change:
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

// object is the one that was lowered, of an ID.
func (a *application) object(id engine.ID) (targets.Object, bool) {
	i := slices.IndexFunc(a.objects, func(o targets.Object) bool { return o.Kind == id.Kind && o.Name == id.Name })
	if i < 0 {
		return targets.Object{}, false
	}
	return a.objects[i], true
}

// line is where the manifest has what a field of an object was made of: the innermost place
// that is known.
func (a *application) line(id engine.ID, field string) diag.Pos {
	o, ok := a.object(id)
	if !ok || a.solution == nil || o.Deployment == "" {
		return diag.NoPos
	}
	if pos := a.ofField(o, field); pos.IsValid() {
		return pos
	}
	if pos := a.solution.Position(o.Deployment, o.Role); pos.IsValid() {
		return pos
	}
	return a.solution.Position(o.Deployment, "")
}

// ofField is the place of what a field was made of, or of what is around it.
func (a *application) ofField(o targets.Object, field string) diag.Pos {
	plain, err := kubernetes.Plain(o)
	if err != nil {
		return diag.NoPos
	}
	for field != "" {
		if _, names, err := targets.Field(plain, field); err == nil {
			if below := kubernetes.Origin(a.solution, o, names); below != nil {
				return a.solution.Position(o.Deployment, o.Role, below...)
			}
		}
		field = field[:max(strings.LastIndexAny(field, ".["), 0)]
	}
	return diag.NoPos
}

// printRefusals prints all that the cluster does not take.
func printRefusals(s streams, a *application, refused []live.Refusal) error {
	var problems diag.List
	alike := map[string][]string{}
	for _, r := range refused {
		if r.Refused != "" && r.Field == "" {
			alike[r.Refused] = append(alike[r.Refused], r.ID.String())
		}
	}
	for _, r := range refused {
		at := a.line(r.ID, r.Field)
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

// await waits until all is healthy, tells of each role when something of it changes, and in
// the end of what is not.
func (f *liveFlags) await(ctx context.Context, s streams, a *application) error {
	bounded, cancel := f.bounded(ctx)
	defer cancel()
	t := &watcher{s: s, said: map[string]string{}, why: map[string]string{}}
	unwell, err := a.Await(bounded, t.changed)
	switch {
	case err == nil:
		return nil
	case len(unwell) == 0:
		return unreachable(s, err)
	}
	var problems diag.List
	for _, u := range unwell {
		why := t.why[u.Place.String()]
		if why == "" {
			if why, err = a.Target.Reasons(context.WithoutCancel(ctx), a.Next.Solution, u.Place); err != nil || why == "" {
				why = u.Why
			}
		}
		problems = append(problems, diag.New(diag.LiveUnhealthy, a.line(u.ID, "spec.template.spec.containers"), "%s is not healthy: %s", u.Place, why))
	}
	_ = printProblems(s.err, problems)
	if bounded.Err() != nil && ctx.Err() == nil {
		fmt.Fprintf(s.err, "kumiki: the time is over (--timeout %s)\n", f.timeout)
		return errLate
	}
	return errUnhealthy
}

// watcher tells what becomes of roles.
type watcher struct {
	s    streams
	said map[string]string // by place
	why  map[string]string // pods that are not well, by place
}

func (w *watcher) changed(seen engine.Seen) {
	at := seen.Place.String()
	text := fmt.Sprintf("%s: %d of %d ready", at, seen.Ready, seen.Wanted)
	key := at
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
