package lsp_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// shops are the example in both styles, with all of its files open.
func shops(t *testing.T, f func(t *testing.T, c *client, file func(name string) string)) {
	for _, name := range []string{"shop", "shop-kam"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := example(t, name)
			c := start(t, dir)
			for _, f := range []string{"deploy/deployment.cue", "shop/shop.cue", "api/api.cue", "web/web.cue", "db/db.cue"} {
				c.open(filepath.Join(dir, f))
			}
			f(t, c, func(name string) string { return filepath.Join(dir, name) })
		})
	}
}

// line is where a piece is, as definitions say it.
func (c *client) line(file, piece string) string {
	c.t.Helper()
	return location{uri(file), span{Start: c.where(file, piece, 0)}}.String()
}

// TestDefinitionOfModel leads from where the model's names are used to where
// they are declared, from level to level.
func TestDefinitionOfModel(t *testing.T) {
	t.Parallel()
	shops(t, func(t *testing.T, c *client, file func(string) string) {
		deployment, service, api, web, db := file("deploy/deployment.cue"), file("shop/shop.cue"), file("api/api.cue"), file("web/web.cue"), file("db/db.cue")
		tests := []struct {
			name, file, piece string
			plus              int
			want              string
		}{
			{"field of a deployment", deployment, "title:", 1, c.line(service, "title: string")},
			{"field of a role", service, "orders: _p", 1, c.line(api, "orders: *true")},
			{"reference within the service", service, "_p.orders", 4, c.line(service, "orders: *true")},
			{"resource", service, "spool: volume", 1, c.line(api, "spool: k.#Volume")},
			{"role of scale", deployment, "api: hsize", 1, c.line(service, "api: {\n\t\t\t\tartifact")},
			{"role of a connector", service, "to: db: sql", 5, c.line(service, "db: {\n\t\t\t\tartifact")},
			{"channel", service, "to: db: sql", 9, c.line(db, "server: sql")},
			{"channel in a string", service, `from: api: "db"`, 13, c.line(api, "client: db")},
			{"duplex channel", service, `from: api: "peers"`, 13, c.line(api, "duplex: peers")},
			{"parameter of a mapping", api, `parameter:     "poolSize"`, 18, c.line(api, "poolSize: *10")},
			{"secret of a mapping", api, `secret:    "dbPassword"`, 14, c.line(api, "dbPassword: k.#Secret")},
			{"import", service, "web:component", 1, web + ":1"},
			{"artifact", service, "d.#Artifact", 3, c.line(db, "#Artifact:")},
		}
		if filepath.Base(t.Name()) == "shop" {
			tests[11].piece = "shop/web@v2:component"
			tests[11].plus = 6
		}
		for _, tt := range tests {
			require.Equal(t, tt.want, c.definition(tt.file, tt.piece, tt.plus), tt.name)
		}
	})
}

// TestReferencesOfModel finds the places of a component's field in itself and in
// the service that uses it.
func TestReferencesOfModel(t *testing.T) {
	t.Parallel()
	shops(t, func(t *testing.T, c *client, file func(string) string) {
		deployment, service, api := file("deploy/deployment.cue"), file("shop/shop.cue"), file("api/api.cue")
		want := []string{c.line(api, "orders: *true"), c.line(api, `TAKE_ORDERS: parameter`), c.line(service, "orders: _p.orders")}
		require.Equal(t, want[0]+" "+want[1]+" "+want[2], c.references(api, "orders: *true", 1))
		require.Equal(t, want[2]+" "+want[0]+" "+want[1], c.references(service, "orders: _p.orders", 1), "own file first")
		want = []string{c.line(service, "orders: *true"), c.line(service, "orders: _p.orders")}
		require.Equal(t, want[0]+" "+want[1], c.references(service, "_p.orders", 4))
		require.Equal(t, c.line(deployment, "title:")+" "+c.line(service, "title: string")+" "+c.line(service, "title: _p.title"), c.references(deployment, "title:", 1))
	})
}

// TestRenameOfModel gives names other ones, after which vet has nothing to say.
func TestRenameOfModel(t *testing.T) {
	t.Parallel()
	shops(t, func(t *testing.T, c *client, file func(string) string) {
		deployment, service, api := file("deploy/deployment.cue"), file("shop/shop.cue"), file("api/api.cue")
		require.Empty(t, c.said(deployment))
		tests := []struct {
			name, file, piece string
			plus              int
			to                string
			places            map[string]int
		}{
			{"field of a component, in the service", service, "orders: _p", 1, "takesOrders", map[string]int{api: 2, service: 1}},
			{"field of the service, in the deployment", deployment, "title:", 1, "heading", map[string]int{deployment: 1, service: 2}},
			{"resource that is no identifier", api, `"dbPassword"`, 3, "db-password", map[string]int{api: 2, service: 1}},
			{"channel", api, "rest:", 1, "http", map[string]int{api: 3, service: 1}},
			{"duplex channel", service, `"peers"`, 3, "others", map[string]int{api: 1, service: 2}},
			{"role", deployment, "api: hsize", 1, "backend", map[string]int{deployment: 1, service: 5}},
		}
		for _, tt := range tests {
			a := c.rename(tt.file, tt.piece, tt.plus, tt.to)
			places := map[string]int{}
			for u, edits := range a.Edit.Changes {
				places[path(u)] = len(edits)
			}
			require.Equal(t, tt.places, places, tt.name)
			c.apply(a)
			require.Empty(t, c.said(deployment), tt.name)
		}
	})
}

