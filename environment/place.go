package environment

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// Cell is a template in an environment. Each cell becomes a solution.
type Cell struct {
	Template    *Template
	Environment *Environment
	// Name is the solution's. No two cells have the same.
	Name string
	// Wave is the one that the environment is in, nil for none.
	Wave *Wave
	// Artifact is what is deployed there.
	Artifact Artifact
	// Config is what the wave and the overrides give, nil for nothing. It wins over what
	// the environment has.
	Config *value.Data
	// Labels are the solution's.
	Labels map[string]string
}

// Placement is which templates are in which environments, and in which order.
type Placement struct {
	// Cells are sorted by environment and template.
	Cells []*Cell
	// Levels are those of each environment, in order: the cells of a level require only
	// such of the levels before.
	Levels map[string][][]*Cell
}

// Cell is the one of a template in an environment, nil if it is not placed there.
func (p *Placement) Cell(template, environment string) *Cell {
	for _, c := range p.Cells {
		if c.Template.Name == template && c.Environment.Name == environment {
			return c
		}
	}
	return nil
}

// Needed are the template of a name and those that it requires, directly or not, in their
// order; none if there is no such template.
func Needed(templates []*Template, name string) (out []*Template) {
	needed := map[string]bool{name: true}
	for again := true; again; {
		again = false
		for _, t := range templates {
			for _, n := range t.Requires {
				if needed[t.Name] && !needed[n.Name] {
					needed[n.Name], again = true, true
				}
			}
		}
	}
	for _, t := range templates {
		if needed[t.Name] {
			out = append(out, t)
		}
	}
	return out
}

// maxName is the longest name of a solution, so that the names of its objects can be read.
const maxName = 48

// SolutionName is the name of the solution of a template in the environment. It is the same
// for no other two.
func (e *Environment) SolutionName(template string) string {
	if e.Target == "swarm" {
		return targets.Name(targets.MaxStackName, template, e.Name)
	}
	return targets.Name(maxName, template, e.Name)
}

// Place returns which templates are in which environments. unknown has the names of templates
// and environments that could not be read; a reference to one of them is no problem.
func Place(templates []*Template, environments []*Environment, unknown ...string) (*Placement, diag.List) {
	p := &placer{templates: map[string]*Template{}, environments: map[string]*Environment{}, unknown: unknown, labels: labelsOf(environments)}
	for _, t := range templates {
		p.templates[t.Name] = t
	}
	for _, e := range environments {
		p.environments[e.Name] = e
	}
	for _, t := range templates {
		p.names(t)
	}
	out := &Placement{Levels: map[string][][]*Cell{}}
	if p.circles(templates); p.problems.HasErrors() {
		return out, p.problems.Sorted()
	}
	used, called := map[*Template]bool{}, map[string]*Cell{}
	for _, e := range environments {
		here := map[string]*Cell{}
		for _, t := range templates {
			if !t.Environments.Matches(e) {
				continue
			}
			c := p.cell(t, e)
			if other := called[c.Name]; other != nil {
				p.report(diag.TemplateWord, t.Pos, "%s in %s and %s in %s would both be called %s: rename one of them", t.Name, e.Name, other.Template.Name, other.Environment.Name, c.Name)
			}
			used[t], called[c.Name], here[t.Name] = true, c, c
			out.Cells = append(out.Cells, c)
		}
		p.required(e, here)
		out.Levels[e.Name] = levelsOf(here)
	}
	p.absences()
	for _, t := range templates {
		p.unselective(t)
		if !used[t] && len(unknown) == 0 && len(environments) > 0 && len(p.misspelt(t.Environments)) == 0 {
			p.problems = append(p.problems, diag.Warn(diag.NoPlace, t.Environments.Pos, "template %s is for no environment: %s selects none of %s", t.Name, quoted(t.Environments.String()), strings.Join(targets.Keys(p.environments), ", ")))
		}
	}
	return out, p.problems.Sorted()
}

func quoted(text string) string { return `"` + text + `"` }

