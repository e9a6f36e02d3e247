package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/query"
	"kumiki.dev/targets"
)

// lowered are the objects of one of many solutions.
type lowered struct {
	solution string
	objects  []targets.Object
}

// runLowerStore writes the objects of all that is current in a store: what others need
// comes before them. If anything is wrong with one, nothing is written.
func runLowerStore(ctx context.Context, s streams, t lowering, f lowerFlags, store *history.Store) error {
	if f.out == "" && t.beside != nil {
		return errors.New("each solution is a stack of its own: write --out DIR, a directory for each in it, or name one, saved:NAME")
	}
	all, err := lowerStore(ctx, s, t, f, store)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("nothing is current there: kumiki compile --save keeps a solution")
	}
	var objects []targets.Object
	for _, one := range all {
		objects = append(objects, one.objects...)
	}
	if f.out == "" {
		if objects, err = choose(objects, f.objects); err != nil {
			return err
		}
		if f.form == "json" {
			return t.json(s.raw, objects)
		}
		return t.stream(s.raw, objects)
	}
	files := map[string][]byte{}
	for _, one := range all {
		some, err := t.files(one.objects)
		if err != nil {
			return err
		}
		for name, data := range some {
			files[path.Join(one.solution, name)] = data
		}
	}
	return writeFiles(f.out, files, f.overwrite)
}

// lowerStore makes the objects, in the order in which solutions need each other.
func lowerStore(ctx context.Context, s streams, t lowering, f lowerFlags, store *history.Store) ([]lowered, error) {
	entries, err := store.Current()
	if err != nil {
		return nil, err
	}
	if entries, err = inOrder(store, entries); err != nil {
		return nil, err
	}
	var out []lowered
	var problems diag.List
	for i, e := range entries {
		compiler.Begin(ctx, i+1, len(entries), "solutions")
		sol, err := saved(s, store, e.Name, e.Entry)
		if err != nil {
			return nil, err
		}
		objects, found := t.lower(sol, f.options)
		problems = slices.Concat(problems, s.site.check(sol), sol.Secrets(), found, s.site.checkObjects(sol, objects))
		out = append(out, lowered{e.Name, objects})
	}
	if f.strict {
		for _, d := range problems {
			d.Severity = diag.Error
		}
	}
	if err := printProblems(s.err, problems); err != nil {
		return nil, err
	}
	if t.beside == nil { // stacks have names of their own
		err = distinct(s, out)
	}
	return out, err
}

// inOrder puts entries into the order in which their solutions need each other, as far as
// there is one.
func inOrder(store *history.Store, entries []history.Named) ([]history.Named, error) {
	facts, err := factsView.Each(store, entries)
	if err != nil {
		return nil, err
	}
	order, err := query.Order(facts)
	if err != nil {
		return entries, nil // they go in a circle, and objects wait for nothing
	}
	level := map[string]int{}
	for i, names := range order.Levels {
		for _, name := range names {
			level[name] = i
		}
	}
	at := map[string]int{}
	for i, e := range entries {
		at[e.Name] = level[facts[i].Solution]
	}
	sorting.By(entries, func(a, b history.Named) int { return at[a.Name] - at[b.Name] })
	return entries, nil
}

// distinct says whether two solutions have an object of one name.
func distinct(s streams, all []lowered) error {
	owner := map[string]string{}
	wrong := false
	for _, one := range all {
		for _, o := range one.objects {
			key := o.Kind + "/" + o.Name
			other, twice := owner[key]
			if twice && other != one.solution && !strings.EqualFold(o.Kind, "Namespace") {
				fmt.Fprintf(s.err, "%s is made for both %s and %s: they cannot be in one namespace; lower them by themselves\n", key, other, one.solution)
				wrong = true
			}
			owner[key] = one.solution
		}
	}
	if wrong {
		return errWrong
	}
	return nil
}
