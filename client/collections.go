package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// page is a part of a list.
type page[T any] struct {
	Items    []T    `json:"items"`
	Revision int64  `json:"revision"`
	Continue string `json:"continue"`
}

// perPage is how many records are asked for at a time.
const perPage = 500

// all reads a list, all of one revision. One that takes so long that the manager has forgotten
// that revision is begun anew, once.
func all[T any](ctx context.Context, c *Client, path string, query url.Values) (items []T, revision int64, err error) {
	for range 2 {
		items, revision, err = pages[T](ctx, c, path, query)
		var e *Error
		if !errors.As(err, &e) || e.Status != http.StatusGone {
			break
		}
	}
	return items, revision, err
}

func pages[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, int64, error) {
	items, next := []T{}, ""
	for {
		q := url.Values{"limit": {strconv.Itoa(perPage)}}
		for name, values := range query {
			q[name] = values
		}
		if next != "" {
			q.Set("continue", next)
		}
		var p page[T]
		if _, err := c.do(ctx, request{method: http.MethodGet, path: path, query: q}, &p); err != nil {
			return nil, 0, err
		}
		items = append(items, p.Items...)
		if p.Continue == "" {
			return items, p.Revision, nil
		}
		if p.Continue == next {
			return nil, 0, &Error{Server: c.URL(), Detail: "the pages of " + path + " do not end"}
		}
		next = p.Continue
	}
}

// get reads one record.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (v T, revision int64, err error) {
	revision, err = c.do(ctx, request{method: http.MethodGet, path: path, query: query}, &v)
	return v, revision, err
}

// some reads a list that has no pages.
func some[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, error) {
	p, _, err := get[page[T]](ctx, c, path, query)
	return p.Items, err
}

func filled(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// Check returns an error unless the manager answers, and knows who asks.
func (c *Client) Check(ctx context.Context) error {
	_, _, err := get[page[Deployment]](ctx, c, "/v1/deployments", filled("limit", "1"))
	return err
}

// Deployments lists deployments by their names, of one environment and with some labels where
// these are not "". A [Client.Watch] may go on from the revision.
func (c *Client) Deployments(ctx context.Context, environment, selector string) ([]Deployment, int64, error) {
	return all[Deployment](ctx, c, "/v1/deployments", filled("environment", environment, "labelSelector", selector))
}

// Engine reads whether operations are carried out, and its revision: 0 if nobody has said so.
func (c *Client) Engine(ctx context.Context) (e Engine, revision int64, err error) {
	return get[Engine](ctx, c, "/v1/engine", nil)
}

// Nodes lists the nodes of an environment, "" for all, with the instances on them. Silent are
// those of all environments that have not answered.
func (c *Client) Nodes(ctx context.Context, environment string) (nodes []Node, silent []Silent, err error) {
	var answer struct {
		Items  []Node   `json:"items"`
		Silent []Silent `json:"silent"`
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: "/v1/nodes", query: filled("environment", environment), within: working}, &answer)
	return answer.Items, answer.Silent, err
}

func deploymentPath(name string) string { return "/v1/deployments/" + url.PathEscape(name) }

// Deployment reads one. Its Revision is what a change of it has to name.
func (c *Client) Deployment(ctx context.Context, name string) (Deployment, error) {
	d, _, err := get[Deployment](ctx, c, deploymentPath(name), nil)
	return d, err
}

// Observe asks the environment how a deployment is.
func (c *Client) Observe(ctx context.Context, name string) (o Observed, err error) {
	_, err = c.do(ctx, request{method: http.MethodGet, path: deploymentPath(name) + "/status", within: working}, &o)
	return o, err
}

// Manifests lists the manifests of a deployment by their numbers, also of one that is gone.
func (c *Client) Manifests(ctx context.Context, name string) ([]Manifest, error) {
	items, _, err := all[Manifest](ctx, c, deploymentPath(name)+"/manifests", nil)
	return items, err
}

func manifestPath(name string, number int) string {
	return fmt.Sprintf("%s/manifests/%d", deploymentPath(name), number)
}

// Manifest reads one.
func (c *Client) Manifest(ctx context.Context, name string, number int) (Manifest, error) {
	m, _, err := get[Manifest](ctx, c, manifestPath(name, number), nil)
	return m, err
}

// Content reads what a manifest was compiled from, or what came of it: input, which is a bundle,
// solution, layout or objects.
func (c *Client) Content(ctx context.Context, name string, number int, what string) (data []byte, err error) {
	_, err = c.do(ctx, request{method: http.MethodGet, path: manifestPath(name, number) + "/" + url.PathEscape(what), within: working}, &data)
	return data, err
}