// placer is the state of a [Place].
type placer struct {
	templates    map[string]*Template
	environments map[string]*Environment
	unknown      []string
	problems     diag.List
	absent       []*absence
	labels       map[string]map[string]bool // values of labels that environments have
}

func (p *placer) report(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, pos, format, args...)
	p.problems = append(p.problems, d)
	return d
}

// near suggests a known name for one that is unknown.
func near(name string, known []string) string {
	if near, ok := diag.Nearest(name, known); ok {
		return "did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "there is none"
	}
	return "there are " + strings.Join(known, ", ")
}

// names reports the names in a template that are not those of environments or templates.
func (p *placer) names(t *Template) {
	places := [][]Named{t.Environments.Names}
	for _, w := range t.Waves {
		places = append(places, w.Environments.Names)
	}
	for _, o := range t.Overrides {
		places = append(places, []Named{o.Named})
		if e := p.environments[o.Name]; e != nil && !t.Environments.Matches(e) {
			p.report(diag.TemplateWord, o.Pos, "environment %s gets something of its own, but the template is not for it: %s does not select it", o.Name, quoted(t.Environments.String()))
		}
	}
	for _, n := range slices.Concat(places...) {
		if p.environments[n.Name] == nil && len(p.environments) > 0 && !filter.Contains(p.unknown, n.Name) {
			p.report(diag.TemplateWord, n.Pos, "there is no environment %s; %s", n.Name, near(n.Name, targets.Keys(p.environments)))
		}
	}
	for _, n := range t.Requires {
		if p.templates[n.Name] == nil && !filter.Contains(p.unknown, n.Name) {
			p.report(diag.Requirement, n.Pos, "template %s requires %s, and there is no such template; %s", t.Name, n.Name, near(n.Name, filter.Out(targets.Keys(p.templates), func(name string) bool { return name == t.Name })))
		}
	}
}

// unselective warns of labels in selectors of a template that no environment has, where
// another one was meant.
func (p *placer) unselective(t *Template) {
	selectors := []Selector{t.Environments}
	for _, w := range t.Waves {
		selectors = append(selectors, w.Environments)
	}
	for _, s := range selectors {
		if !filter.Any(p.problems, func(d *diag.Diagnostic) bool { return d.Pos == s.Pos }) {
			p.problems = append(p.problems, p.misspelt(s)...)
		}
	}
}

// misspelt are warnings of labels in a selector that no environment has; none if an
// environment could not be read, which may have them.
func (p *placer) misspelt(s Selector) (out diag.List) {
	if len(p.unknown) > 0 {
		return nil
	}
	for _, text := range s.unmatched(p.labels) {
		out = append(out, diag.Warn(diag.NoPlace, s.Pos, "%s selects by %s", quoted(s.String()), text))
	}
	return out
}

// cell is a template in an environment.
func (p *placer) cell(t *Template, e *Environment) *Cell {
	c := &Cell{Template: t, Environment: e, Name: e.SolutionName(t.Name), Artifact: t.Artifact, Labels: t.SolutionLabels(e)}
	for _, w := range t.Waves {
		if !w.Environments.Matches(e) {
			continue
		}
		if c.Wave != nil {
			p.report(diag.TemplateWord, w.Environments.Pos, "environment %s is in wave %s, and in %s already: an environment is in one wave", e.Name, w.Name, c.Wave.Name).
				With(c.Wave.Environments.Pos, "wave %s", c.Wave.Name)
			break
		}
		c.Wave, c.Config = w, w.Config
		if w.Artifact != nil {
			c.Artifact = *w.Artifact
		}
	}
	for _, o := range t.Overrides {
		if o.Name == e.Name {
			c.Config = c.Config.Merge(o.Config)
		}
	}
	return c
}

// required reports the required templates that are not in an environment.
func (p *placer) required(e *Environment, here map[string]*Cell) {
	for _, name := range targets.Keys(here) {
		for _, n := range here[name].Template.Requires {
			other := p.templates[n.Name]
			if other == nil || here[n.Name] != nil {
				continue
			}
			a := &absence{template: name, requires: n, other: other}
			if i := slices.IndexFunc(p.absent, func(x *absence) bool { return x.requires == n }); i >= 0 {
				a = p.absent[i]
			} else {
				p.absent = append(p.absent, a)
			}
			a.in = append(a.in, e.Name)
		}
	}
}

