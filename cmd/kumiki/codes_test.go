package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// argumentsFor are the arguments with which a command gets as far as its first one, with %
// in its place; "" for a command that takes none which could be missing. A command that
// is not here fails the test.
var argumentsFor = map[string]string{
	"init": "", "new component": "", "new service": "", "new example": "", "new deployment": "%", "params": "%", "doc": "%", "explain": "", "lsp": "", "lsp worker": "", "lsp cue": "",
	"vet": "%", "test": "%", "lint": "%", "verify": "%", "migrate": "%", "unused": "%",
	"compile": "%", "render": "% -t swarm", "lower": "% -t swarm", "watch": "%", "plan": "% %", "prune": "% % -t swarm", "order": "%", "matrix": "%", "promote": "",
	"saved history": "", "saved show": "", "saved diff": "", "saved rollback": "", "saved delete": "", "saved verify": "", "history": "", "show": "", "diff": "./%", "rollback": "", "delete": "./%",
	"apply": "%", "status": "./%", "drift": "./%", "stop": "", "start": "", "restart": "", "wait": "./%", "logs": "", "login": "", "logout": "", "ops list": "", "ops watch": "", "ops cancel": "", "nodes": "", "move": "", "drain": "", "rbac": "%", "notify": "",
	"needs": "% -t swarm", "capacity": "% -t swarm --nodes -", "targets": "", "targets compare": "%", "why": "% config.parameter.x", "impact": "% config.parameter.x", "graph": "%", "types": "%", "instances": "x %", "owner": "Service/x % -t swarm", "stale": "%", "links": "%", "layout": "%", "dependents": "x %",
	"mod init": "", "mod major": "", "fill": "", "new environment": "", "new template": "", "env list": "", "env import": "", "qos": "", "mod get": "", "mod tidy": "", "mod graph": "", "mod why": "", "mod list": "", "mod mirror": "", "mod migrate": "%", "mod vendor": "", "mod upgrade": "", "mod verify": "",
	"compat": "% %", "publish": "v1.0.0 %", "bundle": "% --out b.tar", "list": "%", "search": "", "index": "%", "version": "", "completion bash": "", "completion zsh": "", "completion fish": "", "completion powershell": "",
}

// TestExitCodes makes the same mistakes in all commands, which all end alike.
func TestExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(line ...string) (int, string) {
		var out, stderr bytes.Buffer
		code := run(t.Context(), line, streams{in: strings.NewReader(""), out: &out, err: &stderr})
		return code, stderr.String()
	}
	require.NoError(t, os.WriteFile("broken.json", []byte("{"), 0o644))
	paths := leaves(newRootCmd(hidingNothing()))
	for path := range argumentsFor {
		require.Contains(t, paths, path, "the table has a command that is not there")
	}
	for _, path := range paths {
		args, ok := argumentsFor[path]
		require.True(t, ok, "%s is in no row of argumentsFor: add what it takes", path)
		words := strings.Fields(path)

		code, said := run(append(words, "--no-such-flag")...)
		require.Equal(t, exitUsage, code, "%s --no-such-flag: %s", path, said)
		require.Contains(t, said, "no-such-flag", path)

		if args == "" {
			continue
		}
		code, said = run(append(words, strings.Fields(strings.ReplaceAll(args, "%", "nowhere"))...)...)
		require.Equal(t, exitUsage, code, "%s of a directory that is not there: %s", path, said)
		require.Contains(t, said, "nowhere: no such file or directory", path)
		require.NotContains(t, said, "\n\t*", path)
	}
}

// TestWrongInput gives each command that reads solutions one that is none.
func TestWrongInput(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	require.NoError(t, os.WriteFile(broken, []byte("{"), 0o644))
	for _, path := range []string{"verify", "migrate", "render", "lower", "plan", "prune", "order", "needs", "targets compare", "graph", "types", "instances", "owner", "stale", "links", "layout"} {
		var out, stderr bytes.Buffer
		line := append(strings.Fields(path), strings.Fields(strings.ReplaceAll(argumentsFor[path], "%", broken))...)
		code := run(t.Context(), line, streams{in: strings.NewReader(""), out: &out, err: &stderr})
		require.Equal(t, exitWrong, code, "%s: %s", path, &stderr)
	}
}

// leaves are the paths of all commands that do something.
func leaves(root *cobra.Command) []string {
	root.InitDefaultCompletionCmd()
	var out []string
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "kumiki ")
		if cmd.Runnable() && (!cmd.HasSubCommands() || path == "targets" || path == "lsp") {
			out = append(out, path)
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	return out
}

func hidingNothing() streams {
	s, _ := streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}}.hiding()
	return s
}
