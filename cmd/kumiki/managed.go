package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/client"
	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/module/bundle"
	"kumiki.dev/query"
)

// packed is a deployment that was compiled here, and what a manager compiles it from.
type packed struct {
	name string
	data []byte
	// environment is the manager's that it is for, "" for the one that it has, or local.
	environment string
}

// pack compiles what arguments name, and makes bundles of it, in the order in which they need
// each other. What is wrong is told here, with its lines, before a manager is asked.
func (f *applyFlags) pack(ctx context.Context, s streams, args []string) (all []packed, err error) {
	byName := map[string]packed{}
	var facts []query.Facts
	for _, arg := range args {
		err := f.in.onSources(ctx, s, []string{arg}, func(s streams, in compiler.Input) error {
			sol, problems := compiler.Compile(ctx, in)
			if err := printProblems(s.err, problems); err != nil {
				return err
			}
			data, err := bundle.Of(ctx, in, sol)
			if err != nil {
				return wrong(s, err)
			}
			p := packed{name: sol.Ref.Name, data: data, environment: f.environment}
			if e := s.site.Environment; p.environment == "" && e != nil && e.Name != environment.Local {
				p.environment = e.Name
			}
			byName[p.name] = p
			facts = append(facts, query.FactsOf(sol))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	order, err := query.Order(facts)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return nil, errWrong
	}
	for _, level := range order.Levels {
		for _, name := range level {
			all = append(all, byName[name])
		}
	}
	return all, nil
}

// allow are the dangers that flags allow.
func (f *applyFlags) allow() client.Allow {
	return client.Allow{Data: f.allowed.Data, Gone: f.allowed.Gone, Orphans: f.allowed.Orphans, Adopt: f.adopt}
}

// labelsOf are the labels that --label gives, nil for none.
func (f *applyFlags) labelsOf() (map[string]string, error) {
	if len(f.labels) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	for _, text := range f.labels {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--label %s: write KEY=VALUE", text)
		}
		out[key] = value
	}
	return out, nil
}

// write is what flags say of every change.
func (f *applyFlags) write() client.Write {
	if f.timeout == 0 || f.timeout > longest { // as long as it takes
		return client.Write{Timeout: longest}
	}
	return client.Write{Timeout: f.timeout}
}

// longest is what a manager lets an operation take.
const longest = 24 * time.Hour

// change is a change of a deployment at a manager.
type change struct {
	name string
	// was is the deployment, with Revision 0 for one that is not there.
	was client.Deployment
	// same tells that nothing of it becomes another, unless what runs is not as it was made.
	same bool
	send func(w client.Write) (client.Answer, error)
}

// applyManaged has a manager make what runs be what deployments say.
func (f *applyFlags) applyManaged(cmd *cobra.Command, s streams, m *manager, args []string) error {
	ctx := cmd.Context()
	labels, err := f.labelsOf()
	if err != nil {
		return err
	}
	if name := args[0]; len(args) == 1 && isSolutionName(name) && !isThere(name) {
		return f.setManaged(cmd, s, m, name, labels)
	}
	all, err := f.pack(ctx, s, args)
	if err != nil {
		return err
	}
	for _, p := range all {
		c, err := f.put(ctx, s, m, p, labels)
		if err == nil {
			err = f.carryManaged(ctx, s, m, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// put uploads a bundle, and returns the change that gives it to its deployment.
func (f *applyFlags) put(ctx context.Context, s streams, m *manager, p packed, labels map[string]string) (change, error) {
	c := change{name: p.name}
	var err error
	if c.was, err = m.Deployment(ctx, p.name); err != nil && !isAbsent(err) {
		return c, m.failed(s, err)
	}
	digest, err := m.Upload(ctx, p.data)
	if err != nil {
		return c, m.failed(s, err)
	}
	if c.was.Manifest > 0 && c.was.Status.Applied == c.was.Manifest && labels == nil {
		now, err := m.Manifest(ctx, p.name, c.was.Manifest)
		if err != nil {
			return c, m.failed(s, err)
		}
		c.same = now.Input.Bundle == digest && len(now.Input.Sets) == 0
	}
	to := client.Wanted{Environment: p.environment, Labels: labels, Input: client.Input{Bundle: digest}}
	c.send = func(w client.Write) (client.Answer, error) {
		to.Allow = f.allow()
		return m.Put(ctx, p.name, c.was.Revision, to, w)
	}
	return c, nil
}

// setManaged has a manager change single values of a deployment.
func (f *applyFlags) setManaged(cmd *cobra.Command, s streams, m *manager, name string, labels map[string]string) error {
	ctx := cmd.Context()
	for _, flag := range []string{"name", "values", "env", "environment", "package", "modules", "links", "with"} {
		if given := cmd.Flags().Lookup(flag); given != nil && given.Changed {
			return fmt.Errorf("%s: of the deployment %s only values and labels can be changed by its name, with --set and --label; kumiki apply DIR takes all the rest", called(given), name)
		}
	}
	if len(f.in.sets) == 0 && labels == nil {
		return fmt.Errorf("%s: no such file or directory, and of a deployment of that name nothing is to be changed: say --set PATH=VALUE, or name a directory", name)
	}
	was, err := m.Deployment(ctx, name)
	if err != nil {
		return m.failed(s, err)
	}
	to := client.Change{Set: f.in.sets, Labels: labels}
	return f.carryManaged(ctx, s, m, change{name: name, was: was, send: func(w client.Write) (client.Answer, error) {
		to.Allow = f.allow()
		return m.Patch(ctx, name, was.Revision, to, w)
	}})
}

// carryManaged prints what a change would do, asks whether it is meant, and has it done.
func (f *applyFlags) carryManaged(ctx context.Context, s streams, m *manager, c change) error {
	idle, err := f.planManaged(s, m, c)
	if err != nil {
		return err
	}
	if f.dryRun != "" {
		fmt.Fprintf(s.out, "%s: the environment takes all of it; nothing was written\n", c.name)
		return nil
	}
	if idle && c.same {
		fmt.Fprintf(s.out, "%s: nothing to do\n", c.name)
		return nil
	}
	if ok, err := confirmed(s, f.yes, fmt.Sprintf("Change %s at %s?", c.name, m.URL())); !ok || err != nil {
		return err
	}
	a, err := c.send(f.write())
	if err != nil {
		return m.failed(s, err)
	}
	err = m.begun(ctx, s, a, f.wait)
	if f.rollback && errors.Is(err, errUnhealthy) {
		return errors.Join(err, f.backManaged(ctx, s, m, a.Operation))
	}
	return err
}

// backManaged has a manager go back to what was wanted before an operation, unless somebody has
// changed it since.
func (f *applyFlags) backManaged(ctx context.Context, s streams, m *manager, o *client.Operation) error {
	now, err := m.Deployment(ctx, o.Deployment)
	switch {
	case err != nil:
		return m.failed(s, err)
	case o.Previous == 0:
		fmt.Fprintf(s.err, "kumiki: %s was nothing before, and stays as it is\n", o.Deployment)
		return nil
	case now.Manifest != o.Manifest:
		fmt.Fprintf(s.err, "kumiki: somebody else has changed %s since: it does not go back\n", o.Deployment)
		return nil
	}
	fmt.Fprintf(s.out, "%s goes back to manifest %d\n", o.Deployment, o.Previous)
	a, err := m.Rollback(ctx, o.Deployment, now.Revision, o.Previous, f.allow(), f.write())
	if err != nil {
		return m.failed(s, err)
	}
	return m.begun(ctx, s, a, true)
}

// planManaged prints the plan of a change, and then all that speaks against it. It reports whether
// nothing would be written.
func (f *applyFlags) planManaged(s streams, m *manager, c change) (idle bool, err error) {
	w := f.write()
	w.DryRun = true
	a, err := c.send(w)
	switch {
	case err != nil:
		return false, m.failed(s, err)
	case a.Plan == nil:
		return false, m.failed(s, noPlan(m))
	}
	p := a.Plan
	if len(p.Steps) > 0 || len(p.Problems) > 0 {
		if _, err := io.WriteString(s.out, diag.Safe(s.secrets.hide(p.Text))); err != nil {
			return false, err
		}
	}
	if err := printProblems(s.err, append(client.Diagnostics(p.Losses), client.Diagnostics(p.Problems)...)); err != nil {
		return false, err
	}
	if len(p.Refused) > 0 {
		if err := printProblems(s.err, client.Diagnostics(p.Refused)); err != nil && !errors.Is(err, errWrong) {
			return false, err
		}
		fmt.Fprintf(s.err, "kumiki: nothing was changed\n")
		return false, errRefused
	}
	return len(p.Steps) == 0, nil
}

// deleteManaged has a manager remove deployments.
func (f *applyFlags) deleteManaged(cmd *cobra.Command, s streams, m *manager, args []string) error {
	ctx := cmd.Context()
	names, err := f.names(ctx, s, args)
	if err != nil {
		return err
	}
	for _, name := range names {
		was, err := m.Deployment(ctx, name)
		if err != nil {
			return m.failed(s, err)
		}
		if err := f.tellRemovalManaged(ctx, s, m, was); err != nil {
			return err
		}
		if ok, err := confirmed(s, f.yes, fmt.Sprintf("Remove %s from %s, at %s?", name, was.Environment, m.URL())); !ok || err != nil {
			return err
		}
		a, err := m.Delete(ctx, name, was.Revision, f.allow(), f.write())
		if err != nil {
			return m.failed(s, err)
		}
		if err := m.begun(ctx, s, a, true); err != nil {
			return err
		}
	}
	return nil
}

// tellRemovalManaged names all that goes, and all that stays, and refuses what nobody has allowed.
// An environment that does not answer keeps nobody from having the rest removed: the operation
// waits for it.
func (f *applyFlags) tellRemovalManaged(ctx context.Context, s streams, m *manager, was client.Deployment) error {
	w := f.write()
	w.DryRun = true
	a, err := m.Delete(ctx, was.Name, was.Revision, f.allow(), w)
	var e *client.Error
	switch {
	case errors.As(err, &e) && e.Code == "manager/unreachable":
		return s.warn("%s", e.Detail)
	case err != nil:
		return m.failed(s, err)
	case a.Plan == nil:
		return m.failed(s, noPlan(m))
	}
	for _, p := range a.Plan.Steps {
		text := p.Action + ": " + p.Object
		if p.Place != "" {
			text += " (" + p.Place + ")"
		}
		if p.Message != "" {
			text += ": " + strings.ReplaceAll(p.Message, "allow.data ", "--allow-data-loss ")
		}
		fmt.Fprintln(s.out, diag.Safe(s.secrets.hide(text)))
	}
	return printProblems(s.err, client.Diagnostics(a.Plan.Problems))
}
