package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
)

const (
	hello = "../../../examples/hello/deploy"
	shop  = "../../../examples/shop/deploy"
)

// TestLife takes a deployment through its life: made, scaled, given another input, taken back,
// removed, and made again.
func TestLife(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	digest := d.upload(shop)
	r := d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "labels": m{"stage": "test"}, "input": m{"bundle": digest}})
	o := d.well(r)
	require.Equal(t, record.Create, o.Verb)
	require.Contains(t, o.Steps, record.Step{Action: "create", Object: "Deployment/shop-web", Place: "shop/web"})
	require.Equal(t, 1, d.applied("shop"))

	var solution struct {
		Deployments map[string]any
		Digest      string
	}
	d.ask(200, "GET", "/v1/deployments/shop/manifests/1/solution", nil).read(t, &solution)
	require.Contains(t, solution.Deployments, "shop")
	require.Equal(t, bundle(t, shop), d.ask(200, "GET", "/v1/deployments/shop/manifests/1/input", nil).body)
	require.Contains(t, string(d.ask(200, "GET", "/v1/deployments/shop/manifests/1/layout", nil).body), `"name":"shop"`)
	require.Contains(t, string(d.ask(200, "GET", "/v1/deployments/shop/manifests/1/objects", nil).body), `"kind":"StatefulSet"`)
	require.Contains(t, string(d.ask(200, "GET", "/v1/types", nil).body), "shop/web")
	require.Contains(t, string(d.ask(200, "GET", "/v1/types/shop%2Fweb/instances", nil).body), `"solution":"shop"`)
	require.Contains(t, string(d.ask(200, "GET", "/v1/types/*/instances", nil).body), `"solution":"shop"`)
	require.Contains(t, string(d.ask(200, "GET", "/v1/deployments/shop/status", nil).body), `"place":"shop/web"`)

	before := d.objects()
	louder := m{"set": []string{"config.parameter.logLevel=debug"}}
	dry := d.ask(200, "PATCH", "/v1/deployments/shop?dryRun=true", louder, d.of("shop"))
	require.Contains(t, string(dry.body), "shop/web")
	require.Contains(t, string(dry.body), `"action":"change"`)
	require.Equal(t, 1, d.applied("shop"))
	require.Equal(t, before, d.objects(), "a dry run changes nothing")
	d.well(d.ask(202, "PATCH", "/v1/deployments/shop", louder, d.of("shop")))
	require.NotEqual(t, before, d.objects())
	d.well(d.ask(202, "POST", "/v1/deployments/shop/rollback", m{"manifest": 1}, d.of("shop")))
	require.Equal(t, before, d.objects())
	require.Equal(t, 3, d.applied("shop"))

	o = d.ended(d.ask(202, "PATCH", "/v1/deployments/shop", m{"scale": m{"web": -1}}, d.of("shop")))
	require.Contains(t, o.Error.Problems[0].Message, "it takes a value >=0")
	o = d.ended(d.ask(202, "PATCH", "/v1/deployments/shop", m{"set": []string{"config.parameter.nonsense=1"}}, d.of("shop")))
	require.Equal(t, "manager/compile", o.Error.Code)
	require.Equal(t, "spread/undeclared-field", o.Error.Problems[0].Code)
	require.Equal(t, "input.bundle:shop/shop.cue", o.Error.Problems[0].Related[0].File)
	require.Equal(t, 3, d.applied("shop"), "what does not compile changes nothing")

	scaled := m{"scale": m{"web": 7}, "set": []string{"config.parameter.title=Joints"}} // the manifest says 2, and another title
	d.well(d.ask(202, "PATCH", "/v1/deployments/shop", scaled, d.of("shop")))
	require.Contains(t, fmt.Sprint(d.objects()), `"replicas":7`)
	require.Contains(t, fmt.Sprint(d.objects()), "Joints")
	last := d.applied("shop")
	require.Equal(t, 6, last)

	before = d.objects()
	r = d.ask(200, "DELETE", "/v1/deployments/shop?dryRun=true", nil, d.of("shop"))
	var removal struct{ Plan operate.Preview }
	r.read(t, &removal)
	require.Contains(t, removal.Plan.Steps, record.Step{Action: "remove", Object: "Deployment/shop-web", Place: "shop/web"})
	require.Contains(t, removal.Plan.Text, "shop/web")
	require.Equal(t, before, d.objects(), "a dry run changes nothing")
	require.Equal(t, last, d.applied("shop"))
	o = d.well(d.ask(202, "DELETE", "/v1/deployments/shop", nil, d.of("shop")))
	for _, step := range removal.Plan.Steps {
		require.Contains(t, o.Steps, step, "what was planned is done")
	}
	require.Len(t, o.Steps, len(removal.Plan.Steps))
	d.ask(404, "GET", "/v1/deployments/shop", nil)
	require.Empty(t, d.objects())
	d.ask(200, "GET", "/v1/deployments/shop/manifests/1", nil)
	d.well(d.ask(202, "PUT", "/v1/deployments/shop", m{"input": m{"bundle": digest}}, "If-None-Match: *"))
	require.Equal(t, last+2, d.applied("shop"), "it goes on after the manifests that there were")
}

