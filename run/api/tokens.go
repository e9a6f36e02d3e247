package api

import (
	"context"
	"net/http"

	"kumiki.dev/run/access"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// MadeToken is a token that was just made.
type MadeToken struct {
	access.Token
	// Secret is the token itself.
	Secret string `json:"token" doc:"The token itself. It is not kept, and not shown again."`
}

type tokenOutput struct{ Body MadeToken }

type tokenInput struct {
	Body struct {
		Name     string      `json:"name" doc:"Whose it is."`
		Role     access.Role `json:"role" enum:"viewer,deployer,operator,admin" doc:"What it may do."`
		Selector string      `json:"selector,omitempty" doc:"The labels of the deployments that it may see; all if it is left out."`
	}
}

func (s *Server) createToken(ctx context.Context, in *tokenInput) (*tokenOutput, error) {
	all, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.token.Name == in.Body.Name {
			return nil, problem(http.StatusConflict, "manager/exists", "there is a token of that name: delete it first, or take another name")
		}
	}
	secret, t, err := access.NewToken(in.Body.Name, in.Body.Role, in.Body.Selector)
	if err != nil {
		return nil, problem(http.StatusUnprocessableEntity, "manager/token", err.Error())
	}
	_, err = s.commit(ctx, Audited{Verb: "create", What: record.Tokens + t.Name}, store.Put(t.Key(), t, 0))
	return &tokenOutput{MadeToken{t, secret}}, answer(err)
}

type keptToken struct {
	token    access.Token
	key      string
	revision int64
}

func (s *Server) tokens(ctx context.Context) (out []keptToken, err error) {
	entries, _, _, err := s.Store.List(ctx, record.Tokens, store.Page{})
	if err != nil {
		return nil, answer(err)
	}
	for _, e := range entries {
		k := keptToken{key: e.Key, revision: e.Revision}
		if err := unmarshal(e, &k.token); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

type tokensOutput struct {
	Body struct {
		Items []access.Token `json:"items"`
	}
}

func (s *Server) listTokens(ctx context.Context, _ *struct{}) (*tokensOutput, error) {
	all, err := s.tokens(ctx)
	out := &tokensOutput{}
	out.Body.Items = []access.Token{}
	for _, t := range all {
		out.Body.Items = append(out.Body.Items, t.token)
	}
	return out, err
}

type tokenPath struct {
	Name string `path:"name" doc:"Whose token it is."`
}

func (s *Server) deleteToken(ctx context.Context, in *tokenPath) (*struct{}, error) {
	all, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.token.Name == in.Name {
			_, err := s.commit(ctx, Audited{Verb: "delete", What: record.Tokens + in.Name}, store.Remove(t.key, t.revision))
			return nil, answer(err)
		}
	}
	return nil, problem(http.StatusNotFound, "manager/not-found", "there is no token of that name")
}
