package differential

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/internal/differential/generate"
	"kumiki.dev/internal/differential/reference"
)

// Case is an application that is compiled and spread by the reference.
type Case struct {
	// Files are the module's, in the native style, by their slash-separated names.
	Files map[string]string
	// Kam says that kumiki gets the module in kam style. The reference then gets it
	// with config open where [generate.Open] is: what is undeclared is a warning there.
	// With Generated, it has the files that the vendor's tool generates.
	Kam, Generated bool
	// Values and Sets are what the command line gives, as in [reference.App].
	Values []reference.File
	Sets   []string
}

// deploy is the directory of the deployment in every case, moduleFile what says
// which module it is in.
const (
	deploy     = "deploy"
	moduleFile = "cue.mod/module.cue"
)

// app is what the reference gets.
func (c Case) app() reference.App {
	files := map[string]string{}
	for name, text := range c.Files {
		mark := ""
		if c.Kam {
			mark = "..."
		}
		files[name] = strings.ReplaceAll(text, generate.Open, mark)
	}
	return reference.App{Files: files, Dir: deploy, Values: c.Values, Sets: c.Sets, With: c.with()}
}

// with are the directories of other deployments, of which there is one at most.
func (c Case) with() []string {
	if c.Files["other/deployment.cue"] == "" {
		return nil
	}
	return []string{"other"}
}

// files is what kumiki gets.
func (c Case) files() map[string]string {
	if !c.Kam {
		return c.Files
	}
	files := map[string]string{"kmodule.cue": kmodule}
	for name, text := range c.Files {
		if name != moduleFile {
			text = strings.ReplaceAll(text, generate.Open, "")
			text = strings.ReplaceAll(text, `"kumiki.example/app/c`, `"mod.local/c`)
			files[name] = strings.ReplaceAll(text, `"kumiki.example/app/`, `".../`)
		}
	}
	if c.Generated {
		for _, kind := range []string{"component", "service"} {
			files[kind+"ref.cue"] = strings.ReplaceAll(generatedRef, "KIND", kind)
		}
	}
	return files
}

// kmodule describes the module in kam style.
const kmodule = `package kmodule

{
	domain: "kumiki.example"
	module: "app"
	version: [1, 0, 0]
	cue: "v0.4.1"
	spec: [1, 0]
	dependencies: {
		"kumori.systems/kumori": {query: "1.0.11", target: "kumori.systems/kumori/@1.0.11"}
		"kumori.systems/builtins/inbound": {query: "1.1.0", target: "kumori.systems/builtins/inbound/@1.1.0"}
	}
	sums: {}
}
`

// generatedRef is what the vendor's tool adds to all components or services.
const generatedRef = `package KIND

import (
	k "kumori.systems/kumori:kumori"
	m "...:kmodule"
)

#Artifact: k.#Artifact & {
	spec: m.spec
	ref: {
		version: m.version
		if m.prerelease != _|_ {
			prerelease: m.prerelease
		}
		domain: m.domain
		module: m.module
		kind:   "KIND"
	}
}
`

// Write puts the case into a directory, for kumiki and for people.
func (c Case) Write(dir string) error {
	if err := write(dir, c.files()); err != nil {
		return err
	}
	values := map[string]string{}
	for _, f := range c.Values {
		values[f.Name] = f.Text
	}
	return write(dir, values)
}

func write(dir string, files map[string]string) error {
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Command is how the case is compiled from its directory.
func (c Case) Command() string {
	var b strings.Builder
	b.WriteString("kumiki compile " + deploy)
	for _, f := range c.Values {
		b.WriteString(" -f " + f.Name)
	}
	for _, dir := range c.with() {
		b.WriteString(" --with " + dir)
	}
	for _, set := range c.Sets {
		fmt.Fprintf(&b, " --set '%s'", strings.ReplaceAll(set, "'", `'\''`))
	}
	return b.String()
}

// String is the case as people read it: the command, then the files.
func (c Case) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, c.Command())
	files := c.files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "-- %s --\n%s\n", name, strings.TrimSuffix(files[name], "\n"))
	}
	for _, f := range c.Values {
		fmt.Fprintf(&b, "-- %s --\n%s\n", f.Name, strings.TrimSuffix(f.Text, "\n"))
	}
	return b.String()
}
