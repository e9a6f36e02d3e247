package main

import (
	"fmt"
	"net/http"
	"os"
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

// TestRandomly: a server that is killed again and again while it is changed loses nothing that
// it has answered, and leaves no operation behind.
func TestRandomly(t *testing.T) {
	t.Parallel()
	kills := 6
	if text := os.Getenv("KUMIKI_KILLS"); text != "" {
		_, err := fmt.Sscan(text, &kills)
		require.NoError(t, err)
	}
	d := newDaemon(t)
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "input": m{"bundle": d.upload(hello)}}))
	taken := map[string]string{} // operations that were answered, with what they set
	for i := range kills {
		timer := time.AfterFunc(time.Duration(100+137*i%900)*time.Millisecond, func() { _ = d.cmd.Process.Kill() })
		for n := 0; ; n++ {
			seen, err := d.try("GET", "/v1/deployments/hello", nil)
			if err != nil {
				break
			}
			set := fmt.Sprintf("config.scale.hsize=%d", 10000*i+n+2)
			r, err := d.try("PATCH", "/v1/deployments/hello", m{"set": []string{set}}, "If-Match: "+seen.etag())
			if err != nil {
				break
			}
			if r.status == http.StatusAccepted {
				taken[r.header.Get("Location")] = set
			}
		}
		timer.Stop()
		d.kill()
		d.start()
	}
	manifests := map[string]bool{}
	all := d.manifests("hello")
	for _, one := range all {
		for _, set := range one.Input.Sets {
			manifests[set] = true
		}
	}
	for at, set := range taken {
		d.ended(reply{header: http.Header{"Location": {at}}})
		require.True(t, manifests[set], set)
	}
	var pending struct{ Items []record.Operation }
	d.ask(200, "GET", "/v1/operations?pending=true", nil).read(t, &pending)
	for _, o := range pending.Items {
		d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + o.ID}}})
	}
	var last struct{ Operation string }
	d.ask(200, "GET", "/v1/deployments/hello", nil).read(t, &last)
	d.well(reply{header: http.Header{"Location": {"/v1/operations/" + last.Operation}}})
	require.Equal(t, len(all), d.applied("hello"))
	t.Logf("%d changes were taken in %d lives", len(taken), kills)
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
