package operate

import (
	"context"
	"slices"
	"strings"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/volumepath"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/plan"
	"kumiki.dev/run/record"
	"kumiki.dev/solution"
)

// remove removes what runs: the deployment's manifest is empty.
func (w *work) remove(ctx context.Context) (*record.Failure, error) {
	e, failed, err := w.environment(ctx)
	if failed != nil || err != nil {
		return failed, err
	}
	return insist(ctx, func() (*record.Failure, error) { return w.removeOnce(ctx, e) }, func(string) {})
}

func (w *work) removeOnce(ctx context.Context, e record.Environment) (*record.Failure, error) {
	if err := w.phase(ctx, record.Removing); err != nil {
		return nil, err
	}
	system, by, err := w.Connect(e)
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
	a, err := removalOf(ctx, system, r, w.op.Allow)
	if err != nil {
		return nil, asked(err)
	}
	if err := w.audited(ctx, w.removalClasses(ctx, system, by, r)); err != nil {
		return nil, err
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

// removalOf is the application of nothing in place of what a record has.
func removalOf(ctx context.Context, system live.System, r *live.Record, allow record.Allow) (*application.Application, error) {
	a := &application.Application{System: system, Run: &live.Run{Target: system, Record: r, Next: *r, Desired: engine.Desired{Solution: r.Solution, Data: allow.Data}}}
	return a, a.Look(ctx)
}

// used refuses what others that stay use of it.
func (w *work) used(ctx context.Context, system live.System, r *live.Record) (*record.Failure, error) {
	old, _, err := application.Read(r)
	if err != nil || old == nil {
		return nil, err
	}
	dangling, err := dangling(ctx, system, old)
	if err != nil {
		return nil, asked(err)
	}
	if problems := guardsOf(&plan.Plan{Dangling: dangling}, w.op.Allow); problems.HasErrors() {
		return &record.Failure{Code: "manager/guarded", Message: "others use it, and nothing was changed", Problems: Problems(problems)}, nil
	}
	return nil, nil
}

// dangling is what those that run beside a solution use of it.
func dangling(ctx context.Context, system live.System, old *solution.Solution) ([]plan.Dangling, error) {
	others, err := application.Beside(ctx, system, old.Ref.Name)
	return plan.Dangle(old, nil, others), err
}

// guardsOf are the dangers of a plan that are not allowed.
func guardsOf(p *plan.Plan, allow record.Allow) diag.List {
	return p.Problems(plan.Allowed{Data: allow.Data, Gone: allow.Gone, Orphans: allow.Orphans})
}

// claims removes those whose data may go, and tells of the others.
func (w *work) claims(ctx context.Context, system live.System, r *live.Record) error {
	claims, err := claimsOf(ctx, system, r)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		s := claimStep(claim, w.op.Allow)
		if s.Action == removeData {
			if err := system.Remove(ctx, claim); err != nil {
				return err
			}
		}
		w.step(ctx, s)
	}
	return nil
}

// claimsOf are the claims of what runs, sorted.
func claimsOf(ctx context.Context, system live.System, r *live.Record) ([]engine.About, error) {
	claims, err := system.Claims(ctx, r.Solution, r.Workloads())
	slices.SortFunc(claims, func(a, b engine.About) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	return claims, err
}

const removeData = "remove"

// claimStep is what becomes of a claim when what uses it is removed.
func claimStep(claim engine.About, allow record.Allow) record.Step {
	s := record.Step{Action: removeData, Object: claim.ID.String(), Place: claim.Place.String()}
	if !volumepath.Covers(allow.Data, claim.Volume) {
		s.Action, s.Message = "keep", "it holds data; allow.data "+claim.Volume+" removes it"
	}
	return s
}

// RemovalOf says what would go with a deployment of a name, and what would stay of it.
func RemovalOf(ctx context.Context, connect Connector, e record.Environment, name string, allow record.Allow) (*Preview, *record.Failure, error) {
	system, by, err := connect(e)
	if err != nil {
		return nil, failure("manager/environment", err.Error()), nil
	}
	r, err := system.Record(ctx, name)
	if err != nil {
		return nil, nil, asked(err)
	}
	planned, guards, err := planRemoval(ctx, system, by, r, allow)
	if err != nil {
		return nil, nil, asked(err)
	}
	p := previewOf(planned)
	p.Problems = Problems(guards)
	if !r.Known() {
		return p, nil, nil // nothing of it runs
	}
	a, err := removalOf(ctx, system, r, allow)
	if err != nil {
		return nil, nil, asked(err)
	}
	claims, err := claimsOf(ctx, system, r)
	if err != nil {
		return nil, nil, asked(err)
	}
	p.Steps = stepsOf(a)
	for _, action := range a.Actions() {
		if action.Verb == engine.Keep {
			p.Steps = append(p.Steps, claimStep(action.About, record.Allow{}))
		}
	}
	for _, claim := range claims {
		p.Steps = append(p.Steps, claimStep(claim, allow))
	}
	return p, nil, nil
}

// removalClasses are those of the plan of a removal. What is removed does not depend on them: an
// inventory of which no plan can be made has none.
func (w *work) removalClasses(ctx context.Context, system live.System, by application.Lowering, r *live.Record) map[string]int {
	planned, _, err := planRemoval(ctx, system, by, r, w.op.Allow)
	if err != nil {
		w.Log.Warn("a removal without a plan", "id", w.op.ID, "deployment", w.op.Deployment, "error", err.Error())
		return nil
	}
	return classesOf(planned)
}

// planRemoval compares what runs with nothing, and returns the dangers that are not allowed. Data
// is none of them: it stays unless that is allowed.
func planRemoval(ctx context.Context, system live.System, by application.Lowering, r *live.Record, allow record.Allow) (*plan.Plan, diag.List, error) {
	old, options, err := application.Read(r)
	if err != nil {
		return nil, nil, err
	}
	p := plan.Compare(old, nil)
	if old == nil {
		return p, nil, nil
	}
	if p.Dangling, err = dangling(ctx, system, old); err != nil {
		return nil, nil, err
	}
	objects, _ := by.Lower(old, options)
	if err := p.On(by.Name, by.Orchestrator, objects, nil); err != nil {
		return nil, nil, err
	}
	return p, guardsOf(&plan.Plan{Dangling: p.Dangling}, allow), nil
}
