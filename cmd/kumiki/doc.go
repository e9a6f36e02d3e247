package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"kumiki.dev/load"
	"kumiki.dev/module/doc"
)

// pageForms are the output forms of doc.
var pageForms = map[string]func(*doc.Page) ([]byte, error){
	"markdown": (*doc.Page).Markdown,
	"html":     (*doc.Page).HTML,
}

func newDocCmd(s streams) *cobra.Command {
	var in inputFlags
	var form, check string
	cmd := &cobra.Command{
		Use:   "doc ARTIFACT",
		Short: "Write the page of an artifact",
		Long: `Doc writes a page about the artifact in the directory ARTIFACT: its doc comment,
its channels, every config field, its roles and how they are connected, and an
example of the module that deploys it, with what that compiles to.

With --check it compares a file with the page, for CI.`,
		Example: `  kumiki doc examples/shop/shop > shop.md
  kumiki doc examples/shop/shop -o html > shop.html
  kumiki doc examples/shop/shop --check shop.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := pageForms[form]
			if !ok {
				return fmt.Errorf("-o %s: there are html, markdown", form)
			}
			return in.onArtifact(cmd.Context(), s, args[0], func(s streams, of load.Input) error {
				return runDoc(cmd.Context(), s, of, write, check)
			})
		},
	}
	in.registerLoad(cmd)
	cmd.Flags().StringVarP(&form, "output", "o", "markdown", "`form`: html, markdown")
	cmd.Flags().StringVar(&check, "check", "", "`file` that is expected to hold the page")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"html", "markdown"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runDoc(ctx context.Context, s streams, in load.Input, write func(*doc.Page) ([]byte, error), check string) error {
	p, problems := doc.Of(ctx, in)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	text, err := write(p)
	if err != nil {
		return err
	}
	if check == "" {
		_, err = s.out.Write(text)
		return err
	}
	old, err := os.ReadFile(check)
	if err != nil {
		return err
	}
	if !bytes.Equal(old, text) {
		return wrong(s, fmt.Errorf("%s is not the page of %s any more: write it anew with kumiki doc", check, p.Import))
	}
	return nil
}
