package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"kumiki.dev/query"
	"kumiki.dev/run/access"
	"kumiki.dev/run/place"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/solution"
)

// PlacementOf is a placement with its cells.
type PlacementOf struct {
	record.Placement
	// Revision is that of the record, as in the ETag; 0 after a dry run.
	Revision int64 `json:"revision"`
	record.Placed
}

type placementOutput struct {
	Status   int
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     PlacementOf
}

func (s *Server) listPlacements(ctx context.Context, in *OrderQuery) (*pageOutput[record.Placement], error) {
	return ordered(ctx, s.Store, record.Placements, *in, func(store.Entry, record.Placement) bool { return true })
}

type createPlacementInput struct {
	WriteInput
	Body struct {
		Tree   string       `json:"tree" doc:"The digest of an archive that was uploaded, with the root of a module that has templates and environments." pattern:"^sha256:[0-9a-f]{64}$"`
		Hold   bool         `json:"hold,omitempty" doc:"Wait for approval in any case."`
		Remove int          `json:"remove,omitempty" minimum:"0" doc:"How many solutions may be removed: the number that a refusal names."`
		Allow  record.Allow `json:"allow,omitempty" doc:"Dangers that are meant."`
	}
}

// createPlacement brings a tree to its environments. A dry run answers with what it would do.
func (s *Server) createPlacement(ctx context.Context, in *createPlacementInput) (*placementOutput, error) {
	digest, key, err := s.requestOf(ctx, change{WriteInput: in.WriteInput, verb: "place", request: in.Body})
	if err != nil {
		return nil, err
	}
	if out, err := s.placedAgain(ctx, key, digest); out != nil || err != nil {
		return out, err
	}
	there, err := s.Store.Contents.Has(ctx, in.Body.Tree)
	if err != nil {
		return nil, answer(err)
	}
	if !there {
		return nil, problem(http.StatusUnprocessableEntity, "manager/content", fmt.Sprintf("there is no tree %s: POST /v1/bundles uploads an archive", in.Body.Tree))
	}
	now, me := time.Now().UTC(), who(ctx)
	p := record.Placement{
		ID: newID(now), Tree: in.Body.Tree, Phase: record.PlacementCompiling, Hold: in.Body.Hold, Remove: in.Body.Remove, Allow: in.Body.Allow,
		By: me.Name, Role: string(me.Role), Started: now, Timeout: cmp.Or(in.Timeout, int(defaultTime/time.Second)),
	}
	if in.DryRun {
		return s.wouldPlace(ctx, p)
	}
	writes := append(repeats(key, digest, p.ID), store.Put(record.Placements+p.ID, p, 0), store.Put(record.Placing+p.ID, struct{}{}, 0))
	at, err := s.commit(ctx, Audited{Verb: "place", What: record.Placements + p.ID, Bundle: p.Tree, Allow: p.Allow}, writes...)
	if errors.Is(err, store.ErrConflict) { // the same request was first
		return s.placedAgain(ctx, key, digest)
	}
	return &placementOutput{http.StatusAccepted, "/v1/placements/" + p.ID, etag(at), PlacementOf{Placement: p, Revision: at}}, answer(err)
}

// placedAgain is the answer to a request that was answered before, nil for another.
func (s *Server) placedAgain(ctx context.Context, key, digest string) (*placementOutput, error) {
	id, err := s.repeated(ctx, key, digest)
	if id == "" || err != nil {
		return nil, err
	}
	p, at, err := store.Read[record.Placement](ctx, s.Store, record.Placements+id)
	return &placementOutput{http.StatusAccepted, "/v1/placements/" + p.ID, etag(at), PlacementOf{Placement: p, Revision: at}}, answer(err)
}

// wouldPlace is what a placement would do, and why it would wait for approval.
func (s *Server) wouldPlace(ctx context.Context, p record.Placement) (*placementOutput, error) {
	made, failed, err := place.Compute(ctx, s.Store, s.Trees, p.Tree)
	if err != nil {
		return nil, answer(err)
	}
	if failed != nil {
		return nil, problem(http.StatusUnprocessableEntity, failed.Code, failed.Message, failed.Problems...)
	}
	p.ID, p.Counts, p.Held, p.Phase = "", made.Count(), made.Hold(p), record.PlacementPlacing
	if p.Held != "" {
		p.Phase = record.PlacementHeld
	}
	return &placementOutput{Status: http.StatusOK, Body: PlacementOf{Placement: p, Placed: made.Placed}}, nil
}

// PlacementPath names a placement.
type PlacementPath struct {
	ID string `path:"id" doc:"The placement's name."`
}

type getPlacementInput struct {
	PlacementPath
	Wait int `query:"waitSeconds" minimum:"0" maximum:"300" doc:"How long to wait until it has ended, or waits for approval."`
}

