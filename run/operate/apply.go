package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/internal/volumepath"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/plan"
	"kumiki.dev/run/record"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// roomy is a system with namespaces, which can be made.
type roomy interface {
	NamespaceThere(ctx context.Context, create bool) (there, made bool, err error)
}

// apply brings what runs to a solution. An environment that does not answer is asked again.
func (w *work) apply(ctx context.Context, sol *solution.Solution) (*record.Failure, error) {
	e, failed, err := w.environment(ctx)
	if failed != nil || err != nil {
		return failed, err
	}
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		failed, err := w.applyOnce(ctx, e, sol)
		var unreachable *unreachable
		if !errors.As(err, &unreachable) {
			return failed, err
		}
		w.tell("Applied", "Unknown", "manager/unreachable", unreachable.Error())
		w.step(ctx, record.Step{Action: "wait", Object: "Environment/" + e.Name, Message: unreachable.Error()})
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ctx.Err(), unreachable)
		}
	}
}

// unreachable is the error of an environment that cannot be asked.
type unreachable struct{ error }

func (u *unreachable) Unwrap() error { return u.error }

func asked(err error) error {
	if err == nil {
		return nil
	}
	return &unreachable{err}
}

func (w *work) applyOnce(ctx context.Context, e record.Environment, sol *solution.Solution) (*record.Failure, error) {
	if err := w.phase(ctx, record.Trying); err != nil {
		return nil, err
	}
	if failed, err := w.room(ctx, e); failed != nil || err != nil {
		return failed, err
	}
	p, failed, err := prepare(ctx, w.Connect, e, sol, w.op.Allow)
	switch {
	case failed != nil || err != nil:
		return failed, err
	case len(p.Refused) > 0:
		w.tell("Applied", "False", p.Refused[0].Code, p.Refused[0].String())
		return &record.Failure{Code: "manager/refused", Message: "the environment refuses it, and nothing was changed", Problems: p.Refused}, nil
	case len(p.Problems) > 0:
		w.tell("Applied", "False", p.Problems[0].Code, p.Problems[0].String())
		return &record.Failure{Code: "manager/guarded", Message: "it does what nobody has allowed, and nothing was changed", Problems: p.Problems}, nil
	}
	w.op.Wrote = true
	if err := w.phase(ctx, record.Applying); err != nil {
		return nil, err
	}
	outcome, err := w.carryOut(ctx, p.application)
	if err != nil {
		return nil, asked(err)
	}
	if errors.Is(outcome.Failed, live.ErrContest) {
		return nil, asked(outcome.Failed)
	}
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), outcome.Failed)
	}
	return w.outcome(ctx, p.application, outcome), nil
}

// carryOut writes what differs and waits until all is healthy. Where nothing differs, nothing
// is written.
func (w *work) carryOut(ctx context.Context, a *application.Application) (application.Outcome, error) {
	bounds := application.Bounds{Wait: true, Timeout: time.Until(w.op.Deadline)}
	if !a.Idle() {
		return a.Carry(ctx, bounds, w.teller(ctx))
	}
	if t, ok := a.System.(live.Tidier); ok { // what a run that was killed has left
		if err := t.Tidy(ctx, a.Record); err != nil {
			return application.Outcome{}, err
		}
	}
	return a.Await(ctx, bounds, w.teller(ctx))
}

// room makes the namespace, where the environment says so.
func (w *work) room(ctx context.Context, e record.Environment) (*record.Failure, error) {
	system, _, err := w.Connect(e)
	if err != nil {
		return failure("manager/environment", err.Error()), nil
	}
	r, ok := system.(roomy)
	if !ok || !e.Options.CreateNamespace {
		return nil, nil
	}
	_, made, err := r.NamespaceThere(ctx, true)
	if made {
		w.step(ctx, record.Step{Action: "create", Object: "Namespace/" + e.Options.Namespace})
	}
	return nil, asked(err)
}

// teller writes down what is done.
func (w *work) teller(ctx context.Context) application.Teller {
	return application.Teller{
		Event: func(e live.Event) {
			s := record.Step{Action: string(e.Verb), Object: e.ID.String(), Place: e.Place.String()}
			if e.Failed != nil {
				s.Message = e.Failed.Error()
			}
			w.step(ctx, s)
			w.reached("object")
		},
		Changed: func(engine.Seen) {},
		Written: func() { w.reached("written") },
	}
}

