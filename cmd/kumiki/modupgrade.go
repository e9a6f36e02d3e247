package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/module/registry"
	"kumiki.dev/plan"
	"kumiki.dev/report"
)

// upgradeFlags are the flags of mod upgrade.
type upgradeFlags struct {
	check, patch, details bool
	form                  string
}

func newModUpgradeCmd(s streams) *cobra.Command {
	var f upgradeFlags
	cmd := &cobra.Command{
		Use:   "upgrade [MODULE[@VERSION]...] [DIR]",
		Short: "Take greater versions of what a module depends on, or say what that would change",
		Long: `Upgrade makes the module that DIR (default: the working directory) lies in take
greater versions of the modules that are named, or of all that it depends on:
those with the same MAJOR, with --patch also with the same MINOR, or VERSION. It
writes cue.mod/module.cue and kumiki.lock, and prints what is taken instead of
what, and which module needs that if nobody asked for it.

With --check it writes nothing. It compiles every deployment in DIR and below
with the versions as they are and as they would be, and prints for each what
that would do to its instances, as 'kumiki plan' does. The exit code is 1 if one
does not compile with the new versions, or did not with the old.`,
		Example: `  kumiki mod upgrade --patch
  kumiki mod upgrade --check example.com/db@v1.4 prod`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(f.form, "text", "json"); err != nil {
				return err
			}
			dir := "."
			if n := len(args); n > 0 && isDirectory(args[n-1]) {
				dir, args = args[n-1], args[:n-1]
			}
			return runUpgrade(cmd.Context(), s, f, dir, args)
		},
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "write nothing, and print what would change in every deployment")
	cmd.Flags().BoolVar(&f.patch, "patch", false, "take versions with the same MINOR only")
	cmd.Flags().BoolVar(&f.details, "details", false, "with --check, show the fields behind each line")
	cmd.Flags().StringVarP(&f.form, "output", "o", "text", "`form` of what --check prints: text, json")
	return cmd
}

func runUpgrade(ctx context.Context, s streams, f upgradeFlags, dir string, queries []string) error {
	u, err := upgrade(ctx, dir, queries, f.patch)
	if err != nil {
		return wrong(s, err)
	}
	if len(u.Moves) == 0 {
		fmt.Fprintln(s.err, "there is nothing greater to take")
	}
	if f.check && f.form == "json" {
		return printUpgrade(ctx, s, u, dir)
	}
	for _, move := range u.Moves {
		fmt.Fprintln(s.out, move)
	}
	if f.check {
		return checkUpgrade(ctx, s, u, dir, f.details)
	}
	if vendored := u.Vendored(); len(vendored) > 0 {
		fmt.Fprintf(s.err, "cue.mod/pkg has other versions of %s: run kumiki mod vendor\n", strings.Join(vendored, ", "))
	}
	return wrong(s, u.Write(ctx))
}

// printUpgrade prints what --check finds for programs. A deployment that does not
// compile with both versions has no plan.
func printUpgrade(ctx context.Context, s streams, u *registry.Upgrade, dir string) error {
	type deployment struct {
		Dir      string          `json:"dir"`
		Compiled bool            `json:"compiled"`
		Compiles bool            `json:"compiles"`
		Plan     *plan.Plan      `json:"plan,omitempty"`
		Problems json.RawMessage `json:"problems"`
	}
	all, err := u.Check(ctx, dir)
	if err != nil {
		return wrong(s, err)
	}
	out := struct {
		Moves       []string     `json:"moves"`
		Deployments []deployment `json:"deployments"`
	}{[]string{}, []deployment{}}
	for _, move := range u.Moves {
		out.Moves = append(out.Moves, move.String())
	}
	failed := false
	for _, c := range all {
		d := deployment{Dir: c.Dir, Compiled: c.Old != nil, Compiles: c.New != nil}
		var problems bytes.Buffer
		if err := report.JSON(&problems, c.Problems, reportOptions(s.err)); err != nil {
			return err
		}
		d.Problems = problems.Bytes()
		if d.Compiled && d.Compiles {
			d.Plan = s.secrets.hidePlan(plan.Compare(c.Old, c.New))
		}
		failed = failed || d.Plan == nil
		out.Deployments = append(out.Deployments, d)
	}
	if err := printJSON(s, out); err != nil {
		return err
	}
	if failed {
		return errWrong
	}
	return nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func upgrade(ctx context.Context, dir string, queries []string, patch bool) (*registry.Upgrade, error) {
	m, err := registry.OpenModule(dir)
	if err != nil {
		return nil, err
	}
	reg, err := registry.Open()
	if err != nil {
		return nil, err
	}
	return m.Upgrade(ctx, reg, queries, patch)
}

func checkUpgrade(ctx context.Context, s streams, u *registry.Upgrade, dir string, details bool) error {
	all, err := u.Check(ctx, dir)
	if err != nil {
		return wrong(s, err)
	}
	failed, changed := 0, 0
	for _, c := range all {
		text := "is unchanged\n"
		switch {
		case c.New == nil:
			failed++
			text = "would not compile\n"
			if c.Old == nil {
				text = "does not compile with the versions that are taken now either\n"
			}
			_ = report.Text(s.err, c.Problems, reportOptions(s.err))
		case c.Old == nil:
			failed++
			text = "does not compile with the versions that are taken now\n"
		default:
			if p := s.secrets.hidePlan(plan.Compare(c.Old, c.New)); !p.Empty() {
				changed++
				text = indented(p.Text(details))
			}
		}
		if _, err := fmt.Fprintf(s.out, "\n%s %s", c.Dir, text); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "\n%d of %d deployments would change, %d do not compile\n", changed, len(all), failed)
	if failed > 0 {
		return errWrong
	}
	return nil
}

// indented puts two spaces before every line but the first, and drops empty ones.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case b.Len() == 0:
			b.WriteString(line)
		case line != "\n":
			b.WriteString("  " + line)
		}
	}
	return b.String()
}
