package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
)

func newVerifyCmd(s streams) *cobra.Command {
	var digest string
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that files are whole solutions",
		Long: `Verify reads solution files (- for standard input) and checks every rule of the
format: that nothing is missing or unknown, that every link ends at a channel,
that the digest is that of the contents, and so on. It prints the digest of each,
in the order of the files, as sha256:HEX and the name.`,
		Example: `  kumiki verify shop.json
  kumiki verify shop.json --digest sha256:637837bb…`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if digest != "" && len(args) > 1 {
				return fmt.Errorf("--digest is that of one file, and there are %d", len(args))
			}
			for _, file := range args {
				if _, err := os.Stat(file); err != nil && file != "-" {
					return err
				}
			}
			var failed error
			for _, file := range args {
				failed = errors.Join(failed, runVerify(s, file, digest))
			}
			if failed == nil {
				s.fine("every rule of the format is kept")
			}
			return failed
		},
	}
	cmd.Flags().StringVar(&digest, "digest", "", "`digest` that the file must have")
	return cmd
}

func runVerify(s streams, file, want string) error {
	sol, err := readSolution(s, file)
	if err != nil {
		return err
	}
	got, err := sol.ContentDigest()
	if err != nil {
		return err
	}
	if want != "" && want != got {
		return printProblems(s.err, diag.List{diag.New(diag.BadSolution, diag.NoPos, "%s has the digest %s, not %s: it is another solution", file, got, want)})
	}
	_, err = fmt.Fprintf(s.out, "%s  %s\n", got, file)
	return err
}

func newMigrateCmd(s streams) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "migrate FILE",
		Short: "Bring a solution file into the form that kumiki writes today",
		Long: `Migrate reads a solution file (- for standard input) and writes it as this kumiki
does. There is one version of the format, cspec ` + solution.Cspec + `; in it, files that other tools have
written get the digest that they lack, and the order and spelling that make equal
solutions equal files. What a file does not say (layout, inputs) is not made up:
compile the manifest again to get it.`,
		Example: `  kumiki migrate kam.json --out shop.json`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return runMigrate(s, args[0], output) },
	}
	output.register(cmd, "json", "`file` to write, all or nothing (default: standard output)")
	return cmd
}

func runMigrate(s streams, file string, output outputFlags) error {
	name, data, err := readText(s, file)
	if err != nil {
		return err
	}
	sol, problems := solution.Read(data, name)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	said := "digest added"
	if sol.Digest != "" {
		said = "written anew"
	}
	encoded, err := sol.Encode()
	if err != nil {
		return err
	}
	text := encoded.Bytes()
	if bytes.Equal(text, data) {
		said = "nothing to do"
	}
	fmt.Fprintf(s.err, "%s: cspec %s is the version of today; %s\n", name, sol.Cspec, said)
	// The file that was read may be the one that is written: it says the same.
	return output.write(s, solutionForm, nil, bytes.NewReader(text))
}
