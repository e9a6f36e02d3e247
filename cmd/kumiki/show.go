package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/history"
	"kumiki.dev/module/bundle"
)

func newShowCmd(s streams) *cobra.Command {
	var dir, form string
	var input bool
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "show NAME[@ENTRY] | NAME [ENTRY]",
		Short: "Print a solution that has been saved, or what it was compiled from",
		Long: `Show prints the solution that is current under NAME, or was with ENTRY, as the
file that compile made.

With --input it lists what that was compiled from: the sources and modules, what the
flags gave, and the deployments that something was taken from. --out DIR writes all of
it as files there, --out FILE.bundle as one file, which compiles to the same solution
again: see 'kumiki saved verify'. Either may have secrets in it, if the sources or
values had, and is for you alone.

` + entryHelp,
		Example: `  kumiki saved show shop | kumiki lower -t kubernetes | kubectl apply -f -
  kumiki saved show shop@previous
  kumiki saved show shop@3 --input
  kumiki saved show shop@3 --input --out shop-3
  kumiki saved show shop@3 --input --out shop.bundle && kumiki vet shop.bundle`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if form != "text" && !input {
				return errors.New("-o is a form of what --input lists; a solution is JSON")
			}
			store := history.Open(dir)
			name, e, err := findEntry(store, args)
			if err != nil {
				return err
			}
			if e.Digest == "" {
				return fmt.Errorf("%s was deleted with entry %d: there is nothing to show", name, e.Number)
			}
			if input {
				return showInput(s, store, name, e, form, output)
			}
			sol, err := store.Solution(name, e)
			if err != nil {
				return err
			}
			encoded, err := sol.Encode()
			if err != nil {
				return err
			}
			return output.write(s, solutionForm, nil, encoded)
		},
	}
	registerSolutions(cmd, &dir)
	cmd.Flags().BoolVar(&input, "input", false, "show what the solution was compiled from, and not the solution")
	cmd.Flags().StringVar(&output.name, "out", "", "`place` to write to: a file, or with --input a FILE.bundle or a directory (default: standard output)")
	registerOverwrite(cmd, &output.overwrite)
	outputFlag(cmd, &form)
	return cmd
}

// findEntry finds what NAME[@ENTRY] or NAME [ENTRY] names.
func findEntry(store *history.Store, args []string) (name string, e history.Entry, err error) {
	name, entry, at := strings.Cut(args[0], "@")
	if len(args) > 1 {
		if at {
			return name, e, fmt.Errorf("%s names an entry, and %s is another one: leave one of them out", args[0], args[1])
		}
		entry = args[1]
	}
	e, err = store.Find(name, entry)
	return name, e, err
}

// readInput is the bundle that an entry was compiled from. Where it was not kept it is said
// how it would be.
func readInput(store *history.Store, name string, e history.Entry) ([]byte, error) {
	data, err := store.Input(name, e)
	if errors.Is(err, history.ErrNoInput) {
		err = fmt.Errorf("%w: it was saved by a kumiki that did not, or could not; compile it again with --save", err)
	}
	return data, err
}

func showInput(s streams, store *history.Store, name string, e history.Entry, form string, output outputFlags) error {
	data, err := readInput(store, name, e)
	if err != nil {
		return err
	}
	if strings.HasSuffix(output.name, ".bundle") {
		return output.write(s, bundleForm, nil, bytes.NewReader(data))
	}
	c, err := bundle.Read(data)
	if err != nil {
		return err
	}
	if output.name == "" || output.name == "-" {
		if c.Given != nil {
			for _, set := range c.Given.Sets {
				s.secrets.set(set)
			}
		}
		return printAnswer(s.out, form, c, inputRows(c))
	}
	if !output.overwrite {
		if names, err := os.ReadDir(output.name); err == nil && len(names) > 0 {
			return kept("%s is not empty: choose another directory for --out, or say --overwrite", output.name)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	files := map[string][]byte{}
	for _, f := range c.Files {
		files[f.Name] = f.Data
	}
	if err := writeFiles(output.name, files, output.overwrite); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "%s has the %d files that %s was compiled from; the deployment is in %s\n", output.name, len(files), name, filepath.Join(output.name, filepath.FromSlash(c.Dir)))
	return nil
}

// inputRows is the table of what a bundle has.
func inputRows(c *bundle.Contents) [][]string {
	sizes := map[string]string{}
	for _, f := range c.Files {
		sizes[f.Name] = strconv.Itoa(f.Size)
	}
	rows := [][]string{{"WHAT", "NAME", "IN", "BYTES"}, {"package", c.Package, c.Dir, ""}}
	for _, m := range c.Modules {
		rows = append(rows, []string{"module", strings.TrimSuffix(m.Path+" "+m.Version, " "), m.Dir, ""})
	}
	if g := c.Given; g != nil {
		for _, flag := range [][2]string{{"name", g.Name}, {"owner", g.Owner}, {"comment", g.Comment}, {"role", g.Role}} {
			if flag[1] != "" {
				rows = append(rows, []string{flag[0], flag[1], "", ""})
			}
		}
		if g.Template != nil {
			rows = append(rows, []string{"template", g.Template.Name, g.TemplateValues, sizes[g.TemplateValues]})
		}
		for _, v := range g.Values {
			rows = append(rows, []string{"values", v.Name, v.File, sizes[v.File]})
		}
		for _, set := range g.Sets {
			rows = append(rows, []string{"set", set, "", ""})
		}
		if g.Environment != "" {
			rows = append(rows, []string{"environment", "", g.Environment, sizes[g.Environment]})
		}
		for _, dir := range g.Links {
			rows = append(rows, []string{"links", "", dir, ""})
		}
		for _, o := range g.Others {
			rows = append(rows, []string{"deployment", o.Name, o.File, sizes[o.File]})
		}
	}
	for _, f := range c.Files {
		rows = append(rows, []string{"file", "", f.Name, sizes[f.Name]})
	}
	return rows
}
