package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
)

// streams are where a command reads and writes; tests give it buffers.
type streams struct {
	in       io.Reader
	out, err io.Writer
	raw      io.Writer // standard output for what is written as it is, secrets included: solutions, objects
	secrets  *secrets
	site     *site // that the command works for
}

// hiding are the streams of a run, which show no secrets, and what writes the end of
// them.
func (s streams) hiding() (hidden streams, flush func() error) {
	k := &secrets{}
	out := &page{w: s.out, k: k}
	screen := &console{Writer: s.err, secrets: k}
	raw := s.out
	if f, ok := s.out.(*os.File); ok && screen.isTerminal() {
		raw = clearing{f, screen}
		out.w = raw
	}
	hidden = streams{&stdin{Reader: s.in}, out, screen, raw, k, &site{}}
	return hidden, func() error {
		screen.quietly()
		return cmp.Or(out.flush(), out.end(streams{s.in, s.out, screen, s.out, k, nil}))
	}
}

// The exit codes of every command.
const (
	exitOK    = 0
	exitWrong = 1 // the manifest, or another input, is wrong
	exitUsage = 2 // the command line is, or a file would be lost that it names
	exitBug   = 3 // the system is (disk, memory, a registry that does not answer), or kumiki

	exitDiffers   = 4 // there is a difference, and the command was asked for one
	exitRefused   = 5 // the cluster refused, and nothing was changed
	exitUnhealthy = 6 // it was applied, and is not healthy
	exitLate      = 7 // the time was over
)

// errRefused, errUnhealthy and errLate say what has come of a command that changes what runs,
// and that this has been printed.
var (
	errRefused   = errors.New("the cluster refused")
	errUnhealthy = errors.New("it is not healthy")
	errLate      = errors.New("the time is over")
)

// endings are the exit codes of what has been printed.
var endings = []struct {
	err  error
	code int
}{{errBug, exitBug}, {errSystem, exitBug}, {errWrong, exitWrong}, {errDiffers, exitDiffers}, {errRefused, exitRefused}, {errUnhealthy, exitUnhealthy}, {errLate, exitLate}}

// errDiffers says that there is a difference and that it has been printed.
var errDiffers = errors.New("there is a difference")

// errWrong says that the input is wrong and that this has been printed.
var errWrong = errors.New("the input has errors")

// errSystem says that the machine or a registry has failed and that this has been
// printed.
var errSystem = errors.New("the system failed")

// errBug says that kumiki has failed and that this has been printed.
var errBug = errors.New("internal error")

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, s streams) (code int) {
	s, flush := s.hiding()
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.err, "kumiki: internal error: %v; this is a mistake in kumiki, please report it with what follows\n%s", p, debug.Stack())
			code = exitBug
		}
	}()
	root := newRootCmd(s, args...)
	root.SetArgs(args)
	cmd, err := root, unknownCommand(root, args)
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if unwritten := flush(); err == nil {
		err = unwritten
	}
	if err == nil {
		return exitOK
	}
	for _, c := range endings {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	fmt.Fprintf(s.err, "kumiki: %s\n", diag.Safe(err.Error()))
	switch failed := new(fs.PathError); {
	case ofSystem(err):
		return exitBug
	case !errors.As(err, &failed) && !errors.Is(err, errKept): // the help says nothing about files
		fmt.Fprintf(s.err, "See '%s --help'.\n", cmd.CommandPath())
	}
	return exitUsage
}

// ofSystem reports whether an error says that the machine has not enough of
// something, or that it fails: no other command line would help.
func ofSystem(err error) bool {
	for _, short := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.EFBIG} {
		if errors.Is(err, short) {
			return true
		}
	}
	return false
}

// subcommand is the name of a command and what makes it.
type subcommand struct {
	name string
	make func(streams) *cobra.Command
}

