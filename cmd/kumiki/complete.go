package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/assist/complete"
	"kumiki.dev/compiler"
	"kumiki.dev/environment"
	"kumiki.dev/load"
	"kumiki.dev/module/registry"
)

// completing is how long a key may take that asks what comes next. Tests allow more.
var completing = 2 * time.Second

// typed is a command line that is being typed.
type typed struct {
	cmd  *cobra.Command
	s    streams
	args []string // that are complete
	word string
}

// completer finds what a word may become; noSpace if something may follow it.
type completer func(t typed) (words []string, noSpace bool)

// argumentsOf are the completers of a command's arguments, the last one for all that
// follow too.
var argumentsOf = map[string][]completer{
	"vet": {sourcesOf}, "compile": {sourcesOf, noMore}, "watch": {sourcesOf, noMore}, "bundle": {sourcesOf, noMore}, "unused": {solutionsOf, noMore},
	"render": {solutionsOf, noMore}, "lower": {solutionsOf, noMore}, "needs": {solutionsOf, noMore}, "capacity": {solutionsOf}, "plan": {solutionsOf, solutionsOf, noMore}, "prune": {solutionsOf, solutionsOf, noMore},
	"diff": {solutionsOrRunningOf}, "rbac": {solutionsOf}, "nodes": {noMore}, "status": {solutionsOrRunningOf}, "drift": {solutionsOrRunningOf}, "wait": {solutionsOrRunningOf}, "delete": {solutionsOrRunningOf}, "notify": {runningOf},
	"stop": {placesOf}, "start": {placesOf}, "restart": {placesOf}, "logs": {placesOf, noMore}, "move": {nodesOf, noMore}, "drain": {nodesOf, noMore}, "apply": {solutionsOf}, "order": {solutionsOf}, "graph": {solutionsOf, solutionsOf, noMore}, "types": {solutionsOf}, "stale": {solutionsOf}, "links": {solutionsOf}, "layout": {solutionsOf, noMore}, "targets compare": {solutionsOf, noMore},
	"instances": {noMore, solutionsOf}, "owner": {noMore, solutionsOf}, "dependents": {savedOf, solutionsOf},
	"params": {artifactsOf, noMore}, "doc": {artifactsOf, noMore}, "new deployment": {artifactsOf, noMore}, "new example": {noMore}, "new component": {noMore}, "new service": {noMore}, "new template": {noMore}, "promote": {templatesOf},
	"compat": {artifactsOf, artifactsOf, noMore}, "lint": {modulesHere}, "test": {modulesHere}, "list": {modulesHere}, "index": {modulesHere},
	"verify": {filesOf}, "migrate": {filesOf, noMore}, "why": {whyOf, whyOf, noMore}, "impact": {impactOf, impactOf, noMore},
	"mod why": {modulesOf, noMore}, "mod get": {modulesOf}, "mod list": {modulesOf, noMore}, "mod upgrade": {modulesOf}, "mod verify": {modulesOf},
	"saved show": {savedOf, entryOf, noMore}, "saved history": {savedOf, noMore}, "saved diff": {savedOf, entryOf, entryOf, noMore}, "saved rollback": {savedOf, entryOf, noMore}, "saved delete": {savedOf, noMore},
	"history": {deployedOrSavedOf, noMore}, "rollback": {deployedOrSavedOf, noMore}, "ops list": {deployedOf, noMore}, "ops watch": {deployedOf, noMore}, "ops cancel": {deployedOf, noMore}, "login": {noMore}, "logout": {noMore},
	"init": {noMore}, "version": {noMore}, "search": {noMore}, "lsp": {noMore}, "arguments": {noMore},
}

// completions gives each command what completes its arguments and its flags.
func completions(cmd *cobra.Command, s streams) {
	name := strings.TrimPrefix(cmd.CommandPath(), "kumiki ")
	if in := argumentsOf[name]; in != nil && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return in[min(len(args), len(in)-1)].words(typed{cmd, s, args, word})
		}
	}
	flags := map[string]completer{"set": setOf, "with": solutionsOf, "role": artifactsOf, "instance": instancesOf, "allow-data-move": placesOf}
	if name == "move" || name == "drain" {
		flags["to"], flags["role"] = nodesOf, placesOf
	}
	for flag, find := range flags {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
				return find.words(typed{cmd, s, args, word})
			})
		}
	}
	for _, c := range cmd.Commands() {
		completions(c, s)
	}
}

