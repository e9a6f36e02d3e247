package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"kumiki.dev/query"
)

// solutionsHelp says what the commands that take several solutions read.
const solutionsHelp = `Each argument is a solution, sources to compile (see 'kumiki help arguments'), or a
directory of any of them, such as what --save writes; by default, the working
directory. Of what is saved, the current solutions count; saved: is all in --solutions.`

func newTypesCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "types [DIR|FILE...]",
		Short: "List the artifacts that solutions use",
		Long: `Types lists the artifacts in use, with how many roles and deployments each fills,
and in how many solutions.

` + solutionsHelp,
		Example: `  kumiki types solutions
  kumiki types shop.json examples/regions/deploy -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			all, err := in.facts(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			types := query.Types(all)
			rows := [][]string{{"TYPE", "INSTANCES", "SOLUTIONS"}}
			for _, t := range types {
				rows = append(rows, []string{t.Type, strconv.Itoa(t.Instances), strconv.Itoa(t.Solutions)})
			}
			return printAnswer(s.out, form, types, rows)
		},
	}
	in.register(cmd)
	in.registerHistory(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// outputFlag adds -o for the commands that answer in text or JSON.
func outputFlag(cmd *cobra.Command, form *string) {
	cmd.Flags().StringVarP(form, "output", "o", "text", "`form`: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// printAnswer writes the answer as JSON, or its rows as a table, of which the
// first is the head.
func printAnswer(w io.Writer, form string, answer any, rows [][]string) error {
	if form == "json" {
		text, err := indent(answer)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = cmp.Or(printable(row[i]), "-")
		}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printable quotes a text that would break its line or steer a terminal: names
// in files may hold anything.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