func (s *Server) getPlacement(ctx context.Context, in *getPlacementInput) (*placementOutput, error) {
	p, revision, err := awaited(ctx, s.Store, record.Placements+in.ID, in.Wait,
		func() (record.Placement, int64, error) { return s.placement(ctx, in.ID) },
		func(p record.Placement) bool {
			return p.Done || p.Phase == record.PlacementHeld && p.Approved == nil && !p.Cancel
		})
	if err != nil {
		return nil, err
	}
	return s.shown(ctx, p, revision)
}

// shown is a placement with its cells, as far as they are kept.
func (s *Server) shown(ctx context.Context, p record.Placement, revision int64) (*placementOutput, error) {
	out := &placementOutput{Status: http.StatusOK, ETag: etag(revision), Body: PlacementOf{Placement: p, Revision: revision}}
	if p.Result == "" {
		return out, nil
	}
	var err error
	if out.Body.Placed, err = place.Read(ctx, s.Store, p.Result); errors.Is(err, store.ErrNotFound) {
		err = nil // it is of long ago
	}
	return out, answer(err)
}

func (s *Server) placement(ctx context.Context, id string) (record.Placement, int64, error) {
	p, revision, err := store.Read[record.Placement](ctx, s.Store, record.Placements+id)
	if errors.Is(err, store.ErrNotFound) {
		return p, 0, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("there is no placement %q", id))
	}
	return p, revision, answer(err)
}

type approveInput struct {
	PlacementPath
	MatchInput
	Body struct {
		Remove int          `json:"remove,omitempty" minimum:"0" doc:"How many solutions may be removed: the number that the reason names."`
		Allow  record.Allow `json:"allow,omitempty" doc:"Dangers that are meant, in place of those that were."`
	}
}

// approvePlacement lets a placement go on that is held. It says which state of it was looked at.
func (s *Server) approvePlacement(ctx context.Context, in *approveInput) (*placementOutput, error) {
	p, revision, err := s.placement(ctx, in.ID)
	switch {
	case err != nil:
		return nil, err
	case in.Match == "":
		return nil, problem(http.StatusPreconditionRequired, "manager/no-match", "say with If-Match what is approved: the ETag of GET /v1/placements/"+in.ID)
	case p.Phase != record.PlacementHeld || p.Approved != nil || p.Done:
		return nil, problem(http.StatusConflict, "manager/not-held", fmt.Sprintf("placement %s does not wait for approval: its phase is %s", p.ID, p.Phase))
	case in.Match != etag(revision) && in.Match != "*":
		return nil, problem(http.StatusPreconditionFailed, "manager/changed", fmt.Sprintf("it has changed since: its ETag is %s, and If-Match says %s", etag(revision), in.Match))
	}
	made, err := place.Read(ctx, s.Store, p.Result)
	if err != nil {
		return nil, answer(err)
	}
	if n := p.Counts["removed"]; made.Refusal != "" && in.Body.Remove != n && p.Remove != n {
		return nil, problem(http.StatusUnprocessableEntity, "manager/remove", fmt.Sprintf("%s; if that is meant, say remove %d", made.Refusal, n))
	}
	p.Approved = &record.Approval{By: who(ctx).Name, At: time.Now().UTC()}
	if in.Body.Remove > 0 {
		p.Remove = in.Body.Remove
	}
	if a := in.Body.Allow; a.Adopt || len(a.Data)+len(a.Gone)+len(a.Orphans) > 0 {
		p.Allow = a
	}
	at, err := s.commit(ctx, Audited{Verb: "approve", What: record.Placements + p.ID, Bundle: p.Tree, Allow: p.Allow},
		store.Put(record.Placements+p.ID, p, revision), store.Put(record.Placing+p.ID, struct{}{}, store.Present))
	if err != nil {
		return nil, answer(err)
	}
	return &placementOutput{http.StatusAccepted, "/v1/placements/" + p.ID, etag(at), PlacementOf{p, at, made}}, nil
}

func (s *Server) cancelPlacement(ctx context.Context, in *PlacementPath) (*placementOutput, error) {
	for {
		p, revision, err := s.placement(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if p.Done || p.Cancel {
			return s.shown(ctx, p, revision)
		}
		p.Cancel = true
		at, err := s.commit(ctx, Audited{Verb: "cancel", What: record.Placements + p.ID},
			store.Put(record.Placements+p.ID, p, revision), store.Put(record.Placing+p.ID, struct{}{}, store.Present))
		if err == nil {
			return s.shown(ctx, p, at)
		}
		if !errors.Is(err, store.ErrConflict) {
			return nil, answer(err)
		}
	}
}

// begunError tells of a change that a placement has begun before.
type begunError struct{ operation string }

// Error implements error.
func (b *begunError) Error() string { return "it has begun operation " + b.operation }

// PlaceCell begins the operation of a cell, for who has asked for the placement, and returns its
// name: "" if there is nothing to remove.
func (s *Server) PlaceCell(ctx context.Context, p record.Placement, c record.Cell) (string, error) {
	ctx = context.WithValue(ctx, whoKey{}, access.Identity{Name: p.By, Role: access.Role(p.Role)})
	d, _, err := store.Read[record.Deployment](ctx, s.Store, record.Deployments+c.Deployment)
	there := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", answer(err)
	}
	if there && d.Template != c.Template {
		return "", problem(http.StatusConflict, "manager/placed", fmt.Sprintf("there is a deployment %s that template %s has not placed", c.Deployment, c.Template))
	}
	change := change{WriteInput: WriteInput{Timeout: p.Timeout}, name: c.Deployment, verb: record.Update, match: "*", allow: p.Allow, placement: p.ID}
	switch {
	case c.State == "removed" && !there:
		return "", nil
	case c.State == "removed":
		change.verb = record.Delete
	case !there:
		change.verb, change.create = record.Create, true
	}
	change.edit = func(ctx context.Context, d *record.Deployment, m *record.Manifest) error {
		return s.editCell(ctx, p, c, d, m)
	}
	out, err := s.begin(ctx, change)
	var begun *begunError
	if errors.As(err, &begun) {
		return begun.operation, nil
	}
	if err != nil {
		return "", err
	}
	return out.Body.Operation.ID, nil
}

