package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"kumiki.dev/query"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/solution"
)

type bundleInput struct {
	RawBody []byte `contentType:"application/zip"`
}

// Content is something that was uploaded.
type Content struct {
	Digest string `json:"digest" doc:"What it is named by."`
	Size   int    `json:"size" doc:"Its bytes."`
}

type contentOutput struct{ Body Content }

// uploadBundle keeps a bundle. Only the compiler, in its process, reads what is in it.
func (s *Server) uploadBundle(ctx context.Context, in *bundleInput) (*contentOutput, error) {
	if !strings.HasPrefix(string(in.RawBody), "PK\x03\x04") {
		return nil, problem(http.StatusUnprocessableEntity, "manager/bundle", "that is no bundle: kumiki bundle DIR --out FILE writes one")
	}
	digest, err := s.Store.Contents.Put(ctx, in.RawBody)
	return &contentOutput{Content{digest, len(in.RawBody)}}, answer(err)
}

type listManifestsInput struct {
	DeploymentPath
	OrderQuery
}

func (s *Server) listManifests(ctx context.Context, in *listManifestsInput) (*pageOutput[record.Manifest], error) {
	if err := s.mayRead(ctx, in.Name); err != nil {
		return nil, err
	}
	return ordered(ctx, s.Store, record.Manifests+in.Name+"/", in.OrderQuery, func(store.Entry, record.Manifest) bool { return true })
}

// mayRead lets those who see only some deployments read the manifests of these alone: one that
// is gone has no labels any more.
func (s *Server) mayRead(ctx context.Context, name string) error {
	if err := record.CheckName(name); err != nil {
		return problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("there is no deployment %q", name))
	}
	if who(ctx).Selector == nil {
		return nil
	}
	_, _, err := s.deployment(ctx, name)
	return err
}

// ManifestPath names a manifest.
type ManifestPath struct {
	DeploymentPath
	Number int `path:"number" minimum:"1" maximum:"99999999" doc:"The manifest's number."`
}

type manifestOutput struct{ Body record.Manifest }

func (s *Server) getManifest(ctx context.Context, in *ManifestPath) (*manifestOutput, error) {
	m, err := s.manifest(ctx, in)
	return &manifestOutput{m}, err
}

func (s *Server) manifest(ctx context.Context, in *ManifestPath) (record.Manifest, error) {
	if err := s.mayRead(ctx, in.Name); err != nil {
		return record.Manifest{}, err
	}
	m, _, err := store.Read[record.Manifest](ctx, s.Store, record.ManifestKey(in.Name, in.Number))
	if errors.Is(err, store.ErrNotFound) {
		return m, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("%s has no manifest %d", in.Name, in.Number))
	}
	return m, answer(err)
}

// rawOutput is a content as it is kept.
type rawOutput struct {
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag"`
	Body        []byte
}

func (s *Server) raw(ctx context.Context, digest, kind, missing string) (*rawOutput, error) {
	if digest == "" {
		return nil, problem(http.StatusNotFound, "manager/not-found", missing)
	}
	data, err := s.Store.Contents.Get(ctx, digest)
	return &rawOutput{kind, `"` + digest + `"`, data}, answer(err)
}

func (s *Server) getInput(ctx context.Context, in *ManifestPath) (*rawOutput, error) {
	m, err := s.manifest(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.raw(ctx, m.Input.Bundle, "application/zip", "no bundle is kept of this manifest: it was made of none, or its bundle does not compile or has secrets")
}

func (s *Server) getSolution(ctx context.Context, in *ManifestPath) (*rawOutput, error) {
	m, err := s.manifest(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.raw(ctx, m.Solution, "application/json", "this manifest is not compiled")
}

// solved is the solution of a manifest.
func (s *Server) solved(ctx context.Context, in *ManifestPath) (*solution.Solution, error) {
	m, err := s.manifest(ctx, in)
	if err != nil {
		return nil, err
	}
	if m.Solution == "" {
		return nil, problem(http.StatusNotFound, "manager/not-found", "this manifest is not compiled")
	}
	sol, err := operate.Solution(ctx, s.Store, m)
	return sol, answer(err)
}

type layoutOutput struct {
	Body any `doc:"The tree of roles, with the properties as far as each level changes them."`
}

func (s *Server) getLayout(ctx context.Context, in *ManifestPath) (*layoutOutput, error) {
	sol, err := s.solved(ctx, in)
	if err != nil {
		return nil, err
	}
	return &layoutOutput{query.Layout(sol, nil)}, nil
}

type objectsOutput struct {
	Body struct {
		Items  []any            `json:"items" doc:"The objects, as the environment's tools read them."`
		Losses []record.Problem `json:"losses" doc:"What the target cannot carry."`
	}
}

func (s *Server) getObjects(ctx context.Context, in *ManifestPath) (*objectsOutput, error) {
	sol, err := s.solved(ctx, in)
	if err != nil {
		return nil, err
	}
	_, e, err := s.located(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	objects, losses, err := operate.Objects(s.Connect, e, sol)
	if err != nil {
		return nil, unreached(e, err)
	}
	out := &objectsOutput{}
	out.Body.Items, out.Body.Losses = []any{}, losses
	for _, o := range objects {
		out.Body.Items = append(out.Body.Items, o.Value)
	}
	return out, nil
}

type typesOutput struct {
	Body struct {
		Items []query.Type `json:"items"`
	}
}

func (s *Server) listTypes(ctx context.Context, _ *struct{}) (*typesOutput, error) {
	all, err := s.wanted(ctx)
	out := &typesOutput{}
	out.Body.Items = query.Types(all)
	return out, err
}

type instancesInput struct {
	Type string `path:"type" doc:"As much of an artifact's name as is needed, with %2F for its slashes; * for all."`
}

type instancesOutput struct {
	Body struct {
		Items []query.Instance `json:"items"`
	}
}

func (s *Server) listInstances(ctx context.Context, in *instancesInput) (*instancesOutput, error) {
	all, err := s.wanted(ctx)
	if err != nil {
		return nil, err
	}
	name := in.Type
	if name == "*" {
		name = ""
	}
	out := &instancesOutput{}
	out.Body.Items = query.Instances(all, name)
	if name != "" && len(out.Body.Items) == 0 {
		return nil, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("no artifact is called %s: GET /v1/types lists all", name))
	}
	return out, nil
}
