package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/client"
	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/live"
)

// lookEach is how often a manager is asked again how something is.
const lookEach = 2 * time.Second

// deployments are the names of what arguments are about, without any of all that there is.
func (m *manager) deployments(ctx context.Context, s streams, f *liveFlags, args []string) ([]string, error) {
	if len(args) > 0 {
		return f.names(ctx, s, args)
	}
	all, _, err := m.Deployments(ctx, "", "")
	if err != nil {
		return nil, m.failed(s, err)
	}
	names := []string{}
	for _, d := range all {
		names = append(names, d.Name)
	}
	if len(names) == 0 {
		s.hint("%s has no deployments\n", m.URL())
	}
	return names, nil
}

// looker asks a manager how deployments are, once or again and again.
type looker struct {
	m    *manager
	s    streams
	said map[string]string          // why a deployment's environment does not answer
	last map[string]client.Observed // before it did so no more
}

func (m *manager) looker(s streams) *looker {
	return &looker{m, s, map[string]string{}, map[string]client.Observed{}}
}

// look asks. Those whose environment does not answer are told of, once, and are as they were
// last, or left out; unasked is then what the command ends with.
func (l *looker) look(ctx context.Context, names []string) (all []client.Observed, unasked, err error) {
	for _, name := range names {
		o, err := l.m.Observe(ctx, name)
		var e *client.Error
		switch {
		case errors.As(err, &e) && e.Code == "manager/unreachable":
			if l.said[name] != e.Detail {
				fmt.Fprintf(l.s.err, "kumiki: %s: %s [%s]\n", name, diag.Safe(e.Detail), e.Code)
			}
			l.said[name], unasked = e.Detail, errSystem
			if was, ok := l.last[name]; ok {
				all = append(all, was)
			}
		case err != nil:
			return nil, nil, l.m.failed(l.s, err)
		default:
			delete(l.said, name)
			l.last[name] = o
			all = append(all, o)
		}
	}
	return all, unasked, nil
}

// asLive are deployments as the commands print what runs in a cluster.
func asLive(all []client.Observed) []solutionStatus {
	out := []solutionStatus{}
	for _, o := range all {
		one := solutionStatus{Solution: o.Deployment, Roles: []live.Status{}}
		for _, r := range o.Roles {
			to := live.Status{Place: r.Place, Object: r.Object, Health: r.Health, Why: r.Why, Stopped: r.Stopped, Ready: r.Ready, Wanted: r.Wanted, Restarts: r.Restarts, Images: r.Images, Since: r.Since}
			for _, i := range r.Instances {
				instance := live.Instance{Name: i.Name, Node: i.Node, Address: i.Address, Phase: i.Phase, Restarts: i.Restarts}
				for _, e := range i.Exits {
					instance.Exits = append(instance.Exits, live.Exit(e))
				}
				to.Instances = append(to.Instances, instance)
			}
			one.Roles = append(one.Roles, to)
		}
		out = append(out, one)
	}
	return out
}

// statusManaged says how what a manager has deployed is.
func (f *liveFlags) statusManaged(cmd *cobra.Command, s streams, m *manager, form string, watch bool, args []string) error {
	ctx := cmd.Context()
	printed, l := map[string]string{}, m.looker(s)
	for first := true; ; first = false {
		names, err := m.deployments(ctx, s, f, args)
		if err != nil {
			return interrupted(ctx, err)
		}
		found, unasked, err := l.look(ctx, names)
		if err != nil {
			return interrupted(ctx, err)
		}
		all := asLive(found)
		if !watch {
			if len(all) == 0 && form != "json" {
				return unasked
			}
			tellConditions(s, found)
			return errors.Join(printStatus(s, form, all), unasked, verdictOf(all))
		}
		if err := printChanged(s, form, all, printed, first); err != nil {
			return err
		}
		select {
		case <-time.After(lookEach):
		case <-ctx.Done():
			return nil
		}
	}
}

// tellConditions tells what a manager has not brought to where it is to be.
func tellConditions(s streams, found []client.Observed) {
	for _, o := range found {
		for _, c := range o.Conditions {
			if c.Status == "True" {
				continue
			}
			is := map[string]string{"False": "not", "Unknown": "perhaps not"}[c.Status]
			fmt.Fprintf(s.err, "%s: manifest %d is %s %s: %s [%s]\n", o.Deployment, c.Manifest, is, strings.ToLower(c.Type), diag.Safe(s.secrets.hide(c.Message)), c.Reason)
		}
	}
}

