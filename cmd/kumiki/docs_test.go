package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"kumiki.dev/schema/model"
)

// inlineCommand is a command line of kumiki within a text.
var inlineCommand = regexp.MustCompile("`kumiki ([^`]+)`")

// TestNamedCommands: the command lines that texts mention have commands and flags that
// there are.
func TestNamedCommands(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, pattern := range []string{"../../README.md", "../../CONTRIBUTING.md", "../../docs/*.md", "../../docs/*/*.md", "../../report/explain/*/*.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			texts[file] = string(data)
		}
	}
	for _, topic := range model.Topics() {
		texts["topic "+topic.Name] = topic.Text
	}
	s, _ := streams{bytes.NewReader(nil), io.Discard, io.Discard, io.Discard, nil, nil}.hiding()
	root := newRootCmd(s)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for file, text := range texts {
		for _, m := range inlineCommand.FindAllStringSubmatch(text, -1) {
			checkNamed(t, root, file, m[1])
		}
	}
}

// checkNamed takes a command line apart as a shell and cobra would.
func checkNamed(t *testing.T, root *cobra.Command, file, line string) {
	t.Helper()
	words := strings.Fields(strings.NewReplacer(`\|`, " | ", "…", "").Replace(line))
	if i := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"|", "&&", ">", "#"}, w) }); i >= 0 {
		words = words[:i]
	}
	if len(words) == 0 || words[0] == "COMMAND" {
		return
	}
	if strings.HasPrefix(words[0], "-") {
		return // of the root
	}
	cmd, rest, err := root.Find(words)
	if err != nil || cmd == root {
		t.Errorf("%s: kumiki %s: there is no such command", file, line)
		return
	}
	for _, word := range rest {
		name, _, _ := strings.Cut(strings.TrimRight(word, ",;."), "=")
		switch long, isLong := strings.CutPrefix(name, "--"); {
		case isLong && long != "" && long != "help" && cmd.Flag(long) == nil && cmd.InheritedFlags().Lookup(long) == nil:
			t.Errorf("%s: kumiki %s: %s has no flag %s", file, line, cmd.CommandPath(), name)
		case !isLong && len(name) == 2 && name[0] == '-' && cmd.Flags().ShorthandLookup(name[1:]) == nil:
			t.Errorf("%s: kumiki %s: %s has no flag %s", file, line, cmd.CommandPath(), name)
		}
	}
}
