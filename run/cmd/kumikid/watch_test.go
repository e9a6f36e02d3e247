package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
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

// event is one of a watch.
type event struct{ id, name, data string }

// watch reads n events of a collection from a revision on; the first one says where it begins.
func (d *daemon) watch(n int, path string, headers ...string) (events []event) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", d.url+path, nil)
	require.NoError(d.t, err)
	r.Header.Set("Authorization", "Bearer "+d.token)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(d.t, err)
	defer answer.Body.Close()
	require.Equal(d.t, "text/event-stream", answer.Header.Get("Content-Type"))
	var e event
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			events, e = append(events, e), event{}
		}
		if len(events) == n {
			return events
		}
	}
	d.t.Fatalf("%d events of %d: %v", len(events), n, events)
	return nil
}

// TestWatch: a watch tells of all changes after a revision, in their order, also after it was
// broken off and the server was another one.
func TestWatch(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	var list struct{ Revision int64 }
	d.ask(200, "GET", "/v1/deployments", nil).read(t, &list)
	for i := range 3 {
		d.well(d.ask(202, "POST", "/v1/deployments", m{"name": fmt.Sprintf("d%d", i), "labels": m{"n": fmt.Sprint(i % 2)}, "input": input}))
	}
	d.well(d.ask(202, "PATCH", "/v1/deployments/d0", m{"labels": m{"n": "1"}}, "If-Match: *"))
	from := fmt.Sprintf("/v1/watch/deployments?labelSelector=n%%3D0&from=%d", list.Revision)
	// Each deployment is written when it is asked for and when it is done.
	first := d.watch(6, from)
	require.Equal(t, "begin", first[0].name)
	var names []string
	for _, e := range first[1:] {
		var c struct{ Key string }
		require.NoError(t, json.Unmarshal([]byte(e.data), &c))
		names = append(names, e.name+" "+c.Key)
	}
	require.Equal(t, []string{"put d0", "put d0", "put d2", "put d2", "delete d0"}, names, "what is not selected any more is gone")
	d.kill()
	d.start()
	again := d.watch(3, "/v1/watch/deployments?labelSelector=n%3D0", "Last-Event-ID: "+first[3].id)
	require.Equal(t, first[4:6], again[1:3], "it goes on where it was")
}

// TestCancel: an operation that is on its way is ended, and nothing was changed by it.
func TestCancel(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	digest := d.upload(hello)
	d.kill()
	d.start("KUMIKID_PAUSE=compiled")
	r := d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "input": m{"bundle": digest}})
	d.ask(202, "POST", r.header.Get("Location")+"/cancel", nil)
	o := d.ended(r)
	require.Equal(t, "manager/cancelled", o.Error.Code)
	require.Empty(t, d.objects())
	later := d.ask(202, "PUT", "/v1/deployments/hello", m{"input": m{"bundle": digest}}, d.of("hello"))
	d.well(later)
	late := d.ask(202, "PATCH", "/v1/deployments/hello?timeoutSeconds=1", m{"scale": m{"": 2}}, d.of("hello"))
	require.Equal(t, "manager/late", d.ended(late).Error.Code)
}

// TestPages: pages are of one revision, whatever is made in between.
func TestPages(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	for i := range 5 {
		d.well(d.ask(202, "POST", "/v1/deployments", m{"name": fmt.Sprintf("d%d", i), "labels": m{"odd": fmt.Sprint(i % 2)}, "input": input}))
	}
	var all []string
	for next, n := "", 0; n == 0 || next != ""; n++ {
		var page struct {
			Items []struct {
				Name   string
				Status record.Status
			}
			Continue string
		}
		d.ask(200, "GET", "/v1/deployments?limit=2&labelSelector=odd%3D0&continue="+next, nil).read(t, &page)
		for _, one := range page.Items {
			all = append(all, one.Name)
			require.Equal(t, 1, one.Status.Applied)
		}
		next = page.Continue
		d.well(d.ask(202, "POST", "/v1/deployments", m{"name": fmt.Sprintf("d2-%d", n), "labels": m{"odd": "0"}, "input": input}))
	}
	require.Equal(t, []string{"d0", "d2", "d4"}, all)
	d.lasts(t)
}

// lasts: what grows is read from its end too, with as many pages as are wanted.
func (d *daemon) lasts(t *testing.T) {
	for _, path := range []string{"/v1/operations?deployment=d1&limit=1", "/v1/operations?limit=3", "/v1/audit?limit=4", "/v1/deployments/d1/manifests?limit=1"} {
		read := func(order string) (all []any) {
			for next, n := "", 0; n == 0 || next != ""; n++ {
				var page struct {
					Items    []any
					Continue string
				}
				d.ask(200, "GET", path+"&order="+order+"&continue="+next, nil).read(t, &page)
				all, next = append(all, page.Items...), page.Continue
				if next != "" {
					require.Equal(t, "manager/continue", d.ask(400, "GET", path+"&order="+map[string]string{"asc": "desc", "desc": "asc"}[order]+"&continue="+next, nil).code())
				}
			}
			return all
		}
		first := read("asc")
		require.NotEmpty(t, first, path)
		slices.Reverse(first)
		require.Equal(t, first, read("desc"), path)
	}
}

// TestSocket: on the socket the user of the server needs no token; the files are nobody
// else's, and no value of a token is in them.
func TestSocket(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(d.dir, "state", "kumikid.sock"))
	}}}
	answer, err := client.Get("http://manager/v1/tokens")
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, 200, answer.StatusCode)
	info, err := os.Stat(filepath.Join(d.dir, "state"))
	require.NoError(t, err)
	require.EqualValues(t, 0o700, info.Mode().Perm())
	d.without(d.token)
}

// without shows that a text is neither in what is kept nor in the log.
func (d *daemon) without(text string) {
	d.t.Helper()
	files := 0
	require.NoError(d.t, filepath.WalkDir(d.dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		files++
		require.NotContains(d.t, string(data), text, name)
		return err
	}))
	require.Greater(d.t, files, 3)
}

// TestListen: a port that others reach is not served in the clear.
func TestListen(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"0.0.0.0:0", ":0", "192.0.2.1:1", "example.com:1"} {
		require.ErrorContains(t, (&serveOptions{listen: listen}).check(), "in the clear", listen)
	}
	for _, listen := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0", ""} {
		require.NoError(t, (&serveOptions{listen: listen}).check(), listen)
	}
}
