package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/query"
)

func newStaleCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "stale [DIR|FILE...]",
		Short: "List what solutions have from others that has changed since",
		Long: `Stale lists the values that solutions have taken from other deployments
({$from: "db", field: "config.parameter.host"}) and that are not what these have
now, the links to others that lead to something else now, and what is not there any
more: fields, channels, deployments, and those that up names.
Compile such a solution again to take what is there now. Without an argument it
looks at what is saved in --solutions.

` + solutionsHelp + ` The exit code is 4 if anything is stale.`,
		Example: `  kumiki stale
  kumiki stale prod/*.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{in.store}
			}
			facts, solutions, err := in.involved(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			stale := query.StaleOf(facts, solutions)
			rows := [][]string{{"SOLUTION", "FIELD", "FROM", "WAS", "IS"}}
			for _, one := range stale {
				from, is := one.Deployment, one.Why
				if one.Field != "" {
					from += " " + one.Field
				}
				if one.Why == query.Changed {
					is = brief(one.Is)
				}
				rows = append(rows, []string{one.Solution, one.At, from, brief(one.Was), is})
			}
			if len(stale) == 0 && form == "text" {
				rows = nil
			}
			if err := printAnswer(s.out, form, stale, rows); err != nil {
				return err
			}
			if len(stale) > 0 {
				return errDiffers
			}
			return nil
		},
	}
	in.register(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// brief is a value on a line.
func brief(v any) string {
	if v == nil {
		return ""
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // & is no \u0026 to people
	if err := enc.Encode(v); err != nil {
		return ""
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if r := []rune(text); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return text
}
