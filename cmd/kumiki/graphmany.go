package main

import (
	"context"
	"errors"
	"strings"

	"kumiki.dev/graph"
	"kumiki.dev/history"
	"kumiki.dev/query"
)

// isStore reports whether an argument names all that is saved rather than one solution.
func isStore(arg string) bool { return arg == allSaved || history.Is(arg) }

// graphOfStore draws what is current in a store: a box for each solution.
func (f *inputFlags) graphOfStore(ctx context.Context, s streams, args []string) (*graph.Graph, error) {
	if len(args) > 1 {
		return nil, errors.New("two solutions are compared, not all that is saved: name them, saved:NAME@ENTRY")
	}
	all, err := f.facts(ctx, s, args)
	if err != nil {
		return nil, err
	}
	var ones []graph.One
	for _, fact := range all {
		ones = append(ones, oneOf(fact))
	}
	return graph.Several(ones), nil
}

// oneOf is a solution as it is drawn among others.
func oneOf(f query.Facts) graph.One {
	one := graph.One{Name: f.Solution, Deployments: f.Deployments}
	if len(f.Instances) > 0 {
		name, version, _ := strings.Cut(f.Instances[0].Type, "@")
		version, _, _ = strings.Cut(version, ":")
		one.Artifact = query.Short(name) + " " + version
	}
	for _, m := range f.Mentions {
		e := graph.Edge{Kind: "value", To: m.Of, Label: m.Field}
		switch from, isLink := m.Link(); {
		case isLink:
			e.Kind, e.Label = "link", from+" → "+m.Field
		case m.At == "up":
			e.Kind, e.Label = "up", "up"
		}
		one.Uses = append(one.Uses, e)
	}
	return one
}
