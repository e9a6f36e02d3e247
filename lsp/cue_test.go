package lsp_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// location is a place as tests want it: the path and the line, from 1.
type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

func (l location) String() string {
	return fmt.Sprintf("%s:%d", path(l.URI), l.Range.Start.Line+1)
}

// definition is where the piece of a buffer is defined, plus characters behind.
func (c *client) definition(file, piece string, plus int) string {
	c.t.Helper()
	return c.locations("textDocument/definition", file, piece, plus)
}

func (c *client) references(file, piece string, plus int) string {
	c.t.Helper()
	return c.locations("textDocument/references", file, piece, plus)
}

func (c *client) locations(method, file, piece string, plus int) string {
	c.t.Helper()
	var out []location
	c.call(method, map[string]any{
		"textDocument": id(file), "position": c.where(file, piece, plus), "context": map[string]any{"includeDeclaration": true},
	}, &out)
	var list []string
	for _, l := range out {
		list = append(list, l.String())
	}
	return strings.Join(list, " ")
}

// rename is the action that gives the piece of a buffer another name.
func (c *client) rename(file, piece string, plus int, name string) action {
	c.t.Helper()
	var edits struct {
		Changes   map[string][]edit `json:"changes"`
		Documents []struct {
			TextDocument struct{ URI string } `json:"textDocument"`
			Edits        []edit               `json:"edits"`
		} `json:"documentChanges"`
	}
	c.call("textDocument/rename", map[string]any{"textDocument": id(file), "position": c.where(file, piece, plus), "newName": name}, &edits)
	a := action{}
	a.Edit.Changes = map[string][]edit{}
	for u, list := range edits.Changes {
		a.Edit.Changes[u] = append(a.Edit.Changes[u], list...)
	}
	for _, d := range edits.Documents {
		a.Edit.Changes[d.TextDocument.URI] = append(a.Edit.Changes[d.TextDocument.URI], d.Edits...)
	}
	for _, list := range a.Edit.Changes {
		slices.SortFunc(list, func(a, b edit) int {
			return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
		})
	}
	return a
}

// TestCUE asks what CUE's own server answers: across packages, into the model,
// and a renaming that vet is content with.
func TestCUE(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	deployment, service := filepath.Join(dir, "deploy/deployment.cue"), filepath.Join(dir, "shop/shop.cue")
	c.open(deployment)
	c.open(service)
	c.settled(service)
	require.Contains(t, c.definition(deployment, "shop.#Artifact", 7), service+":")
	require.Contains(t, c.definition(deployment, "k.#Deployment", 4), "kumori.systems/kumori@v1")

	c.apply(c.rename(service, "orders: *true", 1, "takesOrders"))
	require.Contains(t, c.buffers[service], "takesOrders: *true")
	require.Contains(t, c.buffers[service], "orders: _p.takesOrders")
	require.Empty(t, c.said(service))
}

// TestCUEKam is the same in a module of the vendor's style, whose imports CUE's
// server doesn't know, also while nobody has opened the files that they lead to.
func TestCUEKam(t *testing.T) {
	t.Parallel()
	dir := example(t, "shop-kam")
	c := start(t, dir)
	deployment, service, component := filepath.Join(dir, "deploy/deployment.cue"), filepath.Join(dir, "shop/shop.cue"), filepath.Join(dir, "api/api.cue")
	c.open(service)
	require.Equal(t, component+":6", c.definition(service, "a.#Artifact", 3))
	require.Equal(t, service+":8", c.definition(service, "a.#Artifact", 0), "the import")
	require.Equal(t, service+":18", c.definition(service, "_p.title", 4))
	require.Contains(t, c.definition(service, "k.#Domain", 4), "kumori.systems/kumori@v1")
	c.open(deployment)
	require.Equal(t, service+":12", c.definition(deployment, "shop.#Artifact", 6))
	c.open(component)
	require.Equal(t, component+":6 "+service+":56", c.references(component, "#Artifact", 1))

	// A name in the line of an import, behind which the line is another one.
	c.replace(deployment, 0, 0, "// the shop's\n")
	c.apply(c.rename(deployment, "shop.#Artifact", 1, "sold"))
	require.Contains(t, c.buffers[deployment], `import sold ".../shop:service"`)
	require.Contains(t, c.buffers[deployment], "sold.#Artifact")

	// A file that is new, and gone again.
	other := filepath.Join(dir, "api/more.cue")
	c.openText(other, "package component\n\nx: #Artifact\n")
	require.Contains(t, c.references(component, "#Artifact", 1), other+":3")
	c.close(other)
	require.NotContains(t, c.references(component, "#Artifact", 1), other)
}

// TestCUEManifests goes on while the files that describe modules are open, and
// when they are others than before.
func TestCUEManifests(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	service := filepath.Join(dir, "shop/shop.cue")
	c.open(service)
	require.Contains(t, c.definition(service, "k.#Domain", 4), "kumori.systems/kumori@v1")
	native := filepath.Join(dir, "cue.mod/module.cue")
	c.open(native)
	c.replace(native, 0, 0, "// ours\n")
	require.Contains(t, c.definition(service, "k.#Domain", 4), "kumori.systems/kumori@v1")
	c.close(native)
	require.Contains(t, c.definition(service, "k.#Domain", 4), "kumori.systems/kumori@v1")

	dir = example(t, "shop-kam")
	kam, c := filepath.Join(dir, "kmodule.cue"), start(t, dir)
	service = filepath.Join(dir, "shop/shop.cue")
	c.open(service)
	require.NotEmpty(t, c.definition(service, "a.#Artifact", 3))
	c.open(kam)
	i := strings.Index(c.buffers[kam], `"shop"`)
	c.replace(kam, i, i+6, `"store"`)
	c.save(kam)
	require.Equal(t, filepath.Join(dir, "api/api.cue")+":6", c.definition(service, "a.#Artifact", 3))
	require.Contains(t, c.definition(service, "k.#Domain", 4), "kumori.systems/kumori@v1")
	c.replace(kam, 0, 0, "}{")
	c.save(kam)
	require.Equal(t, filepath.Join(dir, "api/api.cue")+":6", c.definition(service, "a.#Artifact", 3), "what it was before")
}

