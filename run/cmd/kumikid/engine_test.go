package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/api"
	"kumiki.dev/run/record"
)

// TestEngine: while the engine is in maintenance nothing is written and all is read; an operation
// that is on its way is broken off, and the next change goes on where it was.
func TestEngine(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	d.kill()
	d.start("KUMIKID_PAUSE=object") // each object takes two seconds
	input := m{"bundle": d.upload(shop)}
	begun := d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": input})
	require.Eventually(t, func() bool { return len(d.written()) > 0 }, 20*time.Second, 20*time.Millisecond)
	d.ask(428, "PUT", "/v1/engine", m{"maintenance": true})
	d.ask(412, "PUT", "/v1/engine", m{"maintenance": true}, `If-Match: "1"`)
	first := d.ask(200, "GET", "/v1/engine", nil).etag()
	var e record.Engine
	d.ask(200, "PUT", "/v1/engine", m{"maintenance": true, "reason": "the storage is moved"}, "If-Match: "+first).read(t, &e)
	require.True(t, e.Maintenance)
	require.Equal(t, "admin", e.By)
	o := d.ended(begun)
	require.Equal(t, "manager/maintenance", o.Error.Code)
	require.Equal(t, "the engine is in maintenance: nothing is changed (the storage is moved)", o.Error.Message)
	require.True(t, o.Wrote)
	before := d.written()
	d.kill()
	d.start() // it is kept
	o = d.ended(d.ask(202, "PATCH", "/v1/deployments/shop", changed, "If-Match: *"))
	require.Equal(t, "manager/maintenance", o.Error.Code)
	require.False(t, o.Wrote)
	require.Equal(t, before, d.written(), "nothing was written")
	d.ask(200, "GET", "/v1/deployments/shop/status", nil)
	d.ask(200, "PUT", "/v1/engine", m{"maintenance": false}, "If-Match: *")
	d.well(d.ask(202, "PATCH", "/v1/deployments/shop", changed, "If-Match: *"))
	require.Greater(t, len(d.written()), len(before))
	d.holdsAnEnvironment(t)
}

// holdsAnEnvironment: an operation is broken off in the same way where its environment is held.
func (d *daemon) holdsAnEnvironment(t *testing.T) {
	d.kill()
	d.start("KUMIKID_PAUSE=object")
	had := len(d.written())
	begun := d.ask(202, "POST", "/v1/deployments", m{"name": "second", "input": m{"bundle": d.upload(shop)}})
	require.Eventually(t, func() bool { return len(d.written()) > had }, 20*time.Second, 20*time.Millisecond)
	d.ask(200, "PUT", "/v1/environments/local", m{"target": "swarm", "maintenance": true}, "If-Match: *")
	require.Equal(t, "environment local is in maintenance: nothing is changed", d.ended(begun).Error.Message)
	d.ask(200, "PUT", "/v1/environments/local", m{"target": "swarm"}, "If-Match: *")
}

// written are the names of the files that environment local consists of, with when each was
// written.
func (d *daemon) written() []string {
	d.t.Helper()
	var out []string
	entries, err := os.ReadDir(filepath.Join(d.dir, "environments", "local", "objects"))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			out = append(out, e.Name()+" "+info.ModTime().String())
		}
	}
	return out
}

// lists: the nodes of the cluster, with the instances of deployments.
func (r *real) lists(t *testing.T) {
	var answer struct {
		Items  []api.Node
		Silent []api.Silent
	}
	r.ask(200, "GET", "/v1/nodes?environment=local", nil).read(t, &answer)
	require.NotEmpty(t, answer.Items)
	require.Empty(t, answer.Silent)
	on := 0
	for _, n := range answer.Items {
		require.Equal(t, "local", n.Environment)
		require.Contains(t, r.kubectl("get", "node/"+n.Name, "-o", "jsonpath={.metadata.name}"), n.Name)
		on += len(n.Instances)
	}
	require.Positive(t, on)
	r.ask(404, "GET", "/v1/nodes?environment=nowhere", nil)
	r.ask(200, "PUT", "/v1/environments/away", m{"target": "swarm"}, "If-None-Match: *")
	r.ask(200, "GET", "/v1/nodes", nil).read(t, &answer)
	require.NotEmpty(t, answer.Items, "those that answer are listed")
	require.Equal(t, "away", answer.Silent[0].Environment)
	r.ask(502, "GET", "/v1/nodes?environment=away", nil)
	r.ask(204, "DELETE", "/v1/environments/away", nil, "If-Match: *")
}

// stops: while the engine is in maintenance the API server gets no writes.
func (r *real) stops(t *testing.T) {
	r.ask(200, "PUT", "/v1/engine", m{"maintenance": true}, "If-Match: *")
	r.Count()
	o := r.ended(r.ask(202, "PATCH", "/v1/deployments/shop", m{"scale": m{"web": 4}}, r.of("shop")))
	require.Equal(t, "manager/maintenance", o.Error.Code)
	o = r.ended(r.ask(202, "DELETE", "/v1/deployments/shop?allowData=shop", nil, r.of("shop")))
	require.Equal(t, "manager/maintenance", o.Error.Code)
	r.ask(200, "GET", "/v1/deployments/shop/status", nil)
	all, writes, _ := r.Count()
	require.Zero(t, writes)
	require.Positive(t, all)
	r.ask(200, "PUT", "/v1/engine", m{"maintenance": false}, "If-Match: *")
}
