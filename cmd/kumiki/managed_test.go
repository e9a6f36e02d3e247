package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/client"
)

// answering starts a server that [manages], and returns what runs a command that asks it.
func answering(t *testing.T, protocol string, answers map[string]string) func(args ...string) (int, string, string) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("KUMIKI_TOKEN", "kumiki_geheim")
	url := manages(t, protocol, answers)
	return func(args ...string) (int, string, string) {
		var out, stderr bytes.Buffer
		code := run(t.Context(), append(args, "--server", url), streams{in: strings.NewReader(""), out: &out, err: &stderr})
		require.NotContains(t, out.String()+stderr.String(), "geheim")
		return code, out.String(), strings.ReplaceAll(stderr.String(), url, "URL")
	}
}

// manages starts a server that answers paths, or METHOD PATH, with texts, and returns its URL. A
// text that begins with a status is a problem.
func manages(t *testing.T, protocol string, answers map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Kumiki-Protocol", protocol)
		text, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			text, ok = answers[r.URL.Path]
		}
		problem := struct{ Status int }{}
		switch {
		case !ok:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			text = `{"status": 404, "code": "manager/not-found", "detail": "there is no such thing"}`
		case strings.HasPrefix(text, `{"status"`):
			_ = json.Unmarshal([]byte(text), &problem)
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(problem.Status)
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const twoDeployments = `{"items": [{"name": "far"}, {"name": "shop"}]}`

// TestManagedStatus: what one environment does not answer keeps nobody from the others.
func TestManagedStatus(t *testing.T) {
	run := answering(t, "1", map[string]string{
		"/v1/deployments":             twoDeployments,
		"/v1/deployments/far/status":  `{"status": 502, "code": "manager/unreachable", "detail": "environment far does not answer"}`,
		"/v1/deployments/shop/status": `{"deployment": "shop", "conditions": [{"type": "Compiled", "status": "True", "manifest": 3}, {"type": "Applied", "status": "False", "manifest": 3, "reason": "live/refused", "message": "it is refused"}], "roles": [{"place": "shop/web", "object": "Deployment/shop-web", "health": "healthy", "ready": 2, "wanted": 2, "images": ["web:1"]}], "drift": [{"kind": "changed", "object": "Deployment/shop-web", "place": "shop/web", "fields": ["spec.replicas"]}]}`,
	})
	code, out, errs := run("status")
	require.Equal(t, exitBug, code)
	require.Equal(t, "ROLE      READY  HEALTH   RESTARTS  AGE  IMAGE  WHY\nshop/web  2/2    healthy  0         -    web:1  -\n", out)
	require.Equal(t, "kumiki: far: environment far does not answer [manager/unreachable]\nshop: manifest 3 is not applied: it is refused [live/refused]\n", errs)
	code, out, errs = run("drift")
	require.Equal(t, exitBug, code)
	require.Equal(t, "shop:\n  changed: Deployment/shop-web (shop/web)\n    spec.replicas\n", out)
	require.Contains(t, errs, "environment far does not answer")
	code, out, _ = run("drift", "shop", "-o", "json")
	require.Equal(t, exitDiffers, code)
	require.JSONEq(t, `[{"solution": "shop", "findings": [{"kind": "changed", "object": "Deployment/shop-web", "place": "shop/web", "changes": [{"path": "spec.replicas"}]}]}]`, out)
}

const someOperations = `{"items": [
	{"id": "0197a8c3d2f1-5b0e4c9a7d21f36b", "deployment": "shop", "verb": "create", "manifest": 1, "by": "ci", "phase": "ended", "done": true, "steps": [{"action": "create", "object": "Service/shop"}], "error": {"code": "manager/unhealthy", "message": "it is applied, and not healthy"}},
	{"id": "0197a8c3d2f1-5b0e4c9a7d21f36c", "deployment": "shop", "verb": "update", "manifest": 2, "by": "ci", "phase": "applying", "cancel": true}]}`

// TestOpsForms: operations in each form.
func TestOpsForms(t *testing.T) {
	run := answering(t, "2", map[string]string{"/v1/operations": someOperations})
	_, out, _ := run("ops", "list")
	lines := strings.Split(out, "\n")
	require.Equal(t, "OPERATION                      DEPLOYMENT  VERB    MANIFEST  STATE                      BY  AGE", lines[0])
	require.Contains(t, lines[1], "0197a8c3d2f1-5b0e4c9a7d21f36b  shop        create  1         manager/unhealthy          ci  ")
	require.Contains(t, lines[2], "0197a8c3d2f1-5b0e4c9a7d21f36c  shop        update  2         applying, to be cancelled  ci  ")
	_, out, _ = run("ops", "list", "shop", "-o", "name")
	require.Equal(t, "0197a8c3d2f1-5b0e4c9a7d21f36b\n0197a8c3d2f1-5b0e4c9a7d21f36c\n", out)
	_, out, _ = run("ops", "list", "-o", "yaml")
	require.Contains(t, out, "  steps:\n  - action: create\n    object: Service/shop\n")
	_, out, _ = run("ops", "list", "-o", "json")
	require.Contains(t, out, `"code": "manager/unhealthy"`)
}

// TestOtherProtocol: a manager that is too new is told, and nothing is tried.
func TestOtherProtocol(t *testing.T) {
	run := answering(t, "3", map[string]string{"/v1/deployments": twoDeployments})
	for _, line := range []string{"status", "delete shop --yes", "ops list", "history shop", "rollback shop"} {
		code, out, errs := run(strings.Fields(line)...)
		require.Equal(t, exitBug, code, line)
		require.Empty(t, out)
		require.Equal(t, "kumiki: URL speaks protocol 3, and this kumiki 1, with managers of one less and one more: take a newer kumiki, or this one's kumikid\n", errs)
	}
}

// TestEndOf: what a command ends with follows from how an operation has ended.
func TestEndOf(t *testing.T) {
	t.Parallel()
	for code, ends := range map[string][2]error{ // nothing was written, something was
		"manager/compile": {errWrong, errWrong}, "manager/refused": {errRefused, errUnhealthy}, "manager/guarded": {errRefused, errUnhealthy}, "manager/superseded": {errRefused, errUnhealthy},
		"manager/unhealthy": {errRefused, errUnhealthy}, "manager/late": {errLate, errLate}, "manager/compiler": {errSystem, errSystem}, "manager/new": {errRefused, errUnhealthy},
	} {
		for i, wrote := range []bool{false, true} {
			require.Equal(t, ends[i], endOf(client.Operation{Wrote: wrote, Error: &client.Failure{Code: code}}), code)
		}
	}
	require.NoError(t, endOf(client.Operation{Done: true}))
}

// TestManagedCompletion: names, nodes and instances are completed with those that a manager has.
func TestManagedCompletion(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("KUMIKI_SERVER", manages(t, "1", map[string]string{"/v1/deployments": twoDeployments, "/v1/environments": `{"items": [{"name": "eu"}]}`,
		"/v1/nodes": `{"items": [{"environment": "eu", "name": "shed-1"}]}`, "/v1/deployments/shop/status": `{"roles": [{"place": "shop/web", "instances": [{"name": "shop-web-0"}]}]}`}))
	for line, words := range map[string]string{"status": "shop\n", "ops watch": "shop\n", "rollback": "shop\n", "delete far": "shop\n", "apply --environment": "eu\n", "logs": "shop\n", "move": "shed-1\n", "restart shop/web --instance": "shop-web-0\n", "logs shop/db --instance": ""} {
		var out bytes.Buffer
		code := run(t.Context(), append(append([]string{"__complete"}, strings.Fields(line)...), map[bool]string{true: "", false: "sh"}[strings.Contains(line, "--")]), streams{in: strings.NewReader(""), out: &out, err: io.Discard})
		require.Equal(t, exitOK, code)
		got, _, _ := strings.Cut(out.String(), ":")
		require.Equal(t, words, got, line)
	}
}

// TestLoginEncrypted: what is kept of a login is the authority too, and each server has its own
// token, which no other one gets.
func TestLoginEncrypted(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	tokens := map[string]string{}
	begin := func(token string) (url, ca string) {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Kumiki-Protocol", "1")
			tokens[token] = r.Header.Get("Authorization")
			_, _ = io.WriteString(w, `{"items": []}`)
		}))
		t.Cleanup(s.Close)
		ca = filepath.Join(t.TempDir(), "ca.pem")
		require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
		return s.URL, ca
	}
	kumiki := func(input string, args ...string) (int, string) {
		var said bytes.Buffer
		code := run(t.Context(), args, streams{in: strings.NewReader(input), out: io.Discard, err: &said})
		return code, said.String()
	}
	one, oneCA := begin("one")
	two, twoCA := begin("two")
	code, said := kumiki("one", "login", one)
	require.Equal(t, exitBug, code)
	require.Contains(t, said, "certificate")
	code, said = kumiki("one", "login", one, "--ca", oneCA)
	require.Equal(t, exitOK, code, said)
	code, said = kumiki("two\r\n", "login", two, "--ca", twoCA)
	require.Equal(t, exitOK, code, said)
	require.NoError(t, os.Remove(oneCA))
	for _, line := range [][]string{{"status"}, {"status", "--server", one}} {
		code, said = kumiki("", line...)
		require.Equal(t, exitOK, code, said)
	}
	require.Equal(t, map[string]string{"one": "Bearer one", "two": "Bearer two"}, tokens)
	code, said = kumiki("", "logout", one)
	require.Equal(t, exitOK, code, said)
	code, said = kumiki("", "status")
	require.Equal(t, exitOK, code, said)
	code, said = kumiki("", "status", "--server", one)
	require.Equal(t, exitBug, code)
	require.Contains(t, said, "certificate")
}

