package environment

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// Templates is where the templates of a module are: the directory of this name at its root.
const Templates = load.TemplateDirectory

// Template is a deployment that environments get. The fields are those of #Template.
type Template struct {
	Name     string
	Artifact Artifact
	// Environments select those that get it.
	Environments Selector
	// Requires are the templates that have to be there first.
	Requires []Named
	// Accepts are the deployments that it accepts links from: other templates, or what is
	// deployed elsewhere.
	Accepts []string
	// ByLabels is where it accepts deployments by labels; not valid if it does not.
	ByLabels diag.Pos
	// Links are those to deployments of other solutions, as the file has them.
	Links []Link
	// Labels are those of its solutions.
	Labels map[string]string
	// Overrides are what single environments get otherwise, sorted by their names.
	Overrides []Override
	// Waves are in the order in which changes are promoted.
	Waves []*Wave
	// Pos is where the template is declared.
	Pos diag.Pos
}

// Artifact is what a template deploys.
type Artifact struct {
	// Text is "MODULE/PACKAGE@v1.2.3", "" for one that is imported: then Import is the path.
	Text, Import string
	// Path and Version are the parts of Text.
	Path, Version string
	// Pos is where it is written.
	Pos diag.Pos
}

// String is the artifact as the template has it.
func (a Artifact) String() string {
	if a.Text != "" {
		return a.Text
	}
	return a.Import
}

// Link leads from a deployment of a template to one of another solution. Both are named by
// the template: shop, or shop.entry for what role entry of it becomes.
type Link struct{ From, To string }

// Named is a name with its position.
type Named struct {
	Name string
	Pos  diag.Pos
}

// Override is what one environment gets otherwise.
type Override struct {
	Named
	Config *value.Data
}

// Wave is a group of environments that changes reach at the same time.
type Wave struct {
	Name         string
	Environments Selector
	// Artifact is what they get in place of the template's, nil for that.
	Artifact *Artifact
	// Config is what they get otherwise; nil for nothing.
	Config *value.Data
	Pos    diag.Pos
}

// LoadTemplates loads the templates in a directory, of which each is in a file of its name;
// with names only those. They are sorted by name, and those with problems are left out.
func LoadTemplates(in load.Input, names ...string) ([]*Template, diag.List) {
	packages, problems := load.Templates(in, names...)
	out, more := each(packages, spread.Template, decodeTemplate)
	sorting.By(out, func(a, b *Template) int { return strings.Compare(a.Name, b.Name) })
	return out, append(problems, more...).Sorted()
}

// evaluators are those of many small packages: each is used for some of them, as CUE
// forgets nothing.
type evaluators struct {
	eval *spread.Evaluator
	used int
}

// packagesEach is how many packages have one evaluator.
const packagesEach = 50

func newEvaluators() *evaluators { return &evaluators{} }

func (e *evaluators) next() *spread.Evaluator {
	if e.used%packagesEach == 0 {
		e.eval = spread.NewEvaluator(cuecontext.New())
	}
	e.used++
	return e.eval
}

// reader reads what spread.Template has made of a file, and keeps what is wrong.
type reader struct{ problems diag.List }

func (r *reader) wrong(pos diag.Pos, path []string, format string, args ...any) {
	r.problems = append(r.problems, diag.New(diag.TemplateWord, pos, format, args...).AtPath(path...))
}

// decodeTemplate reads the template in the file of a name.
func decodeTemplate(d *value.Data, file string) (*Template, diag.List) {
	r := &reader{}
	t := &Template{Name: d.Get("name").Str(), Pos: d.Pos, Labels: map[string]string{}}
	switch name := d.Get("name"); {
	case CheckTemplateName(t.Name) != nil:
		r.wrong(name.Pos, []string{"name"}, "%v", CheckTemplateName(t.Name))
	case t.Name != file:
		r.wrong(name.Pos, []string{"name"}, "template %s is in %s.cue: write name: %q, or call the file %s.cue", t.Name, file, file, t.Name)
	}
	t.Artifact = r.artifact(d.Get("artifact"), []string{"artifact"})
	t.Environments = r.selector(d.Get("environments"), []string{"environments"})
	for _, x := range d.Get("requires").Items {
		t.Requires = append(t.Requires, Named{x.Str(), x.Pos})
	}
	t.linked(d)
	for _, f := range d.Get("labels").Each() {
		t.Labels[f.Name] = f.Value.Str()
		if text := labelProblem(f.Name, f.Value.Str()); text != "" {
			r.wrong(f.Value.Pos, []string{"labels", f.Name}, "%s", text)
		}
	}
	for _, f := range d.Get("overrides").Each() {
		t.Overrides = append(t.Overrides, Override{Named{f.Name, f.Value.Pos}, values(f.Value)})
	}
	for _, x := range d.Get("waves").Items {
		t.Waves = append(t.Waves, r.wave(t, x))
	}
	return t, r.problems
}

