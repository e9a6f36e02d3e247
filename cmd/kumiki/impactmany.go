package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"kumiki.dev/history"
	"kumiki.dev/query"
)

// ofMany reports whether arguments name solutions rather than one directory with sources.
func ofMany(args []string) bool {
	if len(args) != 1 {
		return len(args) > 1
	}
	return strings.HasPrefix(args[0], allSaved) || filepath.Ext(args[0]) == ".json" || history.Is(args[0])
}

// impactOnMany prints what a change of an artifact, or of a module, touches in solutions.
func (f *inputFlags) impactOnMany(ctx context.Context, s streams, lower *lowerFlags, from []string, what, form string) error {
	if isField(what) {
		return fmt.Errorf("%s is a field of one deployment: name its directory, or saved:NAME; of several solutions an artifact can be asked", what)
	}
	all, err := f.facts(ctx, s, from)
	if err != nil {
		return err
	}
	made, err := f.made(ctx, s, lower, from)
	if err != nil {
		return err
	}
	byDigest := map[string][]query.Made{}
	for _, objects := range made {
		if len(objects) > 0 {
			byDigest[objects[0].Digest] = objects
		}
	}
	found := query.ImpactOf(all, byDigest, what)
	if len(found) == 0 {
		fmt.Fprintf(s.err, "no solution has an artifact or module %s: kumiki types lists all\n", what)
		return errWrong
	}
	rows := [][]string{{"SOLUTION", "DEPLOYMENT", "PATH", "TYPE", "RESTARTS"}}
	for _, x := range found {
		name := ofEntry(x.Solution, x.Entry)
		if len(x.Instances) == 0 {
			rows = append(rows, []string{name, "", "", "", "made of the module otherwise"})
		}
		for _, at := range x.Instances {
			rows = append(rows, []string{name, at.Deployment, at.Path, at.Type, strings.Join(x.Restarts(at), ", ")})
		}
	}
	return printAnswer(s.out, form, found, rows)
}
