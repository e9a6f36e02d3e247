package operate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kumiki.dev/live"
	"kumiki.dev/query"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/solution"
)

// Recovered is a deployment that was made of an inventory, or was not, and why.
type Recovered struct {
	Deployment string
	Left       string
}

// Recover makes the deployments of an environment anew from what runs there: from the
// inventories, which have the solutions. A deployment that is known is left alone, as is one of
// another environment that has its inventories in the same place, and nothing
// in the environment is changed. Bundles are in no inventory: the next change sends one.
func Recover(ctx context.Context, s *store.Store, connect Connector, e record.Environment) ([]Recovered, error) {
	system, _, err := connect(e)
	if err != nil {
		return nil, err
	}
	records, err := system.Records(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.Commit(ctx, store.Put(record.Environments+e.Name, e, 0)); err != nil && !errors.Is(err, store.ErrConflict) {
		return nil, err
	}
	var out []Recovered
	for _, r := range records {
		left, err := restore(ctx, s, e, r)
		if err != nil {
			return out, err
		}
		out = append(out, Recovered{r.Solution, left})
	}
	return out, nil
}

// restore makes one deployment of its inventory. It returns why it did not.
func restore(ctx context.Context, s *store.Store, e record.Environment, r *live.Record) (left string, err error) {
	switch err := record.CheckName(r.Solution); {
	case err != nil:
		return err.Error(), nil
	case r.Environment != "" && r.Environment != e.Name:
		return fmt.Sprintf("it is of environment %s: recover --environment %s makes it", r.Environment, r.Environment), nil
	case len(r.Text) == 0:
		return "its inventory has no solution, as secrets are in it, or a run was broken off", nil
	}
	sol, problems := solution.Read(r.Text, "the inventory of "+r.Solution)
	if problems.HasErrors() {
		return problems[0].Message, nil
	}
	digest, err := s.Contents.Put(ctx, r.Text)
	if err != nil {
		return "", err
	}
	now := time.Now().UTC()
	number, err := after(ctx, s, r.Solution)
	if err != nil {
		return "", err
	}
	m := record.Manifest{Deployment: r.Solution, Number: number, Verb: record.Create, Solution: digest, By: "recover", Created: now}
	if top := sol.Deployments[sol.Top]; top != nil && top.Artifact != nil {
		m.Artifact = query.TypeName(top.Artifact.Ref)
	}
	d := record.Deployment{Name: r.Solution, Environment: e.Name, Manifest: number, Last: number, Created: now, Changed: now}
	status := record.Status{Deployment: r.Solution, Applied: number}
	status.Set(record.Condition{Type: "Applied", Status: "True", Reason: "manager/recovered", Message: "it was found where it runs", Manifest: number, Since: now})
	_, err = s.Commit(ctx, store.Put(record.Deployments+d.Name, d, 0), store.Put(record.ManifestKey(d.Name, number), m, 0),
		store.Put(record.Statuses+d.Name, status, store.Any), store.Put(record.Facts+digest, query.FactsOf(sol), store.Any))
	var conflict *store.Conflict
	if errors.As(err, &conflict) {
		return "there is a deployment of that name already", nil
	}
	return "", err
}

// after is the number that follows those of the manifests of a name.
func after(ctx context.Context, s *store.Store, name string) (int, error) {
	n, err := LastManifest(ctx, s, name)
	return n + 1, err
}

// LastManifest is the number of the last manifest that a deployment of a name has had, 0 for
// none.
func LastManifest(ctx context.Context, s *store.Store, name string) (int, error) {
	last, _, _, err := s.List(ctx, record.Manifests+name+"/", store.Page{Limit: 1, Last: true, Keys: true})
	if err != nil || len(last) == 0 {
		return 0, err
	}
	n, err := strconv.Atoi(last[0].Key[strings.LastIndexByte(last[0].Key, '/')+1:])
	if err != nil {
		return 0, fmt.Errorf("%s: %w", last[0].Key, err)
	}
	return n, nil
}
