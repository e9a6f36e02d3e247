package main

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/client"
	"kumiki.dev/live"
	"kumiki.dev/query"
	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
)

// TestClientRecords: the client has each field of the manager's records, by its name.
func TestClientRecords(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]any{
		{api.Deployment{}, client.Deployment{}}, {record.Status{}, client.Status{}}, {record.Condition{}, client.Condition{}}, {record.Input{}, client.Input{}},
		{record.Manifest{}, client.Manifest{}}, {record.Environment{}, client.Environment{}}, {record.Operation{}, client.Operation{}}, {record.Allow{}, client.Allow{}},
		{record.Step{}, client.Step{}}, {record.Failure{}, client.Failure{}}, {record.Problem{}, client.Problem{}}, {record.Related{}, client.Related{}},
		{operate.Preview{}, client.Preview{}}, {api.Observed{}, client.Observed{}}, {api.Finding{}, client.Finding{}}, {api.MadeToken{}, client.MadeToken{}}, {api.Node{}, client.Node{}}, {api.Silent{}, client.Silent{}}, {record.Engine{}, client.Engine{}},
		{api.PlacementOf{}, client.Placement{}}, {record.Place{}, client.Place{}}, {record.Approval{}, client.Approval{}}, {record.Cell{}, client.Cell{}}, {api.Template{}, client.Template{}}, {api.TemplateCell{}, client.TemplateCell{}}, {access.Token{}, client.Token{}},
		{api.Audited{}, client.Audited{}}, {api.Answer{}, client.Answer{}}, {query.Type{}, client.Type{}}, {query.Instance{}, client.Filled{}},
		{live.Status{}, client.Role{}}, {live.Instance{}, client.Instance{}}, {live.Exit{}, client.Exit{}},
	} {
		theirs, ours := fields(reflect.TypeOf(pair[0])), fields(reflect.TypeOf(pair[1]))
		require.Equal(t, theirs, ours, "%T", pair[0])
	}
	require.Equal(t, api.Protocol, client.Protocol)
}

// fields are the names that JSON has of a type's fields.
func fields(of reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "-" && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestClientCalls makes every call of the client that no command makes.
func TestClientCalls(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	ctx := t.Context()
	c, err := client.New(client.Server{URL: "unix:" + d.dir + "/state/kumikid.sock"})
	require.NoError(t, err)
	digest, err := c.Upload(ctx, bundle(t, shop))
	require.NoError(t, err)
	begun, err := c.Put(ctx, "shop", client.Absent, client.Wanted{Labels: map[string]string{"stage": "test"}, Input: client.Input{Bundle: digest}}, client.Write{})
	require.NoError(t, err)
	o, err := c.Follow(ctx, begun.Operation.ID, func(client.Operation) {}, nil)
	require.NoError(t, err)
	require.Nil(t, o.Error)

	for what, begins := range map[string]string{"input": "PK", "solution": "{", "layout": "{", "objects": "{"} {
		data, err := c.Content(ctx, "shop", 1, what)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(data), begins), "%s: %.60s", what, data)
	}
	types, err := c.Types(ctx)
	require.NoError(t, err)
	require.Contains(t, types, client.Type{Type: "kumiki.example/shop/web@2.0.0:component", Instances: 1, Solutions: 1})
	filled, err := c.Instances(ctx, "kumiki.example/shop/web@2.0.0:component")
	require.NoError(t, err)
	require.Equal(t, "shop", filled[0].Solution)
	everything, err := c.Instances(ctx, "*")
	require.NoError(t, err)
	require.Greater(t, len(everything), len(filled))
	some, revision, err := c.Deployments(ctx, "local", "stage in (test)")
	require.NoError(t, err)
	require.Len(t, some, 1)
	none, _, err := c.Deployments(ctx, "", "stage=prod")
	require.NoError(t, err)
	require.Empty(t, none)

	kept, err := c.Maintain(ctx, "shop", some[0].Revision, true)
	require.NoError(t, err)
	require.True(t, kept.Maintenance)
	scaled, err := c.Patch(ctx, "shop", kept.Revision, client.Change{Set: []string{"config.parameter.logLevel=debug"}}, client.Write{})
	require.NoError(t, err)
	o, err = c.Follow(ctx, scaled.Operation.ID, func(client.Operation) {}, nil)
	require.NoError(t, err)
	require.Equal(t, "manager/maintenance", o.Error.Code)
	_, err = c.Maintain(ctx, "shop", client.Any, false)
	require.NoError(t, err)
	var seen []bool
	enough := errors.New("enough")
	err = c.Watch(ctx, "deployments", revision, "stage=test", func(e client.Event) error {
		var d client.Deployment
		if err := json.Unmarshal(e.Value, &d); err != nil {
			return err
		}
		if seen = append(seen, d.Maintenance); len(seen) > 1 && !d.Maintenance {
			return enough
		}
		return nil
	}, nil)
	require.ErrorIs(t, err, enough)
	require.True(t, seen[0])
	d.administers(t, c)
}

