package client

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Write is what every change may say.
type Write struct {
	// Key makes it one change, however often it is sent; "" for a new one.
	Key string
	// DryRun answers with the plan, and changes nothing.
	DryRun bool
	// Timeout is how long the operation may take; 0 for ten minutes.
	Timeout time.Duration
}

// Answer is what comes of a change: an operation, or with DryRun the plan.
type Answer struct {
	Operation *Operation `json:"operation"`
	Plan      *Preview   `json:"plan"`
	// Revision is that of the deployment: after a dry run the one that the plan is for, 0 for one
	// that is not there.
	Revision int64 `json:"-"`
}

// Wanted is what a deployment is made of, or given anew.
type Wanted struct {
	// Environment is where it runs: local for a new one, and stays, if it is "".
	Environment string            `json:"environment,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Input       Input             `json:"input"`
	Allow       Allow             `json:"allow,omitzero"`
}

// Change is what becomes another.
type Change struct {
	// Set are PATH=VALUE, in place of what the input says and of what was set before.
	Set []string `json:"set,omitempty"`
	// Scale is how many instances each role has; "" for a component alone.
	Scale map[string]int `json:"scale,omitempty"`
	// Labels take the place of all that there were; nil leaves them.
	Labels map[string]string `json:"labels,omitempty"`
	Allow  Allow             `json:"allow,omitzero"`
}

// Upload keeps a bundle for an hour, or as long as a manifest names it, and returns its digest.
func (c *Client) Upload(ctx context.Context, bundle []byte) (digest string, err error) {
	var made struct {
		Digest string `json:"digest"`
	}
	_, err = c.insist(ctx, request{method: http.MethodPost, path: "/v1/bundles", data: bundle, within: working}, &made)
	return made.Digest, err
}

// Put makes the deployment ([Absent]), or gives the one of that revision another input.
func (c *Client) Put(ctx context.Context, name string, revision int64, to Wanted, w Write) (Answer, error) {
	r := request{method: http.MethodPut, path: deploymentPath(name), body: to}
	return c.change(ctx, r.match(revision), w)
}

// Patch changes single values.
func (c *Client) Patch(ctx context.Context, name string, revision int64, to Change, w Write) (Answer, error) {
	r := request{method: http.MethodPatch, path: deploymentPath(name), body: to}
	return c.change(ctx, r.match(revision), w)
}

// Rollback goes back to a manifest.
func (c *Client) Rollback(ctx context.Context, name string, revision int64, manifest int, allow Allow, w Write) (Answer, error) {
	body := struct {
		Manifest int   `json:"manifest"`
		Allow    Allow `json:"allow,omitzero"`
	}{manifest, allow}
	r := request{method: http.MethodPost, path: deploymentPath(name) + "/rollback", body: body}
	return c.change(ctx, r.match(revision), w)
}

// Delete removes what runs, and then the deployment.
func (c *Client) Delete(ctx context.Context, name string, revision int64, allow Allow, w Write) (Answer, error) {
	r := request{method: http.MethodDelete, path: deploymentPath(name), query: map[string][]string{}}
	for parameter, values := range map[string][]string{"allowData": allow.Data, "allowGone": allow.Gone, "allowOrphans": allow.Orphans} {
		if len(values) > 0 {
			r.query[parameter] = values
		}
	}
	return c.change(ctx, r.match(revision), w)
}

// Maintain lets nothing of a deployment be changed, or lets it be again.
func (c *Client) Maintain(ctx context.Context, name string, revision int64, on bool) (d Deployment, err error) {
	r := request{method: http.MethodPut, path: deploymentPath(name) + "/maintenance", body: map[string]bool{"maintenance": on}}
	_, err = c.do(ctx, r.match(revision), &d)
	return d, err
}

// MaintainAll lets nothing be changed in any environment, or lets it be again; reason is for
// people. The revision is that of [Client.Engine], or [Any].
func (c *Client) MaintainAll(ctx context.Context, revision int64, on bool, reason string) (e Engine, err error) {
	r := request{method: http.MethodPut, path: "/v1/engine", body: Engine{Maintenance: on, Reason: reason}}
	r = r.match(revision)
	if revision == 0 { // it is there, and nobody has set it yet
		r.header = map[string]string{"If-Match": `"0"`}
	}
	_, err = c.do(ctx, r, &e)
	return e, err
}

// change sends a change, again where there was no answer: the key makes it one.
func (c *Client) change(ctx context.Context, r request, w Write) (a Answer, err error) {
	if r.query == nil {
		r.query = map[string][]string{}
	}
	if w.Timeout > 0 {
		r.query.Set("timeoutSeconds", strconv.Itoa(max(1, int(w.Timeout/time.Second))))
	}
	r.within = working
	if w.DryRun {
		r.query.Set("dryRun", "true")
		a.Revision, err = c.do(ctx, r, &a)
		return a, err
	}
	if w.Key == "" {
		w.Key = NewKey()
	}
	r.header["Idempotency-Key"] = w.Key
	a.Revision, err = c.insist(ctx, r, &a)
	return a, err
}
