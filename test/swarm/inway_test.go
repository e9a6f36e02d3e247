package swarm_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/targets"
)

// outside: a role that is let out into the world is moved to another network, as a network
// never changes, and back. What docker stack deploy makes of it is the same.
func (a *applied) outside() {
	file, opened := filepath.Join(a.Dir(), "closed.json"), filepath.Join(a.Dir(), "opened.json")
	a.run2("compile", a.dir, "--out", file)
	a.run2("compile", a.dir, "--out", opened)
	edit(a.t, file, func(map[string]any) {})
	edit(a.t, opened, func(web map[string]any) { web["meta"] = map[string]any{"internet": true} })
	a.run("apply", file, "--yes")
	require.Contains(a.t, a.ours("small"), "network/small_small-web")
	routes := func() string { return a.docker("exec", a.task("small_small-web"), "cat", "/proc/net/route") }
	const gateway = `eth\d+\t00000000\t` // of what has no other route
	require.NotRegexp(a.t, gateway, routes())

	out := a.run("apply", opened, "--yes")
	require.Contains(a.t, out, "created: Network/small-web_outside")
	require.Contains(a.t, out, "removed: Network/small-web ")
	require.NotContains(a.t, a.ours("small"), "network/small_small-web")
	require.Regexp(a.t, gateway, routes())
	made := a.specs("small")
	a.deploy("small", a.file(file))
	require.NotEqual(a.t, made, a.specs("small"))
	a.deploy("small", a.file(opened))
	require.Equal(a.t, made, a.specs("small"))
	a.docker("network", "rm", "small_small-web")
	a.run("wait", "small", "--timeout", "60s")
	require.Equal(a.t, "small: no drift\n", a.run("drift", "small"))
	a.run("delete", "small", "--yes")
	require.Empty(a.t, a.ours("small"))
}

// edit changes the role of a solution.
func edit(t *testing.T, file string, change func(web map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(text, &doc))
	at := doc
	for _, name := range []string{"deployments", "small", "artifact", "description", "role", "web"} {
		at, _ = at[name].(map[string]any)
		require.NotNil(t, at, name)
	}
	change(at)
	for _, name := range []string{"layout", "digest", "inputs"} {
		delete(doc, name) // they would have to fit
	}
	text, err = json.Marshal(doc)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o644))
}

// immutable: a network or config that somebody has made otherwise is refused before anything
// is written, with the commands that make room for the right one.
func (a *applied) immutable() {
	a.run(a.small(noInstances)...)
	var config string
	for _, name := range a.ours("small") {
		if found, ok := strings.CutPrefix(name, "config/"); ok {
			config = found
		}
	}
	for _, spoil := range []struct {
		kind, name string
		again      []string
	}{
		{"network", "small_small-web", []string{"network", "create", "--driver", "overlay", "--attachable", "--label", targets.SolutionLabel + "=small", "small_small-web"}},
		{"config", config, []string{"config", "create", "--label", targets.SolutionLabel + "=small", config, "-"}},
	} {
		a.docker("service", "rm", "small_small-web")
		require.Eventually(a.t, func() bool {
			_, err := a.Docker(context.Background(), "", spoil.kind, "rm", spoil.name)
			return err == nil
		}, 30*time.Second, 100*time.Millisecond)
		require.Eventually(a.t, func() bool { // a network is gone a while after docker has said so
			_, err := a.Docker(context.Background(), "other", spoil.again...)
			return err == nil
		}, 30*time.Second, 100*time.Millisecond)
		a.docker("service", "create", "--detach", "--no-resolve-image", "--replicas", "0", "--"+spoil.kind, spoil.name, "--label", targets.SolutionLabel+"=small", "--name", "small_small-web", "kumiki-app:1")
		a.between.Count()
		out := a.fails(5, a.small(noInstances)...)
		commands := "docker service rm small_small-web; docker " + spoil.kind + " rm " + spoil.name
		require.Contains(a.t, out, "a "+spoil.kind+" never changes: "+commands+"; then apply again [live/refused]")
		_, writes := a.between.Count()
		require.Zero(a.t, writes)
		for _, command := range strings.Split(commands, "; ") {
			a.docker(strings.Fields(command)[1:]...)
		}
		a.run(a.small(noInstances)...)
		require.Equal(a.t, "small: no drift\n", a.run("drift", "small"))
	}
	a.run("delete", "small", "--yes")
	require.Empty(a.t, a.ours("small"))
}