// TestFormattingKam keeps the imports as they are written.
func TestFormattingKam(t *testing.T) {
	t.Parallel()
	dir := example(t, "shop-kam")
	c := start(t, dir)
	file := filepath.Join(dir, "shop/shop.cue")
	c.open(file)
	text := c.buffers[file]
	c.replace(file, 0, len(text), strings.ReplaceAll(text, "\tw \".../web", "\tw       \".../web"))
	var edits []edit
	c.call("textDocument/formatting", map[string]any{"textDocument": id(file), "options": map[string]any{"tabSize": 4, "insertSpaces": false}}, &edits)
	a := action{}
	a.Edit.Changes = map[string][]edit{uri(file): edits}
	c.apply(a)
	require.Equal(t, text, c.buffers[file])
}

// write makes files of a txtar text, and returns their directory.
func write(t *testing.T, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	files, err := txtar.FS(txtar.Parse([]byte(text)))
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, files))
	return dir
}

// TestCUEDependencies leads to where dependencies are on the disk: in a
// directory of their version, or in one that the client names.
func TestCUEDependencies(t *testing.T) {
	t.Parallel()
	dir := write(t, `
-- main/kmodule.cue --
package kmodule

{domain: "example.com", module: "main", version: [1, 0, 0], spec: [1, 0], dependencies: {
	"example.com/log": {query: "1.1.0", target: "example.com/log/@1.1.0"}
	"example.com/store": {query: "2.0.0", target: "example.com/store/@2.0.0"}
}}
-- main/top/service.cue --
package service

import (
	l "example.com/log/@1.1.0/agent:component"
	s "example.com/store/disk:component"
)

#Artifact: description: role: {
	log: artifact: l.#Artifact
	store: artifact: s.#Artifact
}
-- main/cue.mod/pkg/example.com/log/@1.1.0/kmodule.cue --
package kmodule

{domain: "example.com", module: "log", version: [1, 1, 0], spec: [1, 0], dependencies: {}}
-- main/cue.mod/pkg/example.com/log/@1.1.0/agent/component.cue --
package component

import p ".../parts:parts"

#Artifact: p.#Base
-- main/cue.mod/pkg/example.com/log/@1.1.0/parts/parts.cue --
package parts

#Base: ref: name: string
-- others/store/kmodule.cue --
package kmodule

{domain: "example.com", module: "store", version: [2, 0, 0], spec: [1, 0], dependencies: {}}
-- others/store/disk/component.cue --
package component

#Artifact: ref: name: "disk"
`)
	c := startWith(t, filepath.Join(dir, "main"), map[string]any{"modules": []string{"../others"}})
	service, agent := filepath.Join(dir, "main/top/service.cue"), filepath.Join(dir, "main/cue.mod/pkg/example.com/log/@1.1.0/agent/component.cue")
	c.open(service)
	require.Equal(t, agent+":5", c.definition(service, "l.#Artifact", 3))
	require.Equal(t, filepath.Join(dir, "others/store/disk/component.cue")+":3", c.definition(service, "s.#Artifact", 3))
	c.open(agent)
	require.Equal(t, filepath.Join(dir, "main/cue.mod/pkg/example.com/log/@1.1.0/parts/parts.cue")+":3", c.definition(agent, "p.#Base", 3))
}

// TestCUEDependenciesNative does the same for modules in CUE's own style, which
// CUE would look for in a registry.
func TestCUEDependenciesNative(t *testing.T) {
	t.Parallel()
	dir := write(t, `
-- main/cue.mod/module.cue --
module: "example.com/main@v1"
language: version: "v0.12.0"
deps: {
	"example.com/store@v2": v: "v2.0.1"
}
-- main/top/service.cue --
package service

import (
	k "kumori.systems/kumori:kumori"
	s "example.com/store/disk@v2:component"
	o "example.com/main/own@v1:component"
)

#Artifact: k.#Service & {description: role: {
	store: artifact: s.#Artifact
	own: artifact: o.#Artifact
}}
-- main/own/component.cue --
package component

#Artifact: ref: name: "own"
-- others/store/cue.mod/module.cue --
module: "example.com/store@v2"
language: version: "v0.12.0"
-- others/store/disk/component.cue --
package component

import p "example.com/store/parts@v2:parts"

#Artifact: p.#Base
-- others/store/parts/parts.cue --
package parts

#Base: ref: name: "disk"
`)
	c := startWith(t, filepath.Join(dir, "main"), map[string]any{"modules": []string{"../others"}})
	service, disk := filepath.Join(dir, "main/top/service.cue"), filepath.Join(dir, "others/store/disk/component.cue")
	c.open(service)
	require.Equal(t, disk+":5", c.definition(service, "s.#Artifact", 3))
	require.Equal(t, filepath.Join(dir, "main/own/component.cue")+":3", c.definition(service, "o.#Artifact", 3))
	require.Contains(t, c.definition(service, "k.#Service", 4), "kumori.systems/kumori@v1")
	c.open(disk)
	require.Equal(t, filepath.Join(dir, "others/store/parts/parts.cue")+":3", c.definition(disk, "p.#Base", 3))
}