// outcome says what has come of it.
func (w *work) outcome(ctx context.Context, a *application.Application, o application.Outcome) *record.Failure {
	switch {
	case len(o.Blocked) > 0:
		w.tell("Applied", "False", string(diag.LiveBlocked), blocked(o.Blocked)[0].String())
		return &record.Failure{Code: "manager/blocked", Message: "what is on its way out does not go", Problems: blocked(o.Blocked)}
	case o.Failed != nil:
		w.tell("Applied", "False", "manager/partial", o.Failed.Error())
		return failure("manager/partial", "not all could be done: "+short(o.Failed.Error()))
	}
	w.status.Applied = w.op.Manifest
	w.tell("Applied", "True", "", "")
	if len(o.Unwell) == 0 {
		w.tell("Healthy", "True", "", "")
		return nil
	}
	var problems []record.Problem
	for _, u := range o.Unwell {
		why, err := a.System.Reasons(context.WithoutCancel(ctx), a.Next.Solution, u.Place)
		if err != nil || why == "" {
			why = u.Why
		}
		problems = append(problems, record.Problem{Code: string(diag.LiveUnhealthy), Severity: "error", Message: short(fmt.Sprintf("%s is not healthy: %s", u.Place, why))})
	}
	w.tell("Healthy", "False", problems[0].Code, problems[0].Message)
	return &record.Failure{Code: "manager/unhealthy", Message: "it is applied, and not healthy", Problems: problems}
}

func blocked(actions []engine.Action) []record.Problem {
	var out []record.Problem
	for _, a := range actions {
		out = append(out, record.Problem{Code: string(diag.LiveBlocked), Severity: "error", Message: fmt.Sprintf("%v does not go: %s", a.ID, a.Why)})
	}
	return out
}

// Preview is what would become of what runs.
type Preview struct {
	// Text is the plan for people, Plan the same for programs.
	Text string `json:"text"`
	Plan any    `json:"plan"`
	// Steps are what would be written.
	Steps []record.Step `json:"steps"`
	// Refused is what the environment does not take, Problems what nobody has allowed, and
	// Losses what the target cannot carry.
	Refused  []record.Problem `json:"refused"`
	Problems []record.Problem `json:"problems"`
	Losses   []record.Problem `json:"losses"`

	application *application.Application
}

// PreviewOf says what would become of what runs, and lets the environment try it.
func PreviewOf(ctx context.Context, connect Connector, e record.Environment, sol *solution.Solution, allow record.Allow) (*Preview, *record.Failure, error) {
	return prepare(ctx, connect, e, sol, allow)
}

// Objects lowers a solution for an environment.
func Objects(connect Connector, e record.Environment, sol *solution.Solution) ([]targets.Object, []record.Problem, error) {
	_, by, err := connect(e)
	if err != nil {
		return nil, nil, err
	}
	objects, problems := by.Lower(sol, e.Options)
	problems = problems.Without(sol.Acknowledged)
	return objects, Problems(problems), nil
}

func prepare(ctx context.Context, connect Connector, e record.Environment, sol *solution.Solution, allow record.Allow) (*Preview, *record.Failure, error) {
	system, by, err := connect(e)
	if err != nil {
		return nil, failure("manager/environment", err.Error()), nil
	}
	objects, problems := by.Lower(sol, e.Options)
	problems = problems.Without(sol.Acknowledged)
	if problems.HasErrors() {
		return nil, &record.Failure{Code: "manager/lower", Message: "no objects can be made of it", Problems: Problems(problems)}, nil
	}
	a, err := application.New(ctx, system, by, sol, objects, e.Options, e.Name)
	if err != nil {
		return nil, nil, asked(err)
	}
	a.Desired.Adopt, a.Desired.Data = allow.Adopt, allow.Data
	refused, err := a.Prepare(ctx)
	if err != nil {
		return nil, nil, asked(err)
	}
	planned, err := a.Plan(ctx)
	if err != nil {
		return nil, nil, asked(err)
	}
	guards := planned.Problems(plan.Allowed{Data: allow.Data, Gone: allow.Gone, Orphans: allow.Orphans})
	var hidden secretlike.Set
	planned.Hide(func(path, text string) string { return hidden.HideAt(secretlike.Dotted(path), text) })
	p := &Preview{Plan: planned, Text: planned.Text(false), Losses: Problems(problems), Problems: Problems(guards), Refused: refusals(a, refused), Steps: []record.Step{}, application: a}
	for _, action := range a.Writes() {
		p.Steps = append(p.Steps, record.Step{Action: string(action.Verb), Object: action.ID.String(), Place: action.Place.String()})
	}
	return p, nil, nil
}

