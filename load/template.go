package load

import (
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/mod/modfile"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
)

// templateField is what a file of a template declares, and templatePath the module that
// says what templates are like.
const templateField, templatePath = "#Template", "kumiki.dev/template"

// Template says that a template of the input's directory is loaded as a deployment.
type Template struct {
	// Name is the template's, whose file is NAME.cue.
	Name string
	// Import is the path of the artifact that is deployed in place of what the file says,
	// "" for that.
	Import string
	// Modules are the versions of all modules that the artifact of Import needs, its own
	// among them, by their paths: "example.org/shop@v1": "v1.2.3".
	Modules map[string]string
}

// Templates loads the templates in a directory, of which each is in a file of its own, as
// [Environments] loads environments. Of their artifacts nothing is read: where one is not
// a text, it has become {import: "…"}.
func Templates(in Input, names ...string) ([]*spread.Package, diag.List) {
	return declared(in, templateField, names...)
}

// loadTemplate loads the template of the input as a deployment.
func (l *loader) loadTemplate(rel string) *spread.Package {
	for _, s := range l.scan(l.main, rel).files {
		if strings.TrimSuffix(path.Base(s.rel), ".cue") == l.in.Template.Name && s.declares(templateField) {
			return l.fileWith(rel, s, templateField)
		}
	}
	l.report(diag.New(diag.TemplateWord, diag.NoPos, "there is no template %s in %s", l.in.Template.Name, l.in.Dir))
	return nil
}

// templated returns the files of a template's package for what is asked of it: its data,
// or the deployment that it stands for.
func (l *loader) templated(p *spread.Package, files []*ast.File) []*ast.File {
	if !hasField(files, templateField) || l.main == nil || p.Module != l.main.Module {
		return files
	}
	t := &templating{template: l.in.Template}
	for _, f := range files {
		t.file(f)
	}
	if t.template == nil {
		return files
	}
	if t.at == nil { // the artifact is one of several files, or a text
		t.at = &ast.File{Filename: templateFile, Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent(p.Name)}}}
		files = append(files, t.at)
	}
	t.deployment()
	return files
}

// templateFile is the name of the synthesized file that deploys the artifact which a template
// names as a string.
const templateFile = "kumiki:template.cue"

// templating makes a deployment of a template.
type templating struct {
	template *Template // nil for the data of one
	pos      token.Pos // of the template
	artifact ast.Expr  // as it is written, nil if it is not in the template itself
	at       *ast.File // that has it
	fields   []string  // that are written somewhere
}

// passed are the fields of a template that are the deployment's, if they are there.
var passed = []string{"meta", "up", "links", "accepts", "sla", "objects"}

// file looks at the values at the top of a file, which are the template or what goes into
// it, and takes the artifacts out.
func (t *templating) file(f *ast.File) {
	before := usedImports(f)
	for _, d := range f.Decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		label, _, _ := ast.LabelName(field.Label)
		if label == templateField && !t.pos.IsValid() {
			t.pos = field.Label.Pos()
		}
		for _, lit := range syntax.Structs(field.Value) {
			for _, e := range lit.Elts {
				if inner, ok := e.(*ast.Field); ok {
					t.field(f, label == templateField, inner)
				}
			}
		}
	}
	if t.template != nil && t.template.Import == "" {
		return // what is imported is deployed
	}
	after := usedImports(f)
	for spec := range f.ImportSpecs() {
		if before[spec] && !after[spec] {
			dropImport(f, spec)
		}
	}
}

// field looks at a field of the template, or of what goes into it.
func (t *templating) field(f *ast.File, own bool, field *ast.Field) {
	label, _, _ := ast.LabelName(field.Label)
	t.fields = append(t.fields, label)
	if _, isText := field.Value.(*ast.BasicLit); label != "artifact" || isText {
		return
	}
	if _, isText := field.Value.(*ast.Interpolation); isText {
		return
	}
	deployed := t.template != nil && t.template.Import == ""
	switch {
	case deployed && own && t.artifact == nil:
		t.artifact, t.at = field.Value, f
	case deployed:
		return // it is referred to where it stands
	}
	name := ast.NewString(importOf(field.Value))
	ast.SetPos(name, field.Value.Pos())
	lit := ast.NewStruct(ast.NewIdent("import"), name)
	lit.Lbrace = field.Value.Pos()
	field.Value = lit
}

