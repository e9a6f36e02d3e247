package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/record"
)

// points are where a server is killed, with how often it gets there first.
var points = []string{
	"phase compiling:1", "compiled:1", "phase trying:1", "phase applying:1", "object:1", "object:2", "object:5", "written:1", "end:1", "ended:1",
}

// TestKilled: wherever the server is killed, the next one comes to the same end.
func TestKilled(t *testing.T) {
	t.Parallel()
	want := newDaemon(t)
	want.make("shop")
	made := want.objects()
	want.well(want.ask(202, "PATCH", "/v1/deployments/shop", changed, want.of("shop")))
	updated := want.objects()
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			d := newDaemon(t)
			digest := d.upload(shop)
			d.kill()
			d.start("KUMIKID_CRASH=" + point)
			r := d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": digest}})
			d.crashed(r)
			require.Equal(t, made, d.objects())

			if point == "object:2" || point == "object:5" {
				return // an update changes fewer
			}
			d.kill()
			d.start("KUMIKID_CRASH=" + point)
			d.crashed(d.ask(202, "PATCH", "/v1/deployments/shop", changed, d.of("shop")))
			require.Equal(t, updated, d.objects())
			require.Equal(t, 2, d.applied("shop"))

			if point == "phase compiling:1" || point == "compiled:1" {
				return // what is gone back to is compiled
			}
			d.kill()
			d.start("KUMIKID_CRASH=" + point)
			d.crashed(d.ask(202, "POST", "/v1/deployments/shop/rollback", m{"manifest": 1}, d.of("shop")))
			require.Equal(t, made, d.objects())
			require.Equal(t, 3, d.applied("shop"))
		})
	}
	for _, point := range []string{"phase removing:1", "object:1", "object:7", "end:1", "ended:1"} {
		t.Run("delete "+point, func(t *testing.T) {
			t.Parallel()
			d := newDaemon(t)
			d.make("shop")
			d.kill()
			d.start("KUMIKID_CRASH=" + point)
			d.crashed(d.ask(202, "DELETE", "/v1/deployments/shop", nil, d.of("shop")))
			require.Empty(t, d.objects())
			d.ask(404, "GET", "/v1/deployments/shop", nil)
		})
	}
}

var changed = m{"set": []string{"config.parameter.logLevel=debug"}}

func (d *daemon) make(name string) {
	d.t.Helper()
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": name, "input": m{"bundle": d.upload(shop)}}))
}

// crashed waits until the server has killed itself, starts the next one, and waits for the end
// of the operation.
func (d *daemon) crashed(r reply) {
	d.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- d.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(60 * time.Second):
		d.t.Fatal("it does not come to the point")
	}
	d.start()
	d.well(r)
}

// TestRandomly: a server that is killed again and again while clients make, change, take back and
// remove deployments loses nothing that it has answered, does nothing twice, leaves no operation
// behind, and comes to the end that was wanted last. KUMIKI_KILL is how long.
func TestRandomly(t *testing.T) {
	t.Parallel()
	lasts := 8 * time.Second
	if text := os.Getenv("KUMIKI_KILL"); text != "" {
		var err error
		lasts, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	d := newDaemon(t)
	digest := d.upload(hello)
	d.env = append(d.env, "KUMIKID_LISTEN="+d.address())
	var changers []*changer
	for i, name := range names(4) {
		changers = append(changers, newChanger(uint64(i), name, digest, d))
	}
	soon, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	lives := 1
	changeAll(t, soon, changers, func() {
		for ; soon.Err() == nil; lives++ {
			time.Sleep(time.Duration(300+137*lives%1500) * time.Millisecond)
			d.kill()
			d.start()
		}
	})
	taken := 0
	for _, c := range changers {
		c.check(t, d, filepath.Join(d.dir, "environments"))
		taken += len(c.taken)
	}
	d.settled(t)
	t.Logf("%d changes were taken in %d lives", taken, lives)
}

// settled requires that no operation is left, and that the audit is whole.
func (d *daemon) settled(t *testing.T) {
	t.Helper()
	var pending struct{ Items []record.Operation }
	d.ask(200, "GET", "/v1/operations?pending=true", nil).read(t, &pending)
	for _, o := range pending.Items {
		d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + o.ID}}})
	}
	d.audit(t)
}

// manifests are all of a deployment, page by page.
func (d *daemon) manifests(name string) (all []record.Manifest) {
	d.t.Helper()
	for next := ""; ; {
		var page struct {
			Items    []record.Manifest
			Continue string
		}
		d.ask(200, "GET", "/v1/deployments/"+name+"/manifests?limit=100&continue="+next, nil).read(d.t, &page)
		all, next = append(all, page.Items...), page.Continue
		if next == "" {
			return all
		}
	}
}
