package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"kumiki.dev/lsp"
)

func newLSPCmd(s streams) *cobra.Command {
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
			o := lsp.Options{Worker: []string{self, "lsp", "worker"}, CUE: []string{self, "lsp", "cue"}, Version: version()}
			return lsp.Serve(cmd.Context(), stdio{s.in, s.out}, o)
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:    "worker",
		Short:  "Compile for the server, which starts this itself",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return lsp.Worker(context.WithoutCancel(cmd.Context()), s.in, s.out)
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
