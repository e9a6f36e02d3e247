package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Deployment is a deployment with how it is.
type Deployment struct {
	record.Deployment
	// Revision is that of the record, as in the ETag.
	Revision int64         `json:"revision"`
	Status   record.Status `json:"status"`
}

// etag is a revision as a header has it.
func etag(revision int64) string { return strconv.Quote(strconv.FormatInt(revision, 10)) }

// PageQuery says which part of a list is wanted.
type PageQuery struct {
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many there are at most."`
	Continue string `query:"continue" doc:"What the page before says of the next."`
}

// OrderQuery says from which end a list is read.
type OrderQuery struct {
	PageQuery
	Order string `query:"order" enum:"asc,desc" default:"asc" doc:"The first first, or the last first."`
}

// SelectorQuery says which records are wanted by their labels.
type SelectorQuery struct {
	Selector string `query:"labelSelector" doc:"The labels of those that are wanted: stage in (prod),!legacy."`
}

func (q SelectorQuery) selector() (labels.Selector, error) {
	s, err := labels.Parse(q.Selector)
	if err != nil {
		return nil, problem(http.StatusBadRequest, "manager/selector", "labelSelector: "+err.Error())
	}
	return s, nil
}

// Page is a part of a list. All parts are of the revision.
type Page[T any] struct {
	Items    []T    `json:"items"`
	Revision int64  `json:"revision" doc:"When it was so; a watch may go on from there."`
	Continue string `json:"continue,omitempty" doc:"What to ask with for the next page; left out on the last."`
}

type pageOutput[T any] struct{ Body Page[T] }

// position is where a page ends.
type position struct {
	At    int64  `json:"at"`
	After string `json:"after"`
	// Last tells that the list is read from its end.
	Last bool `json:"last,omitempty"`
}

