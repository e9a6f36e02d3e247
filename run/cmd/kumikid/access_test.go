package main

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// attempt is one operation of the interface, as somebody may try it. SELF in a path or body is
// the name of who asks.
type attempt struct {
	id, least, method, path string
	body                    any
	// status answers whoever may do it and see apple, and other whoever sees other deployments
	// only: 0 if that is no difference.
	status, other int
	// tells is what is told to those who see apple, and to nobody else.
	tells string
}

// whole are the operations that take somebody who sees all deployments, though no admin.
var whole = []string{"listPlacements", "createPlacement", "getPlacement", "approvePlacement", "cancelPlacement", "putEngine", "moveNode", "drainNode", "openNode"}

// attempts are one for every operation of the interface, about the deployment apple.
func attempts(input any, operation string) []attempt {
	const apple, manifests = "/v1/deployments/apple", "/v1/deployments/apple/manifests"
	const node = "/v1/environments/local/nodes/other"
	labels := m{"team": "a"}
	return []attempt{
		{"listAudit", "admin", "GET", "/v1/audit", nil, 200, 0, ""},
		{"getBackup", "admin", "GET", "/v1/backup", nil, 200, 0, ""},
		{"uploadBundle", "deployer", "POST", "/v1/bundles", []byte("text"), 422, 0, ""},
		{"listDeployments", "viewer", "GET", "/v1/deployments", nil, 200, 200, "apple"},
		{"createDeployment", "deployer", "POST", "/v1/deployments?dryRun=true", m{"name": "of-SELF", "labels": labels, "input": input}, 200, 403, "of-SELF"},
		{"getDeployment", "viewer", "GET", apple, nil, 200, 404, ""},
		{"putDeployment", "deployer", "PUT", apple + "?dryRun=true", m{"input": input}, 200, 404, ""},
		{"patchDeployment", "deployer", "PATCH", apple + "?dryRun=true", m{"labels": labels}, 200, 404, ""},
		{"deleteDeployment", "deployer", "DELETE", apple + "?dryRun=true", nil, 200, 404, ""},
		{"setMaintenance", "operator", "PUT", apple + "/maintenance", m{"maintenance": false}, 200, 404, ""},
		{"listManifests", "viewer", "GET", manifests, nil, 200, 404, ""},
		{"getManifest", "viewer", "GET", manifests + "/1", nil, 200, 404, ""},
		{"getInput", "viewer", "GET", manifests + "/1/input", nil, 200, 404, ""},
		{"getLayout", "viewer", "GET", manifests + "/1/layout", nil, 200, 404, ""},
		{"getObjects", "viewer", "GET", manifests + "/1/objects", nil, 200, 404, ""},
		{"getSolution", "viewer", "GET", manifests + "/1/solution", nil, 200, 404, ""},
		{"rollbackDeployment", "deployer", "POST", apple + "/rollback?dryRun=true", m{"manifest": 1}, 200, 404, ""},
		{"getStatus", "viewer", "GET", apple + "/status", nil, 200, 404, ""},
		{"stopDeployment", "deployer", "POST", apple + "/stop?dryRun=true", m{}, 200, 404, ""},
		{"startDeployment", "deployer", "POST", apple + "/start?dryRun=true", m{}, 200, 404, ""},
		{"restartDeployment", "deployer", "POST", apple + "/restart?dryRun=true", m{}, 200, 404, ""},
		{"getLogs", "deployer", "GET", apple + "/logs", nil, 200, 404, ""},
		{"moveNode", "operator", "POST", node + "/move?dryRun=true", m{}, 200, 403, ""},
		{"drainNode", "operator", "POST", node + "/drain?dryRun=true", m{}, 200, 403, ""},
		{"openNode", "operator", "POST", node + "/open?dryRun=true", m{}, 200, 403, ""},
		{"listEnvironments", "viewer", "GET", "/v1/environments", nil, 200, 0, ""},
		{"putEnvironment", "admin", "PUT", "/v1/environments/local", m{"target": "swarm"}, 200, 0, ""},
		{"getEnvironment", "viewer", "GET", "/v1/environments/local", nil, 200, 0, ""},
		{"deleteEnvironment", "admin", "DELETE", "/v1/environments/none", nil, 404, 0, ""},
		{"listTemplates", "viewer", "GET", "/v1/templates", nil, 200, 0, ""},
		{"listPlacements", "viewer", "GET", "/v1/placements", nil, 200, 0, ""},
		{"createPlacement", "deployer", "POST", "/v1/placements", m{"tree": "sha256:" + strings.Repeat("0", 64)}, 422, 0, ""},
		{"getPlacement", "viewer", "GET", "/v1/placements/none", nil, 404, 0, ""},
		{"approvePlacement", "operator", "POST", "/v1/placements/none/approve", m{}, 404, 0, ""},
		{"cancelPlacement", "deployer", "POST", "/v1/placements/none/cancel", nil, 404, 0, ""},
		{"listNodes", "viewer", "GET", "/v1/nodes", nil, 200, 200, "apple/"},
		{"getEngine", "viewer", "GET", "/v1/engine", nil, 200, 0, ""},
		{"putEngine", "operator", "PUT", "/v1/engine", m{"maintenance": false}, 200, 0, ""},
		{"getMetrics", "viewer", "GET", "/metrics", nil, 200, 0, ""},
		{"getMe", "viewer", "GET", "/v1/me", nil, 200, 0, ""},
		{"listOperations", "viewer", "GET", "/v1/operations", nil, 200, 200, "apple"},
		{"getOperation", "viewer", "GET", "/v1/operations/" + operation, nil, 200, 404, ""},
		{"cancelOperation", "deployer", "POST", "/v1/operations/" + operation + "/cancel", nil, 202, 404, ""},
		{"listTokens", "admin", "GET", "/v1/tokens", nil, 200, 0, ""},
		{"createToken", "admin", "POST", "/v1/tokens", m{"name": "from-SELF", "role": "viewer"}, 201, 0, ""},
		{"deleteToken", "admin", "DELETE", "/v1/tokens/from-SELF", nil, 204, 0, ""},
		{"listTypes", "viewer", "GET", "/v1/types", nil, 200, 200, "hello"},
		{"listInstances", "viewer", "GET", "/v1/types/*/instances", nil, 200, 200, "apple"},
		{"watch", "viewer", "GET", "/v1/watch/deployments?from=1", nil, 200, 200, "apple"},
	}
}

