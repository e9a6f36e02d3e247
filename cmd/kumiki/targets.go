package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/internal/inside"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// writeBeside writes the files that a stream refers to into the working
// directory, before the stream ends: the tool that reads it looks for them then.
func writeBeside(t lowering, objects []targets.Object, overwrite bool) error {
	if t.beside == nil {
		return nil
	}
	files := t.beside(objects)
	if len(files) == 0 {
		return nil
	}
	d, err := inside.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	o := &outDir{Dir: d, path: ".", files: files, overwrite: overwrite}
	if err := o.free(); err != nil {
		return err
	}
	for _, name := range sorting.Ordered(files) {
		if err := o.put(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

func newTargetsCmd(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "targets",
		Short: "Say what each target can carry of a solution",
		Args:  cobra.NoArgs,
		RunE:  needsCommand,
	}
	cmd.AddCommand(newTargetsCompareCmd(s))
	return cmd
}

func newTargetsCompareCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "compare [FILE | DIR | saved:NAME | git:REV:PATH | -]",
		Short: "Print what each target would lose of a solution",
		Long: `Compare lowers a solution (default: the one on standard input) to every target
and prints what any of them cannot carry: one line for each kind of loss and
each role, one column for each target. What no target loses is not printed.`,
		Example: `  kumiki compile prod | kumiki targets compare
  kumiki targets compare shop.json -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			sol, err := in.solution(cmd.Context(), s, given(args, "-"))
			if err == nil && sol == nil {
				err = fmt.Errorf("%s was deleted: there is nothing to compare", args[0])
			}
			if err != nil {
				return err
			}
			return runTargetsCompare(s, sol, form)
		},
	}
	in.register(cmd)
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form` of the output: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runTargetsCompare(s streams, sol *solution.Solution, form string) error {
	rows := compare(sol)
	if form == "json" {
		text, err := indent(rows)
		if err == nil {
			_, err = s.out.Write(text)
		}
		return err
	}
	return printComparison(s.out, rows)
}

// comparison is a line of the matrix: what a role, a deployment or the whole
// solution loses.
type comparison struct {
	Code       diag.Code `json:"code"`
	Deployment string    `json:"deployment,omitempty"`
	Role       string    `json:"role,omitempty"`
	// Lost is what each target says of it; a target that carries it is not there.
	Lost map[string][]string `json:"lost"`
}

// compare lowers a solution to every target. The lines are in the order of
// codes and places.
func compare(s *solution.Solution) []comparison {
	s.Acknowledged = nil // what is known is lost all the same
	rows := map[string]*comparison{}
	for _, target := range sorting.Ordered(lowerings) {
		_, losses := lowerings[target].lower(s, targets.Options{})
		for _, d := range losses.Sorted() {
			row := comparison{Code: d.Code, Lost: map[string][]string{}}
			if len(d.At) > 1 && d.At[0] == "deployments" {
				row.Deployment = d.At[1]
			}
			if len(d.At) > 3 && d.At[2] == "role" {
				row.Role = d.At[3]
			}
			key := strings.Join([]string{string(row.Code), row.Deployment, row.Role}, "\x00")
			if rows[key] == nil {
				rows[key] = &row
			}
			rows[key].Lost[target] = append(rows[key].Lost[target], d.Message)
		}
	}
	sorted := []comparison{}
	for _, key := range sorting.Ordered(rows) {
		sorted = append(sorted, *rows[key])
	}
	return sorted
}

func printComparison(out io.Writer, rows []comparison) error {
	names := sorting.Ordered(lowerings)
	if len(rows) == 0 {
		_, err := fmt.Fprintf(out, "nothing is lost on %s\n", strings.Join(names, ", "))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LOSS\tDEPLOYMENT\tROLE\t"+strings.ToUpper(strings.Join(names, "\t")))
	for _, row := range rows {
		cells := []string{string(row.Code), cmp.Or(row.Deployment, "-"), cmp.Or(row.Role, "-")}
		for _, name := range names {
			cell := "carried"
			if len(row.Lost[name]) > 0 {
				cell = "lost"
			}
			cells = append(cells, cell)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, row := range rows {
		for _, name := range names {
			for _, message := range row.Lost[name] {
				if _, err := fmt.Fprintf(out, "%s: %s [%s]\n", name, message, row.Code); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
