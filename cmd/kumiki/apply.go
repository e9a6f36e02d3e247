package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kumiki.dev/client"
	"kumiki.dev/diag"
	"kumiki.dev/internal/volumepath"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/plan"
	"kumiki.dev/query"
	"kumiki.dev/solution"
)

// applyFlags are the flags of apply.
type applyFlags struct {
	liveFlags
	allowed     plan.Allowed
	yes, wait   bool
	adopt, keep bool
	rollback    bool
	one         string // instance, of restart
	dryRun      string
	details     bool
	environment string   // of a manager
	labels      []string // KEY=VALUE, of a deployment at a manager
}

func newApplyCmd(s streams) *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply [DIR | FILE | saved:NAME | git:REV:PATH | ARTIFACT:VERSION | -]...",
		Short: "Make what runs in a cluster be what a deployment says",
		Long: `Apply compiles a deployment, or takes a solution, and brings a Kubernetes cluster to
where it says: that of KUBECONFIG, or of --kubeconfig and --context.

It prints the plan, and asks a person at a terminal whether it is meant. Before
anything is written, the API server tries every object that differs, and all that it
refuses is told at once, with the line of the manifest. Then objects are written by
server-side apply, waited for until the roles are healthy, and what the deployment
does not have any more is removed. Where nothing differs, nothing is written.

What others have changed since is set right, and told with who it was. The number of
instances is left to an autoscaler where one has it. An object of the same name that
is somebody else's is refused, unless --adopt takes it over. What holds data goes
only with --allow-data-loss, or when its name is typed.

With -t swarm it is a Docker Swarm: that of DOCKER_HOST or of docker's context, which
--context names. Swarm tries nothing: what services refer to is looked at instead.

The inventory, a ConfigMap beside the objects, has what was applied: killed anywhere,
the next run goes on. Several deployments are applied in the order of 'kumiki order'.

With --server, or after 'kumiki login', a manager does it: it gets a bundle of what is
compiled, and prints its plan and what it does. 'kumiki apply NAME --set PATH=VALUE'
changes single values of a deployment there. Interrupted, the operation goes on: see
'kumiki ops'.

The exit code is 5 when the cluster refused and nothing was changed, 6 when it was
applied and is not healthy, 7 when the time was over.`,
		Example: `  kumiki apply deploy
  kumiki apply deploy --env prod --yes
  kumiki compile deploy | kumiki apply - -n shop --create-namespace
  kumiki apply deploy --dry-run=server
  kumiki apply deploy -t swarm --yes
  kumiki apply deploy --server https://kumiki.example.com:7676
  kumiki apply shop --set config.scale.detail.web.hsize=3 --server https://kumiki.example.com:7676`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return runApply(cmd, s, &f, args)
		},
	}
	f.register(cmd)
	f.registerTimeout(cmd, "to wait until the roles are healthy")
	flags := cmd.Flags()
	flags.BoolVar(&f.yes, "yes", false, "don't ask")
	flags.BoolVar(&f.wait, "wait", true, "wait until the roles are healthy, and remove what is not desired any more then")
	flags.BoolVar(&f.adopt, "adopt", false, "take over objects that are there already and somebody else's")
	flags.BoolVar(&f.keep, "keep-going", false, "go on with other objects where one could not be written")
	flags.BoolVar(&f.rollback, "rollback-on-failure", false, "apply what ran before where the new version does not become healthy")
	flags.StringVar(&f.dryRun, "dry-run", "", "`server`: let the API server try everything, and write nothing")
	flags.BoolVar(&f.details, "details", false, "show the fields behind each line of the plan")
	f.registerManaged(cmd)
	repeatedVar(flags, &f.labels, "label", "", "a label of the deployment at a manager, `KEY=VALUE`, by which it is selected; all of them take the place of those that it had; may be given several times")
	repeatedVar(flags, &f.allowed.Data, "allow-data-loss", "", "`path` of data that may be lost: DEPLOYMENT, DEPLOYMENT/ROLE or DEPLOYMENT/ROLE/VOLUME; may be given several times")
	repeatedVar(flags, &f.allowed.Gone, "allow-dangling", "", "`name` of a deployment, DEPLOYMENT.CHANNEL or DEPLOYMENT.FIELD that may go though other solutions link to it or take values from it; may be given several times")
	repeatedVar(flags, &f.allowed.Orphans, "allow-orphans", "", "`name` of a deployment that may go though others hang from it (up): these stay; may be given several times")
	_ = cmd.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions([]string{"server"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// registerManaged adds the flag that says where a manager runs what is new.
func (f *applyFlags) registerManaged(cmd *cobra.Command) {
	registerManagedEnvironment(cmd, &f.environment, "`name` of the manager's environment to run in (default: that of --env, else the one that the deployment has, else local)")
}

// registerManagedEnvironment adds the flag that names a manager's environment.
func registerManagedEnvironment(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().StringVar(to, "environment", "", usage)
	_ = cmd.RegisterFlagCompletionFunc("environment", func(cmd *cobra.Command, _ []string, word string) (names []string, _ cobra.ShellCompDirective) {
		askManaged(typed{cmd: cmd, word: word}, func(ctx context.Context, c *client.Client) {
			all, _ := c.Environments(ctx)
			for _, e := range all {
				if strings.HasPrefix(e.Name, word) {
					names = append(names, e.Name)
				}
			}
		})
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

func runApply(cmd *cobra.Command, s streams, f *applyFlags, args []string) error {
	if f.dryRun != "" && f.dryRun != "server" {
		return fmt.Errorf("--dry-run %s: there is server; kumiki plan needs no cluster", f.dryRun)
	}
	if m := s.site.manager; m != nil {
		return f.applyManaged(cmd, s, m, args)
	}
	ctx := cmd.Context()
	solutions, err := f.solutions(ctx, s, args)
	if err != nil {
		return err
	}
	c, err := f.connect(cmd, s)
	if err != nil {
		return err
	}
	fresh, err := f.namespace(ctx, s, c)
	if err != nil {
		return err
	}
	for _, sol := range solutions {
		a, err := f.wanted(ctx, s, c, sol, len(solutions) > 1)
		if err == nil {
			err = f.apply(ctx, s, a, fresh)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wanted makes the application of one of several solutions. Where nothing is to be done, what
// was gathered for all of them is enough to know it.
func (f *applyFlags) wanted(ctx context.Context, s streams, c live.System, sol *solution.Solution, several bool) (*application.Application, error) {
	if g, ok := c.(live.Gatherer); ok && several {
		g.Gather(true)
		a, err := f.liveFlags.wanted(ctx, s, c, sol)
		if err == nil {
			if err = a.Look(ctx); err != nil {
				err = unreachable(s, err)
			}
		}
		g.Gather(false)
		if err != nil || a.Idle() {
			return a, err
		}
		again, err := application.New(ctx, c, f.lowering(), sol, a.Objects, f.lower.options, a.Next.Environment)
		if err != nil {
			return nil, unreachable(s, err)
		}
		return again, nil
	}
	return f.liveFlags.wanted(ctx, s, c, sol)
}

// solutions returns the solutions of the arguments, in the order in which they need each other.
func (f *applyFlags) solutions(ctx context.Context, s streams, args []string) ([]*solution.Solution, error) {
	if len(args) > 1 {
		f.in.with = append(f.in.with, args...)
	}
	byName := map[string]*solution.Solution{}
	var facts []query.Facts
	for _, arg := range args {
		sol, err := f.in.side(ctx, s, arg, false)
		switch {
		case err != nil:
			return nil, err
		case sol == nil:
			return nil, fmt.Errorf("%s is nothing: kumiki delete NAME removes what runs", arg)
		}
		byName[sol.Ref.Name] = sol
		facts = append(facts, query.FactsOf(sol))
	}
	order, err := query.Order(facts)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return nil, errWrong
	}
	var out []*solution.Solution
	for _, level := range order.Levels {
		for _, name := range level {
			out = append(out, byName[name])
		}
	}
	return out, nil
}

// roomy is a system with namespaces, which can be made.
type roomy interface {
	NamespaceThere(ctx context.Context, create bool) (there, made bool, err error)
}

// namespace makes sure of the namespace, where it is to be made; fresh tells that it is not
// there, or was not until now: nothing can be tried in it then.
func (f *applyFlags) namespace(ctx context.Context, s streams, c live.System) (fresh bool, err error) {
	r, ok := c.(roomy)
	if !f.lower.options.CreateNamespace || !ok {
		return false, nil
	}
	there, made, err := r.NamespaceThere(ctx, f.dryRun == "")
	if err != nil {
		return false, unreachable(s, err)
	}
	if made {
		fmt.Fprintf(s.out, "created: Namespace/%s\n", f.lower.options.Namespace)
	}
	return !there, nil
}

// apply brings one application to where it is wanted.
func (f *applyFlags) apply(ctx context.Context, s streams, a *application.Application, fresh bool) error {
	a.Desired.Adopt, a.Desired.Data, a.KeepGoing = f.adopt, f.allowed.Data, f.keep
	if was := a.Record.Environment; was != "" && was != a.Next.Environment && !f.adopt {
		_ = printProblems(s.err, diag.List{diag.New(diag.LiveForeign, diag.NoPos, "%s in %s is environment %s's; say --adopt to make it that of %s, or call the deployment otherwise (--name)",
			a.Next.Solution, a.System.Where(), was, a.Next.Environment)})
		fmt.Fprintf(s.err, "kumiki: nothing was changed\n")
		return errRefused
	}
	if fresh {
		fmt.Fprintf(s.out, "namespace %s is not there: it would be made, and the objects can only be tried in it\n", f.lower.options.Namespace)
		return f.plan(ctx, s, a)
	}
	if a.Looked() && a.Idle() {
		return f.idle(ctx, s, a)
	}
	refused, err := a.Prepare(ctx)
	if err != nil {
		return unreachable(s, err)
	}
	if a.Idle() && len(refused) == 0 {
		return f.idle(ctx, s, a)
	}
	if err := f.plan(ctx, s, a); err != nil {
		return err
	}
	tellActions(s, a)
	if len(refused) > 0 {
		return printRefusals(s, a, refused)
	}
	if f.dryRun != "" {
		return tried(s, a, f.lower.target)
	}
	if ok, err := f.confirm(s, a); !ok || err != nil {
		return err
	}
	return f.carry(ctx, s, a)
}

// tried says what is known of objects that were tried, of which nothing was written.
func tried(s streams, a *application.Application, target string) error {
	if target == "swarm" {
		fmt.Fprintf(s.out, "%s: what it refers to is there; nothing was written\n", a.Next.Solution)
		return printProblems(s.err, diag.List{diag.Warn(diag.LiveUntried, diag.NoPos,
			"Swarm tries nothing without doing it: looked at were images' names, networks, configs, secrets, published ports and whose objects those are that are there; what else it refuses is told when it is written")})
	}
	fmt.Fprintf(s.out, "%s: the cluster takes all of it; nothing was written\n", a.Next.Solution)
	return nil
}

// idle tells that there is nothing to write, and waits for what is not healthy yet.
func (f *applyFlags) idle(ctx context.Context, s streams, a *application.Application) error {
	fmt.Fprintf(s.out, "%s: nothing to do\n", a.Next.Solution)
	tellActions(s, a)
	if f.dryRun != "" {
		return nil
	}
	if t, ok := a.System.(live.Tidier); ok {
		if err := t.Tidy(ctx, a.Record); err != nil {
			return unreachable(s, err)
		}
	}
	if !f.wait {
		return nil
	}
	return f.await(ctx, s, a)
}

// plan prints what becomes of what runs, and then what speaks against it, but for data that
// a person may yet allow.
func (f *applyFlags) plan(ctx context.Context, s streams, a *application.Application) error {
	p, err := a.Plan(ctx)
	if err != nil {
		return unreachable(s, err)
	}
	s.secrets.hidePlan(p)
	if !p.Empty() {
		if _, err := io.WriteString(s.out, p.Text(f.details)); err != nil {
			return err
		}
	}
	if err := f.confirmData(s, p); err != nil {
		return err
	}
	a.Desired.Data = f.allowed.Data
	return printProblems(s.err, p.Problems(f.allowed))
}

// confirmData asks a person at a terminal for the names of volumes whose data would go.
func (f *applyFlags) confirmData(s streams, p *plan.Plan) error {
	in := terminal(s)
	if in == nil || f.yes || f.dryRun != "" {
		return nil
	}
	for _, e := range p.Entries {
		for _, l := range e.Losses {
			if volumepath.Covers(f.allowed.Data, l.Path) {
				continue
			}
			name := l.Path[strings.LastIndexByte(l.Path, '/')+1:]
			answered := s.ask("%s: data is lost: %s\nType the volume's name, %s, if that is meant: ", e, l.Why, name)
			line, err := in.ReadString('\n')
			answered()
			if err != nil && line == "" {
				return errors.New("nothing was typed, and nothing was changed")
			}
			if strings.TrimSpace(line) != name {
				return fmt.Errorf("%q is not %q: nothing was changed", strings.TrimSpace(line), name)
			}
			f.allowed.Data = append(f.allowed.Data, l.Path)
		}
	}
	return nil
}

// terminal returns standard input where a person is there to be asked, nil elsewhere.
func terminal(s streams) *bufio.Reader {
	in, ok := s.in.(*stdin)
	screen, is := s.err.(*console)
	if !ok || !is || in.as != "" {
		return nil
	}
	from, ok := in.Reader.(*os.File)
	to, is := screen.Writer.(*os.File)
	if !ok || !is || !term.IsTerminal(int(from.Fd())) || !term.IsTerminal(int(to.Fd())) {
		return nil
	}
	return bufio.NewReader(from)
}

// confirm asks a person at a terminal.
func (f *applyFlags) confirm(s streams, a *application.Application) (bool, error) {
	return confirmed(s, f.yes, fmt.Sprintf("Apply %s to %s?", a.Next.Solution, a.System.Where()))
}

func confirmed(s streams, yes bool, question string) (bool, error) {
	in := terminal(s)
	if yes || in == nil {
		return true, nil
	}
	answered := s.ask("%s [y/N] ", question)
	line, err := in.ReadString('\n')
	answered()
	if answer := strings.ToLower(strings.TrimSpace(line)); err == nil && (answer == "y" || answer == "yes") {
		return true, nil
	}
	fmt.Fprintln(s.err, "nothing was changed")
	return false, errWrong
}

// carry writes, waits, and removes what is not desired any more.
func (f *applyFlags) carry(ctx context.Context, s streams, a *application.Application) error {
	text, options := a.Record.Text, a.Record.Options
	o, err := a.Carry(ctx, f.bounds(f.wait), f.teller(s, a))
	if err := f.outcome(ctx, s, a, o, err); err != nil {
		if f.rollback && text != nil && len(o.Unwell) > 0 {
			return errors.Join(err, f.back(ctx, s, a, text, options))
		}
		return err
	}
	fmt.Fprintf(s.out, "%s is applied to %s\n", a.Next.Solution, a.System.Where())
	return f.watched.warned // it is applied all the same
}

// prepared looks and tries, and prints what the cluster refuses: nothing is written then.
func prepared(ctx context.Context, s streams, a *application.Application) error {
	refused, err := a.Prepare(ctx)
	switch {
	case err != nil:
		return unreachable(s, err)
	case len(refused) > 0:
		return printRefusals(s, a, refused)
	}
	return nil
}

// back applies what ran before.
func (f *applyFlags) back(ctx context.Context, s streams, a *application.Application, text, options []byte) error {
	old, err := a.Back(text, options)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s goes back to what ran before\n", a.Next.Solution)
	if err := prepared(ctx, s, old); err != nil {
		return err
	}
	again := *f
	again.rollback = false
	return again.carry(ctx, s, old)
}
