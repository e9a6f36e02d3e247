package reference

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/schema"
)

// App is a native module in memory, and what of it is to be deployed.
type App struct {
	// Files are the module's, by their slash-separated names from its root.
	Files map[string]string
	// Dir is the directory of the deployment's package, named deployment.
	Dir string
	// Values are files of values, Sets are PATH=VALUE texts; later ones win.
	Values []File
	Sets   []string
	// With are the directories of deployments that values are taken from.
	With []string
}

// File is a file of values, whose ending tells its format.
type File struct{ Name, Text string }

// root is where the module lies in the overlay; there is no such directory.
const root = "/app"

// load parses the package of the deployment and all that it imports.
func (a App) load(m Model) (*build.Instance, error) {
	overlay := map[string]load.Source{}
	for name, f := range m.files {
		overlay[path.Join(root, "cue.mod/pkg", name)] = load.FromFile(f)
	}
	for _, files := range []map[string]string{a.Files, modelled(a.Files, a.module())} {
		for name, text := range files {
			overlay[path.Join(root, name)] = load.FromString(text)
		}
	}
	found := load.Instances([]string{"./" + a.Dir + ":deployment"}, &load.Config{Dir: root, ModuleRoot: root, Overlay: overlay, Env: []string{}})
	return found[0], found[0].Err
}

// Model is the modules that come with kumiki, parsed. CUE writes into what it
// loads, so that a Model is for one goroutine.
type Model struct{ files map[string]*ast.File }

// NewModel parses the schema.
func NewModel() Model {
	files, inbound := map[string]*ast.File{}, map[string]string{}
	err := fs.WalkDir(schema.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(schema.Files(), name)
		if err != nil {
			return err
		}
		if strings.Contains(name, "inbound") {
			inbound[name] = string(text)
		}
		files[name], err = parser.ParseFile(name, text)
		return err
	})
	if err != nil {
		panic(err) // the schema is part of the binary
	}
	for name, text := range modelled(inbound, module{"kumori.systems", "builtins/inbound", "1, 1, 0"}) {
		files[name], _ = parser.ParseFile(name, text)
	}
	return Model{files}
}

// modelled returns a file for each package that defines #Artifact or
// #Deployment: it unifies them with the model, because authors need not write
// that, and says what the artifact is called unless the author does.
func modelled(files map[string]string, m module) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		f, err := parser.ParseFile(name, text)
		if err != nil || strings.HasPrefix(name, "cue.mod/") {
			continue // load reports it
		}
		pkg, file := f.PackageName(), path.Join(path.Dir(name), "reference_"+f.PackageName()+".cue")
		var lines string
		if defines(f, "#Artifact") {
			lines += "#Artifact: k.#Artifact & " + m.identity(pkg) + "\n"
		}
		if defines(f, "#Deployment") {
			lines += "#Deployment: k.#Deployment\n"
		}
		if lines != "" && !strings.Contains(out[file], lines) {
			if out[file] == "" {
				out[file] = fmt.Sprintf("package %s\nimport k \"kumori.systems/kumori:kumori\"\n", pkg)
			}
			out[file] += lines
		}
	}
	return out
}

// defines reports whether a file declares the definition at its top.
func defines(f *ast.File, definition string) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		field, ok := d.(*ast.Field)
		if !ok {
			return false
		}
		name, _, err := ast.LabelName(field.Label)
		return err == nil && name == definition
	})
}

// module is what its artifacts are called by.
type module struct{ domain, name, version string }

// module reads the first line of cue.mod/module.cue:
//
//	module: "kumiki.example/shop@v2"
func (a App) module() module {
	line, _, _ := strings.Cut(a.Files["cue.mod/module.cue"], "\n")
	whole, major, _ := strings.Cut(strings.Trim(strings.TrimPrefix(line, "module: "), `"`), "@v")
	domain, name, _ := strings.Cut(whole, "/")
	return module{domain, name, major + ", 0, 0"}
}

// identity is what an artifact of the module is called: defaults, so that its
// author's word wins.
func (m module) identity(pkg string) string {
	kind := ""
	if pkg == "component" || pkg == "service" {
		kind = fmt.Sprintf(", kind: *%q | string", pkg)
	}
	return fmt.Sprintf("{spec: *[1, 0] | [1, 0, ...uint], ref: {domain: *%q | string, module: *%q | string, version: *[%s] | [...]%s}}", m.domain, m.name, m.version, kind)
}
