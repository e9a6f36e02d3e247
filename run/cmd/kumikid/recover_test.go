package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/internal/folder"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// TestRecover: of two environments in one place each gets its own deployments back.
func TestRecover(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	environments := filepath.Join(d.dir, "environments")
	require.NoError(t, os.MkdirAll(filepath.Join(environments, "local"), 0o700))
	require.NoError(t, os.Symlink("local", filepath.Join(environments, "other")))
	d.ask(200, "PUT", "/v1/environments/other", m{"target": "kubernetes"}, "If-None-Match: *")
	input := m{"bundle": d.upload(hello)}
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "here", "input": input}))
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "there", "environment": "other", "input": input}))
	d.kill()
	state := filepath.Join(d.dir, "state")
	require.NoError(t, os.RemoveAll(state))
	s, err := store.Open(t.Context(), store.Options{Dir: state})
	require.NoError(t, err)
	before := d.objects()
	for _, name := range []string{"local", "other"} {
		found, err := operate.Recover(t.Context(), s, folder.Connect(environments), record.Environment{Name: name, Target: "kubernetes"})
		require.NoError(t, err)
		want := []operate.Recovered{{Deployment: "here"}, {Deployment: "there", Left: "it is of environment other: recover --environment other makes it"}}
		if name == "other" {
			want = []operate.Recovered{{Deployment: "here", Left: "it is of environment local: recover --environment local makes it"}, {Deployment: "there"}}
		}
		require.Equal(t, want, found)
	}
	s.Close()
	require.Equal(t, before, d.objects())
	d.start()
	for name, environment := range map[string]string{"here": "local", "there": "other"} {
		var is record.Deployment
		d.ask(200, "GET", "/v1/deployments/"+name, nil).read(t, &is)
		require.Equal(t, environment, is.Environment)
		d.well(d.ask(202, "PUT", "/v1/deployments/"+name, m{"input": m{"bundle": d.upload(hello)}}, d.of(name)))
	}
}
