package main

import (
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/history"
	"kumiki.dev/solution"
)

// known are the deployments that others may take values from and hang from: those of
// --with, those of a bundle, which may be nil, and what is current in --solutions.
func (f *inputFlags) known(s streams, bundled *compiler.Others) *compiler.Others {
	var paths []string
	var kept []func() ([]compiler.Kept, error)
	for _, arg := range f.with {
		switch name, ok := strings.CutPrefix(arg, allSaved); {
		case ok && name != "":
			kept = append(kept, func() ([]compiler.Kept, error) { return f.keptAs(s, name) })
		case ok: // it is known anyway
		case history.Is(arg):
			kept = append(kept, func() ([]compiler.Kept, error) { return keptIn(s, history.Open(arg)) })
		default:
			paths = append(paths, arg)
		}
	}
	if bundled != nil {
		kept = append(kept, bundled.Kept)
	}
	kept = append(kept, func() ([]compiler.Kept, error) { return keptIn(s, history.Open(f.store)) })
	others := compiler.NewOthers(paths)
	if bundled != nil {
		others.Templates, others.Required = bundled.Templates, bundled.Required
	}
	others.Kept = func() ([]compiler.Kept, error) {
		var out []compiler.Kept
		for _, read := range kept {
			some, err := read()
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
		}
		return out, nil
	}
	return others
}

// keptAs is what is saved as NAME[@ENTRY].
func (f *inputFlags) keptAs(s streams, text string) ([]compiler.Kept, error) {
	name, entry, _ := strings.Cut(text, "@")
	store := history.Open(f.store)
	e, err := store.Find(name, entry)
	if err != nil || e.Digest == "" {
		return nil, err
	}
	return keptEntries(s, store, []history.Named{{Name: name, Entry: e}})
}

// keptIn are the current solutions of a store.
func keptIn(s streams, store *history.Store) ([]compiler.Kept, error) {
	entries, err := store.Current()
	if err != nil {
		return nil, err
	}
	return keptEntries(s, store, entries)
}

func keptEntries(s streams, store *history.Store, entries []history.Named) ([]compiler.Kept, error) {
	facts, err := factsView.Each(store, entries)
	if err != nil {
		return nil, err
	}
	var out []compiler.Kept
	for i, fact := range facts {
		out = append(out, compiler.Kept{Top: fact.Solution, Up: fact.Up, Deployments: fact.Deployments, Read: func() (*solution.Solution, error) {
			return saved(s, store, entries[i].Name, entries[i].Entry)
		}})
	}
	return out, nil
}
