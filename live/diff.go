package live

import (
	"strings"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// Preview returns the changes that were decided, and the removals that follow when all is
// healthy, with each field that would become another: Made is its new value, Live the one
// that it has. It is for after [Run.Prepare].
func (r *Run) Preview() []Finding {
	out := []Finding{}
	for _, a := range r.Writes() {
		f := Finding{Kind: string(a.Verb), Object: a.ID.String(), Place: a.Place.String(), Why: a.Why}
		if at := r.find(a.ID); at >= 0 && a.Verb != engine.Remove {
			would := r.would[a.ID]
			if would == nil {
				would = a.Give
			}
			f.Changes = taken(differences(would, r.seen[at].Value, r.would[a.ID] != nil), a.Changes)
		}
		out = append(out, f)
	}
	for _, a := range engine.Removals(r.Desired, r.Record.Objects, r.seen) {
		if !filter.Any(r.actions, func(b engine.Action) bool { return b.ID == a.ID && b.Verb.Writes() }) {
			out = append(out, Finding{Kind: string(a.Verb), Object: a.ID.String(), Place: a.Place.String()})
		}
	}
	return out
}

// differences returns the fields that would become others; those that would not be there any
// more only where the whole object is known that there would be.
func differences(would, live map[string]any, whole bool) []engine.Difference {
	out := engine.Compare(would, live)
	if whole {
		for _, d := range engine.Compare(live, would) {
			if d.Live == nil && !filter.Any(out, func(o engine.Difference) bool { return o.Path == d.Path }) {
				out = append(out, engine.Difference{Path: d.Path, Live: d.Made})
			}
		}
	}
	return filter.Out(out, func(d engine.Difference) bool { return bySystem(d.Path) })
}

// taken adds the items that others have put into lists: they are taken out after the trial's
// write, so that it does not show them.
func taken(out, found []engine.Difference) []engine.Difference {
	for _, d := range found {
		if d.Made == nil && strings.HasSuffix(d.Path, "]") && !filter.Any(out, func(o engine.Difference) bool { return o.Path == d.Path }) {
			out = append(out, engine.Difference{Path: d.Path, Live: d.Live})
		}
	}
	return out
}

// bySystem reports whether a field is one that a system writes by itself.
func bySystem(path string) bool {
	return filter.Any([]string{"status", "metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "metadata.uid", "metadata.creationTimestamp"}, func(own string) bool {
		return path == own || strings.HasPrefix(path, own+".") || strings.HasPrefix(path, own+"[")
	})
}

// Steps returns the lines of a finding of [Run.Preview]: what is done, and each field as OLD → NEW.
func (f Finding) Steps() []string {
	head := f.Kind + ": " + f.Object
	if f.Place != "" {
		head += " (" + f.Place + ")"
	}
	lines := []string{head}
	for _, c := range f.Changes {
		lines = append(lines, "  "+c.Path+": "+text(c.Live)+" → "+text(c.Made))
	}
	return lines
}