// refusals are what the environment does not take, with the lines of the manifest.
func refusals(a *application.Application, refused []live.Refusal) []record.Problem {
	var out diag.List
	for _, r := range refused {
		at := a.Line(r.ID, r.Field)
		if r.Foreign != "" {
			out = append(out, diag.New(diag.LiveForeign, at, "%v: %s; allow.adopt takes it over", r.ID, r.Foreign))
			continue
		}
		out = append(out, diag.New(diag.LiveRefused, at, "%v: the environment refuses it: %s", r.ID, r.Refused))
	}
	return Problems(out)
}

// Problems are those of a list as they are kept.
func Problems(list diag.List) []record.Problem {
	out := []record.Problem{}
	for _, d := range list.Sorted() {
		p := record.Problem{Code: string(d.Code), Severity: d.Severity.String(), Message: d.Message, File: d.Pos.Filename(), Line: d.Pos.Line(), Column: d.Pos.Column()}
		for _, r := range d.Related {
			p.Related = append(p.Related, record.Related{Message: r.Message, File: r.Pos.Filename(), Line: r.Pos.Line(), Column: r.Pos.Column()})
		}
		out = append(out, p)
	}
	return out
}

// remove removes what runs: the deployment's manifest is empty.
func (w *work) remove(ctx context.Context) (*record.Failure, error) {
	e, failed, err := w.environment(ctx)
	if failed != nil || err != nil {
		return failed, err
	}
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		failed, err := w.removeOnce(ctx, e)
		var unreachable *unreachable
		if !errors.As(err, &unreachable) {
			return failed, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ctx.Err(), unreachable)
		}
	}
}

func (w *work) removeOnce(ctx context.Context, e record.Environment) (*record.Failure, error) {
	if err := w.phase(ctx, record.Removing); err != nil {
		return nil, err
	}
	system, _, err := w.Connect(e)
	if err != nil {
		return failure("manager/environment", err.Error()), nil
	}
	r, err := system.Record(ctx, w.op.Deployment)
	if err != nil {
		return nil, asked(err)
	}
	if !r.Known() {
		return nil, nil // nothing of it runs
	}
	if failed, err := w.used(ctx, system, r); failed != nil || err != nil {
		return failed, err
	}
	a := &application.Application{System: system, Run: &live.Run{Target: system, Record: r, Next: *r, Desired: engine.Desired{Solution: r.Solution, Data: w.op.Allow.Data}}}
	if err := a.Look(ctx); err != nil {
		return nil, asked(err)
	}
	w.op.Wrote = true
	if err := w.phase(ctx, record.Removing); err != nil {
		return nil, err
	}
	a.Say = w.teller(ctx).Event
	if err := w.claims(ctx, system, r); err != nil {
		return nil, asked(err)
	}
	outcome, err := a.Remove(ctx, application.Bounds{Wait: true, Timeout: time.Until(w.op.Deadline)}, false)
	switch {
	case err != nil:
		return nil, asked(err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(outcome.Blocked) > 0:
		return &record.Failure{Code: "manager/blocked", Message: "it does not go", Problems: blocked(outcome.Blocked)}, nil
	case outcome.Failed != nil:
		return failure("manager/partial", "not all could be removed: "+short(outcome.Failed.Error())), nil
	}
	return nil, nil
}

// used refuses what others that stay use of it.
func (w *work) used(ctx context.Context, system live.System, r *live.Record) (*record.Failure, error) {
	old, _, err := application.Read(r)
	if err != nil || old == nil {
		return nil, err
	}
	others, err := application.Beside(ctx, system, r.Solution)
	if err != nil {
		return nil, asked(err)
	}
	p := plan.Plan{Dangling: plan.Dangle(old, nil, others)}
	if problems := p.Problems(plan.Allowed{Data: w.op.Allow.Data, Gone: w.op.Allow.Gone, Orphans: w.op.Allow.Orphans}); problems.HasErrors() {
		return &record.Failure{Code: "manager/guarded", Message: "others use it, and nothing was changed", Problems: Problems(problems)}, nil
	}
	return nil, nil
}

// claims removes those whose data may go, and tells of the others.
func (w *work) claims(ctx context.Context, system live.System, r *live.Record) error {
	claims, err := system.Claims(ctx, r.Solution, r.Workloads())
	if err != nil {
		return err
	}
	slices.SortFunc(claims, func(a, b engine.About) int { return slices.Compare([]string{a.ID.String()}, []string{b.ID.String()}) })
	for _, claim := range claims {
		s := record.Step{Action: "keep", Object: claim.ID.String(), Place: claim.Place.String(), Message: "it holds data; allow.data " + claim.Volume + " removes it"}
		if volumepath.Covers(w.op.Allow.Data, claim.Volume) {
			s.Action, s.Message = "remove", ""
			if err := system.Remove(ctx, claim); err != nil {
				return err
			}
		}
		w.step(ctx, s)
	}
	return nil
}
