package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/history"
	"kumiki.dev/module/bundle"
)

// verified is an entry that has been compiled again.
type verified struct {
	named
	// Result is same, differs, broken or no input.
	Result string `json:"result"`
	// Why says why it is not the same.
	Why string `json:"why,omitempty"`
	// Differences are the fields that are others.
	Differences []bundle.Difference `json:"differences,omitempty"`
}

func newSavedVerifyCmd(s streams) *cobra.Command {
	var dir, form string
	cmd := &cobra.Command{
		Use:   "verify [NAME[@ENTRY]...]",
		Short: "Compile saved solutions again from what they were compiled from",
		Long: `Verify compiles the input of saved solutions again ('kumiki saved show --input') and
compares: of NAME all entries, of NAME@ENTRY that one, without an argument what is
current under each name. The version of kumiki that saved a solution makes the same
bytes again. If another version makes another solution, the fields that differ are
listed; the exit code is 4 then, and 1 if something cannot be compiled any more, or has
no input because it was saved without.

` + entryHelp,
		Example: `  kumiki saved verify
  kumiki saved verify shop
  kumiki saved verify shop@3 -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			return runSavedVerify(cmd.Context(), s, history.Open(dir), args, form)
		},
	}
	registerSolutions(cmd, &dir)
	outputFlag(cmd, &form)
	return cmd
}

func runSavedVerify(ctx context.Context, s streams, store *history.Store, args []string, form string) error {
	entries, err := entriesToVerify(store, args)
	if err != nil {
		return err
	}
	all := []verified{}
	for _, e := range entries {
		v, err := verifyEntry(ctx, s, store, e)
		if err != nil {
			return err
		}
		all = append(all, v)
	}
	rows := [][]string{{"NAME", "ENTRY", "DIGEST", "KUMIKI", "RESULT"}}
	for _, v := range all {
		rows = append(rows, []string{v.Name, fmt.Sprint(v.Number), short(v.Digest), v.Kumiki, v.Result})
	}
	if err := printAnswer(s.out, form, all, rows); err != nil {
		return err
	}
	var verdict error
	for _, v := range all {
		switch v.Result {
		case "differs":
			verdict = errors.Join(verdict, errDiffers)
		case "broken", "no input":
			verdict = errors.Join(verdict, errWrong)
		}
		printVerified(s, v)
	}
	return verdict
}

// entriesToVerify are the entries that are compiled again: of each solution the last one.
func entriesToVerify(store *history.Store, args []string) ([]named, error) {
	var out []named
	add := func(name string, entries ...history.Entry) {
		for i, e := range entries {
			again := false
			for _, later := range entries[i+1:] {
				again = again || later.Digest == e.Digest
			}
			if e.Digest != "" && !again {
				out = append(out, named{name, e})
			}
		}
	}
	if len(args) == 0 {
		names, err := store.Names()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			e, err := store.Find(name, "")
			if err != nil {
				return nil, err
			}
			add(name, e)
		}
		return out, nil
	}
	for _, arg := range args {
		if strings.Contains(arg, "@") {
			name, e, err := findEntry(store, []string{arg})
			if err != nil {
				return nil, err
			}
			if e.Digest == "" {
				return nil, fmt.Errorf("%s was deleted with entry %d: there is nothing to compile", name, e.Number)
			}
			add(name, e)
			continue
		}
		entries, err := store.Entries(arg)
		if err != nil {
			return nil, err
		}
		add(arg, entries...)
	}
	return out, nil
}

// verifyEntry compiles one again.
func verifyEntry(ctx context.Context, s streams, store *history.Store, e named) (verified, error) {
	v := verified{named: e, Result: "same"}
	sol, err := saved(s, store, e.Name, e.Entry)
	if err != nil {
		return v, err
	}
	data, err := readInput(store, e.Name, e.Entry)
	if err != nil {
		v.Result, v.Why = "broken", err.Error()
		if errors.Is(err, history.ErrNoInput) {
			v.Result = "no input"
		}
		return v, nil
	}
	again, err := bundle.CompileAgain(ctx, data, sol)
	switch {
	case err != nil:
		v.Result, v.Why = "broken", err.Error()
	case len(again.Problems) > 0:
		v.Result, v.Why = "broken", "it does not compile: "+again.Problems.Sorted()[0].Message
	case len(again.Differences) > 0:
		v.Result, v.Differences = "differs", again.Differences
		v.Why = fmt.Sprintf("it was compiled by kumiki %s, and this is %s", e.Kumiki, builtFrom().Version)
	}
	return v, nil
}

// maxDifferences is how many fields are listed for people.
const maxDifferences = 20

// printVerified says of an entry what is not the same.
func printVerified(s streams, v verified) {
	if v.Why == "" {
		return
	}
	fmt.Fprintf(s.err, "%s, entry %d: %s\n", printable(v.Name), v.Number, printable(s.secrets.hide(v.Why)))
	for i, d := range v.Differences {
		if i == maxDifferences {
			fmt.Fprintf(s.err, "  and %d fields more: -o json has all\n", len(v.Differences)-i)
			break
		}
		fmt.Fprintf(s.err, "  %s: %s → %s\n", printable(strings.Join(d.Path, ".")), valueAt(s, d.Path, d.Was), valueAt(s, d.Path, d.Is))
	}
}

// valueAt is a value on a line, without what looks like a secret.
func valueAt(s streams, path []string, v any) string {
	if v == nil {
		return "nothing"
	}
	return printable(s.secrets.hideAt(path, brief(v)))
}
