package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/api"
	"kumiki.dev/run/record"
)

// kumikid runs a command, and returns what it prints.
func kumikid(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	got := run(t.Context(), args, &out, &errs)
	require.Equal(t, code, got, "%s%s", &out, &errs)
	return out.String() + errs.String()
}

// TestBackup: a server that is changed all the time is saved as it is at one moment, and another
// goes on from there.
func TestBackup(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	d.make("shop")
	digest := d.upload(hello)
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "labels": m{"team": "a"}, "input": m{"bundle": digest}}))
	var viewer struct{ Token string }
	d.ask(201, "POST", "/v1/tokens", m{"name": "viewer", "role": "viewer"}).read(t, &viewer)
	d.kill()
	d.start("KUMIKID_PAUSE=phase applying")
	slow := d.ask(202, "PATCH", "/v1/deployments/shop", changed, d.of("shop"))
	before := d.of("shop")
	var stop atomic.Bool
	var writing sync.WaitGroup
	for w := range 4 {
		writing.Go(func() {
			for i := 0; !stop.Load(); i++ {
				if _, err := d.try("PATCH", "/v1/deployments/hello", m{"labels": m{"team": "a", "by": fmt.Sprint(w, "-", i)[:3]}}, "If-Match: *"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	state, file := filepath.Join(d.dir, "state"), filepath.Join(d.dir, "saved")
	require.Contains(t, kumikid(t, 0, "backup", "--dir", state, "--out", file), "are in "+file)
	stop.Store(true)
	writing.Wait()
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	require.Contains(t, kumikid(t, 2, "backup", "--dir", state, "--out", file), "is there already")
	d.well(slow)
	d.kill()
	kumikid(t, 0, "backup", "--dir", state, "--out", file+"2") // of what no server runs over
	require.Contains(t, kumikid(t, 0, "restore", file+"2", "--check"), "is whole")
	require.Contains(t, kumikid(t, 2, "backup", "--dir", d.dir+"/none", "--out", file+"3"), "nothing is kept there")
	require.Contains(t, kumikid(t, 3, "restore", file, "--dir", state), "is not empty")

	again := filepath.Join(d.dir, "again")
	out := kumikid(t, 0, "restore", file, "--dir", again)
	require.Contains(t, out, "ended: update of shop")
	r := newDaemon(t, "KUMIKID_SERVE="+again, "KUMIKID_FOLDER="+filepath.Join(d.dir, "environments"))
	require.Empty(t, r.token, "the tokens are those of before")
	r.token, r.dir = d.token, d.dir
	r.continues(t, slow, before)
	r.token = viewer.Token
	r.ask(200, "GET", "/v1/deployments", nil)
	r.ask(403, "GET", "/v1/backup", nil)
}

// continues goes on after a restore, with an operation and an ETag of before.
func (d *daemon) continues(t *testing.T, stopped reply, match string) {
	o := d.ended(stopped)
	require.Equal(t, "manager/restored", o.Error.Code)
	all := d.manifests("hello")
	var hello record.Deployment
	d.ask(200, "GET", "/v1/deployments/hello", nil).read(t, &hello)
	require.Len(t, all, hello.Last)
	for i, one := range all {
		require.Equal(t, i+1, one.Number)
		d.ask(200, "GET", fmt.Sprintf("/v1/deployments/hello/manifests/%d/input", one.Number), nil)
		require.True(t, d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + one.Operation}}}).Done)
	}
	audit := d.audit(t)
	require.Equal(t, "restore", audit[len(audit)-1].Verb)
	d.ask(412, "PATCH", "/v1/deployments/shop", changed, match)
	_, number, _ := strings.Cut(strings.Trim(match, `"`), `"`)
	stream := d.ask(200, "GET", "/v1/watch/deployments?from="+number, nil)
	require.Contains(t, string(stream.body), "manager/compacted")
	d.well(d.ask(202, "PATCH", "/v1/deployments/shop", m{"set": []string{"config.parameter.logLevel=error"}}, d.of("shop")))
	require.Contains(t, fmt.Sprint(d.objects()), "error")
	d.well(d.ask(202, "POST", "/v1/deployments/shop/rollback", m{"manifest": 1}, d.of("shop")))
}

// audit is the whole audit, of which each has the hash of the one before.
func (d *daemon) audit(t *testing.T) (all []api.Audited) {
	t.Helper()
	for next := ""; ; {
		var page struct {
			Items    []api.Audited
			Continue string
		}
		d.ask(200, "GET", "/v1/audit?limit=500&continue="+next, nil).read(t, &page)
		all, next = append(all, page.Items...), page.Continue
		if next == "" {
			break
		}
	}
	previous := ""
	for i, one := range all {
		sum, err := one.Sum()
		require.NoError(t, err)
		require.Equal(t, []any{i + 1, previous, sum}, []any{one.Number, one.Previous, one.Hash})
		previous = one.Hash
	}
	return all
}
