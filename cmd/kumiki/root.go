package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
)

// streams are where a command reads and writes; tests give it buffers.
type streams struct {
	in       io.Reader
	out, err io.Writer
	raw      io.Writer // standard output for what is written as it is, secrets included: solutions, objects
	secrets  *secrets
}

// hiding are the streams of a run, which show no secrets, and what writes the end of
// them.
func (s streams) hiding() (hidden streams, flush func() error) {
	k := &secrets{}
	out := &page{w: s.out, k: k}
	hidden = streams{&stdin{Reader: s.in}, out, &console{Writer: s.err, secrets: k}, s.out, k}
	return hidden, func() error { return cmp.Or(out.flush(), out.end(streams{s.in, s.out, hidden.err, s.out, k})) }
}

// The exit codes of every command.
const (
	exitOK    = 0
	exitWrong = 1 // the manifest, or another input, is wrong
	exitUsage = 2 // the command line is, or a file would be lost that it names
	exitBug   = 3 // the system is (disk, memory, a registry that does not answer), or kumiki
)

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
	root := newRootCmd(s)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if unwritten := flush(); err == nil {
		err = unwritten
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errBug), errors.Is(err, errSystem):
		return exitBug
	case errors.Is(err, errWrong):
		return exitWrong
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

// groups are the commands in the order in which people come to need them.
var groups = []struct {
	id, title string
	commands  []func(streams) *cobra.Command
}{
	{"author", "Write", []func(streams) *cobra.Command{newInitCmd, newNewCmd, newParamsCmd, newDocCmd, newExplainCmd, newLSPCmd}},
	{"check", "Check", []func(streams) *cobra.Command{newVetCmd, newTestCmd, newLintCmd, newVerifyCmd, newMigrateCmd, newUnusedCmd}},
	{"deploy", "Deploy", []func(streams) *cobra.Command{newCompileCmd, newRenderCmd, newLowerCmd, newWatchCmd, newPlanCmd, newPruneCmd, newOrderCmd, newSavedCmd, newNeedsCmd, newTargetsCmd}},
	{"look", "Look into", []func(streams) *cobra.Command{newWhyCmd, newImpactCmd, newGraphCmd, newTypesCmd, newInstancesCmd, newOwnerCmd}},
	{"share", "Share", []func(streams) *cobra.Command{newModCmd, newCompatCmd, newPublishCmd, newBundleCmd, newListCmd, newSearchCmd, newIndexCmd}},
}

func newRootCmd(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "kumiki",
		Short: "Compile Kumori deployments, written in CUE, to solutions",
		Long: `Kumiki compiles deployments. A #Deployment manifest, written in CUE, names an
artifact and gives it configuration; kumiki checks it against the artifact,
spreads the configuration down the artifact's roles, and writes the solution:
flat deployments and the links between them.

Data goes to standard output and talk to standard error. The exit code is 0 when
all is well, 1 when the input is wrong, 2 when the command line is or a file would
be lost, and 3 when the system (disk, memory, a registry) or kumiki itself is.`,
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
		if err := errors.Join(screen.check(), placed(cmd, s)); err != nil {
			return err
		}
		out.divert()
		return l.begin(cmd, screen)
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, add := range g.commands {
			cmd := add(s)
			cmd.GroupID = g.id
			root.AddCommand(cmd)
		}
	}
	for _, add := range savedCommands {
		root.AddCommand(formerly(add(s), "saved", s))
	}
	root.AddCommand(newVersionCmd(s), newArgumentsTopic())
	places(root, &out.place)
	return root
}

// needsCommand is run when a command that only holds others is called alone.
func needsCommand(cmd *cobra.Command, _ []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("%s needs a command: %s", cmd.CommandPath(), strings.Join(names, ", "))
}

// version is the version of the module that the binary was built from, as the
// Go toolchain recorded it.
func version() string { return builtFrom().Version }