// words are what a word may become, as the shell is told.
func (find completer) words(t typed) ([]string, cobra.ShellCompDirective) {
	words, noSpace := find(t)
	if noSpace {
		return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func noMore(typed) ([]string, bool) { return nil, false }

// paths are directories and files, behind which more may follow.
func paths(t typed, want complete.Want) ([]string, bool) {
	words := complete.Paths(t.word, want)
	for _, w := range words {
		if strings.HasSuffix(w, "/") {
			return words, true
		}
	}
	return words, false
}

// sourcesOf are directories with deployments, or artifacts where these will do.
func sourcesOf(t typed) ([]string, bool) {
	words, noSpace := paths(t, complete.Want{Deployments: true, Artifacts: t.cmd.Name() == "vet"})
	return append(words, references(t)...), noSpace
}

func artifactsOf(t typed) ([]string, bool) {
	words, noSpace := paths(t, complete.Want{Artifacts: true})
	return append(words, references(t)...), noSpace
}

// references are published artifacts, once a part of the word tells that one is meant.
func references(t typed) []string {
	cache, err := registry.CacheDir()
	if err != nil || !strings.Contains(t.word, ".") {
		return nil
	}
	return complete.References(cache, t.word)
}

// solutionsOf are solutions, or what they are made of.
func solutionsOf(t typed) ([]string, bool) {
	if name, ok := strings.CutPrefix(t.word, "saved:"); ok {
		var words []string
		for _, w := range complete.Saved(flagOf(t, "solutions"), name) {
			words = append(words, "saved:"+w)
		}
		return words, true // @ENTRY may follow
	}
	words, noSpace := paths(t, complete.Want{Deployments: true, Ext: []string{".json"}})
	if t.word != "" && strings.HasPrefix("saved:", t.word) && len(complete.Saved(flagOf(t, "solutions"), "")) > 0 {
		return append(words, "saved:"), true
	}
	return append(words, references(t)...), noSpace
}

func filesOf(t typed) ([]string, bool) { return paths(t, complete.Want{Ext: []string{".json"}}) }

func modulesHere(t typed) ([]string, bool) {
	words, noSpace := paths(t, complete.Want{Deployments: true, Artifacts: true})
	return append(words, complete.Modules(t.word)...), noSpace || t.word == ""
}

func modulesOf(t typed) ([]string, bool) { return complete.Modules(t.word), false }

// templatesOf are the names of the module's templates.
func templatesOf(typed) (names []string, noSpace bool) {
	files, _ := filepath.Glob(filepath.Join(load.Root("."), environment.Templates, "*.cue"))
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".cue"))
	}
	return names, false
}

func savedOf(t typed) ([]string, bool) {
	return complete.Saved(flagOf(t, "solutions"), strings.ReplaceAll(t.word, "@", "")), false
}

func entryOf(t typed) ([]string, bool) {
	return complete.Entries(flagOf(t, "solutions"), t.args[0], t.word), false
}

// whyOf are paths of values, and a directory before them.
func whyOf(t typed) ([]string, bool) {
	result, _ := compiled(t)
	var words []string
	if len(t.args) == 0 {
		words, _ = paths(t, complete.Want{Deployments: true})
	}
	if result != nil {
		words = append(words, complete.Values(result.Tree, t.word)...)
	}
	return words, true
}

// impactOf are fields of the deployment's config, and a directory before them.
func impactOf(t typed) ([]string, bool) {
	words, _ := setOf(t)
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "=")
	}
	if len(t.args) == 0 {
		dirs, _ := paths(t, complete.Want{Deployments: true})
		words = append(words, dirs...)
	}
	return words, true
}

// setOf are fields of the deployment's config, with what follows them.
func setOf(t typed) ([]string, bool) {
	result, missing := compiled(t)
	words := missing
	if result != nil {
		words = append(words, complete.Config(result.Tree, t.word)...)
	}
	for i, w := range words {
		if !strings.HasSuffix(w, ".") {
			words[i] = w + "="
		}
	}
	return words, true
}

// compiled is what becomes of the directory that a command line names, and what is missing
// in it. Nothing else is compiled, and noMore is printed.
func compiled(t typed) (*compiler.Result, []string) {
	dir := given(t.args, ".")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !complete.Has(dir, complete.Want{Deployments: true}) {
		return nil, nil
	}
	quiet := streams{strings.NewReader(""), io.Discard, &console{Writer: io.Discard, secrets: t.s.secrets, color: "never"}, io.Discard, t.s.secrets, t.s.site}
	f := inputFlags{pkg: flagOf(t, "package"), name: flagOf(t, "name"), store: flagOf(t, "solutions"), timeout: completing}
	f.modules, _ = t.cmd.Flags().GetStringArray("modules")
	f.values, _ = t.cmd.Flags().GetStringArray("values")
	ctx, cancel := context.WithTimeout(t.cmd.Context(), completing)
	defer cancel()
	var result *compiler.Result
	var missing []string
	_ = f.onSources(ctx, quiet, []string{dir}, func(_ streams, in compiler.Input) error {
		found, problems := compiler.Run(ctx, in, compiler.SpreadStage)
		if result = found; found != nil && found.Tree == nil {
			result = nil
		}
		missing = complete.Missing(problems, t.word)
		return nil
	})
	return result, missing
}

// flagOf is what a flag is given, "" for one that the command does not have.
func flagOf(t typed, name string) string {
	text, _ := t.cmd.Flags().GetString(name)
	return text
}
