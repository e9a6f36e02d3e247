package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// unmarshal reads a record of a list.
func unmarshal(e store.Entry, into any) error {
	if err := json.Unmarshal(e.Value, into); err != nil {
		return answer(fmt.Errorf("%s: %w", e.Key, err))
	}
	return nil
}

// located is a deployment, and the environment that it is in.
func (s *Server) located(ctx context.Context, name string) (record.Deployment, record.Environment, error) {
	d, _, err := s.deployment(ctx, name)
	if err != nil {
		return d, record.Environment{}, err
	}
	e, err := s.environment(ctx, d.Environment)
	return d, e, err
}

func (s *Server) environment(ctx context.Context, name string) (record.Environment, error) {
	e, _, err := store.Read[record.Environment](ctx, s.Store, record.Environments+name)
	if errors.Is(err, store.ErrNotFound) {
		return e, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("there is no environment %q", name))
	}
	return e, answer(err)
}

// EnvironmentPath names an environment.
type EnvironmentPath struct {
	Name string `path:"name" doc:"The environment's name."`
}

type environmentOutput struct {
	ETag string `header:"ETag"`
	Body record.Environment
}

func (s *Server) listEnvironments(ctx context.Context, in *PageQuery) (*pageOutput[record.Environment], error) {
	return page(ctx, s.Store, record.Environments, *in, func(store.Entry, record.Environment) bool { return true })
}

func (s *Server) getEnvironment(ctx context.Context, in *EnvironmentPath) (*environmentOutput, error) {
	e, revision, err := store.Read[record.Environment](ctx, s.Store, record.Environments+in.Name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("there is no environment %q", in.Name))
	}
	return &environmentOutput{etag(revision), e}, answer(err)
}

type putEnvironmentInput struct {
	EnvironmentPath
	MatchInput
	NoneMatch string `header:"If-None-Match" enum:"*" doc:"Make the environment, which is not there."`
	Body      struct {
		record.Environment
		Name string `json:"name,omitempty" doc:"Its name: that of the path."`
	}
}

func (s *Server) putEnvironment(ctx context.Context, in *putEnvironmentInput) (*environmentOutput, error) {
	e := in.Body.Environment
	e.Name = in.Name
	if err := errors.Join(record.CheckName(e.Name), checkLabels(e.Labels)); err != nil {
		return nil, problem(http.StatusUnprocessableEntity, "manager/name", err.Error())
	}
	if e.Options.Unfilled {
		return nil, problem(http.StatusUnprocessableEntity, "manager/environment", "options.unfilled is for looking at objects, and these are applied")
	}
	if _, _, err := s.Connect(e); err != nil {
		return nil, problem(http.StatusUnprocessableEntity, "manager/environment", err.Error())
	}
	revision, err := s.matched(ctx, record.Environments+in.Name, in.Match, in.NoneMatch)
	if err != nil {
		return nil, err
	}
	if _, err := s.commit(ctx, Audited{Verb: "put", What: record.Environments + in.Name}, store.Put(record.Environments+in.Name, e, revision)); err != nil {
		return nil, answer(err)
	}
	return s.getEnvironment(ctx, &in.EnvironmentPath)
}

// matched is the revision that a key has to have, by the headers of a request.
func (s *Server) matched(ctx context.Context, key, match, none string) (int64, error) {
	e, err := s.Store.Get(ctx, key)
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return 0, answer(err)
	case none == "*" && err == nil:
		return 0, problem(http.StatusConflict, "manager/exists", key+" is there already")
	case none == "*":
		return 0, nil
	case err != nil:
		return 0, problem(http.StatusNotFound, "manager/not-found", key+" is not there: If-None-Match: * makes it")
	case match == "":
		return 0, problem(http.StatusPreconditionRequired, "manager/no-match", "say with If-Match which revision is changed: its ETag")
	case match != etag(e.Revision) && match != "*":
		return 0, problem(http.StatusPreconditionFailed, "manager/changed", fmt.Sprintf("it has changed since: its ETag is %s, and If-Match says %s", etag(e.Revision), match))
	}
	return e.Revision, nil
}

type deleteEnvironmentInput struct {
	EnvironmentPath
	MatchInput
}

func (s *Server) deleteEnvironment(ctx context.Context, in *deleteEnvironmentInput) (*struct{}, error) {
	revision, err := s.matched(ctx, record.Environments+in.Name, in.Match, "")
	if err != nil {
		return nil, err
	}
	deployments, _, _, err := s.Store.List(ctx, record.Deployments, store.Page{})
	if err != nil {
		return nil, answer(err)
	}
	for _, entry := range deployments {
		var d record.Deployment
		if err := unmarshal(entry, &d); err != nil {
			return nil, err
		}
		if d.Environment == in.Name {
			return nil, problem(http.StatusConflict, "manager/used", fmt.Sprintf("deployment %s is in %s: delete it first", d.Name, in.Name))
		}
	}
	_, err = s.commit(ctx, Audited{Verb: "delete", What: record.Environments + in.Name}, store.Remove(record.Environments+in.Name, revision))
	return nil, answer(err)
}
