package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/record"
)

// unreliable forwards requests to a server. Of eleven it loses one, and of another one the answer.
func unreliable(t *testing.T, to string) string {
	t.Helper()
	at, err := url.Parse(to)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(at)
	var n atomic.Int64
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 11 {
		case 3:
			panic(http.ErrAbortHandler)
		case 7:
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p.URL
}

// TestWrites: 32 clients count on, in labels of few deployments, through a proxy that loses
// requests and answers. No count is lost, and none is counted twice. KUMIKI_WRITES is how many
// there are.
func TestWrites(t *testing.T) {
	t.Parallel()
	n := 120
	if text := os.Getenv("KUMIKI_WRITES"); text != "" {
		_, err := fmt.Sscan(text, &n)
		require.NoError(t, err)
	}
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	all := names(16)
	for _, name := range all {
		d.well(d.ask(202, "POST", "/v1/deployments", m{"name": name, "labels": m{"n": "0"}, "input": input}))
	}
	through := &daemon{t: t, url: unreliable(t, d.url), token: d.token}
	var left, conflicts atomic.Int64
	left.Store(int64(n))
	counted := make([]sync.Map, len(all)) // operations of each, by what they count
	var wg sync.WaitGroup
	for client := range 32 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				i := (client + int(left.Load())) % len(all)
				count, operation, lost, err := through.count(all[i], fmt.Sprint(client))
				conflicts.Add(lost)
				if err != nil {
					t.Error(err)
					return
				}
				if before, twice := counted[i].LoadOrStore(count, operation); twice {
					t.Errorf("%s: %d was counted by %s and by %s", all[i], count, before, operation)
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for i, name := range all {
		total += d.counted(t, name, &counted[i])
	}
	require.Equal(t, n, total)
	d.audit(t)
	t.Logf("%d writes, and %d that somebody else was faster than", n, conflicts.Load())
}

// count makes the label of a deployment one more. It returns how many times somebody else was
// first.
func (d *daemon) count(name, client string) (count int, operation string, lost int64, err error) {
	path := "/v1/deployments/" + name
	for ; ; lost++ {
		seen := d.insist("GET", path, nil)
		var is record.Deployment
		if err := json.Unmarshal(seen.body, &is); err != nil {
			return 0, "", lost, fmt.Errorf("%w: %s", err, seen.body)
		}
		if count, err = strconv.Atoi(is.Labels["n"]); err != nil {
			return 0, "", lost, err
		}
		count++
		key := fmt.Sprintf("%s-%d-%s", name, count, client)
		r := d.insist("PATCH", path, m{"labels": m{"n": strconv.Itoa(count)}}, "If-Match: "+seen.etag(), "Idempotency-Key: "+key+seen.etag())
		switch r.status {
		case http.StatusAccepted:
			return count, r.header.Get("Location"), lost, nil
		case http.StatusPreconditionFailed:
		default:
			return 0, "", lost, fmt.Errorf("%d %s", r.status, r.body)
		}
	}
}

// insist asks until there is an answer.
func (d *daemon) insist(method, path string, body any, headers ...string) reply {
	for {
		r, err := d.try(method, path, body, headers...)
		if err == nil {
			return r
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			d.t.Log(err)
		}
	}
}

// counted requires a deployment to have been counted on as clients were told, and returns how
// often.
func (d *daemon) counted(t *testing.T, name string, by *sync.Map) (n int) {
	t.Helper()
	for {
		if _, ok := by.Load(n + 1); !ok {
			break
		}
		n++
	}
	all := d.manifests(name)
	require.Len(t, all, n+1, "%s: each count is one manifest", name)
	for i, one := range all[1:] {
		operation, _ := by.Load(i + 1)
		require.Equal(t, operation, "/v1/operations/"+one.Operation)
		d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + one.Operation}}})
	}
	var is record.Deployment
	d.ask(200, "GET", "/v1/deployments/"+name, nil).read(t, &is)
	require.Equal(t, strconv.Itoa(n), is.Labels["n"])
	return n
}
