package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
	definition := func(file string, p position) string {
		var out []struct {
			URI string `json:"uri"`
		}
		c.call("textDocument/definition", map[string]any{"textDocument": id(file), "position": p}, &out)
		var list []string
		for _, l := range out {
			list = append(list, path(l.URI))
		}
		return strings.Join(list, " ")
	}
	require.Contains(t, definition(deployment, c.where(deployment, "shop.#Artifact", 7)), service)
	require.Contains(t, definition(deployment, c.where(deployment, "k.#Deployment", 4)), "kumori.systems/kumori@v1")

	var edits struct {
		Changes   map[string][]edit `json:"changes"`
		Documents []struct {
			TextDocument struct{ URI string } `json:"textDocument"`
			Edits        []edit               `json:"edits"`
		} `json:"documentChanges"`
	}
	c.call("textDocument/rename", map[string]any{
		"textDocument": id(service), "position": c.where(service, "orders: *true", 1), "newName": "takesOrders",
	}, &edits)
	a := action{}
	a.Edit.Changes = edits.Changes
	if a.Edit.Changes == nil {
		a.Edit.Changes = map[string][]edit{}
	}
	for _, d := range edits.Documents {
		a.Edit.Changes[d.TextDocument.URI] = d.Edits
	}
	c.apply(a)
	require.Contains(t, c.buffers[service], "takesOrders: *true")
	require.Contains(t, c.buffers[service], "orders: _p.takesOrders")
	require.Empty(t, c.said(service))
}
