package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/history"
)

// entryHelp says how an entry of a history is named.
const entryHelp = `ENTRY is a number of 'kumiki saved history', six digits or more of a digest, current or
previous.`

func newHistoryCmd(s streams) *cobra.Command {
	var dir, form string
	cmd := &cobra.Command{
		Use:   "history [NAME]",
		Short: "List the solutions that have been saved",
		Long: `History lists what 'kumiki compile --save', 'kumiki saved rollback' and 'kumiki saved delete'
have made the current solution under NAME, the latest first; without NAME, what is
current under each name.`,
		Example: `  kumiki saved history shop
  kumiki saved history -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			return runHistory(s, history.Open(dir), args, form)
		},
	}
	registerSolutions(cmd, &dir)
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form` of the list: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// named is an entry with the name that it is saved under.
type named struct {
	Name string `json:"name"`
	history.Entry
}

func runHistory(s streams, store *history.Store, args []string, form string) error {
	rows := []named{}
	if len(args) > 0 {
		entries, err := store.Entries(args[0])
		if err != nil {
			return err
		}
		for i := range entries {
			rows = append(rows, named{args[0], entries[len(entries)-1-i]})
		}
	} else {
		names, err := store.Names()
		if err != nil {
			return err
		}
		for _, name := range names {
			e, err := store.Find(name, "")
			if err != nil {
				return err
			}
			rows = append(rows, named{name, e})
		}
	}
	if form == "json" {
		return printJSON(s, rows)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tENTRY\tBY\tDIGEST\tARTIFACT\tCOMMENT")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", diag.Printable(r.Name), r.Number, r.What, cmp.Or(short(r.Digest), "-"), cmp.Or(diag.Printable(r.Artifact), "-"), cmp.Or(diag.Printable(r.Comment), "-"))
	}
	return w.Flush()
}

// short is as much of a digest as tells it from others.
func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(12, len(digest))]
}