// driftManaged says what is not as a manager has made it, and has it set right.
func (f *applyFlags) driftManaged(cmd *cobra.Command, s streams, m *manager, form string, repair bool, args []string) error {
	ctx := cmd.Context()
	names, err := m.deployments(ctx, s, &f.liveFlags, args)
	if err != nil {
		return err
	}
	found, unasked, err := m.looker(s).look(ctx, names)
	if err != nil {
		return err
	}
	out, drifted := []solutionDrift{}, []string{}
	var differs error
	for _, o := range found {
		one := solutionDrift{o.Deployment, []live.Finding{}}
		for _, d := range o.Drift {
			finding := live.Finding{Kind: d.Kind, Object: d.Object, Place: d.Place, Why: s.secrets.hide(d.Why)}
			for _, field := range d.Fields {
				finding.Changes = append(finding.Changes, engine.Difference{Path: field})
			}
			if finding.Counts() {
				differs = errDiffers
			}
			one.Findings = append(one.Findings, finding)
		}
		if len(one.Findings) > 0 {
			drifted = append(drifted, o.Deployment)
		}
		out = append(out, one)
	}
	if err := printFindings(s, form, "drift", fieldLines, out); err != nil || !repair {
		return errors.Join(err, unasked, differs)
	}
	for _, name := range drifted {
		if err := f.repairManaged(ctx, s, m, name); err != nil {
			return err
		}
	}
	return unasked
}

// fieldLines is a finding for a person: the values of fields stay with the manager.
func fieldLines(f live.Finding) []string {
	fields := f.Changes
	f.Changes = nil
	lines := f.Lines()
	for _, c := range fields {
		lines = append(lines, "  "+c.Path)
	}
	return lines
}

// repairManaged has a manager write what is not as it was made.
func (f *applyFlags) repairManaged(ctx context.Context, s streams, m *manager, name string) error {
	was, err := m.Deployment(ctx, name)
	if err != nil {
		return m.failed(s, err)
	}
	if ok, err := confirmed(s, f.yes, fmt.Sprintf("Set %s at %s right?", name, m.URL())); !ok || err != nil {
		return err
	}
	a, err := m.Patch(ctx, name, was.Revision, client.Change{}, f.write())
	if err != nil {
		return m.failed(s, err)
	}
	return m.begun(ctx, s, a, true)
}

// diffManaged says what a manager would write.
func (f *applyFlags) diffManaged(cmd *cobra.Command, s streams, m *manager, form string, args []string) error {
	ctx := cmd.Context()
	var changes []change
	for _, arg := range args {
		if !isThere(arg) && isSolutionName(arg) {
			was, err := m.Deployment(ctx, arg)
			if err != nil {
				return m.failed(s, err)
			}
			changes = append(changes, change{name: arg, was: was, send: func(w client.Write) (client.Answer, error) {
				return m.Patch(ctx, arg, was.Revision, client.Change{}, w)
			}})
			continue
		}
		all, err := f.pack(ctx, s, []string{arg})
		if err != nil {
			return err
		}
		c, err := f.put(ctx, s, m, all[0], nil)
		if err != nil {
			return err
		}
		changes = append(changes, c)
	}
	out := []solutionDrift{}
	var differs error
	for _, c := range changes {
		a, err := c.send(client.Write{DryRun: true})
		switch {
		case err != nil:
			return m.failed(s, err)
		case len(a.Plan.Refused) > 0:
			_ = printProblems(s.err, client.Diagnostics(a.Plan.Refused))
			return errRefused
		}
		one := solutionDrift{c.name, []live.Finding{}}
		for _, p := range a.Plan.Steps {
			one.Findings = append(one.Findings, live.Finding{Kind: p.Action, Object: p.Object, Place: p.Place, Why: p.Message})
			differs = errDiffers
		}
		out = append(out, one)
	}
	return errors.Join(printFindings(s, form, "difference", live.Finding.Lines, out), differs)
}

// waitManaged waits until deployments are healthy, or gone.
func (f *liveFlags) waitManaged(cmd *cobra.Command, s streams, m *manager, until string, args []string) error {
	ctx, cancel := f.bounds(true).Context(cmd.Context())
	defer cancel()
	names, err := m.deployments(ctx, s, f, args)
	if err != nil {
		return err
	}
	for _, name := range names {
		printed, l := map[string]string{}, m.looker(s)
		for {
			done, err := l.come(ctx, name, until, printed)
			if err != nil {
				return err
			}
			if done {
				break
			}
			select {
			case <-time.After(lookEach):
			case <-ctx.Done():
				fmt.Fprintf(s.err, "kumiki: the time is over (--timeout %s), and %s is not %s\n", f.timeout, name, until)
				return errLate
			}
		}
		fmt.Fprintf(s.out, "%s is %s\n", name, until)
	}
	return nil
}

// come reports whether a deployment is as it is waited for, and prints what has changed.
func (l *looker) come(ctx context.Context, name, until string, printed map[string]string) (bool, error) {
	d, err := l.m.Deployment(ctx, name)
	switch {
	case until == "gone" && isAbsent(err):
		return true, nil
	case err != nil:
		return false, l.m.failed(l.s, err)
	case until == "gone" || d.Status.Applied != d.Manifest:
		return false, nil
	}
	found, unasked, err := l.look(ctx, []string{name})
	if err != nil || unasked != nil {
		return false, err // it is asked again
	}
	all := asLive(found)
	if verdictOf(all) == nil {
		return true, nil
	}
	if err := printChanged(l.s, "table", all, printed, len(printed) == 0); err != nil {
		return false, err
	}
	for _, r := range all[0].Roles {
		if r.Health == "failed" {
			return false, errUnhealthy
		}
	}
	return false, nil
}
