package place

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// pause is how long is waited between two looks at operations.
const pause = 300 * time.Millisecond

// todo reports whether something is to be done for a cell.
func todo(c record.Cell) bool {
	return c.State == "new" || c.State == "changed" || c.State == "removed"
}

// progress is how far the cells of a placement have come, by the names of deployments.
type progress struct {
	cells []record.Cell
	// done are those that are as they should be, failed those that are not, and why.
	done   map[string]bool
	failed map[string]record.Problem
	begun  map[string]string // operations
}

func newProgress(cells []record.Cell, begun map[string]string) *progress {
	p := &progress{cells: cells, done: map[string]bool{}, failed: map[string]record.Problem{}, begun: map[string]string{}}
	maps.Copy(p.begun, begun)
	for _, c := range cells {
		switch {
		case c.State == "unchanged":
			p.done[c.Deployment] = true
		case !todo(c):
			text := c.Deployment + ": it is " + c.State
			if len(c.Problems) > 0 {
				text = c.Deployment + ": " + c.Problems[0]
			}
			p.failed[c.Deployment] = record.Problem{Code: "manager/cell", Severity: "error", Message: text}
		}
	}
	return p
}

// before reports whether a cell has to be as it should be before another one is begun: an earlier
// wave of its template, what it may require in its environment, and for what is removed all that
// is made there, and those that were applied after it.
func before(first, then record.Cell) bool {
	switch {
	case first.Deployment == then.Deployment:
		return false
	case then.State == "removed":
		return first.Environment == then.Environment && (first.State != "removed" && todo(first) || first.State == "removed" && first.Level > then.Level)
	case first.State == "removed":
		return false
	case first.Template == then.Template && first.WaveNumber > 0 && first.WaveNumber < then.WaveNumber:
		return true
	}
	return first.Environment == then.Environment && first.Level < then.Level
}

// next are the cells to begin with; those that wait for one that has failed fail too, and those
// that wait for these.
func (p *progress) next() (ready []record.Cell) {
	for {
		failed := len(p.failed)
		if ready = p.free(); len(p.failed) == failed {
			return ready
		}
	}
}

// free are the cells that wait for none.
func (p *progress) free() (ready []record.Cell) {
	for _, c := range p.cells {
		if !todo(c) || p.ended(c.Deployment) || p.begun[c.Deployment] != "" {
			continue
		}
		waits := false
		for _, first := range p.cells {
			if !before(first, c) || p.done[first.Deployment] {
				continue
			}
			waits = true
			if _, failed := p.failed[first.Deployment]; failed {
				p.failed[c.Deployment] = record.Problem{Code: "manager/waits", Severity: "error", Message: fmt.Sprintf("%s: it was not begun, as it comes after %s", c.Deployment, first.Deployment)}
				break
			}
		}
		if !waits {
			ready = append(ready, c)
		}
	}
	return ready
}

func (p *progress) ended(name string) bool {
	_, failed := p.failed[name]
	return failed || p.done[name]
}

// running are the operations that have not ended, by deployments.
func (p *progress) running() map[string]string {
	out := map[string]string{}
	for name, operation := range p.begun {
		if !p.ended(name) {
			out[name] = operation
		}
	}
	return out
}

// place brings the cells about, each as soon as those before it are as they should be.
func (w *work) place(ctx context.Context) error {
	result, err := Read(ctx, w.Store, w.is.Result)
	if err != nil {
		return w.end(ctx, failure("manager/content", err.Error()))
	}
	p := newProgress(result.Cells, w.is.Operations)
	for {
		stop, err := w.stops(ctx)
		if err != nil {
			return err
		}
		if stop != nil {
			return w.end(ctx, stop)
		}
		for _, c := range p.next() {
			if err := w.begin(ctx, p, c); err != nil {
				return err
			}
		}
		if !maps.Equal(w.is.Operations, p.begun) {
			w.is.Operations = maps.Clone(p.begun)
			if err := w.save(ctx); err != nil {
				return err
			}
			w.reached("begun")
		}
		if len(p.running()) == 0 && len(p.next()) == 0 {
			return w.end(ctx, p.outcome())
		}
		if err := w.look(ctx, p); err != nil {
			return err
		}
	}
}

// stops is the reason for ending a placement early, nil for none. Operations that it has begun
// go on.
func (w *work) stops(ctx context.Context) (*record.Failure, error) {
	is, _, err := store.Read[record.Placement](ctx, w.Store, record.Placements+w.is.ID)
	if err != nil {
		return nil, err
	}
	if is.Cancel {
		w.is.Cancel = true
		return failure("manager/cancelled", "somebody has cancelled it; the operations that it has begun go on"), nil
	}
	late, err := w.superseded(ctx)
	if late {
		return failure("manager/superseded", "a later placement has taken its place; the operations that it has begun go on"), nil
	}
	return nil, err
}

// begin begins with a cell.
func (w *work) begin(ctx context.Context, p *progress, c record.Cell) error {
	operation, err := w.Change(ctx, w.is, c)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		p.failed[c.Deployment] = record.Problem{Code: "manager/cell", Severity: "error", Message: fmt.Sprintf("%s: %v", c.Deployment, err)}
	case operation == "": // there is nothing that could be removed
		p.done[c.Deployment] = true
	default:
		p.begun[c.Deployment] = operation
		w.reached("cell")
	}
	return nil
}

// look waits a moment, and sees which operations have ended.
func (w *work) look(ctx context.Context, p *progress) error {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return ctx.Err()
	}
	running := p.running()
	var keys []string
	for _, operation := range running {
		keys = append(keys, record.Operations+operation)
	}
	found, err := w.Store.GetAll(ctx, keys)
	if err != nil {
		return err
	}
	for name, operation := range running {
		e, ok := found[record.Operations+operation]
		if !ok {
			p.failed[name] = record.Problem{Code: "manager/cell", Severity: "error", Message: fmt.Sprintf("%s: its operation %s is not known any more", name, operation)}
			continue
		}
		var o record.Operation
		if err := json.Unmarshal(e.Value, &o); err != nil {
			return err
		}
		switch {
		case o.Done && o.Error != nil:
			text := o.Error.Message
			if len(o.Error.Problems) > 0 {
				text += ": " + o.Error.Problems[0].Message
			}
			p.failed[name] = record.Problem{Code: o.Error.Code, Severity: "error", Message: fmt.Sprintf("%s: %s", name, text)}
		case o.Done:
			p.done[name] = true
		}
	}
	return nil
}

// outcome is why not all cells are as they should be, nil if they are.
func (p *progress) outcome() *record.Failure {
	if len(p.failed) == 0 {
		return nil
	}
	out := &record.Failure{Code: "manager/placement", Message: fmt.Sprintf("%d of %d are not as they should be", len(p.failed), len(p.cells))}
	for _, name := range slices.Sorted(maps.Keys(p.failed)) {
		out.Problems = append(out.Problems, p.failed[name])
	}
	return out
}
