package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/report"
)

func newExplainCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Explain a problem's code, with an example",
		Long: `Explain says what the code in brackets at the end of a problem means, why there
is a rule, and what to do, and shows an example of the problem and of the same
thing without it. Without a code it lists all codes.

The examples add to the files of one small application, which docs/errors.md
begins with.`,
		Example: `  kumiki explain spread/conflict
  kumiki explain`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeCode,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listCodes(s)
			}
			return runExplain(s, args[0])
		},
	}
}

// completeCode offers the codes that begin so, each with its title.
func completeCode(_ *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, code := range report.Codes() {
		if e, _ := report.Explain(code); strings.HasPrefix(string(code), begin) {
			out = append(out, cobra.CompletionWithDesc(string(code), e.Title))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func listCodes(s streams) error {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, code := range report.Codes() {
		e, _ := report.Explain(code)
		fmt.Fprintf(w, "%s\t%s\n", code, e.Title)
	}
	return w.Flush()
}

func runExplain(s streams, arg string) error {
	arg = strings.Trim(arg, "[]") // as it is copied from a problem
	e, ok := report.Explain(diag.Code(arg))
	if !ok {
		return fmt.Errorf("there is no code %q%s", arg, meantCode(arg))
	}
	_, err := fmt.Fprintf(s.out, "%s: %s\n\n%s", e.Code, e.Title, e.Plain())
	return err
}

// meantCode proposes the code that comes near, or that ends with the word.
func meantCode(arg string) string {
	var codes []string
	for _, code := range report.Codes() {
		if _, name, _ := strings.Cut(string(code), "/"); name == arg {
			return fmt.Sprintf("; did you mean %s?", code)
		}
		codes = append(codes, string(code))
	}
	if near, ok := diag.Nearest(arg, codes); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}
