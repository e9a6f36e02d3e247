package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kumiki.dev/client"
	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/sorting"
)

// logins are the managers that somebody has logged in to.
type logins struct {
	// Current is the one that commands go to.
	Current string           `json:"current,omitempty"`
	Servers map[string]login `json:"servers,omitempty"`
}

// login is how a manager knows somebody.
type login struct {
	Token string `json:"token,omitempty"`
	CA    string `json:"ca,omitempty"` // certificates, as PEM
}

func (l logins) names() []string { return sorting.Ordered(l.Servers) }

// loginsFile is where logins are kept.
func loginsFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "kumiki", "servers.json"), err
}

// readLogins reads them; none where there is no such file. One that others can read is refused.
func readLogins() (l logins, err error) {
	file, err := loginsFile()
	if err != nil {
		return l, nil // nobody has a home, and nobody can have logged in
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil:
		return l, err
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return l, fmt.Errorf("%s: others can read it (mode %04o), and there are tokens in it: chmod 600 %s, and have new tokens made; %w", file, info.Mode().Perm(), file, errKept)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(data, &l); err != nil { // what is quoted of it may be a token
		return logins{}, fmt.Errorf("%s is damaged, and is not JSON as kumiki login writes it: remove it, and log in again; %w", file, errKept)
	}
	return l, nil
}

// changeLogins reads, changes and writes them, one command at a time.
func changeLogins(change func(*logins) error) error {
	file, err := loginsFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	unlock, err := lockedfile.MutexAt(file + ".lock").Lock()
	if err != nil {
		return err
	}
	defer unlock()
	l, err := readLogins()
	if err != nil {
		return err
	}
	if err := change(&l); err != nil {
		return err
	}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(file, bytes.NewReader(append(data, '\n')), atomicfile.Options{Mode: private, Sync: true})
}

// loginFlags are the flags of login.
type loginFlags struct{ token, ca string }

func newLoginCmd(s streams) *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use:   "login URL",
		Short: "Let the commands about what runs go to a manager",
		Long: `Login asks for a token, tries it at the manager (kumikid), and keeps it in a file of
the user's alone: kumiki/servers.json below XDG_CONFIG_HOME, or ~/.config. From then
on the commands about what runs go there, and say so. The token comes from
--token-file, from standard input, or is typed, without being shown. On the socket of
a kumikid none is needed.

URL is https://HOST:PORT, unix:FILE for a socket, or http://127.0.0.1:PORT.

Where a command goes says --server URL, else the variable KUMIKI_SERVER, else the last
login; --server local, or no login at all, is the cluster that this machine reaches.
In a pipeline KUMIKI_SERVER and KUMIKI_TOKEN do without login.`,
		Example: `  kumiki login https://kumiki.example.com:7676
  kumiki login https://kumiki.example.com:7676 --token-file token --ca ca.pem
  kumiki login unix:/run/kumikid/kumikid.sock`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runLogin(cmd.Context(), s, f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.token, "token-file", "", "`file` with the token, whose white space at both ends is none of it")
	flags.StringVar(&f.ca, "ca", "", "`file` with the certificates of the authority that the manager's is of (default: those of the machine); they are kept with the token")
	return cmd
}

func runLogin(ctx context.Context, s streams, f loginFlags, at string) error {
	at, err := client.Normal(at)
	if err != nil {
		return err
	}
	server := client.Server{URL: at, Agent: "kumiki/" + version()}
	if f.ca != "" {
		if server.CA, err = readFile(f.ca); err != nil {
			return err
		}
	}
	if server.Token, err = f.read(ctx, s, at); err != nil {
		return err
	}
	c, err := client.New(server)
	if err != nil {
		return err
	}
	var e *client.Error
	switch err := c.Check(ctx); {
	case errors.As(err, &e) && e.Status == 401:
		fmt.Fprintf(s.err, "kumiki: %s does not take this token: nothing was kept [%s]\n", at, e.Code)
		return errSystem
	case err != nil:
		return (&manager{Client: c}).failed(s, err)
	}
	err = changeLogins(func(l *logins) error {
		if l.Servers == nil {
			l.Servers = map[string]login{}
		}
		l.Current, l.Servers[at] = at, login{server.Token, string(server.CA)}
		return nil
	})
	if err == nil {
		fmt.Fprintf(s.out, "logged in at %s: the commands about what runs go there, until kumiki logout\n", at)
		if other := os.Getenv("KUMIKI_SERVER"); other != "" {
			s.hint("hint: KUMIKI_SERVER says %s, and comes before that\n", other)
		}
	}
	return err
}

// maxToken bounds a token, in bytes.
const maxToken = 16 << 10

// read reads the token: "" for none, on a socket.
func (f loginFlags) read(ctx context.Context, s streams, at string) (string, error) {
	var data []byte
	var err error
	switch in := terminalFile(s); {
	case f.token != "":
		data, err = readFile(f.token)
	case strings.HasPrefix(at, "unix:"):
		return "", nil
	case in != nil:
		answered := s.ask("Token for %s: ", at)
		data, err = typedUnseen(ctx, in)
		answered()
		fmt.Fprintln(s.err)
	default:
		data, err = io.ReadAll(io.LimitReader(s.in, maxToken+1))
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	switch {
	case token == "":
		return "", errors.New("there is no token: --token-file FILE, standard input or a terminal says it")
	case len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("that is no token: it is one word, in one line")
	}
	return token, nil
}

// typedUnseen reads a line that is typed and not shown. Interrupted, the terminal is as it was.
func typedUnseen(ctx context.Context, in *os.File) ([]byte, error) {
	was, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	type line struct {
		data []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		data, err := term.ReadPassword(int(in.Fd()))
		read <- line{data, err}
	}()
	select {
	case l := <-read:
		return l.data, l.err
	case <-ctx.Done():
		return nil, errors.Join(errors.New("nothing was typed, and nothing was kept"), term.Restore(int(in.Fd()), was))
	}
}

// terminalFile is standard input where a person sits at it, nil elsewhere.
func terminalFile(s streams) *os.File {
	in, ok := s.in.(*stdin)
	if !ok {
		return nil
	}
	f, ok := in.Reader.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

func newLogoutCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "logout [URL]",
		Short: "Forget the token for a manager",
		Long: `Logout forgets the token for a manager, by default for the one that commands go to:
from then on they go to the cluster that this machine reaches, unless --server or
KUMIKI_SERVER says otherwise. The manager takes the token until an administrator takes
it back.`,
		Example: "  kumiki logout",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var at string
			err := changeLogins(func(l *logins) (err error) {
				if at = l.Current; len(args) > 0 {
					at, err = client.Normal(args[0])
				}
				if _, known := l.Servers[at]; err == nil && !known {
					return errors.New(strings.TrimSuffix("nobody has logged in at "+at, " at ") + ": there is no token to forget")
				}
				delete(l.Servers, at)
				if l.Current == at {
					l.Current = ""
				}
				return err
			})
			if err == nil {
				fmt.Fprintf(s.out, "logged out at %s\n", at)
			}
			return err
		},
	}
}