// TestManagedRefusals: what a manager does not take, and what a command ends with then.
func TestManagedRefusals(t *testing.T) {
	const problem = `{"status": %d, "code": "manager/%s", "detail": "%s"}`
	for _, test := range []struct {
		status       int
		code, detail string
		ends         int
		says         string
	}{
		{412, "changed", "its ETag is another", exitRefused, "kumiki: URL: somebody else has changed it meanwhile, and nothing was changed: look at it, and say it again [manager/changed]\n"},
		{428, "no-match", "say with If-Match", exitRefused, "kumiki: URL: say with If-Match [manager/no-match]\n"},
		{409, "deleting", "it is being removed", exitRefused, "kumiki: URL: it is being removed [manager/deleting]\n"},
		{403, "forbidden", "eve is a viewer", exitBug, "kumiki: URL: eve is a viewer [manager/forbidden]\n"},
		{401, "nobody", "no token", exitBug, "kumiki: URL does not know who asks, or takes the token no more: kumiki login URL\n"},
		{404, "not-found", "there is none", exitUsage, "kumiki: URL: there is none [manager/not-found]\nSee 'kumiki delete --help'.\n"},
		{422, "label", "no such label", exitWrong, "no such label [manager/label]\n"},
		{500, "internal", "a bug", exitBug, "kumiki: URL: a bug [manager/internal]\n"},
		{507, "full", "the store is full", exitBug, "kumiki: URL: the store is full [manager/full]\n"},
	} {
		run := answering(t, "1", map[string]string{
			"/v1/deployments/shop":        `{"name": "shop", "revision": 7, "environment": "local"}`,
			"DELETE /v1/deployments/shop": fmt.Sprintf(problem, test.status, test.code, test.detail),
		})
		code, out, errs := run("delete", "shop")
		require.Equal(t, test.ends, code, test.code)
		require.Empty(t, out)
		require.Equal(t, test.says, errs)
	}
}

