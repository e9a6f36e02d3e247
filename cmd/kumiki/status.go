package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/live"
)

func newStatusCmd(s streams) *cobra.Command {
	var f liveFlags
	var form string
	var watch bool
	cmd := &cobra.Command{
		Use:   "status [NAME | DIR | FILE]...",
		Short: "Say how what runs is: instances, images, restarts, health",
		Long: `Status prints a line for each role of the solutions that are named, without a name of
all that run in the namespace: how many instances are ready of how many that should
be, whether that is healthy and why not, the images, how often containers were
restarted, and how old it is; as a tree also the instances, with the nodes that they
are on and their addresses. Solutions are known by their inventories, which
'kumiki apply' writes. With --watch, a line is printed again when it becomes another,
until it is interrupted; as JSON an object a line.

The exit code is 6 where something is not healthy.`,
		Example: `  kumiki status
  kumiki status shop -n shop -o tree
  kumiki status shop --watch`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "table", "tree", "json"); err != nil {
				return err
			}
			if watch && form == "tree" {
				return errors.New("--watch prints lines: leave -o tree out")
			}
			if m := s.site.manager; m != nil {
				return f.statusManaged(cmd, s, m, form, watch, args)
			}
			return runStatus(cmd, s, &f, form, watch, args)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&watch, "watch", false, "go on, and print what changes")
	cmd.Flags().StringVarP(&form, "output", "o", "table", "`form`: table, tree or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "tree", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// solutionStatus is how a solution is.
type solutionStatus struct {
	Solution string        `json:"solution"`
	Digest   string        `json:"digest,omitempty"`
	Roles    []live.Status `json:"roles"`
}

// nothingRuns says so of a place.
const nothingRuns = "nothing that kumiki apply has made runs in %s\n"

func runStatus(cmd *cobra.Command, s streams, f *liveFlags, form string, watch bool, args []string) error {
	ctx := cmd.Context()
	names, c, err := f.begin(cmd, s, args)
	if err != nil {
		return err
	}
	if watch {
		return f.watchStatus(ctx, s, c, names, form)
	}
	all := []solutionStatus{}
	look := func(r *live.Record) error {
		one, err := statusOf(ctx, s, c, []*live.Record{r})
		all = append(all, one...)
		return err
	}
	err = gathered(c, len(names) != 1, func() error { return eachNamed(ctx, s, c, names, look) })
	if err != nil && len(all) == 0 {
		return err
	}
	if len(all) == 0 && form != "json" {
		fmt.Fprintf(s.err, nothingRuns, c.Where())
		return nil
	}
	return errors.Join(err, printStatus(s, form, all), verdictOf(all))
}

// statusOf returns how solutions are.
func statusOf(ctx context.Context, s streams, c live.System, records []*live.Record) ([]solutionStatus, error) {
	all := []solutionStatus{}
	for _, r := range records {
		run := live.Run{Target: c, Record: r, Desired: r.Answers()}
		if err := run.Look(ctx); err != nil {
			return nil, unreachable(s, err)
		}
		roles, err := c.Status(ctx, r, run.Seen())
		if err != nil {
			return nil, unreachable(s, err)
		}
		all = append(all, solutionStatus{r.Solution, r.Digest, roles})
	}
	return all, nil
}

// verdictOf returns an error if a role that is to run is not healthy.
func verdictOf(all []solutionStatus) error {
	for _, sol := range all {
		for _, role := range sol.Roles {
			if role.Health != "healthy" && !role.Stopped {
				return errUnhealthy
			}
		}
	}
	return nil
}

func statusHead() []string {
	return []string{"ROLE", "READY", "HEALTH", "RESTARTS", "AGE", "IMAGE", "WHY"}
}

func roleRow(s streams, r live.Status) []string {
	return []string{r.Place, fmt.Sprintf("%d/%d", r.Ready, r.Wanted), r.Word(), strconv.Itoa(r.Restarts), age(r.Since), strings.Join(r.Images, ", "), s.secrets.hide(r.Why)}
}

func printStatus(s streams, form string, all []solutionStatus) error {
	if form == "tree" {
		return statusTree(s, all)
	}
	rows := [][]string{statusHead()}
	for _, sol := range all {
		for _, r := range sol.Roles {
			rows = append(rows, roleRow(s, r))
		}
	}
	return printAnswer(s.out, form, all, rows)
}

// names returns the names of the solutions that arguments are about.
func (f *liveFlags) names(ctx context.Context, s streams, args []string) (names []string, err error) {
	for _, arg := range args {
		name, _, err := f.named(ctx, s, arg)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// recordsOf returns the records of solutions by their names, without any of all.
func recordsOf(ctx context.Context, s streams, c live.System, names []string) (records []*live.Record, err error) {
	if len(names) == 0 {
		if records, err = c.Records(ctx); err != nil {
			return nil, unreachable(s, err)
		}
		return records, nil
	}
	for _, name := range names {
		r, err := known(ctx, s, c, name)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// age is [ageOf] for a time in RFC 3339, "" for any other text.
func age(since string) string {
	t, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return ""
	}
	return ageOf(t)
}

// ageOf returns how long ago a time was, in its largest unit.
func ageOf(t time.Time) string {
	d := time.Since(t)
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}} {
		if d >= unit.long {
			return strconv.Itoa(int(d/unit.long)) + unit.name
		}
	}
	return strconv.Itoa(int(d/time.Second)) + "s"
}