// groups are the commands in the order in which people come to need them.
var groups = []struct {
	id, title string
	commands  []subcommand
}{
	{"author", "Write", []subcommand{
		{"init", newInitCmd}, {"new", newNewCmd}, {"params", newParamsCmd}, {"doc", newDocCmd}, {"explain", newExplainCmd},
		{"lsp", newLSPCmd},
	}},
	{"check", "Check", []subcommand{
		{"vet", newVetCmd}, {"test", newTestCmd}, {"lint", newLintCmd}, {"verify", newVerifyCmd}, {"migrate", newMigrateCmd},
		{"unused", newUnusedCmd},
	}},
	{"deploy", "Deploy", []subcommand{
		{"compile", newCompileCmd}, {"render", newRenderCmd}, {"lower", newLowerCmd}, {"matrix", newMatrixCmd}, {"promote", newPromoteCmd},
		{"watch", newWatchCmd}, {"plan", newPlanCmd}, {"prune", newPruneCmd}, {"fill", newFillCmd}, {"order", newOrderCmd},
		{"saved", newSavedCmd}, {"env", newEnvCmd}, {"needs", newNeedsCmd}, {"capacity", newCapacityCmd}, {"qos", newQosCmd},
		{"targets", newTargetsCmd},
	}},
	{"run", "Run", []subcommand{
		{"apply", newApplyCmd}, {"diff", newLiveDiffCmd}, {"status", newStatusCmd}, {"wait", newWaitCmd}, {"drift", newDriftCmd},
		{"logs", newLogsCmd}, {"delete", newDeleteLiveCmd}, {"stop", newStopCmd}, {"start", newStartCmd}, {"restart", newRestartCmd},
		{"nodes", newNodesCmd}, {"move", newMoveCmd}, {"drain", newDrainCmd}, {"notify", newNotifyCmd}, {"rbac", newRbacCmd},
		{"login", newLoginCmd}, {"logout", newLogoutCmd}, {"ops", newOpsCmd}, {"history", newDeployedHistoryCmd}, {"rollback", newDeployedRollbackCmd},
	}},
	{"look", "Look into", []subcommand{
		{"why", newWhyCmd}, {"impact", newImpactCmd}, {"graph", newGraphCmd}, {"types", newTypesCmd}, {"instances", newInstancesCmd},
		{"owner", newOwnerCmd}, {"dependents", newDependentsCmd}, {"links", newLinksCmd}, {"stale", newStaleCmd}, {"layout", newLayoutCmd},
	}},
	{"share", "Share", []subcommand{
		{"mod", newModCmd}, {"compat", newCompatCmd}, {"publish", newPublishCmd}, {"bundle", newBundleCmd}, {"list", newListCmd},
		{"search", newSearchCmd}, {"index", newIndexCmd},
	}},
}

// newRootCmd makes the command that holds all others. If the arguments of a command line are given, it makes
// only the command that they begin with: to make the flags of all takes longer than many a command.
func newRootCmd(s streams, args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "kumiki",
		Short: "Compile Kumori deployments, written in CUE, to solutions",
		Long: `Kumiki compiles deployments. A #Deployment manifest, written in CUE, names an
artifact and gives it configuration; kumiki checks it against the artifact,
spreads the configuration down the artifact's roles, and writes the solution:
flat deployments and the links between them.

Data goes to standard output and talk to standard error. The exit code is 0 when
all is well, 1 when the input is wrong, 2 when the command line is or a file would
be lost, 3 when the system (disk, memory, a registry, a cluster) or kumiki itself is,
and 4 when a command that looks for differences has found one, or capacity no room.
Commands that change what runs end with 5 when the cluster refused and nothing was
changed, with 6 when it was changed and does not run as it should, and with 7 when
the time was over.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	screen, out := s.err.(*console), s.out.(*page)
	screen.register(root)
	s.secrets.register(root)
	l := &limits{}
	l.register(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		s.secrets.begin(cmd, args)
		screen.strict = isStrict(cmd)
		if err := errors.Join(screen.check(), placed(cmd, s), flagsThere(cmd)); err != nil {
			return err
		}
		out.divert()
		screen.progress.begin(screen, cmd, &l.progress)
		if err := l.begin(cmd, screen); err != nil {
			return err
		}
		if err := s.site.managed(cmd, s); err != nil {
			return err
		}
		return s.site.begin(cmd, s, args)
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	addCommands(root, s, args)
	places(root, &out.place)
	completions(root, s)
	for _, c := range root.Commands() {
		arguments(c)
	}
	return root
}

// addCommands adds the command that the arguments begin with, or all of them if they begin with none.
func addCommands(root *cobra.Command, s streams, args []string) {
	begun := func(c subcommand) bool { return len(args) > 0 && args[0] == c.name }
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		if i := slices.IndexFunc(g.commands, begun); i >= 0 {
			root.AddCommand(g.commands[i].in(g.id, s))
		}
	}
	if root.HasSubCommands() {
		return
	}
	for _, g := range groups {
		for _, c := range g.commands {
			root.AddCommand(c.in(g.id, s))
		}
	}
	for _, add := range savedCommands {
		if cmd := add(s); !isCommand(root, cmd.Name()) { // the bare verbs are for what runs
			root.AddCommand(formerly(cmd, "saved", s))
		}
	}
	root.AddCommand(newVersionCmd(s), newArgumentsTopic())
}

// in makes the command, as one of a group.
func (c subcommand) in(group string, s streams) *cobra.Command {
	cmd := c.make(s)
	cmd.GroupID = group
	return cmd
}

// isStrict reports whether a command is to end with an error where there is a warning.
func isStrict(cmd *cobra.Command) bool {
	strict, err := cmd.Flags().GetBool("strict")
	return err == nil && strict
}

// isCommand reports whether there is a command of a name.
func isCommand(root *cobra.Command, name string) bool {
	return filter.Any(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

// needsCommand is run when a command that only holds others is called alone.
func needsCommand(cmd *cobra.Command, _ []string) error {
	return fmt.Errorf("%s needs a command: %s", cmd.CommandPath(), strings.Join(namesOf(cmd), ", "))
}

// namesOf are the commands that a command holds.
func namesOf(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// version is the version of the module that the binary was built from, as the
// Go toolchain recorded it.
func version() string { return builtFrom().Version }