// TestManagedList: what a manager knows of its deployments without asking their environments.
func TestManagedList(t *testing.T) {
	run := answering(t, "1", map[string]string{"/v1/deployments": `{"items": [
		{"name": "a", "environment": "eu", "manifest": 2, "labels": {"stage": "prod", "b": "c"}, "status": {"applied": 2, "conditions": [{"type": "Applied", "status": "True", "manifest": 2}]}},
		{"name": "b", "environment": "eu", "manifest": 3, "status": {"applied": 2, "conditions": [{"type": "Applied", "status": "False", "reason": "live/refused", "manifest": 3}]}},
		{"name": "c", "environment": "eu", "manifest": 3, "status": {"applied": 2, "conditions": [{"type": "Healthy", "status": "False", "reason": "live/unhealthy", "manifest": 2}]}},
		{"name": "d", "environment": "eu", "manifest": 1, "deleting": true, "maintenance": true, "status": {}},
		{"name": "e", "environment": "eu", "manifest": 1, "maintenance": true, "status": {}}]}`})
	_, out, _ := run("history")
	var states []string
	for line := range strings.Lines(out) {
		states = append(states, strings.Join(strings.Fields(line)[3:len(strings.Fields(line))-2], " ")+" "+strings.Fields(line)[len(strings.Fields(line))-1])
	}
	require.Equal(t, []string{"STATE LABELS", "runs b=c,stage=prod", "live/refused -", "wanted -", "is removed -", "maintenance -"}, states)
	code, out, errs := run("history", "none")
	require.Equal(t, exitUsage, code)
	require.Empty(t, out)
	require.Contains(t, errs, "there is no such thing")
}