// editCell makes the manifest of a cell, unless the placement has made it before: then a server
// was killed before it was written down.
func (s *Server) editCell(ctx context.Context, p record.Placement, c record.Cell, d *record.Deployment, m *record.Manifest) error {
	last, _, err := store.Read[record.Manifest](ctx, s.Store, record.ManifestKey(d.Name, m.Number-1))
	switch {
	case err == nil && last.Placement == p.ID:
		return &begunError{last.Operation}
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return answer(err)
	}
	m.Placement = p.ID
	if c.State == "removed" {
		d.Deleting, m.Empty = true, true
		return nil
	}
	d.Environment, d.Labels, d.Template = c.Environment, c.Labels, c.Template
	m.Input, m.Solution = record.Input{Bundle: p.Tree}, c.Solution
	facts, err := s.Store.Contents.Get(ctx, c.Solution)
	if err != nil {
		return answer(err)
	}
	m.Artifact, err = artifactOf(facts, c.Solution)
	return answer(err)
}

// TemplateCell is a template in an environment, as it is wanted and as it is.
type TemplateCell struct {
	record.Cell
	// Applied tells that what is wanted runs, and Healthy that it is well.
	Applied bool `json:"applied" doc:"What is wanted was applied whole."`
	Healthy bool `json:"healthy" doc:"It was well after that."`
	// Why is what is wrong, Operation the last one of the deployment.
	Why       string `json:"why,omitempty" doc:"What is wrong with it."`
	Operation string `json:"operation,omitempty" doc:"The last operation of the deployment."`
}

// Template is a template with the environments that it is in.
type Template struct {
	Name  string         `json:"name"`
	Cells []TemplateCell `json:"cells"`
}

type templatesOutput struct {
	Body struct {
		// Tree and Placement are what the templates were placed from and by.
		Tree      string     `json:"tree,omitempty" doc:"The digest of the tree that was placed last."`
		Placement string     `json:"placement,omitempty" doc:"The placement that has begun last."`
		Items     []Template `json:"items"`
	}
}

// listTemplates says where templates are, and how each is there.
func (s *Server) listTemplates(ctx context.Context, _ *struct{}) (*templatesOutput, error) {
	out := &templatesOutput{}
	out.Body.Items = []Template{}
	at, _, err := store.Read[record.Catalog](ctx, s.Store, record.CatalogKey)
	if errors.Is(err, store.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return nil, answer(err)
	}
	placed, err := place.Read(ctx, s.Store, at.Result)
	if err != nil {
		return nil, answer(err)
	}
	out.Body.Tree, out.Body.Placement = at.Tree, at.Placement
	cells, err := place.Now(ctx, s.Store, placed.Cells)
	if err != nil {
		return nil, answer(err)
	}
	by := map[string]int{}
	for _, c := range cells {
		if !who(ctx).Sees(c.Labels) || c.State == "removed" && !c.There {
			continue
		}
		i, known := by[c.Template]
		if !known {
			i = len(out.Body.Items)
			by[c.Template] = i
			out.Body.Items = append(out.Body.Items, Template{Name: c.Template})
		}
		out.Body.Items[i].Cells = append(out.Body.Items[i].Cells, TemplateCell{Cell: c.Cell, Applied: c.Applied, Healthy: c.Healthy, Why: c.Why, Operation: c.Operation})
	}
	slices.SortFunc(out.Body.Items, func(a, b Template) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// artifactOf is what a solution deploys.
func artifactOf(text []byte, name string) (string, error) {
	sol, problems := solution.Read(text, name)
	if problems.HasErrors() {
		return "", fmt.Errorf("%s: %s", name, problems[0].Message)
	}
	if top := sol.Deployments[sol.Top]; top != nil && top.Artifact != nil {
		return query.TypeName(top.Artifact.Ref), nil
	}
	return "", nil
}