// Type is an artifact that is in use: how many places it fills, in how many solutions.
type Type struct {
	Type      string `json:"type"`
	Instances int    `json:"instances"`
	Solutions int    `json:"solutions"`
}

// Types lists the artifacts in use.
func (c *Client) Types(ctx context.Context) ([]Type, error) {
	return some[Type](ctx, c, "/v1/types", nil)
}

// Filled is a place that an artifact fills.
type Filled struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Deployment string `json:"deployment"`
	Solution   string `json:"solution"`
	Path       string `json:"path"`
	Digest     string `json:"digest,omitempty"`
	Entry      int    `json:"entry,omitempty"`
}

// Instances lists the places that an artifact fills; "*" stands for all artifacts.
func (c *Client) Instances(ctx context.Context, artifact string) ([]Filled, error) {
	return some[Filled](ctx, c, "/v1/types/"+url.PathEscape(artifact)+"/instances", nil)
}

// Environments lists the environments.
func (c *Client) Environments(ctx context.Context) ([]Environment, error) {
	items, _, err := all[Environment](ctx, c, "/v1/environments", nil)
	return items, err
}

// Environment reads one, and its revision.
func (c *Client) Environment(ctx context.Context, name string) (Environment, int64, error) {
	return get[Environment](ctx, c, "/v1/environments/"+url.PathEscape(name), nil)
}

// PutEnvironment makes or changes the one that has the revision, and returns its new revision.
func (c *Client) PutEnvironment(ctx context.Context, e Environment, revision int64) (int64, error) {
	r := request{method: http.MethodPut, path: "/v1/environments/" + url.PathEscape(e.Name), body: e}
	return c.do(ctx, r.match(revision), nil)
}

// DeleteEnvironment removes one that no deployment is in.
func (c *Client) DeleteEnvironment(ctx context.Context, name string, revision int64) error {
	r := request{method: http.MethodDelete, path: "/v1/environments/" + url.PathEscape(name)}
	_, err := c.do(ctx, r.match(revision), nil)
	return err
}

// Tokens lists whose tokens there are.
func (c *Client) Tokens(ctx context.Context) ([]Token, error) {
	return some[Token](ctx, c, "/v1/tokens", nil)
}

// CreateToken makes a token for a role and the deployments that a selector selects, "" for all.
func (c *Client) CreateToken(ctx context.Context, name, role, selector string) (t MadeToken, err error) {
	body := map[string]string{"name": name, "role": role}
	if selector != "" {
		body["selector"] = selector
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: "/v1/tokens", body: body}, &t)
	return t, err
}

// DeleteToken takes a token back.
func (c *Client) DeleteToken(ctx context.Context, name string) error {
	_, err := c.do(ctx, request{method: http.MethodDelete, path: "/v1/tokens/" + url.PathEscape(name)}, nil)
	return err
}

// Audit lists who has changed what, the first first.
func (c *Client) Audit(ctx context.Context) ([]Audited, error) {
	items, _, err := all[Audited](ctx, c, "/v1/audit", nil)
	return items, err
}

// Operations lists the operations of a deployment, "" for all, in the order in which they were
// begun; pending are those that have not ended.
func (c *Client) Operations(ctx context.Context, deployment string, pending bool) ([]Operation, error) {
	q := filled("deployment", deployment)
	if pending {
		q.Set("pending", "true")
	}
	items, _, err := all[Operation](ctx, c, "/v1/operations", q)
	return items, err
}

// LastOperations lists the last operations of a deployment, "" for all, the last first: most of
// them at most, of 1 to 1000.
func (c *Client) LastOperations(ctx context.Context, deployment string, most int) ([]Operation, error) {
	return some[Operation](ctx, c, "/v1/operations", filled("deployment", deployment, "order", "desc", "limit", strconv.Itoa(most)))
}

func operationPath(id string) string { return "/v1/operations/" + url.PathEscape(id) }

// Operation reads one, or waits some time for its end. The revision is where a watch goes on.
func (c *Client) Operation(ctx context.Context, id string, wait time.Duration) (o Operation, revision int64, err error) {
	seconds := ""
	if wait > 0 {
		seconds = strconv.Itoa(int(wait / time.Second))
	}
	r := request{method: http.MethodGet, path: operationPath(id), query: filled("waitSeconds", seconds), within: answering + wait}
	revision, err = c.do(ctx, r, &o)
	return o, revision, err
}

// Cancel lets an operation go no further.
func (c *Client) Cancel(ctx context.Context, id string) (o Operation, err error) {
	_, err = c.insist(ctx, request{method: http.MethodPost, path: operationPath(id) + "/cancel"}, &o)
	return o, err
}
