// Package page makes the page of an artifact: what it is, what it serves, what
// can be configured, what it consists of, and an example that compiles. All of
// it is taken from the artifact, so that it cannot be out of date.
package page

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/diag"
	"kumiki.dev/spread"
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
	// Channels, Fields, Roles and Links are its parts, sorted.
	Channels []Channel
	Fields   []Field
	Roles    []Role
	Links    []Link
	// Example is the manifest of an example that deploys it, "" for none.
	Example string
	// ExampleDir is the directory of the example within the module.
	ExampleDir string
	// Deployed are the deployments and roles of the example's solution.
	Deployed []string
}

// Channel is a channel of the artifact.
type Channel struct{ Name, Side, Protocol, Port string }

// Field is a config field.
type Field struct{ Path, Give, Default, Takes, Doc string }

// Role is a role of a service with the artifact that fills it.
type Role struct{ Name, Kind, Artifact string }

// Link is a way of requests from one role to another.
type Link struct{ From, To, Connector string }

// Of makes the page of the artifact that the input names.
func Of(ctx context.Context, in compiler.LoadInput) (*Page, diag.List) {
	d, problems := compiler.Describe(cuecontext.New(), in)
	if d == nil || d.Node == nil || problems.HasErrors() {
		return nil, problems
	}
	ref := d.Node.Ref
	p := &Page{Name: ref.Name, Kind: ref.Kind, Import: d.Program.ImportPath(), Doc: paragraphs(comments(d))}
	p.channels(d.Node)
	for _, param := range d.Params {
		p.Fields = append(p.Fields, fieldOf(param))
	}
	for _, r := range d.Node.Roles {
		p.Roles = append(p.Roles, Role{r.Name, r.Node.Ref.Kind, r.Node.Ref.Name})
	}
	p.links(d.Node.Description.Get("connect"))
	return p, append(problems, p.example(ctx, in, d.Program)...)
}

// comments are the doc comments of the package and of its #Artifact, without
// the model's.
func comments(d *compiler.Description) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	for _, f := range d.Program.Root.Files {
		for _, decl := range f.Decls {
			if clause, ok := decl.(*ast.Package); ok {
				out = append(out, ast.Comments(f)...)
				out = append(out, ast.Comments(clause)...)
			}
		}
	}
	out = append(out, d.Artifact.Doc()...)
	return slices.DeleteFunc(out, func(g *ast.CommentGroup) bool { return spread.IsModel(g.Pos()) || !g.Doc })
}

func paragraphs(groups []*ast.CommentGroup) []string {
	var out []string
	for _, group := range groups {
		for part := range strings.SplitSeq(strings.TrimSpace(group.Text()), "\n\n") {
			if text := strings.Join(strings.Fields(part), " "); text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

func (p *Page) channels(n *spread.Node) {
	for _, side := range []string{"server", "client", "duplex"} {
		for _, f := range n.Description.Get("srv", side).Each() {
			c := Channel{Name: f.Name, Side: side, Protocol: f.Value.Get("protocol").Str()}
			if port := f.Value.Get("port"); port != nil {
				if c.Port = port.Text; spread.IsStandIn(port.Pos) {
					c.Port = "by its config"
				}
			}
			p.Channels = append(p.Channels, c)
		}
	}
}

func fieldOf(param spread.Param) Field {
	f := Field{Path: "config." + strings.Join(param.Path, "."), Give: "optional", Takes: param.Takes, Doc: param.Doc}
	switch {
	case param.Required:
		f.Give = "required"
	case param.Default != nil:
		f.Default = param.Default.JSON()
	}
	return f
}

// links reads connectors: from: ROLE: CHANNEL, to: ROLE: CHANNEL: …
func (p *Page) links(connect *spread.Data) {
	for _, c := range connect.Each() {
		for _, from := range c.Value.Get("from").Each() {
			for _, to := range c.Value.Get("to").Each() {
				p.Links = append(p.Links, Link{from.Name, to.Name, c.Name})
			}
		}
	}
}

// example takes the first example of the module that deploys the artifact and
// compiles.
func (p *Page) example(ctx context.Context, in compiler.LoadInput, program *compiler.Program) diag.List {
	survey, problems := compiler.Look(program.Dir)
	if survey == nil {
		return problems
	}
	for _, s := range survey.Packages {
		if !s.Deployment {
			continue
		}
		dir := filepath.Join(survey.Dir, filepath.FromSlash(s.Dir))
		r, found := compiler.Run(ctx, compiler.Input{LoadInput: compiler.LoadInput{Dir: dir, Package: s.Name, Modules: in.Modules}}, compiler.ExtractStage)
		if found.HasErrors() || r.Tree == nil || r.Tree.Root == nil || r.Tree.Root.Package == nil || r.Tree.Root.Package.Path != program.Root.Path {
			continue
		}
		name := r.Tree.Pos.Filename()
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		p.Example, p.ExampleDir = strings.TrimRight(string(text), "\n"), s.Dir
		for _, deployment := range slices.Sorted(maps.Keys(r.Solution.Deployments)) {
			p.Deployed = append(p.Deployed, fmt.Sprintf("%s (%s)", deployment, r.Solution.Deployments[deployment].Artifact.Ref.Name))
			for _, role := range slices.Sorted(maps.Keys(r.Solution.Deployments[deployment].Artifact.Description.Role)) {
				p.Deployed = append(p.Deployed, deployment+"."+role)
			}
		}
		return nil
	}
	return nil
}

// Markdown writes the page in Markdown, with the topology as Mermaid.
func (p *Page) Markdown() ([]byte, error) {
	t, err := template.New("page.md.tmpl").Funcs(template.FuncMap{"cell": cell, "text": text, "node": node}).ParseFS(templates, "page.md.tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

// HTML writes the page as an HTML document of its own.
func (p *Page) HTML() ([]byte, error) {
	t, err := htmltemplate.ParseFS(templates, "page.html.tmpl")
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

// node is a role in Mermaid, whose own names take letters and digits only and
// have words such as "end" among them.
func node(name string) string {
	id := strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return '_'
		}
		return r
	}, strings.ToLower(name))
	return fmt.Sprintf("role_%s_%d[%q]", id, len(name), name)
}
