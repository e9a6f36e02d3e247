// Command kumikid is the manager: it keeps deployments, and brings what runs to what they want.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"kumiki.dev/run/api"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs a command, and returns its exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := &cobra.Command{
		Use:           "kumikid",
		Short:         "Keep deployments, and bring what runs to what they want",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newServeCmd(out, errs), newRecoverCmd(out), newBackupCmd(out, errs), newRestoreCmd(out), newOpenAPICmd(out), newVersionCmd(out))
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return 0
	}
	fmt.Fprintf(errs, "kumikid: %v\n", err)
	var u *usageError
	if errors.As(err, &u) {
		return 2
	}
	return 3
}

// usageError is one of the command line.
type usageError struct{ error }

func wrongUsage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func newOpenAPICmd(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "openapi", Short: "Print the OpenAPI document of the interface", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			data, err := (&api.Server{}).OpenAPI()
			if err == nil {
				_, err = out.Write(data)
			}
			return err
		},
	}
}