// refused is what the server says of a renaming that it doesn't make.
func (c *client) refused(file, piece string, plus int, name string) string {
	c.t.Helper()
	params := map[string]any{"textDocument": id(file), "position": c.where(file, piece, plus), "newName": name}
	err := c.conn.Call(c.t.Context(), "textDocument/rename", params, nil)
	require.Error(c.t, err)
	return err.Error()
}

// TestRenameRefused leaves alone what would not be whole.
func TestRenameRefused(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	service, api := filepath.Join(dir, "shop/shop.cue"), filepath.Join(dir, "api/api.cue")
	c.open(service)
	c.open(api)
	require.Contains(t, c.refused(service, "websocket:", 1, "x"), "websocket is declared by an artifact that is not in this workspace")
	require.Contains(t, c.refused(service, "parameter: {", 1, "x"), "which is not of this workspace")
	require.Contains(t, c.refused(api, "poolSize: *10", 1, "pool.size"), "which mappings take apart")
	end := len(c.buffers[api])
	c.replace(api, end, end, "\n}")
	require.Contains(t, c.refused(service, "orders: _p", 1, "x"), "api.cue can't be read to its end")
}

// TestRenamePassedOn is refused where a service passes its parameters on without
// naming them.
func TestRenamePassedOn(t *testing.T) {
	t.Parallel()
	for _, config := range []string{
		"config: parameter: description.config.parameter",
		"config: parameter: {_p, more: 1}",
		"config: description.config",
		"config: parameter: _p & {more: 1}",
		"config: parameter: {for k, v in _p {(k): v}}",
	} {
		dir := write(t, `
-- kmodule.cue --
package kmodule

{domain: "example.com", module: "main", version: [1, 0, 0], spec: [1, 0], dependencies: {}}
-- api/component.cue --
package component

#Artifact: description: config: {parameter: level: string, resource: data: _}
-- top/service.cue --
package service

import c ".../api:component"

#Artifact: description: {
	config: {parameter: level: string, resource: data: _}
	let _p = description.config.parameter
	role: api: {
		artifact: c.#Artifact
		`+config+`
	}
}
`)
		c := start(t, dir)
		service, component := filepath.Join(dir, "top/service.cue"), filepath.Join(dir, "api/component.cue")
		c.open(service)
		c.open(component)
		for _, file := range []string{service, component} {
			require.Contains(t, c.refused(file, "level: string", 1, "x"), "service.cue:10 passes the whole of config.parameter on", config)
		}
		if config != "config: description.config" {
			require.NotEmpty(t, c.rename(component, "data: _", 1, "x").Edit.Changes)
		}
	}
}

// TestRenameAcrossFiles renames a field that other files of the package refer to.
func TestRenameAcrossFiles(t *testing.T) {
	t.Parallel()
	dir := write(t, `
-- kmodule.cue --
package kmodule

{domain: "example.com", module: "main", version: [1, 0, 0], spec: [1, 0], dependencies: {}}
-- api/component.cue --
package component

#Artifact: description: config: parameter: level: string
-- api/code.cue --
package component

#Artifact: description: {
	_level: #Artifact.description.config.parameter.level
	code: api: mapping: env: LEVEL: parameter: "level"
}
-- top/service.cue --
package service

import c ".../api:component"

#Artifact: description: role: api: artifact: c.#Artifact
-- top/config.cue --
package service

#Artifact: description: role: api: config: parameter: level: "debug"
`)
	c := start(t, dir)
	files := []string{"api/component.cue", "api/code.cue", "top/service.cue", "top/config.cue"}
	for i, f := range files {
		files[i] = filepath.Join(dir, f)
		c.open(files[i])
	}
	require.Equal(t, c.line(files[0], "level"), c.definition(files[1], ".level", 2))
	require.Equal(t, c.line(files[0], "level"), c.definition(files[3], "level", 1))
	c.apply(c.rename(files[1], ".level", 2, "verbosity"))
	require.Contains(t, c.buffers[files[0]], "parameter: verbosity: string")
	require.Contains(t, c.buffers[files[1]], "config.parameter.verbosity\n")
	require.Contains(t, c.buffers[files[1]], `parameter: "verbosity"`)
	require.Contains(t, c.buffers[files[3]], `parameter: verbosity: "debug"`)
}
