// Package doc makes the page of an artifact: what it is, what it serves, what
// can be configured, what it consists of, and an example that compiles. All of
// it is taken from the artifact, so that it cannot be out of date.
package doc

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/graph"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/module/catalog"
	"kumiki.dev/spread/params"
	"kumiki.dev/value"
)

//go:embed page.md.tmpl page.html.tmpl
var templates embed.FS

// Page is what is known of an artifact.
type Page struct {
	// Name and Kind are the artifact's: "shop", "service".
	Name, Kind string
	// Import is how its package is imported.
	Import string
	// Doc is the doc comment of its #Artifact, a paragraph an element.
	Doc []string
	// Channels, Resources, Fields and Roles are its parts, sorted. Resources are
	// the fields of config.resource, Fields the others.
	Channels  []catalog.Channel
	Resources []Field
	Fields    []Field
	Roles     []Role
	// Version is the artifact's, as it is known here; "" for none.
	Version string
	// Parts are the artifacts of its roles, and of theirs.
	Parts []*Part
	// Topology is how a service's roles are connected; nil for a component.
	Topology *graph.Graph
	// Example is the manifest of an example that deploys it, "" for none.
	Example string
	// ExampleDir is the directory of the example within the module.
	ExampleDir string
	// Deployed are the deployments and roles of the example's solution.
	Deployed []string
}

// Field is a config field.
type Field struct{ Path, Give, Default, Takes, Doc string }

// Role is a role of a service with the artifact that fills it, and where the page has that.
type Role struct{ Name, Kind, Artifact, Anchor string }

// Of makes the page of the artifact that the input names.
func Of(ctx context.Context, in load.Input) (*Page, diag.List) {
	d, problems := compiler.Describe(ctx, cuecontext.New(), in)
	if d == nil || d.Node == nil || problems.HasErrors() {
		return nil, problems
	}
	ref := d.Node.Ref
	p := &Page{Name: d.Node.Called(), Kind: ref.Kind, Import: d.Program.ImportPath(), Doc: catalog.Doc(d), Channels: catalog.Channels(d.Node), Topology: topology(d.Node)}
	p.Version = versionOf(ref)
	for _, param := range d.Params {
		if f := fieldOf(param); param.Path[0] == "resource" {
			p.Resources = append(p.Resources, f)
		} else {
			p.Fields = append(p.Fields, f)
		}
	}
	of := &parts{known: map[string]*Part{}, taken: map[string]bool{}}
	p.Roles = of.roles(d.Node)
	p.Parts = of.list
	return p, append(problems, p.example(ctx, in, d.Program)...)
}

// versionOf is a version as people write it, "" for none.
func versionOf(ref value.Ref) string {
	var parts []string
	for _, n := range ref.Version {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ".")
}

func fieldOf(param params.Param) Field {
	f := Field{Path: "config." + strings.Join(param.Path, "."), Give: "optional", Takes: param.Takes, Doc: param.Doc}
	switch {
	case param.Required:
		f.Give = "required"
	case param.Computed != "":
		f.Give = "computed"
	case param.Default != nil:
		f.Default = param.Default.JSON()
	}
	return f
}

// example takes the first example of the module that deploys the artifact and
// compiles.
func (p *Page) example(ctx context.Context, in load.Input, program *load.Program) diag.List {
	survey, problems := load.Look(program.Dir)
	if survey == nil {
		return problems
	}
	for _, s := range survey.Packages {
		if !s.Deployment {
			continue
		}
		dir := filepath.Join(survey.Dir, filepath.FromSlash(s.Dir))
		r, found := compiler.Run(ctx, compiler.Input{LoadInput: compiler.LoadInput{Dir: dir, Package: s.Name, Modules: in.Modules}}, compiler.ExtractStage)
		if found.HasErrors() || r.Tree == nil || r.Tree.Root == nil || r.Tree.Root.Package == nil || r.Tree.Root.Package.ImportPath() != program.Root.Path {
			continue
		}
		name := r.Tree.Pos.Filename()
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		p.Example, p.ExampleDir = strings.TrimRight(string(text), "\n"), s.Dir
		for _, deployment := range sorting.Ordered(r.Solution.Deployments) {
			p.Deployed = append(p.Deployed, fmt.Sprintf("%s (%s)", deployment, r.Solution.Deployments[deployment].Artifact.Ref.Name))
			for _, role := range sorting.Ordered(r.Solution.Deployments[deployment].Artifact.Description.Role) {
				p.Deployed = append(p.Deployed, deployment+"."+role)
			}
		}
		return nil
	}
	return nil
}

// Markdown writes the page in Markdown, with the topology as Mermaid.
func (p *Page) Markdown() ([]byte, error) {
	t, err := template.New("page.md.tmpl").Funcs(template.FuncMap{"cell": cell, "text": text}).ParseFS(templates, "page.md.tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

// HTML writes the page as an HTML document of its own.
func (p *Page) HTML() ([]byte, error) {
	t, err := htmltemplate.New("page.html.tmpl").Funcs(htmltemplate.FuncMap{"picture": picture}).ParseFS(templates, "page.html.tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

// cell makes a text fit for a cell of a Markdown table.
func cell(s string) string {
	if s == "" {
		return "–"
	}
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text(s))
}

// text keeps markup of HTML out of Markdown.
func text(s string) string { return strings.ReplaceAll(s, "<", "&lt;") }
