package environment

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// Selector chooses environments: by their labels, or by their names.
type Selector struct {
	labels labels.Selector // nil for names
	text   string
	// Names are those of a list, with positions; nil for a selector of labels.
	Names []Named
	// Pos is where it is written.
	Pos diag.Pos
}

// String is the selector as a file has it.
func (s Selector) String() string {
	if s.labels != nil {
		return s.text
	}
	var names []string
	for _, n := range s.Names {
		names = append(names, n.Name)
	}
	return NameLabel + " in (" + strings.Join(names, ",") + ")"
}

// ParseSelector reads a selector of labels.
func ParseSelector(text string) (Selector, error) {
	parsed, err := labels.Parse(text)
	return Selector{labels: parsed, text: text}, err
}

// selector reads a selector, or a list of names.
func (r *reader) selector(d *value.Data, path []string) Selector {
	if d.Kind == value.List {
		s := Selector{Pos: d.Pos, Names: []Named{}}
		for _, x := range d.Items {
			s.Names = append(s.Names, Named{x.Str(), x.Pos})
		}
		return s
	}
	s, err := ParseSelector(d.Str())
	s.Pos = d.Pos
	if err != nil {
		r.wrong(d.Pos, path, "%q selects no environments (%v): write a selector as kubectl takes it, such as \"stage in (dev, prod), region=eu, !legacy\", or a list of names", d.Str(), err)
		s.labels = labels.Nothing()
	}
	return s
}

// Everywhere reports whether the selector chooses all environments, whatever they are like.
func (s Selector) Everywhere() bool { return s.labels != nil && s.labels.Empty() }

// Matches reports whether the selector chooses an environment.
func (s Selector) Matches(e *Environment) bool {
	if s.labels == nil {
		return filter.Any(s.Names, func(n Named) bool { return n.Name == e.Name })
	}
	return s.labels.Matches(selectable{e})
}

// selectable are the labels of an environment, and its name.
type selectable struct{ *Environment }

// Has implements [labels.Labels].
func (s selectable) Has(label string) bool {
	_, ok := s.Labels[label]
	return ok || isName(label)
}

// isName reports whether a label is the name of the environment: in short, or as objects have it.
func isName(label string) bool { return label == NameLabel || label == targets.EnvironmentLabel }

// Get implements [labels.Labels].
func (s selectable) Get(label string) string {
	if isName(label) {
		return s.Name
	}
	return s.Labels[label]
}

// Lookup implements [labels.Labels].
func (s selectable) Lookup(label string) (value string, exists bool) {
	return s.Get(label), s.Has(label)
}

// labelsOf are the values that environments have of each label.
func labelsOf(environments []*Environment) map[string]map[string]bool {
	values := map[string]map[string]bool{NameLabel: {}, targets.EnvironmentLabel: {}}
	for _, e := range environments {
		values[NameLabel][e.Name], values[targets.EnvironmentLabel][e.Name] = true, true
		for key, value := range e.Labels {
			if values[key] == nil {
				values[key] = map[string]bool{}
			}
			values[key][value] = true
		}
	}
	return values
}

// Misspelt says which labels that the selector asks for no environment has, where one has
// a label that is spelt much like it.
func (s Selector) Misspelt(environments []*Environment) []string {
	return s.unmatched(labelsOf(environments))
}

// unmatched is [Selector.Misspelt]; values are those of all environments.
func (s Selector) unmatched(values map[string]map[string]bool) (out []string) {
	if s.labels == nil {
		return nil
	}
	requirements, _ := s.labels.Requirements()
	for _, r := range requirements {
		known := values[r.Key()]
		if known == nil {
			if near, ok := diag.Nearest(r.Key(), targets.Keys(values)); ok {
				out = append(out, "label "+r.Key()+", which no environment has; did you mean "+near+"?")
			}
			continue
		}
		for _, value := range slices.Sorted(slices.Values(r.ValuesUnsorted())) {
			if known[value] {
				continue
			}
			if near, ok := diag.Nearest(value, targets.Keys(known)); ok {
				out = append(out, r.Key()+"="+value+", which no environment has; did you mean "+near+"?")
			}
		}
	}
	return out
}
