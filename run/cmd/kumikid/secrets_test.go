package main

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSecretsNowhere: what looks like a secret, wherever somebody puts it, is in no record, no
// content, no line of the log, no metric, no trace and no answer of the audit.
func TestSecretsNowhere(t *testing.T) {
	t.Parallel()
	to, i := newReceiver(t), newIssuer(t)
	flags := append(i.flags(), "--log-format=json", "--log-level=debug", "--otlp-endpoint="+to.URL, "--rate=0")
	d := newDaemon(t, "KUMIKID_FOLDER="+filepath.Join(t.TempDir(), "environments"), args(flags...), "OTEL_EXPORTER_OTLP_HEADERS=authorization=planted-in-environment")
	token := i.token(m{"groups": []string{"platform"}, "secret": "planted-in-claim"})
	all := d.plants(t, token)
	d.as(token).ask(200, "GET", "/v1/audit", nil)

	time.Sleep(6 * time.Second) // the last spans are sent after five
	d.ask(200, "GET", "/v1/me", nil)
	answers := ""
	for _, path := range []string{"/metrics", "/v1/audit", "/v1/operations", "/v1/deployments", "/v1/deployments/hello/manifests", "/v1/tokens", "/openapi.json"} {
		answers += string(d.ask(200, "GET", path, nil).body)
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	require.Contains(t, to.text.String(), "/v1/deployments", "there are traces")
	for _, secret := range append(all, d.token, token, strings.Split(token, ".")[1], "planted-in-claim", "planted-in-environment") {
		d.without(secret)
		require.NotContains(t, to.text.String(), secret)
		require.NotContains(t, answers, secret)
	}
}

// plants puts secrets wherever somebody may, and returns them.
func (d *daemon) plants(t *testing.T, token string) (all []string) {
	t.Helper()
	secret := func(where string) string {
		all = append(all, "planted-in-"+where)
		return "planted-in-" + where
	}
	bundles := map[string]string{
		"value":    fmt.Sprintf("%q", secret("value")),
		"conflict": fmt.Sprintf("%q & %q", secret("conflict"), "other"),
		"number":   fmt.Sprintf("%q & int", secret("number")),
		"length":   fmt.Sprintf("%q & =~\"^[0-9]+$\"", secret("length")),
	}
	for name, value := range bundles {
		in := m{"bundle": d.upload(plantedAs(t, value))}
		r, err := d.try("POST", "/v1/deployments", m{"name": "of-" + name, "input": in})
		require.NoError(t, err)
		if r.status == 202 {
			require.NotNil(t, d.ended(r).Error, name)
		}
	}
	input := m{"bundle": d.upload(hello)}
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "input": input}))
	d.ask(422, "PATCH", "/v1/deployments/hello", m{"set": []string{"config.parameter.dbPassword=" + secret("set")}}, "If-Match: *")
	d.ask(422, "PATCH", "/v1/deployments/hello", m{"set": []string{"config.parameter.who=postgres://u:" + secret("url") + "@db/x"}}, "If-Match: *")
	d.ask(422, "GET", "/v1/deployments?password="+secret("query"), nil)
	d.ask(400, "GET", "/v1/deployments?labelSelector="+url.QueryEscape(secret("selector")+" in a"), nil)
	d.ask(422, "POST", "/v1/deployments", m{"name": "x", "password": secret("field"), "input": input})
	d.ask(200, "GET", "/v1/me", nil, "X-Password: "+secret("header"), "Cookie: session="+secret("cookie"), "User-Agent: "+secret("agent"))
	d.as("kumiki_"+secret("token")).ask(401, "GET", "/v1/me", nil)
	d.as("a."+secret("jwt")+".c").ask(401, "GET", "/v1/me", nil)
	answer, err := http.PostForm(d.url+"/ui/sign-in", url.Values{"token": {secret("form")}})
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return all
}
