package place

import (
	"context"
	"encoding/json"
	"fmt"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Cell is a cell that is wanted, and how it is now.
type Cell struct {
	record.Cell
	// There reports whether its deployment exists.
	There            bool
	Applied, Healthy bool
	Why, Operation   string
}

// Now compares cells with their deployments: a cell is unchanged if its deployment wants the
// same solution.
func Now(ctx context.Context, s *store.Store, cells []record.Cell) ([]Cell, error) {
	var keys, manifests []string
	for _, c := range cells {
		keys = append(keys, record.Deployments+c.Deployment, record.Statuses+c.Deployment)
	}
	found, err := s.GetAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	deployments := map[string]record.Deployment{}
	for _, c := range cells {
		var d record.Deployment
		if ok, err := of(found, record.Deployments+c.Deployment, &d); err != nil {
			return nil, err
		} else if ok && d.Template == c.Template {
			deployments[c.Deployment] = d
			manifests = append(manifests, record.ManifestKey(d.Name, d.Manifest))
		}
	}
	wanted, err := s.GetAll(ctx, manifests)
	if err != nil {
		return nil, err
	}
	out := make([]Cell, 0, len(cells))
	for _, c := range cells {
		d, there := deployments[c.Deployment]
		now := Cell{Cell: c, There: there, Operation: d.Operation}
		var m record.Manifest
		var status record.Status
		if _, err := of(wanted, record.ManifestKey(d.Name, d.Manifest), &m); err != nil {
			return nil, err
		}
		if _, err := of(found, record.Statuses+c.Deployment, &status); err != nil {
			return nil, err
		}
		now.compare(d, m, status)
		out = append(out, now)
	}
	return out, nil
}

// compare says how a cell is, as its deployment says.
func (c *Cell) compare(d record.Deployment, m record.Manifest, status record.Status) {
	c.Class = ""
	switch {
	case c.State == "problem" || c.State == "unknown":
		if len(c.Problems) > 0 {
			c.Why = c.Problems[0]
		}
		return
	case c.State == "removed":
	case !c.There:
		c.State = "new"
	case m.Solution == c.Solution:
		c.State = "unchanged"
	default:
		c.State, c.Why = "changed", fmt.Sprintf("it wants manifest %d, which this placement has not made", d.Manifest)
	}
	c.Applied = c.There && c.State == "unchanged" && status.Applied == d.Manifest
	for _, is := range status.Conditions {
		switch {
		case is.Type == "Healthy" && is.Manifest == d.Manifest:
			c.Healthy = c.Applied && is.Status == "True"
			if is.Status == "False" {
				c.Why = is.Message
			}
		case is.Status == "False" && c.Why == "" && c.There:
			c.Why = is.Message
		}
	}
}

func of(found map[string]store.Entry, key string, into any) (bool, error) {
	e, ok := found[key]
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(e.Value, into); err != nil {
		return false, fmt.Errorf("%s: %w", key, err)
	}
	return true, nil
}
