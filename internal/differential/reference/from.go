package reference

import "strings"

// taken puts the values of other deployments into the places of data that say
// {$from: NAME, field: PATH}.
func (s *spreader) taken(x any) any {
	m, ok := x.(map[string]any)
	if !ok {
		return x
	}
	name, isFrom := m["$from"].(string)
	if !isFrom {
		out := map[string]any{}
		for member, value := range m {
			out[member] = s.taken(value)
		}
		return out
	}
	field, _ := m["field"].(string)
	for _, dir := range s.app.With {
		other := Spread(s.model, App{Files: s.app.Files, Dir: dir})
		s.refusals = append(s.refusals, other.Refusals...)
		if other.Deployment == nil {
			continue
		}
		d := Flatten(other.Deployment).Deployments[name]
		if d == nil {
			continue
		}
		fields := map[string]any{"name": name, "config": d.Config, "meta": d.Meta}
		if path := strings.Split(field, "."); has(fields, path...) {
			return get(fields, path...)
		}
	}
	s.check(false, "reference/unknown", "there is no %s of %s", field, name)
	return nil
}