// TestAccess: every operation of the interface, for every role, with no selector, with one of
// the deployment that it is about, and with one of others.
func TestAccess(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	o := d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "apple", "labels": m{"team": "a"}, "input": input}))
	all := attempts(input, o.ID)
	require.Equal(t, operationsOf(t), idsOf(all), "each operation of the interface is tried, and each attempt is one of them")
	admin := d.token
	roles := []string{"viewer", "deployer", "operator", "admin"}
	for i, role := range roles {
		for j, selector := range []string{"", "team=a", "team=b"} {
			name := role + "-" + []string{"all", "a", "b"}[j]
			var made struct{ Token string }
			d.token = admin
			d.ask(201, "POST", "/v1/tokens", m{"name": name, "role": role, "selector": selector}).read(t, &made)
			d.token = made.Token
			for _, a := range all {
				a = a.by(name)
				status, told := a.status, a.tells != ""
				switch {
				case i < slices.Index(roles, a.least), (a.least == "admin" || slices.Contains(whole, a.id)) && selector != "":
					status, told = 403, false
				case selector == "team=b" && a.other != 0:
					status, told = a.other, false
				}
				r := d.attempt(a)
				require.Equal(t, status, r.status, "%s %s: %s", name, a.id, r.body)
				if a.tells != "" {
					require.Equal(t, told, strings.Contains(string(r.body), a.tells), "%s %s: %s", name, a.id, r.body)
				}
			}
		}
	}
	d.refusesOthers(admin, input)
}

// refusesOthers: who sees some deployments only makes none that it would not see, and a token
// that was taken back lets nobody in.
func (d *daemon) refusesOthers(admin string, input any) {
	d.t.Helper()
	var made struct{ Token string }
	d.token = admin
	d.ask(201, "POST", "/v1/tokens", m{"name": "team-a", "role": "deployer", "selector": "team=a"}).read(d.t, &made)
	d.token = made.Token
	d.ask(403, "POST", "/v1/deployments", m{"name": "c", "labels": m{"team": "b"}, "input": input})
	d.ask(403, "PATCH", "/v1/deployments/apple", m{"labels": m{"team": "b"}}, "If-Match: *")
	d.token = admin
	d.ask(204, "DELETE", "/v1/tokens/team-a", nil)
	d.token = made.Token
	d.ask(401, "GET", "/v1/deployments/apple", nil)
}

// by is an attempt of somebody of a name.
func (a attempt) by(name string) attempt {
	a.path = strings.ReplaceAll(a.path, "SELF", name)
	a.tells = strings.ReplaceAll(a.tells, "SELF", name)
	if body, ok := a.body.(m); ok {
		body = maps.Clone(body)
		if text, ok := body["name"].(string); ok {
			body["name"] = strings.ReplaceAll(text, "SELF", name)
		}
		a.body = body
	}
	return a
}

// attempt makes one. A watch has no end: what it tells in a short while is looked at.
func (d *daemon) attempt(a attempt) reply {
	d.t.Helper()
	if a.id != "watch" {
		r, err := d.try(a.method, a.path, a.body, "If-Match: *")
		require.NoError(d.t, err)
		return r
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), 500*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, a.method, d.url+a.path, nil)
	require.NoError(d.t, err)
	r.Header.Set("Authorization", "Bearer "+d.token)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(d.t, err)
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body) // until the time is over
	return reply{answer.StatusCode, answer.Header, text}
}

// operationsOf are the operations of the interface, sorted.
func operationsOf(t *testing.T) (ids []string) {
	t.Helper()
	text, err := os.ReadFile("../../api/openapi.json")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	require.NoError(t, json.Unmarshal(text, &document))
	for _, path := range document.Paths {
		for _, o := range path {
			ids = append(ids, o.OperationID)
		}
	}
	slices.Sort(ids)
	return ids
}

func idsOf(all []attempt) (ids []string) {
	for _, a := range all {
		ids = append(ids, a.id)
	}
	slices.Sort(ids)
	return ids
}
