package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	requestLine = regexp.MustCompile(`(?m)^curl .*$`)
	words       = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
)

// TestDocs sends the requests of docs/manager.md in their order.
func TestDocs(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	require.Len(t, d.sends(t, "manager.md"), 7)
	d.ask(404, "GET", "/v1/deployments/shop", nil)
}

// TestDocsCurl sends those of docs/manager-curl.md to a manager of a real API server.
func TestDocsCurl(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	said := r.sends(t, "manager-curl.md")
	for line, has := range map[string]string{
		`curl -H "$A" "$H/deployments?labelSelector=stage%3Dtest"`: `"name":"shop"`, `curl -H "$A" $H/deployments/shop/status`: `"health":"healthy"`,
		`curl -H "$A" "$H/deployments/shop/manifests?order=desc&limit=1"`: `"number":2`, `curl -H "$A" $H/deployments/shop/manifests/1`: `"input":{"bundle":"sha256:`,
		`curl -H "$A" $H/deployments/shop/manifests/1/input`: "PK", `curl -H "$A" $H/deployments/shop/manifests/1/solution`: `"links"`,
		`curl -H "$A" $H/deployments/shop/manifests/1/layout`: `"web"`, `curl -H "$A" $H/deployments/shop/manifests/1/objects`: `"kumiki.dev/solution":"shop"`,
		`curl -H "$A" $H/types`: `"type":"kumiki.example/shop/web@2.0.0:component"`, `curl -H "$A" $H/types/kumiki.example%2Fshop%2Fweb@2.0.0:component/instances`: `"solution":"shop"`,
		`curl -H "$A" $H/types/*/instances`: `"path":"`, `curl -H "$A" "$H/nodes?environment=local"`: "shop/db shop-db-0",
		`curl -H "$A" "$H/operations?deployment=shop&order=desc&limit=10"`: `"verb":"rollback"`, `curl -H "$A" "$H/audit?order=desc&limit=10"`: `"verb":"restart"`,
		`curl -H "$A" -H 'If-Match: "37"' -X DELETE "$H/deployments/shop?dryRun=true"`: `"action":"keep"`, `curl -H "$A" $H/deployments/shop/manifests`: `"empty":true`,
	} {
		require.Contains(t, said[line], has, line)
	}
	r.ask(404, "GET", "/v1/deployments/shop", nil)
	require.Empty(t, r.kubectl("get", "deployments,statefulsets,persistentvolumeclaims", "-o", "name", "-l", "app.kubernetes.io/managed-by=kumiki"))
}

// sends sends the requests of a page in their order, with the digest, the operation and the
// revision that there are in place of the page's, and returns the answers by the lines.
func (d *daemon) sends(t *testing.T, name string) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/" + name)
	require.NoError(t, err)
	said := map[string]string{}
	var digest, operation string
	for _, line := range requestLine.FindAllString(string(page), -1) {
		r := readCurl(t, line)
		var body any
		switch {
		case r.file != "":
			body = bundle(t, shop)
		case r.data != "":
			require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(r.data, "sha256:4f…", digest)), &body), line)
		}
		headers := r.headers
		if r.matches {
			headers = append(headers, d.of("shop"))
		}
		answer, err := d.try(r.method, strings.ReplaceAll(r.path, "0194…", operation), body, headers...)
		require.NoError(t, err, line)
		require.Less(t, answer.status, 300, "%s: %s", line, answer.body)
		said[line] = string(answer.body)
		var is struct {
			Digest    string
			Operation struct{ ID string }
		}
		_ = json.Unmarshal(answer.body, &is) // contents are no JSON
		if is.Digest != "" {
			digest = is.Digest
		}
		if is.Operation.ID != "" {
			operation = is.Operation.ID
			d.well(answer)
		}
	}
	return said
}

// curl is a request as a page writes it.
type curl struct {
	method, path, data, file string
	headers                  []string
	matches                  bool // it has If-Match
}

func readCurl(t *testing.T, line string) curl {
	t.Helper()
	out := curl{method: "GET"}
	method := "" // as -X says
	args := words.FindAllString(line, -1)[1:]
	for i := 0; i < len(args); i++ {
		flag := args[i]
		if !strings.HasPrefix(flag, "-") {
			path, ok := strings.CutPrefix(strings.Trim(flag, `"`), "$H")
			require.True(t, ok, line)
			out.path = "/v1" + path
			continue
		}
		i++
		require.Less(t, i, len(args), line)
		given := strings.Trim(args[i], `'`)
		switch flag {
		case "-X":
			method = given
		case "-d":
			out.method, out.data = "POST", given
		case "--data-binary":
			out.method, out.file = "POST", given
		case "-H":
			if strings.HasPrefix(given, "If-Match: ") {
				out.matches = true
			} else if given != `"$A"` {
				out.headers = append(out.headers, given)
			}
		default:
			t.Fatalf("%s: what does %s say?", line, flag)
		}
	}
	if method != "" {
		out.method = method
	}
	return out
}
