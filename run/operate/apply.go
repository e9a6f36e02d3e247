package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/secretlike"
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
	return insist(ctx, func() (*record.Failure, error) { return w.applyOnce(ctx, e, sol) }, func(why string) {
		w.tell("Applied", "Unknown", "manager/unreachable", why)
		w.step(ctx, record.Step{Action: "wait", Object: "Environment/" + e.Name, Message: why})
	})
}

// insist does something again while the environment does not answer; silent is told of it each
// time.
func insist(ctx context.Context, do func() (*record.Failure, error), silent func(why string)) (*record.Failure, error) {
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		failed, err := do()
		var unreachable *unreachable
		if !errors.As(err, &unreachable) {
			return failed, err
		}
		silent(unreachable.Error())
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
	p, failed, err := prepare(ctx, w.Connect, e, sol, w.op.Allow, w.halt)
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
	if err := w.audited(ctx, p.classes); err != nil {
		return nil, err
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
	problems := unwellIn(ctx, a.System, a.Next.Solution, o.Unwell)
	w.tell("Healthy", "False", problems[0].Code, problems[0].Message)
	return &record.Failure{Code: "manager/unhealthy", Message: "it is applied, and not healthy", Problems: problems}
}

// unwellIn are the problems of what is not healthy, with why.
func unwellIn(ctx context.Context, system live.System, solution string, unwell []live.Unwell) (problems []record.Problem) {
	for _, u := range unwell {
		why, err := system.Reasons(context.WithoutCancel(ctx), solution, u.Place)
		if err != nil || why == "" {
			why = u.Why
		}
		problems = append(problems, record.Problem{Code: string(diag.LiveUnhealthy), Severity: "error", Message: short(fmt.Sprintf("%s is not healthy: %s", u.Place, why))})
	}
	return problems
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
	classes     map[string]int
}

// PreviewOf says what would become of what runs, and lets the environment try it.
func PreviewOf(ctx context.Context, connect Connector, e record.Environment, sol *solution.Solution, o record.Operation) (*Preview, *record.Failure, error) {
	return prepare(ctx, connect, e, sol, o.Allow, func(_ context.Context, r *live.Record) (*live.Record, *record.Failure, error) {
		next, failed := halted(r, o.Halts)
		return next, failed, nil
	})
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

// halter returns a record with what becomes of the places that it has.
type halter func(context.Context, *live.Record) (*live.Record, *record.Failure, error)

func prepare(ctx context.Context, connect Connector, e record.Environment, sol *solution.Solution, allow record.Allow, halt halter) (*Preview, *record.Failure, error) {
	system, by, err := connect(e)
	if err != nil {
		return nil, failure("manager/environment", err.Error()), nil
	}
	objects, problems := by.Lower(sol, e.Options)
	problems = problems.Without(sol.Acknowledged)
	if problems.HasErrors() {
		return nil, &record.Failure{Code: "manager/lower", Message: "no objects can be made of it", Problems: Problems(problems)}, nil
	}
	r, err := system.Record(ctx, sol.Ref.Name)
	if err != nil {
		return nil, nil, asked(err)
	}
	next, failed, err := halt(ctx, r)
	if failed != nil || err != nil {
		return nil, failed, err
	}
	a, err := application.Of(system, by, next, sol, objects, e.Options, e.Name)
	if err != nil {
		return nil, nil, asked(err)
	}
	a.Record = r // what is another then is written, also where no object is
	a.Desired.Adopt, a.Desired.Data = allow.Adopt, allow.Data
	refused, err := a.Prepare(ctx)
	if err != nil {
		return nil, nil, asked(err)
	}
	planned, err := a.Plan(ctx)
	if err != nil {
		return nil, nil, asked(err)
	}
	guards := guardsOf(planned, allow)
	p := previewOf(planned)
	p.Losses, p.Problems, p.Refused, p.Steps, p.application = Problems(problems), Problems(guards), refusals(a, refused), stepsOf(a), a
	return p, nil, nil
}

// previewOf is a plan without the values that look secret.
func previewOf(planned *plan.Plan) *Preview {
	var hidden secretlike.Set
	planned.Hide(func(path, text string) string { return hidden.HideAt(secretlike.Dotted(path), text) })
	none := []record.Problem{}
	return &Preview{classes: classesOf(planned), Plan: planned, Text: planned.Text(false), Steps: []record.Step{}, Refused: none, Problems: none, Losses: none}
}

// classesOf are how many places of a plan are of each class, without those where nothing changes.
func classesOf(p *plan.Plan) map[string]int {
	classes := map[string]int{}
	for _, e := range p.Entries {
		if e.Class != plan.Unchanged {
			classes[string(e.Class)]++
		}
	}
	return classes
}

// audited writes down what the operation is about to do. One that goes on after a crash was
// written down before.
func (w *work) audited(ctx context.Context, classes map[string]int) error {
	if w.Audit == nil || w.op.Wrote {
		return nil
	}
	return w.Audit(ctx, w.op, classes, w.fence)
}

// stepsOf are what an application would write.
func stepsOf(a *application.Application) []record.Step {
	steps := []record.Step{}
	for _, action := range a.Writes() {
		steps = append(steps, record.Step{Action: string(action.Verb), Object: action.ID.String(), Place: action.Place.String()})
	}
	return steps
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