// linked reads what a template says of links between it and others.
func (t *Template) linked(d *value.Data) {
	for _, f := range d.Get("accepts").Each() {
		for _, client := range f.Value.Members() {
			if labels := client.Value.Get("labels"); labels != nil && !t.ByLabels.IsValid() {
				t.ByLabels = labels.Pos
			}
			name, _, _ := strings.Cut(client.Value.Get("deployment").Str(), ".")
			t.Accepts = append(t.Accepts, name)
		}
	}
	for _, f := range d.Get("links").Each() {
		from := f.Value.Get("from", "deployment")
		link := Link{From: t.Name, To: f.Value.Get("to", "deployment").Str()}
		if from != nil {
			link.From = from.Str()
		}
		t.Links = append(t.Links, link)
	}
}

// CheckTemplateName says what is wrong with the name of a template.
func CheckTemplateName(name string) error {
	if CheckName(name) != nil || strings.Contains(name, "--") {
		return fmt.Errorf("%q is no name of a template: it has small letters, digits and single hyphens, 40 at most, such as shop", name)
	}
	return nil
}

// labelProblem says what is wrong with a label that a file gives, "" for nothing.
func labelProblem(key, value string) string {
	if text := ownLabel(key); text != "" {
		return text
	}
	return solution.LabelProblem(key, value)
}

// ownLabel says that a label is one of kumiki's own, "" for others.
func ownLabel(key string) string {
	prefix, _, _ := strings.Cut(key, "/")
	if key == NameLabel || prefix == "kumiki.dev" || strings.HasSuffix(prefix, ".kumiki.dev") || prefix == "app.kubernetes.io" {
		return "label " + key + " is one that kumiki sets itself: choose another key"
	}
	return ""
}

// values is a config as a deployment gets it; nil for nothing.
func values(d *value.Data) *value.Data {
	for _, section := range d.Each() {
		if !section.Value.IsComposite() || len(section.Value.Each()) > 0 {
			return d
		}
	}
	return nil
}

func (r *reader) wave(t *Template, d *value.Data) *Wave {
	w := &Wave{Name: d.Get("name").Str(), Config: values(d.Get("config")), Pos: d.Get("name").Pos}
	w.Environments = r.selector(d.Get("environments"), []string{"waves", w.Name, "environments"})
	if text := d.Get("artifact"); text != nil {
		a := r.artifact(text, []string{"waves", w.Name, "artifact"})
		w.Artifact = &a
	}
	if CheckName(w.Name) != nil {
		r.wrong(w.Pos, []string{"waves", "name"}, "%q is no name of a wave: it has small letters, digits and hyphens, such as canary", w.Name)
	}
	if filter.Any(t.Waves, func(other *Wave) bool { return other.Name == w.Name }) {
		r.wrong(w.Pos, []string{"waves", "name"}, "two waves are called %s: rename one of them", w.Name)
	}
	return w
}

func (r *reader) artifact(d *value.Data, path []string) Artifact {
	if d.Get("import") != nil {
		return Artifact{Import: d.Get("import").Str(), Pos: d.Pos}
	}
	a := Artifact{Text: d.Str(), Pos: d.Pos}
	var ok bool
	if a.Path, a.Version, ok = load.PublishedArtifact(a.Text); !ok {
		r.wrong(d.Pos, path, "%s is no artifact: write \"MODULE/PACKAGE@v1.2.3\", such as \"example.org/site/shop@v1.2.3\", or import a package and write x.#Artifact", d.JSON())
		return a
	}
	return a
}

// MarshalJSON shows a template as its file has it.
func (t *Template) MarshalJSON() ([]byte, error) {
	var requires []string
	for _, x := range t.Requires {
		requires = append(requires, x.Name)
	}
	return json.Marshal(struct {
		Name         string            `json:"name"`
		Artifact     string            `json:"artifact"`
		Environments string            `json:"environments"`
		Requires     []string          `json:"requires,omitempty"`
		Labels       map[string]string `json:"labels,omitempty"`
	}{t.Name, t.Artifact.String(), t.Environments.String(), requires, t.Labels})
}

// SolutionLabels are those of the template's solution for an environment: of both.
// The template's win.
func (t *Template) SolutionLabels(e *Environment) map[string]string {
	labels := e.SolutionLabels()
	for key, value := range t.Labels {
		labels[key] = value
	}
	labels[targets.TemplateLabel] = t.Name
	return labels
}
