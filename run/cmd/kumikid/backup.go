package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"kumiki.dev/run/api"
	"kumiki.dev/run/backup"
	"kumiki.dev/run/store"
)

func newBackupCmd(out, errs io.Writer) *cobra.Command {
	var o options
	var socket, file string
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Write all that is kept into a file, while the server runs",
		Long: `Backup writes the records of one moment, and the bundles and solutions that they name,
into one file, and reads that again before it has its name. The server goes on meanwhile:
it is asked at its socket. Where none runs, the directory or the etcd cluster is read.

The file has the hashes of tokens and the key of the page's sessions: it is for its owner
alone. Values of secrets are not in it, as a manager has none.

From another machine an administrator gets the same by GET /v1/backup.`,
		Example: "  kumikid backup --out kumikid.backup\n  kumikid backup --dir /var/lib/kumikid --out /backups/$(date -u +%Y%m%dT%H%M%SZ)",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return wrongUsage("where to? Say --out FILE")
			}
			end, err := o.save(cmd.Context(), socket, file)
			if err != nil {
				return err
			}
			for _, digest := range end.Missing {
				fmt.Fprintf(errs, "warning: %s is named by a manifest, and is lost or damaged: it is not in the backup\n", digest)
			}
			fmt.Fprintf(out, "%d records and %d contents are in %s\n", end.Records, end.Contents, file)
			return nil
		},
	}
	o.registerStore(cmd)
	cmd.Flags().StringVar(&socket, "socket", "", "`file` of the server's Unix socket (default: kumikid.sock in --dir)")
	cmd.Flags().StringVarP(&file, "out", "o", "", "`file` to write, which is not there yet")
	return cmd
}

// save writes a backup into a file. It is there once it was read again.
func (o *options) save(ctx context.Context, socket, file string) (backup.End, error) {
	if _, err := os.Lstat(file); err == nil {
		return backup.End{}, wrongUsage("%s is there already: take another name", file)
	}
	if err := o.place(); err != nil {
		return backup.End{}, err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".kumikid-backup-")
	if err != nil {
		return backup.End{}, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	defer f.Close()
	if err := o.copyTo(ctx, socket, f); err != nil {
		return backup.End{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return backup.End{}, err
	}
	end, err := backup.Read(f, backup.Sink{})
	if err := errors.Join(err, f.Sync()); err != nil {
		return end, err
	}
	// A link does not take the place of what somebody else has made meanwhile.
	return end, os.Link(f.Name(), file)
}

// copyTo asks the server that runs here, or reads what is kept where none does.
func (o *options) copyTo(ctx context.Context, socket string, to io.Writer) error {
	if socket == "" {
		socket = filepath.Join(o.dir, "kumikid.sock")
	}
	answer, err := askAt(ctx, socket, "/v1/backup")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return o.readTo(ctx, to)
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return fmt.Errorf("the server at %s answers %s: %s", socket, answer.Status, text)
	}
	if _, err := io.Copy(to, answer.Body); err != nil {
		return fmt.Errorf("the server at %s has broken off; its log says why: %w", socket, err)
	}
	return nil
}

// askAt asks a server at its Unix socket.
func askAt(ctx context.Context, socket, path string) (*http.Response, error) {
	var d net.Dialer
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", socket)
	}}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://kumikid"+path, nil)
	if err != nil {
		return nil, err
	}
	return c.Do(r)
}

// readTo reads what is kept itself.
func (o *options) readTo(ctx context.Context, to io.Writer) error {
	if _, err := os.Stat(filepath.Join(o.dir, "etcd")); err != nil && len(o.etcd) == 0 {
		return wrongUsage("no kumikid runs over %s, and nothing is kept there: name its directory with --dir, or its --socket", o.dir)
	}
	s, err := o.openStore(ctx, true)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = backup.Write(ctx, s, to)
	return err
}

func newRestoreCmd(out io.Writer) *cobra.Command {
	var o options
	var check bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a directory of a backup, for a server to start over",
		Long: `Restore makes what a server keeps of a backup, in a directory that is empty or not there.
It is made as a whole, or not at all; a backup that is damaged or was cut off is refused.

Nothing that runs is changed. Operations that had not ended when the backup was made have
ended then. ETags of before are those of nothing any more, and watches begin anew. What was
made after the backup is not known: kumikid recover makes deployments of what runs.`,
		Example: "  kumikid restore kumikid.backup\n  kumikid restore kumikid.backup --dir /var/lib/kumikid\n  kumikid restore kumikid.backup --check",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return wrongUsage("%w", err)
			}
			defer f.Close()
			if check {
				end, err := backup.Read(f, backup.Sink{})
				if err == nil {
					fmt.Fprintf(out, "%s is whole: %d records and %d contents\n", args[0], end.Records, end.Contents)
				}
				return err
			}
			if err := o.place(); err != nil {
				return err
			}
			contents, err := o.registry()
			if err != nil {
				return err
			}
			made, err := backup.Restore(cmd.Context(), f, store.Options{Dir: o.dir, Contents: contents}, func(ctx context.Context, s *store.Store, b backup.Begin) error {
				return (&api.Server{Store: s}).Restored(ctx, b.Made)
			})
			if err != nil {
				return err
			}
			printRestored(out, o.dir, made)
			return nil
		},
	}
	o.registerDir(cmd)
	cmd.Flags().BoolVar(&check, "check", false, "only say whether the backup is whole")
	return cmd
}

// printRestored says what was made, and what is to be known of it.
func printRestored(out io.Writer, dir string, made backup.Restored) {
	fmt.Fprintf(out, "%d records and %d contents of %s are in %s\n", made.Records, made.Contents, made.Made.Format("2006-01-02 15:04:05 UTC"), dir)
	for _, digest := range made.Missing {
		fmt.Fprintf(out, "lost before the backup: %s\n", digest)
	}
	for _, op := range made.Stopped {
		fmt.Fprintf(out, "ended: %s of %s, operation %s\n", op.Verb, op.Deployment, op.ID)
	}
}
