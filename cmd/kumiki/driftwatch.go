package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
)

const (
	// surveyed is how long a survey goes on before all is looked at anew.
	surveyed = 10 * time.Minute
	// patience is how long a run may be under way before what it has left is told.
	patience = time.Minute
	// shortestRepair is the pause between repairs of a solution that is changed again and
	// again; it doubles from the third one on, and is forgotten after a while without any.
	shortestRepair = 2 * time.Second
)

// driftWatch tells of what is not as it was made, when it happens.
type driftWatch struct {
	f      *applyFlags
	s      streams
	c      live.System
	form   string
	repair bool
	names  []string // none for all

	monitor *live.Monitor
	synced  bool
	repairs map[string]repairs
	restart context.CancelFunc // of the survey

	looked map[sighted]string // where there is none, what was found of objects by the last look
}

// sighted names an object of a solution.
type sighted struct {
	solution string
	engine.ID
}

// repairs are those of a solution that have followed each other.
type repairs struct {
	n    int
	last time.Time
}

func runDriftWatch(cmd *cobra.Command, s streams, f *applyFlags, form string, repair bool, args []string) error {
	ctx := cmd.Context()
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil || !isSolutionName(arg) {
			return fmt.Errorf("--watch %s: it watches what runs by its name, as kumiki status lists it", arg)
		}
	}
	names, c, err := f.begin(cmd, s, args)
	if err != nil {
		return err
	}
	if repair {
		if ok, err := confirmed(s, f.yes, fmt.Sprintf("Set right from now on whatever is changed in %s?", c.Where())); !ok || err != nil {
			return err
		}
	}
	useLittleMemory()
	w := &driftWatch{f: f, s: s, c: c, form: form, repair: repair, names: names, monitor: live.NewMonitor(c), repairs: map[string]repairs{}}
	return interrupted(ctx, w.run(ctx))
}

