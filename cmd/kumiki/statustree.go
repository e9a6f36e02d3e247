package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/live"
)

// statusPause is how long changes are gathered before they are printed.
const statusPause = 100 * time.Millisecond

// statusTree prints solutions with their deployments, roles and instances.
func statusTree(s streams, all []solutionStatus) error {
	var b strings.Builder
	for _, sol := range all {
		fmt.Fprintln(&b, sol.Solution)
		var order []string
		roles := map[string][]live.Status{}
		for _, r := range sol.Roles {
			deployment, _, _ := strings.Cut(r.Place, "/")
			if roles[deployment] == nil {
				order = append(order, deployment)
			}
			roles[deployment] = append(roles[deployment], r)
		}
		for i, deployment := range order {
			down := branch(&b, "", i == len(order)-1, deployment)
			for j, r := range roles[deployment] {
				below := branch(&b, down, j == len(roles[deployment])-1, roleText(s, r))
				for k, one := range r.Instances {
					branch(&b, below, k == len(r.Instances)-1, instanceText(one))
				}
			}
		}
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

// branch writes a line of a tree, and returns what is in front of the lines below it.
func branch(b *strings.Builder, in string, last bool, text string) string {
	fork, below := "├─ ", "│  "
	if last {
		fork, below = "└─ ", "   "
	}
	fmt.Fprintln(b, in+fork+diag.Safe(text))
	return in + below
}

func roleText(s streams, r live.Status) string {
	_, role, ok := strings.Cut(r.Place, "/")
	if !ok {
		role = r.Object
	}
	text := fmt.Sprintf("%s %d/%d %s", role, r.Ready, r.Wanted, r.Word())
	if r.Restarts > 0 {
		text += fmt.Sprintf(", %d restarts", r.Restarts)
	}
	if len(r.Images) > 0 {
		text += ", " + strings.Join(r.Images, " ")
	}
	if r.Why != "" {
		text += ": " + s.secrets.hide(r.Why)
	}
	return text
}

func instanceText(one live.Instance) string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", one.Name, one.Phase, one.Node, one.Address)), " ")
}

// watchStatus prints how roles are, and then each line that becomes another, until it is
// interrupted.
func (f *liveFlags) watchStatus(ctx context.Context, s streams, c live.System, names []string, form string) error {
	printed := map[string]string{}
	for first := true; ; first = false {
		records, err := recordsOf(ctx, s, c, names)
		if err != nil {
			return interrupted(ctx, err)
		}
		all, err := statusOf(ctx, s, c, records)
		if err != nil {
			return interrupted(ctx, err)
		}
		if err := printChanged(s, form, all, printed, first); err != nil {
			return err
		}
		if err := changedSince(ctx, c, records, 10*time.Second, asBefore(all)); err != nil {
			return interrupted(ctx, unreachable(s, err))
		}
	}
}

// interrupted returns nil once a person has ended what goes on for ever.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// printChanged prints the roles whose lines are others than those that were printed.
func printChanged(s streams, form string, all []solutionStatus, printed map[string]string, first bool) error {
	rows := [][]string{}
	now := map[string]bool{}
	for _, sol := range all {
		for _, r := range sol.Roles {
			key := sol.Solution + " " + r.Place + " " + r.Object
			now[key] = true
			row := roleRow(s, r)
			text := strings.Join(append(append([]string{}, row[:4]...), row[5:]...), "\t") // all but its age
			if printed[key] == text {
				continue
			}
			printed[key] = text
			if form == "json" {
				if err := printLine(s, r); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, row)
		}
	}
	for key := range printed {
		if !now[key] {
			delete(printed, key)
			rows = append(rows, []string{strings.Fields(key)[1], "0/0", "gone", "", "", "", ""})
		}
	}
	if form == "json" || len(rows) == 0 {
		return nil
	}
	if first {
		rows = append([][]string{statusHead()}, rows...)
	}
	return printAnswer(s.out, "table", nil, rows)
}

// asBefore reports whether a workload is as it was when statuses were made.
func asBefore(all []solutionStatus) func(string, engine.Seen) bool {
	return func(solution string, s engine.Seen) bool {
		for _, sol := range all {
			for _, r := range sol.Roles {
				if sol.Solution == solution && r.Object == s.ID.String() {
					return r.Ready == s.Ready && r.Wanted == s.Wanted && r.Health == string(s.Health)
				}
			}
		}
		return true
	}
}

// changedSince waits until something of what runs changes, or for so long at most. A watch
// begins with what is there: that is no change where it is as before.
func changedSince(ctx context.Context, c live.System, records []*live.Record, most time.Duration, before func(string, engine.Seen) bool) error {
	waiting, stop := context.WithTimeout(ctx, most)
	defer stop()
	done := make(chan error, len(records))
	for _, r := range records {
		begun := time.Now()
		known := map[engine.ID]bool{}
		go func() {
			done <- c.Watch(waiting, r.Solution, r.Workloads(), func(s engine.Seen) bool {
				first := !known[s.ID] && time.Since(begun) < time.Second && before(r.Solution, s)
				known[s.ID] = true
				return first
			})
		}()
	}
	select {
	case err := <-done:
		stop()
		for range len(records) - 1 {
			<-done
		}
		if err != nil && waiting.Err() == nil && !errors.Is(err, context.Canceled) {
			time.Sleep(statusPause) // a watch that has ended is begun anew
		}
	case <-waiting.Done():
		for range records {
			<-done
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(statusPause):
		return nil
	}
}