// applied is the manifest that runs, which the deployment has to want.
func (d *daemon) applied(name string) int {
	d.t.Helper()
	var v struct {
		Manifest int
		Status   record.Status
	}
	d.ask(200, "GET", "/v1/deployments/"+name, nil).read(d.t, &v)
	require.Equal(d.t, v.Manifest, v.Status.Applied)
	return v.Manifest
}

// objects are what there is in the environment, by name, with contents.
func (d *daemon) objects() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(d.dir, "environments", "local", "objects", "*.json"))
	require.NoError(d.t, err)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(d.t, err)
		out[filepath.Base(f)] = string(data)
	}
	return out
}

// TestRules: what a request has to say, and what it is answered where it does not.
func TestRules(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	make := m{"name": "hello", "input": input}
	first := d.ask(202, "POST", "/v1/deployments", make, "Idempotency-Key: a")
	again := d.ask(202, "POST", "/v1/deployments", make, "Idempotency-Key: a")
	require.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
	d.well(first)
	old := d.of("hello")
	d.well(d.ask(202, "PATCH", "/v1/deployments/hello", m{"labels": m{"a": "b"}}, old))
	d.well(d.ask(202, "PATCH", "/v1/deployments/hello", m{"scale": m{"": 4}}, d.of("hello")))
	require.Contains(t, fmt.Sprint(d.objects()), `"replicas":4`)
	tests := []struct {
		status              int
		code, method, path  string
		body                any
		header, explanation string
	}{
		{422, "manager/key", "POST", "/v1/deployments", m{"name": "other", "input": input}, "Idempotency-Key: a", "another request"},
		{409, "manager/exists", "POST", "/v1/deployments", make, "", "PATCH or PUT"},
		{409, "manager/exists", "PUT", "/v1/deployments/hello", m{"input": input}, "If-None-Match: *", ""},
		{428, "manager/no-match", "PUT", "/v1/deployments/hello", m{"input": input}, "", "If-Match"},
		{428, "manager/no-match", "PATCH", "/v1/deployments/hello", m{"scale": m{"": 2}}, "", ""},
		{428, "manager/no-match", "DELETE", "/v1/deployments/hello", nil, "", ""},
		{412, "manager/changed", "DELETE", "/v1/deployments/hello", nil, old, "has changed since"},
		{412, "manager/changed", "POST", "/v1/deployments/hello/rollback", m{"manifest": 1}, old, ""},
		{404, "manager/not-found", "GET", "/v1/deployments/none", nil, "", ""},
		{404, "manager/not-found", "GET", "/v1/types/none/instances", nil, "", "/v1/types"},
		{422, "manager/name", "POST", "/v1/deployments", m{"name": "../x", "input": input}, "", "lower case"},
		{422, "manager/content", "POST", "/v1/deployments", m{"name": "x", "input": m{"bundle": "sha256:" + strings.Repeat("0", 64)}}, "", "/v1/bundles"},
		{422, "manager/environment", "POST", "/v1/deployments", m{"name": "x", "environment": "none", "input": input}, "", "/v1/environments"},
		{422, "manager/set", "POST", "/v1/deployments", m{"name": "x", "input": m{"bundle": input["bundle"], "sets": []string{"config.parameter.who=@/etc/passwd"}}}, "", "reads no files"},
		{422, "manager/secret", "POST", "/v1/deployments", m{"name": "x", "input": m{"bundle": input["bundle"], "sets": []string{"config.parameter.dbPassword=hunter2-planted"}}}, "", "looks like a secret"},
		{422, "manager/secret", "PATCH", "/v1/deployments/hello", m{"set": []string{"config.parameter.who=postgres://u:hunter2-planted@db/x"}}, "If-Match: *", "looks like a secret"},
		{422, "manager/label", "POST", "/v1/deployments", m{"name": "x", "labels": m{"a": "b c"}, "input": input}, "", ""},
		{422, "manager/bundle", "POST", "/v1/bundles", []byte("text"), "", "kumiki bundle"},
		{422, "manager/request", "POST", "/v1/deployments", m{"name": "x", "input": input, "colour": "red"}, "", "validation"},
		{422, "manager/request", "GET", "/v1/deployments?colour=red", nil, "", ""},
		{400, "manager/selector", "GET", "/v1/deployments?labelSelector=a+b", nil, "", ""},
		{400, "manager/continue", "GET", "/v1/deployments?continue=x", nil, "", ""},
		{401, "manager/nobody", "GET", "/v1/deployments", nil, "Authorization: Bearer wrong", ""},
		{400, "manager/protocol", "GET", "/v1/deployments", nil, "Kumiki-Protocol: 3", "speaks protocol 1"},
		{409, "manager/used", "DELETE", "/v1/environments/local", nil, "If-Match: *", "hello"},
	}
	for _, test := range tests {
		headers := []string{}
		if test.header != "" {
			headers = append(headers, test.header)
		}
		r := d.ask(test.status, test.method, test.path, test.body, headers...)
		require.Equal(t, test.code, r.code(), "%s", r.body)
		require.Equal(t, "application/problem+json", r.header.Get("Content-Type"))
		require.Contains(t, string(r.body), test.explanation)
	}
	d.without("hunter2-planted")
	for _, spoken := range []string{"0", "1", "2"} {
		r := d.ask(200, "GET", "/v1/deployments", nil, "Kumiki-Protocol: "+spoken)
		require.Equal(t, "1", r.header.Get("Kumiki-Protocol"))
	}
}

