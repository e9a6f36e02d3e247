package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/module/catalog"
	"kumiki.dev/module/registry"
)

// entryForms are the output forms of list and search.
var entryForms = map[string]func(io.Writer, []catalog.Entry) error{
	"table": writeEntries,
	"json": func(w io.Writer, entries []catalog.Entry) error {
		data, err := indent(entries)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	},
}

func newListCmd(s streams) *cobra.Command {
	var in, form, collection string
	cmd := &cobra.Command{
		Use:   "list [DIR | MODULE[@VERSION]]",
		Short: "List the artifacts of an index or a module",
		Long: `List prints the artifacts of a module: a published one, whose index is read from
the registry without the module, or that which DIR lies in. Without an argument it
prints those of an index (see kumiki index): --in, or that which
kumiki.registry.cue names. kumiki mod list PATH/... says which modules there are.`,
		Example: `  kumiki list example.com/shop@v1
  kumiki list example.com/shop@v1 --collection databases
  kumiki list --in index.json -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "json", "table"); err != nil {
				return err
			}
			if len(args) > 0 && in != "" {
				return errors.New("--in INDEX and a module exclude each other")
			}
			ix, err := indexFor(cmd.Context(), s, args, in)
			if err != nil {
				return err
			}
			entries := ix.Entries()
			if cmd.Flags().Changed("collection") {
				if entries, err = catalog.InCollection(entries, collection); err != nil {
					return wrong(s, err)
				}
			}
			return entryForms[form](s.out, entries)
		},
	}
	entryFlags(cmd, &in, &form)
	cmd.Flags().StringVar(&collection, "collection", "", "only the artifacts in the collection of this `name`")
	return cmd
}

func indexFor(ctx context.Context, s streams, args []string, in string) (*catalog.Index, error) {
	if len(args) > 0 {
		return indexOf(ctx, s, args[0], "")
	}
	return chosenIndex(s, in)
}

func entryFlags(cmd *cobra.Command, in, form *string) {
	cmd.Flags().StringVar(in, "in", "", "`file` with an index (default: that in kumiki.registry.cue)")
	cmd.Flags().StringVarP(form, "output", "o", "table", "`form`: json, table")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"json", "table"}, cobra.ShellCompDirectiveNoFileComp))
}

// chosenIndex reads the index in a file, or that which the settings name.
func chosenIndex(s streams, name string) (*catalog.Index, error) {
	if name == "" {
		settings, err := registry.ReadSettings(".")
		if err != nil {
			return nil, wrong(s, err)
		}
		if name = settings.Index; name == "" {
			return nil, fmt.Errorf("no index is named: give one with --in, or with index: in %s; kumiki index writes it (what runs is listed by kumiki status, what is saved by kumiki saved history)", registry.SettingsFile)
		}
	}
	ix, err := registry.ReadIndexFile(name)
	return ix, wrongFile(s, err)
}

// writeEntries writes a line an artifact.
func writeEntries(w io.Writer, entries []catalog.Entry) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ARTIFACT\tKIND\tCOLLECTION\tDESCRIPTION")
	for _, e := range entries {
		about := e.Description()
		if e.Deprecated != "" {
			about = "deprecated: " + e.Deprecated
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", diag.Printable(e.Reference()), diag.Printable(e.Kind), cmp.Or(diag.Printable(e.Collection), "-"), cmp.Or(diag.Printable(about), "-"))
	}
	return t.Flush()
}
