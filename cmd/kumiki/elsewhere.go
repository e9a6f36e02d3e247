package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// elsewhere are commands of other tools, with what does that here.
var elsewhere = []struct{ names, here string }{
	{"template manifests manifest kustomize", "kumiki render DIR -t kubernetes"},
	{"install upgrade up deploy create-stack run sync reconcile roll", "kumiki apply DIR"},
	{"uninstall destroy down delete-stack rm remove undeploy teardown", "kumiki delete NAME"},
	{"validate check verify-manifest doctor", "kumiki vet DIR"},
	{"build eval export def", "kumiki compile DIR"},
	{"fmt format", "cue fmt"},
	{"create generate scaffold", "kumiki init, or kumiki new"},
	{"convert import", "kumiki init --from compose.yaml"},
	{"show-values values config vars", "kumiki params DIR"},
	{"get", "kumiki status for what runs, or kumiki mod get MODULE"},
	{"pull download add dependency dep update", "kumiki mod get MODULE"},
	{"push package release", "kumiki publish VERSION"},
	{"repo repository", "kumiki mod, whose registries CUE_REGISTRY names and docker login opens"},
	{"ls ps describe inspect events top tree", "kumiki status"},
	{"scale", "kumiki apply DIR --set config.scale.detail.ROLE.hsize=N, or hsize in the #Deployment"},
	{"exec shell port-forward", "a command of the cluster's, such as kubectl exec; kumiki status -o tree names the instances"},
	{"cordon", "kumiki drain NODE"},
	{"undo", "kumiki rollback NAME"},
	{"output", "kumiki saved history"},
}

// unknownCommand says what is written for a command that is not there; nil if it is.
func unknownCommand(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") {
		return nil // what shells call
	}
	if len(args) > 1 && args[0] == "help" {
		args = args[1:]
	}
	_, rest, err := root.Find(args)
	if err == nil {
		return nil
	}
	for _, arg := range rest {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		for _, e := range elsewhere {
			if strings.Contains(" "+e.names+" ", " "+arg+" ") {
				return fmt.Errorf("there is no command %s; here that is %s", arg, e.here)
			}
		}
		if near := root.SuggestionsFor(arg); len(near) > 0 {
			return fmt.Errorf("there is no command %s; did you mean %s?", arg, strings.Join(near, ", "))
		}
		return fmt.Errorf("there is no command %s", arg)
	}
	return err
}
