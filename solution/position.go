package solution

import (
	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// source is where a deployment or role was written.
type source struct {
	pos                 diag.Pos
	description, config *value.Data
	loadRead            bool // whether the artifact reads all of the load that it is given
}

// LoadRead reports whether the component of a role is known to read the load (scale.qos) that
// it is given, and so to make of it what has to be made. Nothing is known of a solution that
// was read from a file.
func (s *Solution) LoadRead(deployment, role string) bool {
	return s.sources[deployment+"/"+role].loadRead
}

// ObjectPosition is where an object that goes with the solution was written, or a field of
// it: the innermost place on the path that is known.
func (s *Solution) ObjectPosition(name string, path ...string) diag.Pos {
	pos := diag.NoPos
	at := s.objects
	for _, part := range append([]string{name}, path...) {
		if at = at.Get(part); at != nil && at.Pos.IsValid() && !value.IsModel(at.Pos) {
			pos = at.Pos
		}
	}
	return pos
}

// Position returns where a value of a deployment, or of one of its roles (role
// may be ""), was written: the path is one of its description ("code", "web",
// "image") or config ("config", "parameter", "port"). It is the innermost place
// on the path that is known, and not valid for a solution that was read from a
// file.
func (s *Solution) Position(deployment, role string, path ...string) diag.Pos {
	key := deployment
	if role != "" {
		key += "/" + role
	}
	src, ok := s.sources[key]
	if !ok {
		return diag.NoPos
	}
	at := src.description
	if len(path) > 0 && path[0] == "config" {
		at, path = src.config, path[1:]
	}
	pos := src.pos
	for _, name := range path {
		if at = at.Get(name); at != nil && at.Pos.IsValid() {
			pos = at.Pos
		}
	}
	return pos
}
