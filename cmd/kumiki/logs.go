package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/live"
)

func newLogsCmd(s streams) *cobra.Command {
	var f liveFlags
	var o live.LogOptions
	var form string
	cmd := &cobra.Command{
		Use:   "logs NAME[/ROLE]",
		Short: "Print what the instances of a role have written",
		Long: `Logs prints the output of the instances of a role, of a deployment or of a solution:
each line with the instance and the container that it is from. They come one after the
other; with --follow, lines come as they are written, until it is interrupted.`,
		Example: `  kumiki logs shop/web
  kumiki logs shop/db --previous
  kumiki logs shop --follow --tail 10`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if m := s.site.manager; m != nil {
				return logsManaged(cmd.Context(), s, m, o, form, args[0])
			}
			return runLogs(cmd, s, &f, o, form, args[0])
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.Follow, "follow", false, "go on with what is written from now on")
	flags.BoolVar(&o.Previous, "previous", false, "what was written before the last restart")
	flags.IntVar(&o.Tail, "tail", -1, "`number` of lines from the end of each (default: all)")
	flags.DurationVar(&o.Since, "since", 0, "leave out what is older than this `time`, such as 10m (default: nothing)")
	flags.StringVar(&o.Instance, "instance", "", "`name` of one instance, as 'kumiki status -o tree' has it (default: all)")
	flags.StringVar(&o.Container, "container", "", "`name` of one container (default: all)")
	flags.StringVarP(&form, "output", "o", "text", "`form`: text or json, an object a line")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runLogs(cmd *cobra.Command, s streams, f *liveFlags, o live.LogOptions, form, path string) error {
	ctx := cmd.Context()
	c, err := f.connect(cmd, s)
	if err != nil {
		return err
	}
	from, ok := c.(live.Logger)
	if !ok {
		return f.unknown(cmd, s)
	}
	r, err := owner(ctx, s, c, path)
	if err != nil {
		return err
	}
	places, err := r.PlacesIn(path)
	if err != nil {
		return err
	}
	p := &logPrinter{s: s, form: form}
	read := func(place engine.Place) error { return from.Logs(ctx, r.Solution, place, o, p.line) }
	errs := make([]error, len(places))
	var wg sync.WaitGroup
	for i, place := range places {
		if !o.Follow {
			errs[i] = read(place)
			continue
		}
		wg.Go(func() { errs[i] = read(place) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return unreachable(s, err)
	}
	return nil
}

// logPrinter prints lines of output.
type logPrinter struct {
	s    streams
	form string
	mu   sync.Mutex
}

func (p *logPrinter) line(l live.Line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.form == "json" {
		_ = printLine(p.s, l)
		return
	}
	fmt.Fprintf(p.s.out, "%s %s: %s\n", l.Instance, l.Container, diag.Safe(l.Text))
}