// position is where a page begins among the records with a prefix. A position outside of them is
// refused: it would lead to records that the caller may not see.
func (q PageQuery) position(prefix string) (p position, err error) {
	if q.Continue == "" {
		return p, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(q.Continue)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil || p.At <= 0 || !strings.HasPrefix(p.After, prefix) {
		return p, problem(http.StatusBadRequest, "manager/continue", "continue is not what a page has said")
	}
	return p, nil
}

func (p position) String() string {
	data, _ := json.Marshal(p) // of numbers and text
	return base64.RawURLEncoding.EncodeToString(data)
}

// batch is how many records are read at a time where some are left out.
const batch = 500

// page reads a page of the records of a prefix, of which keep wants some.
func page[T any](ctx context.Context, s *store.Store, prefix string, q PageQuery, keep func(store.Entry, T) bool) (*pageOutput[T], error) {
	return ordered(ctx, s, prefix, OrderQuery{PageQuery: q}, keep)
}

// ordered is [page] from one of the ends of a list.
func ordered[T any](ctx context.Context, s *store.Store, prefix string, q OrderQuery, keep func(store.Entry, T) bool) (*pageOutput[T], error) {
	p, err := q.position(prefix)
	switch last := q.Order == "desc"; {
	case err != nil:
		return nil, err
	case q.Continue != "" && p.Last != last:
		return nil, problem(http.StatusBadRequest, "manager/continue", "continue is of a list in the other order")
	default:
		p.Last = last
	}
	out := &pageOutput[T]{Page[T]{Items: []T{}}}
	most := max(batch, q.Limit)
	if p.Last {
		most = q.Limit // mostly the last few are wanted of many
	}
	for ; ; most = max(batch, q.Limit) {
		entries, at, more, err := s.List(ctx, prefix, store.Page{Limit: most, After: p.After, At: p.At, Last: p.Last})
		if err != nil {
			return nil, answer(err)
		}
		p.At, out.Body.Revision = at, at
		for i, e := range entries {
			var v T
			if err := json.Unmarshal(e.Value, &v); err != nil {
				return nil, answer(fmt.Errorf("%s: %w", e.Key, err))
			}
			p.After = e.Key
			if !keep(e, v) {
				continue
			}
			out.Body.Items = append(out.Body.Items, v)
			if len(out.Body.Items) == q.Limit {
				if more || i+1 < len(entries) {
					out.Body.Continue = p.String()
				}
				return out, nil
			}
		}
		if !more {
			return out, nil
		}
	}
}

type listDeploymentsInput struct {
	PageQuery
	SelectorQuery
	Environment string `query:"environment" doc:"Only those in this environment."`
}

func (s *Server) listDeployments(ctx context.Context, in *listDeploymentsInput) (*pageOutput[Deployment], error) {
	selector, err := in.selector()
	if err != nil {
		return nil, err
	}
	me := who(ctx)
	found, err := page(ctx, s.Store, record.Deployments, in.PageQuery, func(e store.Entry, d Deployment) bool {
		return me.Sees(d.Labels) && selector.Matches(labels.Set(d.Labels)) && (in.Environment == "" || d.Environment == in.Environment)
	})
	if err != nil {
		return nil, err
	}
	return found, s.statuses(ctx, found.Body.Items, found.Body.Revision)
}

// statuses fills in how deployments are, and their revisions, as of the same time.
func (s *Server) statuses(ctx context.Context, items []Deployment, at int64) error {
	if len(items) == 0 {
		return nil
	}
	by := map[string]record.Status{}
	first, last := items[0].Name, items[len(items)-1].Name
	entries, _, _, err := s.Store.List(ctx, record.Statuses, store.Page{At: at, From: record.Statuses + first, To: record.Statuses + last})
	if err != nil {
		return answer(err)
	}
	for _, e := range entries {
		var status record.Status
		if err := json.Unmarshal(e.Value, &status); err != nil {
			return answer(err)
		}
		by[status.Deployment] = status
	}
	entries, _, _, err = s.Store.List(ctx, record.Deployments, store.Page{At: at, Keys: true, From: record.Deployments + first, To: record.Deployments + last})
	if err != nil {
		return answer(err)
	}
	revisions := map[string]int64{}
	for _, e := range entries {
		revisions[strings.TrimPrefix(e.Key, record.Deployments)] = e.Revision
	}
	for i, d := range items {
		items[i].Status, items[i].Revision = by[d.Name], revisions[d.Name]
		items[i].Status.Deployment = d.Name
	}
	return nil
}

// DeploymentPath names a deployment.
type DeploymentPath struct {
	Name string `path:"name" doc:"The deployment's name."`
}

type deploymentOutput struct {
	ETag string `header:"ETag"`
	Body Deployment
}

func (s *Server) getDeployment(ctx context.Context, in *DeploymentPath) (*deploymentOutput, error) {
	d, revision, err := s.deployment(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	status, _, err := store.Read[record.Status](ctx, s.Store, record.Statuses+in.Name)
	if errors.Is(err, store.ErrNotFound) {
		status, err = record.Status{Deployment: in.Name}, nil
	}
	return &deploymentOutput{etag(revision), Deployment{d, revision, status}}, answer(err)
}

// deployment reads one that may be seen: another is not there.
func (s *Server) deployment(ctx context.Context, name string) (record.Deployment, int64, error) {
	d, revision, err := store.Read[record.Deployment](ctx, s.Store, record.Deployments+name)
	if errors.Is(err, store.ErrNotFound) || err == nil && !who(ctx).Sees(d.Labels) {
		return record.Deployment{}, 0, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("there is no deployment %q", name))
	}
	return d, revision, answer(err)
}

// Observed is how a deployment is, as its environment says.
type Observed struct {
	record.Status
	// Roles are what runs, Drift what is not as it was made.
	Roles []live.Status `json:"roles"`
	Drift []Finding     `json:"drift"`
}

// Finding is something that is not as it was made. What others have put there is left out.
type Finding struct {
	Kind   string   `json:"kind"`
	Object string   `json:"object"`
	Place  string   `json:"place,omitempty"`
	Why    string   `json:"why,omitempty"`
	Fields []string `json:"fields,omitempty"`
}

type statusOutput struct{ Body Observed }

func (s *Server) getStatus(ctx context.Context, in *DeploymentPath) (*statusOutput, error) {
	d, _, err := s.deployment(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	status, _, err := store.Read[record.Status](ctx, s.Store, record.Statuses+in.Name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, answer(err)
	}
	status.Deployment = in.Name
	out := &statusOutput{Observed{Status: status, Roles: []live.Status{}, Drift: []Finding{}}}
	e, err := s.environment(ctx, d.Environment)
	if err != nil {
		return nil, err
	}
	return out, s.look(ctx, e, d, &out.Body)
}

// look asks the environment how a deployment is.
func (s *Server) look(ctx context.Context, e record.Environment, d record.Deployment, out *Observed) error {
	system, by, err := s.Connect(e)
	if err != nil {
		return unreached(e, err)
	}
	r, err := system.Record(ctx, d.Name)
	if err != nil {
		return unreached(e, err)
	}
	if !r.Known() {
		return nil
	}
	a, err := application.Recorded(system, by, r, nil)
	if err != nil {
		return answer(err)
	}
	if err := a.Look(ctx); err != nil {
		return unreached(e, err)
	}
	for _, f := range live.Drift(a.Actions()) {
		one := Finding{Kind: f.Kind, Object: f.Object, Place: f.Place, Why: f.Why}
		for _, c := range f.Changes {
			one.Fields = append(one.Fields, c.Path)
		}
		out.Drift = append(out.Drift, one)
	}
	out.Roles, err = system.Status(ctx, r, a.Seen())
	if err != nil {
		return unreached(e, err)
	}
	return nil
}

func unreached(e record.Environment, err error) error {
	return problem(http.StatusBadGateway, "manager/unreachable", fmt.Sprintf("environment %s does not answer: %v", e.Name, err))
}

// previewed is the answer to a dry run.
func (s *Server) previewed(ctx context.Context, d record.Deployment, m record.Manifest, o record.Operation) (*operate.Preview, error) {
	e, err := s.environment(ctx, d.Environment)
	if err != nil {
		return nil, err
	}
	p, failed, err := s.preview(ctx, e, d, m, o)
	return tried(e, p, failed, err)
}

// tried is what a dry run has come to.
func tried(e record.Environment, p *operate.Preview, failed *record.Failure, err error) (*operate.Preview, error) {
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		return nil, fault
	case failed != nil:
		return nil, problem(http.StatusUnprocessableEntity, failed.Code, failed.Message, failed.Problems...)
	case err != nil:
		return nil, unreached(e, err)
	}
	return p, nil
}

func (s *Server) preview(ctx context.Context, e record.Environment, d record.Deployment, m record.Manifest, o record.Operation) (*operate.Preview, *record.Failure, error) {
	if m.Empty {
		return operate.RemovalOf(ctx, s.Connect, e, d.Name, o.Allow)
	}
	sol, err := s.compiled(ctx, d.Name, &m)
	if err != nil {
		return nil, nil, err
	}
	return operate.PreviewOf(ctx, s.Connect, e, sol, o)
}
