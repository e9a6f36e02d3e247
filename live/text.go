package live

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// Answers returns what is desired by a record that has no solution: the objects as they were made.
// It tells what has changed, and is nothing to repair it with.
func (r *Record) Answers() engine.Desired {
	d := engine.Desired{Solution: r.Solution}
	for i, m := range r.Objects {
		if m.Answer != nil {
			r.Objects[i].Hash = engine.Hash(m.Answer)
		}
		d.Objects = append(d.Objects, engine.Object{About: m.About, Given: m.Answer})
	}
	return d
}

// Drift returns the actions that tell of what is not as it was made, with a kind for each.
func Drift(actions []engine.Action) []Finding {
	out := []Finding{}
	for _, a := range actions {
		kind := map[engine.Verb]string{
			engine.Create: "missing", engine.Repair: "changed", engine.Change: "outdated", engine.Adopt: "outdated", engine.Resume: "outdated", engine.Replace: "outdated", engine.Refuse: "foreign",
			engine.Remove: "not desired", engine.Keep: "kept", engine.Leave: "left", engine.Residue: "residue", engine.Wait: "unhealthy", engine.Tell: "unhealthy", engine.Excuse: "scaled",
		}[a.Verb]
		out = append(out, Finding{Kind: kind, Object: a.ID.String(), Place: a.Place.String(), Why: a.Why, Changes: a.Changes})
	}
	return out
}

// Finding is something that is not as it was made.
type Finding struct {
	Kind    string              `json:"kind"`
	Object  string              `json:"object"`
	Place   string              `json:"place,omitempty"`
	Why     string              `json:"why,omitempty"`
	Changes []engine.Difference `json:"changes,omitempty"`
}

// Counts reports whether a finding is drift, and not only told of.
func (f Finding) Counts() bool { return f.Kind != "scaled" && f.Kind != "kept" && f.Kind != "left" }

// Lines returns a finding for a person: what it is, and a line for each field.
func (f Finding) Lines() []string {
	head := fmt.Sprintf("%s: %s", f.Kind, f.Object)
	if f.Place != "" {
		head += " (" + f.Place + ")"
	}
	if f.Why != "" {
		head += ": " + f.Why
	}
	lines := []string{head}
	for _, c := range f.Changes {
		line := fmt.Sprintf("  %s: %s, was %s", c.Path, text(c.Live), text(c.Made))
		if c.By != "" {
			line += ", by " + c.By
		}
		lines = append(lines, line)
	}
	return lines
}

// text returns a value in one line, shortened.
func text(value any) string {
	if value == nil {
		return "nothing"
	}
	data, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	const most = 120
	if out := []rune(string(data)); len(out) > most {
		return string(out[:most]) + "…"
	}
	return string(data)
}

// Summary counts what actions do: "2 created, 1 changed", "" for nothing.
func Summary(actions []engine.Action) string {
	words := []struct {
		verb engine.Verb
		word string
	}{{engine.Create, "created"}, {engine.Change, "changed"}, {engine.Replace, "made anew"}, {engine.Adopt, "adopted"}, {engine.Resume, "resumed"}, {engine.Repair, "repaired"}, {engine.Remove, "removed"}}
	var parts []string
	for _, w := range words {
		n := 0
		for _, a := range actions {
			if a.Verb == w.verb {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, w.word))
		}
	}
	return strings.Join(parts, ", ")
}

// Places returns the places of the objects that instances run for, sorted.
func Places(objects []engine.About) []string {
	var out []string
	for _, about := range objects {
		if about.Runs && !filter.Contains(out, about.Place.String()) {
			out = append(out, about.Place.String())
		}
	}
	slices.Sort(out)
	return out
}
