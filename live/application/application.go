// Package application is a solution where it runs. It makes the [live.Run] of a solution that
// is given, or of the one that a record has; says what becomes of what runs with it; and
// carries that out, step by step.
package application

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Lowering is how a target makes objects, and what runs them.
type Lowering struct {
	// Name is the target's.
	Name         string
	Lower        targets.Target
	Orchestrator targets.Orchestrator
}

// Application is a solution in an environment, and the run that makes it what it should be.
type Application struct {
	*live.Run
	System live.System
	// Solution is nil where nothing is known but the record.
	Solution *solution.Solution
	// Objects are those that the solution was lowered to.
	Objects []targets.Object

	by     Lowering
	before []targets.Object
}

// New makes the application of a solution and its objects. Environment is the name of the one
// that it is for, "" to keep that of the record.
func New(ctx context.Context, system live.System, by Lowering, sol *solution.Solution, objects []targets.Object, options targets.Options, environment string) (*Application, error) {
	record, err := system.Record(ctx, sol.Ref.Name)
	if err != nil {
		return nil, err
	}
	return Of(system, by, record, sol, objects, options, environment)
}

// Of is [New] with a record that was read before: what it says of places that are stopped, and of
// restarts, becomes so.
func Of(system live.System, by Lowering, record *live.Record, sol *solution.Solution, objects []targets.Object, options targets.Options, environment string) (*Application, error) {
	a := &Application{System: system, Solution: sol, Objects: objects, by: by}
	return a, a.run(record, options, environment)
}

// Recorded makes the application of what a record says. Where the record has no solution, it
// has none either: it tells of changes, and can make none. Read is called with the solution
// before it is lowered; it may be nil.
func Recorded(system live.System, by Lowering, record *live.Record, read func(*solution.Solution)) (*Application, error) {
	a := &Application{System: system, by: by}
	if len(record.Text) == 0 {
		a.Run = &live.Run{Target: system, Record: record, Desired: record.Answers(), Next: *record}
		return a, nil
	}
	sol, options, err := Read(record)
	if err != nil {
		return nil, err
	}
	if read != nil {
		read(sol)
	}
	var problems diag.List
	if a.Objects, problems = by.Lower(sol, options); problems.HasErrors() {
		return nil, fmt.Errorf("the inventory of %s: %s", record.Solution, problems[0].Message)
	}
	a.Solution = sol
	return a, a.run(record, options, "")
}

// Read returns the solution that a record has, nil where it has none, and the options with which
// it was lowered.
func Read(record *live.Record) (*solution.Solution, targets.Options, error) {
	var options targets.Options
	if len(record.Text) == 0 {
		return nil, options, nil
	}
	if err := json.Unmarshal(record.Options, &options); err != nil {
		return nil, options, fmt.Errorf("the inventory of %s: %w", record.Solution, err)
	}
	sol, problems := solution.Read(record.Text, "the inventory of "+record.Solution)
	if problems.HasErrors() {
		return nil, options, fmt.Errorf("the inventory of %s: %s", record.Solution, problems[0].Message)
	}
	return sol, options, nil
}

// run makes the run of an application, whose objects are there.
func (a *Application) run(record *live.Record, options targets.Options, environment string) error {
	next := live.Record{Format: live.Format, Solution: a.Solution.Ref.Name, Digest: a.Solution.Digest, Target: a.by.Name, Stopped: record.Stopped, Restarts: record.Restarts, Environment: record.Environment}
	if environment != "" {
		next.Environment = environment
	}
	options.CreateNamespace = false // it is there then
	var err error
	if next.Options, err = json.Marshal(options); err != nil {
		return err
	}
	desired, err := a.System.Objects(a.Solution.Ref.Name, a.Objects, record.Restarts)
	if err != nil {
		return err
	}
	if !holdsSecrets(desired) {
		text, err := a.Solution.Bytes()
		if err != nil {
			return err
		}
		next.Text = json.RawMessage(text)
	}
	a.Run = &live.Run{Target: a.System, Record: record, Next: next, Desired: engine.Desired{Solution: next.Solution, Objects: desired, Stopped: record.Stopped}}
	return nil
}

// holdsSecrets reports whether values that are secret go with a solution. Those that are only
// referred to are not among the objects that are made.
func holdsSecrets(objects []engine.Object) bool {
	return filter.Any(objects, func(o engine.Object) bool { return o.Kind == "Secret" })
}

// Plan says what becomes of what runs, with what that means for the solutions beside it.
func (a *Application) Plan(ctx context.Context) (*plan.Plan, error) {
	old, options, err := Read(a.Record)
	if err != nil {
		return nil, err
	}
	p := plan.Compare(old, a.Solution)
	if old != nil {
		if a.before, _ = a.by.Lower(old, options); a.before == nil {
			return nil, errors.New("the inventory has a solution that makes no objects any more: delete it first")
		}
		others, err := Beside(ctx, a.System, a.Record.Solution)
		if err != nil {
			return nil, err
		}
		p.Dangling, p.Stale = plan.Dangle(old, a.Solution, others), plan.MakesStale(old, a.Solution, others)
	}
	return p, p.On(a.by.Name, a.by.Orchestrator, withoutInventory(a.before), withoutInventory(a.Objects))
}

// withoutInventory leaves out what is written with the record, and the namespace.
func withoutInventory(objects []targets.Object) []targets.Object {
	return filter.Out(objects, func(o targets.Object) bool {
		return o.Deployment == "" && (o.Kind == "ConfigMap" || o.Kind == "Namespace")
	})

}

// Beside returns the solutions that run beside the one of a name.
func Beside(ctx context.Context, system live.System, name string) ([]*solution.Solution, error) {
	records, err := system.Records(ctx)
	if err != nil {
		return nil, err
	}
	var out []*solution.Solution
	for _, r := range records {
		if r.Solution == name {
			continue
		}
		sol, _, err := Read(r)
		if err != nil {
			return nil, err
		}
		if sol != nil {
			out = append(out, sol)
		}
	}
	return out, nil
}

// Line returns where the manifest has what a field of an object was made of: the innermost place
// that is known.
func (a *Application) Line(id engine.ID, field string) diag.Pos {
	i := slices.IndexFunc(a.Objects, func(o targets.Object) bool { return o.Kind == id.Kind && o.Name == id.Name })
	if i < 0 || a.Solution == nil || a.Objects[i].Deployment == "" {
		return diag.NoPos
	}
	o := a.Objects[i]
	if pos := a.System.Origin(a.Solution, o, field); pos.IsValid() {
		return pos
	}
	if pos := a.Solution.Position(o.Deployment, o.Role); pos.IsValid() {
		return pos
	}
	return a.Solution.Position(o.Deployment, "")
}
