package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kumiki.dev/client"
	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
)

// manager is the server that a command talks to, in place of a cluster.
type manager struct {
	*client.Client
	// flag is what names it again in a command line: " --server URL", "" where nothing has to.
	flag string
}

// notManaged is what --server says for the cluster that this machine reaches.
const notManaged = "local"

// registerServer adds the flag that names a manager.
func registerServer(cmd *cobra.Command) {
	cmd.Flags().String("server", "", "`URL` of a manager (kumikid) that does it, or local for the cluster that this machine reaches (default: KUMIKI_SERVER, else where kumiki login has been, else local)")
	_ = cmd.RegisterFlagCompletionFunc("server", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		known, _ := readLogins()
		return append(known.names(), notManaged), cobra.ShellCompDirectiveNoFileComp
	})
}

// managedInputs are flags that mean the same at a manager as without: those that say what is
// compiled.
var managedInputs = []string{"package", "modules", "name", "values", "set", "with", "links", "strict", "no-partial", "no-lean", "no-stubs", "no-memo", "solutions", "env", "envs", "policies", "compile-timeout", "registry", "latest", "server"}

// withManager are flags that mean something at a manager only.
var withManager = []string{"environment", "label"}

// managedFlags are the other flags that a command has at a manager; nil for a command that a
// manager has nothing for.
func managedFlags(cmd string) []string {
	switch cmd {
	case "apply":
		return []string{"timeout", "rollback-on-failure", "yes", "wait", "adopt", "dry-run", "allow-data-loss", "allow-dangling", "allow-orphans", "environment", "label"}
	case "diff":
		return []string{"output", "environment"}
	case "status":
		return []string{"output", "watch"}
	case "drift":
		return []string{"output", "repair", "yes", "timeout"}
	case "wait":
		return []string{"for", "timeout"}
	case "logs":
		return []string{"follow", "previous", "tail", "since", "instance", "container", "output"}
	case "stop", "start", "restart":
		return []string{"timeout", "wait", "instance"}
	case "nodes":
		return []string{"output", "environment"}
	case "move":
		return []string{"to", "role", "allow-data-move", "yes", "timeout", "environment"}
	case "drain":
		return []string{"role", "allow-data-move", "yes", "timeout", "undo", "environment"}
	case "notify":
		return []string{"to", "state", "key-file", "after", "restarts", "within", "every", "once", "timeout"}
	case "delete":
		return []string{"yes", "timeout", "allow-data-loss", "allow-dangling", "allow-orphans"}
	case "history":
		return []string{"output"}
	case "rollback":
		return []string{"yes", "timeout", "wait", "dry-run", "allow-data-loss", "allow-dangling", "allow-orphans"}
	case "list":
		return []string{"output", "pending"}
	case "watch":
		return []string{"output", "timeout"}
	case "cancel":
		return []string{"timeout", "wait"}
	}
	return nil
}

// managed finds the manager that a command is for, if it is for one: before an environment says
// what flags are.
func (e *site) managed(cmd *cobra.Command, s streams) error {
	flag := cmd.Flags().Lookup("server")
	if flag == nil {
		return nil
	}
	at, from, err := whichServer(flag)
	if err != nil {
		return err
	}
	if at == "" {
		for _, name := range withManager {
			if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
				return fmt.Errorf("--%s: that is for a manager; say --server URL, or kumiki login URL before", name)
			}
		}
		return nil
	}
	if err := checkManaged(cmd, at, from); err != nil {
		return err
	}
	server, err := serverOf(at, from)
	if err != nil {
		return err
	}
	c, err := client.New(server)
	if err != nil {
		return err
	}
	e.manager = &manager{Client: c}
	if from == "--server" {
		e.manager.flag = " --server " + c.URL()
	} else {
		s.hint("kumiki: at %s, as %s says; --server local is the cluster that this machine reaches\n", c.URL(), from)
	}
	return nil
}

// whichServer is the manager that a command is for, "" for none, and what says so.
func whichServer(flag *pflag.Flag) (at, from string, err error) {
	at, from = flag.Value.String(), "--server"
	if !flag.Changed {
		at, from = os.Getenv("KUMIKI_SERVER"), "KUMIKI_SERVER"
	} else if at == "" {
		return "", "", errors.New("--server: which? A URL, or local for the cluster that this machine reaches")
	}
	if at == "" {
		known, err := readLogins()
		if err != nil {
			return "", "", err
		}
		at, from = known.Current, "kumiki login"
	}
	if at == notManaged || at == "" {
		return "", "", nil
	}
	if at, err = client.Normal(at); err != nil {
		err = fmt.Errorf("%s: %w", from, err)
	}
	return at, from, err
}

