package main

import (
	"context"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"kumiki.dev/lsp"
)

func newLSPCmd(s streams) *cobra.Command {
	var limits lsp.Limits
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: problems, values and completions as you type",
		Long: `Lsp is a language server over standard input and output, for editors that speak
the Language Server Protocol 3.17. It shows what kumiki vet says about the
deployments of the workspace and the artifacts they are made of, unsaved buffers
included, and the values that fields come to have. docs/editors.md says how to
set editors up.`,
		Example: `  kumiki lsp`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			worker := []string{self, "lsp", "worker"}
			if s.secrets.show {
				worker = append(worker, "--show-values")
			}
			o := lsp.Options{Worker: worker, CUE: []string{self, "lsp", "cue"}, Version: version(), Limits: limits}
			return wrong(s, lsp.Serve(cmd.Context(), stdio{s.in, s.raw}, o))
		},
	}
	cmd.Flags().DurationVar(&limits.Time, "max-time", 0, "how long a compilation may take")
	cmd.Flags().IntVar(&limits.Memory, "max-memory", 0, "how many `MB` a compilation may take")
	for _, name := range []string{"max-time", "max-memory"} {
		_ = cmd.Flags().MarkHidden(name) // the flag is there
	}
	cmd.AddCommand(&cobra.Command{
		Use:    "worker MB",
		Short:  "Compile for the server, which starts this itself",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			memory, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			return lsp.Worker(context.WithoutCancel(cmd.Context()), s.in, s.raw, memory, s.secrets.show)
		},
	})
	cmd.AddCommand(&cobra.Command{
		Use:    "cue",
		Short:  "Serve what CUE knows of sources, which the server starts itself",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if lsp.CUE() != 0 {
				return errBug
			}
			return nil
		},
	})
	return cmd
}

// stdio makes one stream of two.
type stdio struct {
	io.Reader
	io.Writer
}

// Close ends the reading, which a blocked read would not notice otherwise.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