// run watches until the context ends. A cluster that cannot be reached any more is told of,
// and asked again.
func (w *driftWatch) run(ctx context.Context) error {
	for pause := statusPause; ; {
		err := w.once(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !w.synced:
			return err
		case err == nil:
			pause = statusPause
		default:
			pause = min(2*pause, 30*time.Second)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// once looks at all, and then watches until something has to be looked at anew.
func (w *driftWatch) once(ctx context.Context) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	bounded, stop := context.WithTimeout(ctx, surveyed)
	defer stop()
	w.restart = stop
	survey, ok := w.c.(live.Surveyor)
	if !ok {
		if err := w.poll(bounded); bounded.Err() == nil {
			return err
		}
		return nil
	}
	w.monitor.Unseen("")
	known := false
	err := survey.Survey(bounded, w.monitor.Kinds(), w.monitor.Known, func(s live.Sight) { w.sight(ctx, s, known) }, func() {
		known, w.synced = true, true
		w.told(w.monitor.Missing(""))
		for _, name := range w.monitor.Solutions() {
			w.mend(ctx, name)
		}
	})
	if bounded.Err() != nil {
		return nil
	}
	return w.unreachable(err)
}

// unreachable tells that the cluster cannot be asked; a watch that has ended is no reason to.
func (w *driftWatch) unreachable(err error) error {
	if err == nil || errors.Is(err, live.ErrAgain) {
		return nil
	}
	return unreachable(w.s, err)
}

// poll looks at solutions one by one, for systems that cannot be surveyed.
func (w *driftWatch) poll(ctx context.Context) error {
	w.synced, w.looked = true, map[sighted]string{}
	for _, name := range w.monitor.Solutions() {
		if err := w.look(ctx, name); err != nil {
			return err
		}
	}
	records, err := recordsOf(ctx, w.s, w.c, w.names)
	if err != nil {
		return err
	}
	return w.unreachable(changedSince(ctx, w.c, records, 2*time.Second, w.asLooked()))
}

// asLooked reports whether an object is as it was looked at: what has changed between a look
// and the watch that follows is not told of again.
func (w *driftWatch) asLooked() func(string, engine.Seen) bool {
	looked := w.looked
	return func(solution string, s engine.Seen) bool {
		before, ok := looked[sighted{solution, s.ID}]
		return !ok || before == fieldsOf(s)
	}
}

// fieldsOf are the fields of an object, to be compared with what they are later.
func fieldsOf(s engine.Seen) string {
	text, err := json.Marshal(s.Value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// take reads the records.
func (w *driftWatch) take(ctx context.Context) error {
	there := map[string]bool{}
	each := func(r *live.Record) {
		there[r.Solution] = true
		w.monitor.Take(r, time.Now())
	}
	survey, ok := w.c.(live.Surveyor)
	if ok && len(w.names) == 0 {
		if err := survey.EachRecord(ctx, each); err != nil {
			return unreachable(w.s, err)
		}
	} else {
		records, err := recordsOf(ctx, w.s, w.c, w.names)
		if err != nil {
			return err
		}
		for _, r := range records {
			each(r)
		}
	}
	for _, name := range w.monitor.Solutions() {
		if !there[name] {
			w.monitor.Drop(name)
		}
	}
	return nil
}

// sight takes what a survey tells; known says that all was told of once.
func (w *driftWatch) sight(ctx context.Context, s live.Sight, known bool) {
	switch {
	case s.Record:
		if known && (len(w.names) == 0 || filter.Contains(w.names, s.Solution)) {
			w.renewed(ctx, s.Solution)
		}
	case w.underWay(s.Solution): // it is looked at when that ends
	default:
		news, ok := w.monitor.See(s.Seen)
		if ok && (!known || !w.renewed(ctx, s.Solution)) {
			w.told([]live.News{news})
			if known {
				w.mend(ctx, s.Solution)
			}
		}
	}
}

func (w *driftWatch) underWay(solution string) bool {
	return w.monitor.UnderWay(solution, time.Now(), patience)
}

// renewed reads the record of a solution, and reports whether it is another one: the solution
// is looked at then, as what has changed may be what the record says.
func (w *driftWatch) renewed(ctx context.Context, solution string) bool {
	r, err := w.c.Record(ctx, solution)
	switch {
	case err != nil:
		w.restart()
		return true
	case !r.Known():
		w.monitor.Drop(solution)
		return true
	case r.Revision == w.monitor.Revision(solution):
		return false
	}
	before := len(w.monitor.Kinds())
	w.monitor.Take(r, time.Now())
	switch {
	case w.underWay(solution):
		time.AfterFunc(patience, w.restart)
	case len(w.monitor.Kinds()) != before:
		w.restart()
	default:
		if w.look(ctx, solution) != nil {
			w.restart()
		}
	}
	return true
}

// look looks at all objects of a solution.
func (w *driftWatch) look(ctx context.Context, solution string) error {
	r, err := w.c.Record(ctx, solution)
	if err != nil {
		return unreachable(w.s, err)
	}
	w.monitor.Take(r, time.Now())
	if w.underWay(solution) {
		return nil
	}
	run := live.Run{Target: w.c, Record: r, Desired: r.Answers()}
	if err := run.Look(ctx); err != nil {
		return unreachable(w.s, err)
	}
	w.monitor.Unseen(solution)
	var all []live.News
	for _, seen := range run.Seen() {
		if w.looked != nil && seen.Runs {
			w.looked[sighted{solution, seen.ID}] = fieldsOf(seen)
		}
		if news, ok := w.monitor.See(seen); ok {
			all = append(all, news)
		}
	}
	w.told(append(all, w.monitor.Missing(solution)...))
	w.mend(ctx, solution)
	return nil
}

// told prints what is found of objects.
func (w *driftWatch) told(all []live.News) {
	for _, news := range all {
		if w.underWay(news.Solution) {
			continue
		}
		if w.form == "json" {
			_ = printLine(w.s, news)
			continue
		}
		if len(news.Findings) == 0 {
			fmt.Fprintln(w.s.out, diag.Safe(news.Solution+": as it was made: "+news.Object))
		}
		for _, f := range news.Findings {
			for i, line := range f.Lines() {
				if i == 0 {
					line = news.Solution + ": " + line
				}
				fmt.Fprintln(w.s.out, diag.Safe(w.s.secrets.hide(line)))
			}
		}
	}
}

// mend sets a solution right where something of it can be, not too often.
func (w *driftWatch) mend(ctx context.Context, solution string) {
	if !w.repair || !w.monitor.Repairable(solution) {
		return
	}
	done, now := w.repairs[solution], time.Now()
	pause := min(shortestRepair<<max(done.n-3, 0), time.Minute)
	if done.n >= 3 && now.Sub(done.last) < pause {
		time.AfterFunc(pause-now.Sub(done.last), w.restart)
		return
	}
	if now.Sub(done.last) > 2*time.Minute {
		done.n = 0
	}
	w.repairs[solution] = repairs{min(done.n+1, 10), now}
	if err := w.set(ctx, solution); err != nil && !errors.Is(err, errSystem) && ctx.Err() == nil {
		fmt.Fprintf(w.s.err, "kumiki: %s is not set right: %s\n", solution, diag.Safe(err.Error()))
	}
}

// set writes what is missing or was changed, and does not wait for what comes of it.
func (w *driftWatch) set(ctx context.Context, solution string) error {
	r, err := known(ctx, w.s, w.c, solution)
	if err != nil {
		return err
	}
	a, err := w.f.recorded(w.s, w.c, r)
	switch {
	case err != nil:
		return err
	case a.Solution == nil:
		return errors.New("its inventory has no solution to repair it with: kumiki apply DIR does")
	}
	refused, err := a.Prepare(ctx)
	switch {
	case err != nil:
		return unreachable(w.s, err)
	case len(refused) > 0:
		return printRefusals(w.s, a, refused)
	case len(a.Writes()) == 0:
		return nil
	}
	o, err := a.Carry(ctx, w.f.bounds(false), w.f.teller(w.s, a))
	w.monitor.Take(a.Record, time.Now())
	return w.f.outcome(ctx, w.s, a, o, err)
}
