package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/record"
)

// labels are n of them, of 100 bytes each.
func labels(n int) m {
	out := m{}
	for i := range n {
		out[fmt.Sprintf("l%046d", i)] = strings.Repeat("x", 48)
	}
	return out
}

// TestNoRoom: a manager whose store is full refuses changes with 507, and goes on answering.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, "KUMIKID_FOLDER="+t.TempDir(), "KUMIKID_QUOTA=4194304")
	digest := d.upload(hello)
	made := func(i int) m {
		return m{"name": fmt.Sprintf("d%d", i), "labels": labels(4000), "input": m{"bundle": digest}}
	}
	status, n := 202, 0
	for ; status == 202 && n < 400; n++ {
		r, err := d.try("POST", "/v1/deployments", made(n))
		require.NoError(t, err)
		if status = r.status; status != 202 {
			require.Equal(t, "manager/full", r.code(), "%s", r.body)
			require.Contains(t, string(r.body), "--quota")
		}
	}
	require.Equal(t, 507, status)
	require.Greater(t, n, 1)
	d.ask(200, "GET", "/v1/deployments/d0", nil)
	d.ask(200, "GET", "/v1/operations", nil)
	d.ask(404, "GET", fmt.Sprintf("/v1/deployments/d%d", n-1), nil)
	d.ask(507, "PATCH", "/v1/deployments/d0", m{"labels": labels(4000)}, "If-Match: *")
	d.ask(200, "PATCH", "/v1/deployments/d0?dryRun=true", m{"labels": labels(1)}, "If-Match: *")
	r := d.ask(503, "GET", "/readyz", nil)
	require.Contains(t, string(r.body), "store: ok\nquota: the store has no room")
	d.ask(200, "GET", "/readyz?exclude=quota", nil)
	d.ask(200, "GET", "/healthz", nil)
	require.Contains(t, string(d.ask(200, "GET", "/metrics", nil).body), "kumiki_store_full 1")
}

// TestRoomAgain: what has filled the store and is history is given back by itself, and what was
// asked for before and after comes to its end. What is more than the quota takes a larger one.
func TestRoomAgain(t *testing.T) {
	t.Parallel()
	for _, larger := range []bool{false, true} {
		t.Run(fmt.Sprint("larger quota ", larger), func(t *testing.T) {
			t.Parallel()
			d := newDaemon(t, "KUMIKID_FOLDER="+t.TempDir(), "KUMIKID_QUOTA=6291456")
			input := m{"bundle": d.upload(hello)}
			d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "a", "input": input}))
			d.fill(t, larger, input)
			if larger {
				d.kill()
				d.start() // it reads on
				d.ask(200, "GET", "/v1/deployments/a", nil)
				d.kill()
				d.start("KUMIKID_QUOTA=67108864")
			}
			var last reply
			require.Eventually(t, func() bool {
				r, err := d.try("PATCH", "/v1/deployments/a", m{"labels": labels(1)}, "If-Match: *")
				last = r
				return err == nil && r.status == 202
			}, 90*time.Second, time.Second)
			d.well(last)
			for _, one := range d.manifests("a") { // none is left behind
				d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + one.Operation}}})
			}
			require.Equal(t, len(d.manifests("a")), d.applied("a"))
		})
	}
}

// fill makes changes until the store is full: of one deployment, or with more, which are there to
// stay.
func (d *daemon) fill(t *testing.T, more bool, input any) {
	t.Helper()
	for i := range 100 {
		method, path, body := "PATCH", "/v1/deployments/a", m{"labels": labels(1500 + i)}
		if more {
			method, path, body = "POST", "/v1/deployments", m{"name": fmt.Sprintf("b%d", i), "labels": labels(4000), "input": input}
		}
		r, err := d.try(method, path, body, "If-Match: *")
		require.NoError(t, err)
		if r.status == 507 {
			return
		}
		require.Equal(t, 202, r.status, "%s", r.body)
	}
	t.Fatal("it is never full")
}

// TestTooLarge: what is too much to be sent or kept at once is refused as that.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	digest := d.upload(hello)
	r := d.ask(413, "POST", "/v1/deployments", m{"name": "a", "labels": labels(11000), "input": m{"bundle": digest}})
	require.Equal(t, "manager/too-large", r.code(), "%s", r.body)
	d.ask(404, "GET", "/v1/deployments/a", nil)
	r = d.ask(413, "POST", "/v1/bundles", append([]byte("PK\x03\x04"), make([]byte, 64<<20)...))
	require.Equal(t, "manager/too-large", r.code(), "%s", r.body)

	sets := slices.Repeat([]string{"config.parameter.who=" + strings.Repeat("x", 100<<10)}, 6)
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "b", "input": m{"bundle": digest, "sets": sets}}))
	r = d.ask(413, "PATCH", "/v1/deployments/b", m{"labels": labels(9900)}, "If-Match: *")
	require.Equal(t, "manager/too-large", r.code(), "labels that are written with all that was set: %s", r.body)
	require.Equal(t, 1, d.applied("b"))
}

// planted is a module whose component has a secret in it.
func planted(t *testing.T, note string) string {
	t.Helper()
	return plantedAs(t, `"hunter2-planted"`+note)
}

// plantedAs is one whose secret is written in another way.
func plantedAs(t *testing.T, value string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cue.mod/module.cue": "module: \"kumiki.example/m@v1\"\nlanguage: version: \"v0.12.0\"\n",
		"hello.cue": `package component

#Artifact: {
	ref: name: "hello"
	description: {
		srv: server: web: port: 8080
		code: hello: {
			image: tag: "ghcr.example/hello:1.2.0"
			mapping: env: DB_PASSWORD: value: ` + value + `
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`,
		"d/d.cue": `package deployment

import hello "kumiki.example/m@v1:component"

#Deployment: {name: "hello", artifact: hello.#Artifact, config: scale: hsize: 1}
`,
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return filepath.Join(dir, "d")
}

// TestSecrets: a bundle with a value that looks like a secret is refused unless that is
// acknowledged, and no record, solution or log has the value.
func TestSecrets(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	bad := m{"name": "hello", "input": m{"bundle": d.upload(planted(t, ""))}}
	r := d.ask(422, "POST", "/v1/deployments?dryRun=true", bad)
	require.Equal(t, "manager/secret", r.code(), "%s", r.body)
	require.NotContains(t, string(r.body), "hunter2")
	d.without("hunter2-planted")
	d.upload(planted(t, ""))
	o := d.ended(d.ask(202, "POST", "/v1/deployments", bad))
	require.NotNil(t, o.Error)
	require.Equal(t, "manager/secret", o.Error.Code)
	require.Equal(t, "solution/secret-in-env", o.Error.Problems[0].Code)
	require.Equal(t, "input.bundle:hello.cue", o.Error.Problems[0].File)
	require.Equal(t, 9, o.Error.Problems[0].Line)
	require.Empty(t, d.objects())
	var kept record.Manifest
	d.ask(200, "GET", "/v1/deployments/hello/manifests/1", nil).read(t, &kept)
	require.Empty(t, kept.Input.Bundle, "nothing keeps the bundle")
	require.Empty(t, kept.Solution)
	d.without("hunter2-planted")

	good := m{"input": m{"bundle": d.upload(planted(t, ` @lint(ignore=solution/secret-in-env, reason="for tests")`))}}
	d.well(d.ask(202, "PUT", "/v1/deployments/hello", good, "If-Match: *"))
	require.Contains(t, fmt.Sprint(d.objects()), "hunter2-planted")
}