// TestRaces: of those who change the same, one wins each time, and the others are told.
func TestRaces(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	var made, refused atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			r, err := d.try("POST", "/v1/deployments", m{"name": "hello", "input": input})
			switch {
			case err != nil:
				t.Error(err)
			case r.status == 202:
				made.Add(1)
			case r.status == 409:
				refused.Add(1)
			default:
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, []int64{1, 31}, []int64{made.Load(), refused.Load()})

	var won atomic.Int64
	for i := range 32 {
		wg.Go(func() {
			for range 4 {
				seen, err := d.try("GET", "/v1/deployments/hello", nil)
				if err != nil {
					t.Error(err)
					return
				}
				r, err := d.try("PATCH", "/v1/deployments/hello", m{"labels": m{"by": fmt.Sprint(i)}}, "If-Match: "+seen.etag())
				switch {
				case err != nil:
					t.Error(err)
				case r.status == 202:
					won.Add(1)
				case r.status != 412:
					t.Errorf("%d %s", r.status, r.body)
				}
			}
		})
	}
	wg.Wait()
	var list struct{ Items []record.Manifest }
	d.ask(200, "GET", "/v1/deployments/hello/manifests?limit=1000", nil).read(t, &list)
	require.Len(t, list.Items, int(won.Load())+1, "each change that was taken has its manifest")
	for i, one := range list.Items {
		require.Equal(t, i+1, one.Number)
	}
	var last struct{ Operation string }
	d.ask(200, "GET", "/v1/deployments/hello", nil).read(t, &last)
	d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + last.Operation}}})
	for _, one := range list.Items { // none is stuck
		d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + one.Operation}}})
	}
	require.Equal(t, len(list.Items), d.applied("hello"))
}
