// Command library is kumiki as a library: it compiles the deployment in a directory
// and prints its problems, what changes against the solution of before, and the objects
// for Kubernetes.
//
//	go run ./examples/library examples/shop/deploy [BEFORE.json]
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, out, talk io.Writer) error {
	if len(args) == 0 || len(args) > 2 {
		return fmt.Errorf("usage: library DIR [BEFORE.json]")
	}
	s, problems := compiler.Compile(context.Background(), compiler.Input{LoadInput: compiler.LoadInput{Dir: args[0]}})
	tell(talk, problems)
	if s == nil {
		return fmt.Errorf("%s: there are mistakes in it", args[0])
	}
	if len(args) == 2 {
		if err := changes(talk, args[1], s); err != nil {
			return err
		}
	}
	objects, losses := kubernetes.Lower(s, targets.Options{})
	tell(talk, losses)
	return kubernetes.Encode(out, objects)
}

// tell prints a line for each problem. Tools branch on the code, and show the text.
func tell(w io.Writer, problems diag.List) {
	for _, p := range problems {
		fmt.Fprintf(w, "%s %s at %v: %s\n", p.Severity, p.Code, p.Pos, p.Message)
		for _, r := range p.Related {
			fmt.Fprintf(w, "\tsee %s line %d: %s\n", r.Pos.Filename(), r.Pos.Line(), r.Message)
		}
	}
}

// changes prints what happens to what runs.
func changes(w io.Writer, before string, s *solution.Solution) error {
	text, err := os.ReadFile(before)
	if err != nil {
		return err
	}
	old, problems := solution.Read(text, before)
	tell(w, problems)
	if old == nil {
		return fmt.Errorf("%s: this is no solution", before)
	}
	for _, e := range plan.Compare(old, s).Entries {
		fmt.Fprintf(w, "%s %s\n", e.Class, e.Place)
	}
	return nil
}
