package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

type moveInput struct {
	EnvironmentPath
	WriteInput
	Node string `path:"node" maxLength:"253" doc:"The node's name."`
	Body struct {
		To   string   `json:"to,omitempty" doc:"The node that they are to run on, for move; any if it is left out."`
		Path string   `json:"path,omitempty" doc:"What is moved: DEPLOYMENT or DEPLOYMENT/ROLE; all that the manager or kumiki has made if it is left out."`
		Data []string `json:"allowData,omitempty" doc:"Paths of what may be moved though it has data: DEPLOYMENT or DEPLOYMENT/ROLE."`
	}
}

// moved handles what lets instances leave a node, or come to it again. A node has no revision: the
// operation looks at what is on it.
func (s *Server) moved(verb record.Verb) func(context.Context, *moveInput) (*changeOutput, error) {
	return func(ctx context.Context, in *moveInput) (*changeOutput, error) {
		b := in.Body
		m := &record.Move{Environment: in.Name, Node: in.Node, To: b.To, Path: b.Path, Data: b.Data}
		if b.To != "" && verb != record.MoveNode || verb == record.OpenNode && (b.Path != "" || len(b.Data) > 0) {
			return nil, problem(http.StatusUnprocessableEntity, "manager/request", "to is for move, path and allowData are for move and drain")
		}
		e, err := s.environment(ctx, in.Name)
		if err != nil {
			return nil, err
		}
		if in.DryRun {
			p, failed, err := operate.MoveOf(ctx, s.Connect, e, verb, m)
			p, err = tried(e, p, failed, err)
			return &changeOutput{Status: http.StatusOK, Body: Answer{Plan: p}}, err
		}
		return s.beginMove(ctx, in.WriteInput, verb, m)
	}
}

// beginMove makes the operation of a move.
func (s *Server) beginMove(ctx context.Context, w WriteInput, verb record.Verb, m *record.Move) (*changeOutput, error) {
	node := record.NodeName(m.Environment, m.Node)
	digest, key, err := s.requestOf(ctx, change{WriteInput: w, name: node, verb: verb, request: m})
	if err != nil {
		return nil, err
	}
	for {
		if out, err := s.again(ctx, key, digest); out != nil || err != nil {
			return out, err
		}
		o := s.operationOf(ctx, w, verb, time.Now().UTC())
		o.Move = m
		writes := append(repeats(key, digest, o.ID),
			store.Put(record.Operations+o.ID, o, 0), store.Put(record.Pending+o.ID, operate.Pending{Deployment: operate.OfNode(m)}, 0),
			store.Only(record.Environments+m.Environment, store.Present))
		at, err := s.commit(ctx, Audited{Verb: string(verb), What: node, Operation: o.ID, Path: m.Path, Allow: record.Allow{Data: m.Data}}, writes...)
		var conflict *store.Conflict
		switch {
		case err == nil:
			return &changeOutput{Status: http.StatusAccepted, Location: "/v1/operations/" + o.ID, ETag: etag(at), Body: Answer{Operation: &o}}, nil
		case errors.As(err, &conflict) && conflict.Key == key:
			continue // the same request was first
		}
		return nil, answer(err)
	}
}
