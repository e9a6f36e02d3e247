package query

import (
	"bytes"
	"encoding/json"
	"maps"

	"kumiki.dev/solution"
)

// Ties are a solution without what its containers are: what is left is enough for
// [StaleOf] and [Links], and a fraction of it. A view of it is kept for stores.
func Ties(s *solution.Solution) json.RawMessage {
	out := *s
	out.Layout, out.Objects, out.SLA, out.Late = nil, nil, nil, nil
	out.Deployments = make(map[string]*solution.Deployment, len(s.Deployments))
	for name, d := range s.Deployments {
		bare := *d
		bare.Artifact = withoutCode(d.Artifact)
		out.Deployments[name] = &bare
	}
	text, err := json.Marshal(&out)
	if err != nil {
		panic("a solution that does not encode: " + err.Error())
	}
	return text
}

func withoutCode(a *solution.Artifact) *solution.Artifact {
	bare := *a
	d := &bare.Description
	d.Code, d.Probe, d.Profile, d.Size = nil, nil, nil, nil
	d.Role = maps.Clone(d.Role)
	for name, r := range d.Role {
		role := *r
		role.Artifact = withoutCode(r.Artifact)
		d.Role[name] = &role
	}
	return &bare
}

// TiesFrom reads what [Ties] has made.
func TiesFrom(text json.RawMessage) (*solution.Solution, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	s := &solution.Solution{}
	return s, dec.Decode(s)
}
