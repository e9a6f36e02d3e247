package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
)

const cliHead = `# The command line

Made of the commands themselves: ` + "`kumiki COMMAND --help`" + ` says the same. [arguments](#kumiki-arguments) lists what DIR, FILE and the like may be.

| exit code | when |
|---|---|
| 0 | all is well |
| 1 | the input is wrong: sources, solutions, what is in a registry; with --strict also where there is a warning |
| 2 | the command line is wrong, what it names is not there or cannot be written, or a file would be lost |
| 3 | the system (disk, memory, a registry that is down) or kumiki itself; the sentence says which |
| 4 | a command that looks for differences has found one |
| 5 | the cluster refused, and nothing was changed |
| 6 | it was applied, and is not healthy |
| 7 | the time was over |
`

// TestCommandLine keeps docs/cli.md equal to what the commands say of themselves.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	s, _ := streams{bytes.NewReader(nil), io.Discard, io.Discard, io.Discard, nil, nil}.hiding()
	root := newRootCmd(s)
	var page strings.Builder
	page.WriteString(cliHead)
	flags(&page, "Flags of every command", root.PersistentFlags())
	for _, g := range root.Groups() {
		fmt.Fprintf(&page, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				command(&page, c)
			}
		}
	}
	page.WriteString("\n## Others\n")
	for _, c := range root.Commands() {
		if c.GroupID == "" && !c.Hidden {
			command(&page, c)
		}
	}
	overview(t, root)
	const file = "../../docs/cli.md"
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(page.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), page.String())
}

// TestOneCommand: a command that is made alone is the same as the one among all commands.
func TestOneCommand(t *testing.T) {
	t.Parallel()
	all := newRootCmd(hidingNothing())
	for _, g := range groups {
		for _, c := range g.commands {
			root := newRootCmd(hidingNothing(), c.name)
			require.Equal(t, []string{c.name}, namesOf(root))
			alone, _, err := root.Find([]string{c.name})
			require.NoError(t, err)
			among, _, err := all.Find([]string{c.name})
			require.NoError(t, err)
			require.Equal(t, among.UsageString(), alone.UsageString())
			require.Equal(t, namesOf(among), namesOf(alone))
		}
	}
	for _, args := range [][]string{{"help", "compile"}, {"--max-problems", "3", "compile"}, {"__complete", ""}, {"show"}, {"complie"}} {
		require.Equal(t, namesOf(all), namesOf(newRootCmd(hidingNothing(), args...)), args)
	}
}

// overview keeps the table of commands in the README equal to the groups.
func overview(t *testing.T, root *cobra.Command) {
	t.Helper()
	var table strings.Builder
	table.WriteString("| to | there are |\n|---|---|\n")
	for _, g := range root.Groups() {
		var names []string
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				names = append(names, "`"+c.Name()+"`")
			}
		}
		fmt.Fprintf(&table, "| %s | %s |\n", strings.ToLower(strings.TrimSuffix(g.Title, ":")), strings.Join(names, ", "))
	}
	const file = "../../README.md"
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	old := regexp.MustCompile(`\| to \| there are \|\n(\|.*\n)+`).FindString(string(page))
	require.NotEmpty(t, old)
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(page), old, table.String(), 1)), 0o644))
		return
	}
	require.Equal(t, old, table.String())
}

// command writes the part of a command, and of those that it holds.
func command(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n### %s\n\n%s.\n", c.CommandPath(), c.Short)
	block := func(text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(b, "\n```\n%s\n```\n", text)
		}
	}
	if c.Runnable() {
		block(c.UseLine())
	}
	block(c.Long)
	if c.Example != "" {
		b.WriteString("\nFor example:\n")
		block(c.Example)
	}
	flags(b, "Flags", c.LocalNonPersistentFlags())
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			command(b, sub)
		}
	}
}

// flags writes a table.
func flags(b *strings.Builder, title string, set *pflag.FlagSet) {
	var rows strings.Builder
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		word, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if word != "" {
			name += " " + word
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			usage += " (default: " + f.DefValue + ")"
		}
		fmt.Fprintf(&rows, "| `%s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), strings.ReplaceAll(usage, "|", "\\|"))
	})
	if rows.Len() > 0 {
		fmt.Fprintf(b, "\n%s:\n\n| flag | does |\n|---|---|\n%s", title, &rows)
	}
}
