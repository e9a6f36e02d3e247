package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/live"
	"kumiki.dev/live/notice"
)

// The pauses between tries to deliver.
const (
	shortestPause = time.Second
	longestPause  = time.Minute
)

// notifyFlags are the flags of notify.
type notifyFlags struct {
	liveFlags
	to, state, key string
	limits         notice.Limits
	every          time.Duration
	once           bool

	saved []byte // of the state
	said  string // why the last try has failed
}

func newNotifyCmd(s streams) *cobra.Command {
	var f notifyFlags
	cmd := &cobra.Command{
		Use:   "notify [NAME]... --to URL --state FILE",
		Short: "Tell a URL when instances end, are missing, have no address or restart often",
		Long: `Notify looks at the roles of solutions, without a name of all that run in the namespace,
and posts a notice as JSON to a URL when

  exited            a container has ended with an error
  missing           a role has fewer instances than it should, for --after
  no-address        an instance runs and has no address, for --after
  restarted-often   an instance was restarted --restarts times within --within

What was told is in the state file, and so is what could not be delivered yet: notices
are sent in order until the receiver answers with 2xx, also after notify was killed or
the machine restarted. One may come twice, with the same X-Kumiki-Id. With --key-file,
X-Kumiki-Signature is sha256= and the HMAC of X-Kumiki-Time, a dot and the body.

It runs until it is interrupted; with --once it looks once and delivers, as for cron.`,
		Example: `  kumiki notify --to https://hooks.example/kumiki --state notices.json --key-file hook.key
  kumiki notify shop --to http://localhost:8080/ --state notices.json --once`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return runNotify(cmd, s, &f, args)
		},
	}
	f.register(cmd)
	f.registerTimeout(cmd, "to try to deliver, with --once")
	flags := cmd.Flags()
	flags.StringVar(&f.to, "to", "", "`URL` to post notices to")
	flags.StringVar(&f.state, "state", "", "`file` that remembers what was told, and what was not delivered yet")
	flags.StringVar(&f.key, "key-file", "", "`file` with the key that notices are signed with, whose white space at both ends is none of it (default: no signature)")
	flags.DurationVar(&f.limits.After, "after", 30*time.Second, "how `long` instances may be missing or without an address")
	flags.IntVar(&f.limits.Restarts, "restarts", 3, "how `many` restarts are too many; 0 to tell of none")
	flags.DurationVar(&f.limits.Within, "within", 10*time.Minute, "the `time` in which restarts are counted")
	flags.DurationVar(&f.every, "every", 5*time.Second, "how `often` to look where nothing is known to have changed")
	flags.BoolVar(&f.once, "once", false, "look once, deliver, and end")
	return cmd
}

func (f *notifyFlags) check() error {
	if f.to == "" || f.state == "" {
		return errors.New("whom to tell, and where to remember it? Say --to URL and --state FILE")
	}
	to, err := url.Parse(f.to)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return fmt.Errorf("--to %s: that is no URL to post to, such as https://hooks.example/kumiki", f.to)
	}
	if f.every < 100*time.Millisecond {
		return fmt.Errorf("--every %s: less than 100ms is too often", f.every)
	}
	return nil
}

func runNotify(cmd *cobra.Command, s streams, f *notifyFlags, args []string) error {
	ctx := cmd.Context()
	var key []byte
	if f.key != "" {
		text, err := os.ReadFile(f.key)
		if err != nil {
			return err
		}
		if key = bytes.TrimSpace(text); len(key) == 0 {
			return fmt.Errorf("--key-file %s: it is empty", f.key)
		}
	}
	ask, err := f.asked(cmd, s, args)
	if err != nil {
		return err
	}
	unlock, err := lockedfile.MutexAt(f.state + ".lock").Lock() // two would tell everything twice
	if err != nil {
		return err
	}
	defer unlock()
	state, err := f.read()
	if err != nil {
		return err
	}
	sender := &notice.Sender{URL: f.to, Key: key, Client: http.DefaultClient, Save: f.write}
	if f.once {
		return f.lookOnce(ctx, s, ask, state, sender)
	}
	return f.goOn(ctx, s, ask, state, sender)
}

// whom is who says how roles are: a cluster, or a manager.
type whom struct {
	roles func(ctx context.Context) ([]solutionStatus, error)
	// rest waits until something may have become another.
	rest func(ctx context.Context)
}

