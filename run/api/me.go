package api

import (
	"context"

	"kumiki.dev/run/access"
)

// Me is who asks.
type Me struct {
	Name     string      `json:"name" doc:"Whose token it is."`
	Role     access.Role `json:"role" enum:"viewer,deployer,operator,admin" doc:"What it may do."`
	Selector string      `json:"selector,omitempty" doc:"The labels of the deployments that it may see; all if it is left out."`
}

type meOutput struct{ Body Me }

func (s *Server) getMe(ctx context.Context, _ *struct{}) (*meOutput, error) {
	i := who(ctx)
	out := &meOutput{Me{Name: i.Name, Role: i.Role}}
	if i.Selector != nil {
		out.Body.Selector = i.Selector.String()
	}
	return out, nil
}
