package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

type engineOutput struct {
	ETag string `header:"ETag"`
	Body record.Engine
}

// engine reads what holds for all operations; one that nobody has set is at revision 0.
func (s *Server) engine(ctx context.Context) (record.Engine, int64, error) {
	e, revision, err := store.Read[record.Engine](ctx, s.Store, record.EngineKey)
	if errors.Is(err, store.ErrNotFound) {
		return record.Engine{}, 0, nil
	}
	return e, revision, answer(err)
}

func (s *Server) getEngine(ctx context.Context, _ *struct{}) (*engineOutput, error) {
	e, revision, err := s.engine(ctx)
	return &engineOutput{etag(revision), e}, err
}

type putEngineInput struct {
	MatchInput
	Body record.Engine
}

// putEngine begins or ends the maintenance of the engine. Operations that are being carried out
// are broken off, and those that are asked for meanwhile end at once.
func (s *Server) putEngine(ctx context.Context, in *putEngineInput) (*engineOutput, error) {
	_, revision, err := s.engine(ctx)
	switch {
	case err != nil:
		return nil, err
	case in.Match == "":
		return nil, problem(http.StatusPreconditionRequired, "manager/no-match", "say with If-Match which revision is changed: the ETag of GET /v1/engine")
	case in.Match != etag(revision) && in.Match != "*":
		return nil, problem(http.StatusPreconditionFailed, "manager/changed", fmt.Sprintf("it has changed since: its ETag is %s, and If-Match says %s", etag(revision), in.Match))
	}
	now, verb := time.Now().UTC(), "end maintenance"
	if in.Body.Maintenance {
		verb = "begin maintenance"
	}
	e := record.Engine{Maintenance: in.Body.Maintenance, Reason: in.Body.Reason, By: who(ctx).Name, Changed: &now}
	at, err := s.commit(ctx, Audited{Verb: verb, What: record.EngineKey}, store.Put(record.EngineKey, e, revision))
	return &engineOutput{etag(at), e}, answer(err)
}