// asked finds who is asked: nothing is yet.
func (f *notifyFlags) asked(cmd *cobra.Command, s streams, args []string) (whom, error) {
	every := func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(f.every):
		}
	}
	if m := s.site.manager; m != nil {
		l := m.looker(s)
		return whom{func(ctx context.Context) ([]solutionStatus, error) {
			return rolesManaged(ctx, s, m, l, &f.liveFlags, args)
		}, every}, nil
	}
	names, c, err := f.begin(cmd, s, args)
	if err != nil {
		return whom{}, err
	}
	var records []*live.Record // that were looked at last
	roles := func(ctx context.Context) (all []solutionStatus, err error) {
		if records, err = recordsOf(ctx, s, c, names); err == nil {
			all, err = statusOf(ctx, s, c, records)
		}
		if err != nil {
			records = nil
		}
		return all, err
	}
	return whom{roles, func(ctx context.Context) {
		if len(records) == 0 {
			every(ctx)
			return
		}
		_ = changedSince(ctx, c, records, f.every, asBefore(nil))
	}}, nil
}

// read reads the state file, where there is one.
func (f *notifyFlags) read() (*notice.State, error) {
	state := &notice.State{}
	text, err := os.ReadFile(f.state)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(text, state); err != nil {
		return nil, fmt.Errorf("--state %s: it is none that kumiki notify has written: %w", f.state, err)
	}
	if state.Format > notice.Format {
		return nil, fmt.Errorf("--state %s: it is of format %d, and this kumiki knows %d", f.state, state.Format, notice.Format)
	}
	return state, nil
}

// write writes the state file where it is another than it was.
func (f *notifyFlags) write(state *notice.State) error {
	text, err := json.MarshalIndent(state, "", "  ")
	if err != nil || bytes.Equal(text, f.saved) {
		return err
	}
	f.saved = text
	return atomicfile.Write(f.state, bytes.NewBuffer(append(text, '\n')), atomicfile.Options{Mode: 0o600, Sync: true})
}

// look adds what there is to be told of.
func (f *notifyFlags) look(ctx context.Context, s streams, from whom, state *notice.State) error {
	all, err := from.roles(ctx)
	if err != nil {
		return err
	}
	before := len(state.Pending)
	for _, sol := range all {
		state.Observe(time.Now(), sol.Solution, sol.Roles, f.limits)
	}
	for i := range state.Pending[before:] {
		n := &state.Pending[before+i]
		n.Text = s.secrets.hide(n.Text)
		fmt.Fprintf(s.out, "%s: %s: %s\n", n.Kind, n.Role, diag.Safe(n.Text))
	}
	return f.write(state)
}

// lookOnce looks once, and tries to deliver as long as the time allows.
func (f *notifyFlags) lookOnce(ctx context.Context, s streams, from whom, state *notice.State, sender *notice.Sender) error {
	if err := f.look(ctx, s, from, state); err != nil {
		return err
	}
	bounded, cancel := f.bounds(true).Context(ctx)
	defer cancel()
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		err := sender.Deliver(bounded, state)
		if err == nil {
			return nil
		}
		f.failed(s, err)
		select {
		case <-bounded.Done():
			fmt.Fprintf(s.err, "kumiki: %d notices are not delivered; they are in %s\n", len(state.Pending), f.state)
			return errLate
		case <-time.After(pause):
		}
	}
}

// goOn looks again and again, and delivers when it can.
func (f *notifyFlags) goOn(ctx context.Context, s streams, from whom, state *notice.State, sender *notice.Sender) error {
	pause, next := shortestPause, time.Time{}
	for ctx.Err() == nil {
		// The error is printed, and a cluster that cannot be asked now may be later.
		_ = f.look(ctx, s, from, state)
		if !time.Now().Before(next) {
			if err := sender.Deliver(ctx, state); err != nil && ctx.Err() == nil {
				f.failed(s, err)
				next, pause = time.Now().Add(pause), min(2*pause, longestPause)
			} else {
				pause = shortestPause
			}
		}
		from.rest(ctx)
	}
	return nil
}

// failed tells why notices could not be delivered, when that is another reason than before.
func (f *notifyFlags) failed(s streams, err error) {
	if text := err.Error(); text != f.said {
		f.said = text
		fmt.Fprintf(s.err, "kumiki: not delivered, and tried again: %s\n", diag.Safe(text))
	}
}