// administers makes and removes environments and tokens, and reads who has done so.
func (d *daemon) administers(t *testing.T, c *client.Client) {
	ctx := t.Context()
	made, err := c.PutEnvironment(ctx, client.Environment{Name: "far", Target: "kubernetes", Labels: map[string]string{"region": "eu"}, Options: json.RawMessage(`{"namespace": "far"}`)}, client.Absent)
	require.NoError(t, err)
	e, revision, err := c.Environment(ctx, "far")
	require.NoError(t, err)
	require.Equal(t, made, revision)
	require.Equal(t, "eu", e.Labels["region"])
	require.JSONEq(t, `{"namespace": "far"}`, string(e.Options))
	all, err := c.Environments(ctx)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.ErrorContains(t, c.DeleteEnvironment(ctx, "far", revision-1), "manager/changed")
	require.NoError(t, c.DeleteEnvironment(ctx, "far", revision))

	nodes, silent, err := c.Nodes(ctx, "local")
	require.NoError(t, err)
	require.Empty(t, silent)
	require.Contains(t, nodes[0].Instances, "shop/web shop-web-0")
	engine, revision, err := c.Engine(ctx)
	require.NoError(t, err)
	require.Equal(t, client.Engine{}, engine)
	engine, err = c.MaintainAll(ctx, revision, true, "a test")
	require.NoError(t, err)
	require.Equal(t, "a test", engine.Reason)
	_, err = c.MaintainAll(ctx, revision, false, "")
	require.ErrorContains(t, err, "manager/changed")
	_, err = c.MaintainAll(ctx, client.Any, false, "")
	require.NoError(t, err)

	d.placesByClient(t, c)
	token, err := c.CreateToken(ctx, "ci", "deployer", "stage=test")
	require.NoError(t, err)
	require.Equal(t, "stage=test", token.Selector)
	limited, err := client.New(client.Server{URL: d.url, Token: token.Secret})
	require.NoError(t, err)
	require.NoError(t, limited.Check(ctx))
	_, err = limited.Audit(ctx)
	require.ErrorContains(t, err, "manager/forbidden")
	tokens, err := c.Tokens(ctx)
	require.NoError(t, err)
	require.Len(t, tokens, 2)
	require.NoError(t, c.DeleteToken(ctx, "ci"))
	require.ErrorContains(t, limited.Check(ctx), "manager/nobody")
	audit, err := c.Audit(ctx)
	require.NoError(t, err)
	for i, a := range audit {
		require.Equal(t, i+1, a.Number)
		if i > 0 {
			require.Equal(t, audit[i-1].Hash, a.Previous)
		}
	}
	last := audit[len(audit)-1]
	require.Equal(t, "delete", last.Verb)
	require.Equal(t, "tokens/ci", last.What)
}

// placesByClient places a tree that is held, approves it, and has another one cancelled.
func (d *daemon) placesByClient(t *testing.T, c *client.Client) {
	ctx := t.Context()
	for _, name := range []string{"dev", "eu", "us"} {
		_, err := c.PutEnvironment(ctx, client.Environment{Name: name, Target: "kubernetes"}, client.Absent)
		require.NoError(t, err)
	}
	what := client.PlaceTree{Tree: d.send(placedTree(t))}
	would, err := c.Place(ctx, what, client.Write{DryRun: true, Timeout: time.Minute})
	require.NoError(t, err)
	require.Len(t, would.Cells, 7)
	require.Equal(t, "kubernetes", would.Places["eu"].Target)
	begun, err := c.Place(ctx, what, client.Write{})
	require.NoError(t, err)
	held, err := c.Placement(ctx, begun.ID, time.Minute)
	require.NoError(t, err)
	require.Equal(t, "held", held.Phase)
	_, err = c.Approve(ctx, begun.ID, held.Revision-1, 0, client.Allow{})
	require.ErrorContains(t, err, "manager/changed")
	_, err = c.Approve(ctx, begun.ID, held.Revision, 0, client.Allow{})
	require.NoError(t, err)
	ended, err := c.Placement(ctx, begun.ID, time.Minute)
	require.NoError(t, err)
	require.Nil(t, ended.Error)
	templates, err := c.Templates(ctx)
	require.NoError(t, err)
	require.True(t, templates[0].Cells[0].Healthy)
	what.Hold = true
	again, err := c.Place(ctx, what, client.Write{})
	require.NoError(t, err)
	_, err = c.Placement(ctx, again.ID, time.Minute)
	require.NoError(t, err)
	_, err = c.CancelPlacement(ctx, again.ID)
	require.NoError(t, err)
	ended, err = c.Placement(ctx, again.ID, time.Minute)
	require.NoError(t, err)
	require.Equal(t, "manager/cancelled", ended.Error.Code)
	list, err := c.Placements(ctx)
	require.NoError(t, err)
	require.Len(t, list, 2)
}
