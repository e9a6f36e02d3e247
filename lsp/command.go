package lsp

import (
	"context"
	"encoding/json"
	"fmt"
)

// execute runs a command of the lenses: it returns the solution as text.
func (s *server) execute(ctx context.Context, params json.RawMessage) (any, error) {
	var p commandParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	var uri string
	if p.Command != commandSolution || len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &uri) != nil {
		return nil, fmt.Errorf("there is the command %s, which takes the URI of a file of a deployment", commandSolution)
	}
	s.mu.Lock()
	r := request{Dir: dirOf(locate(uri)), Overlay: s.texts(), Modules: s.modules(), Solution: true}
	s.mu.Unlock()
	out, err := s.child.do(ctx, r)
	if err != nil {
		return nil, err
	}
	if out.Solution == "" {
		return nil, fmt.Errorf("%s has problems: mend them first", r.Dir)
	}
	return out.Solution, nil
}