// checkManaged refuses flags, and whole commands, that a manager has nothing for: nothing is
// done in a cluster instead.
func checkManaged(cmd *cobra.Command, at, from string) (err error) {
	takes := managedFlags(cmd.Name())
	if takes == nil {
		return unmanaged(cmd, fmt.Sprintf("%s (%s)", at, from))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && cmd.InheritedFlags().Lookup(f.Name) == nil && !filter.Contains(takes, f.Name) && !filter.Contains(managedInputs, f.Name) {
			err = fmt.Errorf("%s: that is for the cluster that this machine reaches, and this goes to the manager at %s (%s): leave it out, or say --server local", called(f), at, from)
		}
	})
	return err
}

// unmanaged says that a manager has nothing for a command, and what has.
func unmanaged(cmd *cobra.Command, at string) error {
	return fmt.Errorf("%s: the manager at %s does not do that; with --server local it is done in the cluster that this machine reaches", cmd.Name(), at)
}

// serverOf is who asks at a server.
func serverOf(at, from string) (client.Server, error) {
	s := client.Server{URL: at, Agent: "kumiki/" + version()}
	token := os.Getenv("KUMIKI_TOKEN")
	known, err := readLogins()
	if err != nil && (token == "" || from == "kumiki login") {
		return s, err
	}
	l := known.Servers[at]
	s.Token, s.CA = l.Token, []byte(l.CA)
	if token != "" && from != "kumiki login" {
		s.Token = token
	}
	return s, nil
}

// failed prints what a manager says, and returns what the command ends with.
func (m *manager) failed(s streams, err error) error {
	var e *client.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(s.err, "kumiki: the time is over: %s\n", m.URL())
		return errLate
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(s.err, "kumiki: interrupted; what %s was asked for before goes on there, and kumiki ops list%s has it\n", m.URL(), m.flag)
		return errLate
	case !errors.As(err, &e):
		fmt.Fprintf(s.err, "kumiki: %s\n", diag.Safe(err.Error()))
		return errSystem
	}
	switch e.Status {
	case http.StatusNotFound:
		return errors.New(e.Error()) // the command line names what is not there
	case http.StatusUnauthorized:
		fmt.Fprintf(s.err, "kumiki: %s does not know who asks, or takes the token no more: kumiki login %s\n", m.URL(), m.URL())
		return errSystem
	case http.StatusPreconditionFailed:
		fmt.Fprintf(s.err, "kumiki: %s: somebody else has changed it meanwhile, and nothing was changed: look at it, and say it again [%s]\n", m.URL(), e.Code)
		return errRefused
	case http.StatusConflict, http.StatusPreconditionRequired:
		fmt.Fprintf(s.err, "kumiki: %s\n", diag.Safe(e.Error()))
		return errRefused
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		if err := printProblems(s.err, e.Diagnostics()); err != nil {
			return err
		}
		return errWrong
	}
	fmt.Fprintf(s.err, "kumiki: %s\n", diag.Safe(e.Error()))
	return errSystem
}

// isAbsent reports whether what was asked for is not there.
func isAbsent(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// managedNames are the names of the deployments at a manager that a key completes; ok tells that
// the command goes to one.
func managedNames(t typed) (names []string, ok bool) {
	ok = askManaged(t, func(ctx context.Context, c *client.Client) {
		all, _, _ := c.Deployments(ctx, "", "")
		for _, d := range all {
			if strings.HasPrefix(d.Name, t.word) {
				names = append(names, d.Name)
			}
		}
	})
	return names, ok
}

// askManaged asks the manager that a command goes to in the time that a key may take. It reports
// whether there is one, also where it does not answer, or has nothing for the command.
func askManaged(t typed, ask func(ctx context.Context, c *client.Client)) bool {
	flag := t.cmd.Flags().Lookup("server")
	if flag == nil {
		return false
	}
	at, from, err := whichServer(flag)
	if err != nil || at == "" || managedFlags(t.cmd.Name()) == nil {
		return at != "" || err != nil
	}
	server, err := serverOf(at, from)
	if err != nil {
		return true
	}
	if c, err := client.New(server); err == nil {
		ctx, cancel := context.WithTimeout(t.cmd.Context(), completing)
		defer cancel()
		ask(ctx, c)
	}
	return true
}

// deployedOf completes the name of a deployment at a manager.
func deployedOf(t typed) ([]string, bool) {
	names, _ := managedNames(t)
	return names, false
}

// deployedOrSavedOf is [deployedOf], without a manager what has been saved.
func deployedOrSavedOf(t typed) ([]string, bool) {
	if names, ok := managedNames(t); ok {
		return names, false
	}
	return savedOf(t)
}
