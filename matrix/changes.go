package matrix

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets"
)

// Changes are the cells of an earlier run that the tree does not have any more.
type Changes struct {
	// Removed are the cells that are removed: their template does not select the environment
	// any more, or one of the two is gone.
	Removed []*Entry
	// Unknown are the cells of templates and environments that could not be read. They stay.
	Unknown []*Entry
	// Templates and Environments are the names of those that are gone and had cells.
	Templates, Environments []string
	// Renamed are the gone ones that seem to have a new name. Their cells are removed under
	// the old name, and new under the new one.
	Renamed []Rename
	// before is the number of cells of the earlier run.
	before    int
	protected []string
}

// Rename is a template or an environment that seems to have another name than before.
type Rename struct {
	// What is "template" or "environment".
	What string `json:"what"`
	From string `json:"from"`
	To   string `json:"to"`
	// Cells is how many cells it has.
	Cells int `json:"cells"`
}

// Compare returns the cells of an earlier run that the tree does not have any more.
func Compare(b *Before, tree *environment.Tree, p *environment.Placement) *Changes {
	out := &Changes{}
	if b == nil {
		return out
	}
	out.before = len(b.Index.Cells)
	here := map[[2]string]bool{}
	for _, c := range p.Cells {
		here[[2]string{c.Environment.Name, c.Template.Name}] = true
	}
	templates, environments := map[string]bool{}, map[string]bool{}
	for _, t := range tree.Templates {
		templates[t.Name] = true
	}
	for _, e := range tree.Environments {
		environments[e.Name] = true
	}
	gone := map[[2]string]bool{}
	for _, e := range b.Index.Cells {
		switch {
		case here[[2]string{e.Environment, e.Template}]:
			continue
		case filter.Contains(tree.UnknownTemplates, e.Template), filter.Contains(tree.UnknownEnvironments, e.Environment):
			out.Unknown = append(out.Unknown, e)
			continue
		}
		out.Removed = append(out.Removed, e)
		if !templates[e.Template] {
			gone[[2]string{"template", e.Template}] = true
		}
		if !environments[e.Environment] {
			gone[[2]string{"environment", e.Environment}] = true
		}
		if b.Index.Environments[e.Environment].Protected && !filter.Contains(out.protected, e.Environment) {
			out.protected = append(out.protected, e.Environment)
		}
	}
	for name := range gone {
		if name[0] == "template" {
			out.Templates = append(out.Templates, name[1])
		} else {
			out.Environments = append(out.Environments, name[1])
		}
	}
	slices.Sort(out.Templates)
	slices.Sort(out.Environments)
	out.renames(b, p)
	return out
}

// Join adds the changes since another earlier run, of which the tree is the same.
func (c *Changes) Join(other *Changes) {
	had := map[[2]string]bool{}
	for _, e := range slices.Concat(c.Removed, c.Unknown) {
		had[e.pair()] = true
	}
	for _, e := range other.Removed {
		if !had[e.pair()] {
			c.Removed = append(c.Removed, e)
		}
	}
	for _, e := range other.Unknown {
		if !had[e.pair()] {
			c.Unknown = append(c.Unknown, e)
		}
	}
	c.Templates, c.Environments, c.protected = union(c.Templates, other.Templates), union(c.Environments, other.Environments), union(c.protected, other.protected)
	for _, r := range other.Renamed {
		if !filter.Contains(c.Renamed, r) {
			c.Renamed = append(c.Renamed, r)
		}
	}
	c.before = max(c.before, other.before)
}

// union are the names of two lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// renames pairs a name that is gone with a new one that has the same cells.
func (c *Changes) renames(b *Before, p *environment.Placement) {
	known := map[[2]string]bool{}
	for _, e := range b.Index.Cells {
		known[[2]string{"template", e.Template}] = true
		known[[2]string{"environment", e.Environment}] = true
	}
	was, is := map[[2]string][]string{}, map[[2]string][]string{}
	for _, e := range b.Index.Cells {
		was[[2]string{"template", e.Template}] = append(was[[2]string{"template", e.Template}], e.Environment+" "+e.Artifact)
		was[[2]string{"environment", e.Environment}] = append(was[[2]string{"environment", e.Environment}], e.Template+" "+b.Index.Environments[e.Environment].Target)
	}
	for _, x := range p.Cells {
		t, e := [2]string{"template", x.Template.Name}, [2]string{"environment", x.Environment.Name}
		is[t] = append(is[t], x.Environment.Name+" "+x.Artifact.String())
		is[e] = append(is[e], x.Template.Name+" "+x.Environment.Target)
	}
	taken := map[string]bool{}
	for what, names := range map[string][]string{"template": c.Templates, "environment": c.Environments} {
		for _, from := range names {
			for _, to := range targets.Keys(named(is, what)) {
				if !known[[2]string{what, to}] && !taken[what+to] && slices.Equal(was[[2]string{what, from}], is[[2]string{what, to}]) {
					taken[what+to] = true
					c.Renamed = append(c.Renamed, Rename{what, from, to, len(was[[2]string{what, from}])})
					break
				}
			}
		}
	}
	sorting.By(c.Renamed, func(a, b Rename) int { return strings.Compare(a.What+a.From, b.What+b.From) })
}

func named(all map[[2]string][]string, what string) map[string]bool {
	out := map[string]bool{}
	for key := range all {
		if key[0] == what {
			out[key[1]] = true
		}
	}
	return out
}

// few is the number of cells that may be removed without --remove, whatever share they are.
const few = 3

// Refusal returns why the cells may be removed only if the user repeats their number, "" if
// they may be removed.
func (c *Changes) Refusal() string {
	n := len(c.Removed)
	var why []string
	switch {
	case n == 0:
		return ""
	case len(c.Templates) > 0:
		why = append(why, "templates that are in use are gone: "+strings.Join(c.Templates, ", "))
	}
	if len(c.Environments) > 0 {
		why = append(why, "environments that are in use are gone: "+strings.Join(c.Environments, ", "))
	}
	if len(c.protected) > 0 {
		why = append(why, "protected: "+strings.Join(c.protected, ", "))
	}
	if most := max(few, c.before/10); n > most {
		why = append(why, fmt.Sprintf("more than %d of %d", most, c.before))
	}
	return strings.Join(why, "; ")
}