// absence is a required template that is not in environments.
type absence struct {
	template string
	requires Named
	other    *Template
	in       []string
}

// few is how many names a message has of many.
const few = 4

// NotIn says that what a template requires is not in an environment, or in several: what they
// are called, and the pronoun for that.
func NotIn(template string, required Named, where, them string) *diag.Diagnostic {
	return diag.New(diag.Requirement, required.Pos, "template %[1]s requires %[2]s, which is not in %[3]s: let %[2]s select %[4]s too, or leave %[1]s out there", template, required.Name, where, them)
}

// absences reports them, each once; what follows from a misspelt label of the required one
// below that.
func (p *placer) absences() {
	causes := map[*Template]*diag.Diagnostic{}
	for _, a := range p.absent {
		where, them := "environment "+a.in[0], "it"
		if n := len(a.in); n > 1 {
			first := a.in
			if n > few {
				first = append(slices.Clone(a.in[:few-1]), fmt.Sprintf("%d more", n-few+1))
			}
			where, them = "environments "+strings.Join(first, ", "), "them"
		}
		d := NotIn(a.template, a.requires, where, them).
			With(a.other.Environments.Pos, "%s selects %s", a.other.Name, quoted(a.other.Environments.String()))
		if causes[a.other] == nil {
			for _, wrong := range p.misspelt(a.other.Environments) {
				wrong.Severity, causes[a.other] = diag.Error, wrong
				p.problems = append(p.problems, wrong)
				break
			}
		}
		if cause := causes[a.other]; cause != nil {
			cause.Consequences = append(cause.Consequences, d)
			continue
		}
		p.problems = append(p.problems, d)
	}
}

// circles reports templates that require each other in a circle.
func (p *placer) circles(templates []*Template) {
	const open, done = 1, 2
	state := map[string]int{}
	var trail []Named // the requirements that lead here
	var visit func(t *Template) bool
	visit = func(t *Template) bool {
		state[t.Name] = open
		for _, n := range t.Requires {
			next := p.templates[n.Name]
			if next == nil || state[n.Name] == done {
				continue
			}
			trail = append(trail, n)
			if state[n.Name] == open {
				p.circle(trail)
				return false
			}
			if !visit(next) {
				return false
			}
			trail = trail[:len(trail)-1]
		}
		state[t.Name] = done
		return true
	}
	for _, t := range templates {
		if trail = nil; state[t.Name] == 0 && !visit(t) {
			return
		}
	}
}

// circle reports the way round that ends with the last requirement of the trail.
func (p *placer) circle(trail []Named) {
	last := trail[len(trail)-1]
	i := slices.IndexFunc(trail, func(n Named) bool { return n.Name == last.Name })
	way := []string{last.Name}
	if i == len(trail)-1 { // it begins where nothing led to
		i = -1
	}
	round := trail[i+1:]
	for _, n := range round {
		way = append(way, n.Name)
	}
	d := p.report(diag.Requirement, round[0].Pos, "templates require each other in a circle: %s; take one of the requirements out", strings.Join(way, " → "))
	for i, n := range round[1:] {
		d.With(n.Pos, "%s requires %s", round[i].Name, n.Name)
	}
}

// levelsOf returns the cells of an environment in topological order, level by level.
func levelsOf(here map[string]*Cell) (out [][]*Cell) {
	level := map[string]int{}
	var of func(c *Cell) int
	of = func(c *Cell) int {
		if n, ok := level[c.Template.Name]; ok {
			return n
		}
		n := 0
		for _, r := range c.Template.Requires {
			if other := here[r.Name]; other != nil {
				n = max(n, of(other)+1)
			}
		}
		level[c.Template.Name] = n
		return n
	}
	for _, name := range targets.Keys(here) {
		n := of(here[name])
		for len(out) <= n {
			out = append(out, nil)
		}
		out[n] = append(out[n], here[name])
	}
	return out
}
