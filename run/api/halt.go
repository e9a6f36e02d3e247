package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"kumiki.dev/diag"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

type haltInput struct {
	DeploymentPath
	MatchInput
	WriteInput
	Body struct {
		Path     string `json:"path,omitempty" doc:"DEPLOYMENT or DEPLOYMENT/ROLE; all of it if it is left out."`
		Instance string `json:"instance,omitempty" doc:"The name of one instance, which alone is restarted; for restart."`
	}
}

// halted handles what stops, starts or restarts places of a deployment.
func (s *Server) halted(verb record.Verb) func(context.Context, *haltInput) (*changeOutput, error) {
	return func(ctx context.Context, in *haltInput) (*changeOutput, error) {
		b := in.Body
		h := &record.Halt{Verb: verb, Path: cmp.Or(b.Path, in.Name), Instance: b.Instance}
		if h.Instance != "" && verb != record.Restart {
			return nil, problem(http.StatusUnprocessableEntity, string(diag.LiveTarget), "no single instance can be stopped, as what there is of a role is a number of them: scale says how many run, restart with instance replaces one")
		}
		return s.begin(ctx, change{WriteInput: in.WriteInput, name: in.Name, verb: verb, match: in.Match, halt: h, request: b,
			edit: func(ctx context.Context, d *record.Deployment, m *record.Manifest) (err error) {
				*m, _, err = store.Read[record.Manifest](ctx, s.Store, record.ManifestKey(d.Name, d.Manifest))
				if errors.Is(err, store.ErrNotFound) {
					return problem(http.StatusConflict, "manager/nothing", d.Name+" has no manifest that would run: PUT gives it one")
				}
				if err != nil {
					return answer(err)
				}
				return s.checkHalt(ctx, *d, *m, h)
			}})
	}
}

// checkHalt refuses what is no place of a deployment, and what its environment has nothing for.
// What is not compiled yet is looked at by the operation.
func (s *Server) checkHalt(ctx context.Context, d record.Deployment, m record.Manifest, h *record.Halt) error {
	e, err := s.environment(ctx, d.Environment)
	if err != nil {
		return err
	}
	if h.Instance != "" {
		system, by, err := s.Connect(e)
		if err != nil {
			return unreached(e, err)
		}
		if _, err := operate.Single(system, by.Name, h.Path); err != nil {
			return problem(http.StatusUnprocessableEntity, string(diag.LiveTarget), err.Error())
		}
	}
	if m.Solution == "" {
		return nil
	}
	sol, err := operate.Solution(ctx, s.Store, m)
	if err != nil {
		return answer(err)
	}
	if err := operate.PlaceIn(s.Connect, e, sol, h.Path); err != nil {
		return problem(http.StatusUnprocessableEntity, "manager/path", err.Error())
	}
	return nil
}

// halts are what an operation stops, starts and restarts: what it is for, after that of the one
// whose place it takes. So nothing that was asked for is lost.
func (s *Server) halts(ctx context.Context, c change, before string) (out []record.Halt, err error) {
	if c.verb == record.Delete {
		return nil, nil
	}
	if before != "" {
		was, _, err := store.Read[record.Operation](ctx, s.Store, record.Operations+before)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, answer(err)
		}
		if !was.Done && !was.Cancel {
			out = was.Halts
		}
	}
	if c.halt != nil {
		out = append(out, *c.halt)
	}
	return out, nil
}