// importOf is the path of the import that an artifact is taken from, "" if it is none.
func importOf(x ast.Expr) string {
	out := ""
	ast.Walk(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && out == "" {
			if spec, ok := id.Node.(*ast.ImportSpec); ok {
				s, _ := splitImport(spec)
				out = s.raw
			}
		}
		return out == ""
	}, nil)
	return out
}

// deployment adds the deployment to the file that has the artifact.
func (t *templating) deployment() {
	of := func(name string) ast.Expr {
		return &ast.SelectorExpr{X: ast.NewIdent(templateField), Sel: ast.NewIdent(name)} // without a place: what it leads to has one
	}
	artifact := t.artifact
	switch {
	case t.template.Import != "":
		spec := ast.NewImport(ast.NewIdent("kumikiArtifact"), t.template.Import)
		ast.SetPos(spec.Path, t.pos)
		t.at.Decls = append(t.at.Decls, &ast.ImportDecl{Specs: []*ast.ImportSpec{spec}})
		artifact = &ast.SelectorExpr{X: &ast.Ident{Name: spec.Name.Name, NamePos: t.pos, Node: spec}, Sel: &ast.Ident{Name: "#Artifact", NamePos: t.pos}}
	case artifact == nil:
		artifact = of("artifact")
	}
	lit := &ast.StructLit{Lbrace: t.pos}
	add := func(name string, x ast.Expr) {
		lit.Elts = append(lit.Elts, &ast.Field{Label: ast.NewIdent(name), Value: x})
	}
	add("name", of("name"))
	add("artifact", artifact)
	add("config", of("config"))
	for _, name := range passed {
		if filter.Contains(t.fields, name) {
			add(name, of(name))
		}
	}
	t.at.Decls = append(t.at.Decls, &ast.Field{Label: &ast.Ident{Name: "#Deployment", NamePos: t.pos}, Value: lit})
	astutil.Resolve(t.at, func(token.Pos, string, ...any) {}) // the parser has reported what is wrong with names
}

// graph is the module that says which versions the published artifact of a template is
// compiled with: nothing but those that it needs itself.
func (l *loader) graph() *module {
	t := l.in.Template
	f := &modfile.File{Module: "kumiki.local/template@v0", Language: &modfile.Language{Version: moduleLanguage}, Deps: map[string]*modfile.Dep{}}
	for path, version := range t.Modules {
		f.Deps[path] = &modfile.Dep{Version: version}
	}
	dir := filepath.Join(l.main.dir, "cue.mod", "kumiki", t.Name)
	text, err := modfile.Format(f)
	if err != nil {
		panic(fmt.Sprintf("the module file of a template: %v", err)) // its versions have been resolved
	}
	m := &module{
		Module: &spread.Module{Main: true}, dir: dir, files: embed.FS{}, scanned: map[string]*directory{},
		overlay: newBuffers(map[string][]byte{filepath.Join(dir, filepath.FromSlash(moduleFile)): text}),
	}
	l.readModuleFile(m)
	return m
}

// graphed returns the module that resolves the imports of a file.
func (l *loader) graphed(m *module, f *ast.File) *module {
	if f.Filename == templateFile && l.in.Template.Import != "" {
		return l.graph()
	}
	return m
}

// templateRef is the file that unifies a template with what templates are.
func templateRef(name string) *ast.File {
	spec := ast.NewImport(ast.NewIdent("k"), templatePath)
	f := &ast.File{Filename: refFile, Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent(name)},
		&ast.ImportDecl{Specs: []*ast.ImportSpec{spec}},
		&ast.Field{Label: ast.NewIdent(templateField), Value: &ast.SelectorExpr{X: &ast.Ident{Name: "k", Node: spec}, Sel: ast.NewIdent(templateField)}},
	}}
	return f
}
