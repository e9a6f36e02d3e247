package reference

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
)

// level gives the artifact at a place what it is given, and takes it as data, nil
// if it is refused. It returns where the artifact has its config.
//
// CUE chooses the defaults of the config, all at once, while what is given is all
// that is known. These are its values. Where something else stays open because it
// has a default of its own as well, as a port does by the model in
//
//	config: parameter: port: *8080 | uint16
//	srv: server: http: port: config.parameter.port
//
// the values of the config are given too.
func (s *spreader) level(in place, given any) (n *Node, filled place, artifact cue.Value) {
	filled = in.given(given)
	artifact, err := s.evaluate(filled)
	if !s.holds(err) || !s.consistent(artifact, ofArtifact) {
		return nil, in, artifact
	}
	values, err := object(at(artifact, "description", "config"))
	if !s.holds(err) {
		return nil, in, artifact
	}
	s.undecided = s.undecided || wavers(at(artifact, "description", "config"))
	second := in.given(s.agreed(in, given, values))
	if unknown(artifact, ofArtifact) != nil {
		filled = second
		if artifact, err = s.evaluate(filled); !s.holds(err) || !s.complete(artifact, ofArtifact) {
			return nil, in, artifact
		}
	}
	if n, err = read(artifact); !s.holds(err) {
		return nil, in, artifact
	}
	n.Config = values
	n.Config["resource"] = withKind(values["resource"])
	return n, filled, artifact
}

// wavers reports whether CUE has a cycle for a value, and all the same a value for each
// of its fields.
func wavers(v cue.Value) bool {
	return v.Validate() == nil && v.Err() != nil && strings.Contains(v.Err().Error(), "cycle with field")
}

// given is the place, with a config for the artifact.
func (p place) given(config any) place { return p.say("description: config: " + text(config)) }

// agreed is what is given, and of the values of the config those that contradict
// nothing once they are given: a field may be a copy of another, of which something
// else is given. A default that is refused for itself is a mistake of the artifact's,
// of an if for example, whose body forbids what its condition has read.
func (s *spreader) agreed(in place, given, values any) any {
	if s.contradictions(in, values) == nil {
		return values
	}
	out := given
	for _, path := range leaves(values, nil) {
		more := out
		if !has(given, path...) {
			more = merge(out, nested(path, get(values, path...)))
		}
		wrong := s.contradictions(in, more)
		if wrong == nil {
			out = more
		}
		for _, e := range wrong {
			s.check(!slices.Equal(tail(e.Path(), len(path)+1), append([]string{"config"}, path...)), "", "%v", e)
		}
	}
	return out
}

// contradictions are those in the artifact with a config.
func (s *spreader) contradictions(in place, config any) []errors.Error {
	v, err := s.evaluate(in.given(config))
	if err == nil {
		err = v.Validate()
	}
	return errors.Errors(err)
}

// leaves are the paths of all that is no object in data.
func leaves(x any, path []string) [][]string {
	m, ok := x.(map[string]any)
	if !ok || len(m) == 0 {
		return [][]string{path}
	}
	var out [][]string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, leaves(m[name], append(slices.Clip(path), name))...)
	}
	return out
}

// nested is the object that has a value at a path, and nothing else.
func nested(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return value
}

// tail is the last n names of a path of CUE's, without quotes.
func tail(path []string, n int) []string {
	var out []string
	for _, name := range path[max(0, len(path)-n):] {
		out = append(out, strings.Trim(name, `"`))
	}
	return out
}

// consistent refuses a level with a contradiction anywhere in it, hidden fields and
// definitions included, and reports whether it is worth while to go on.
//
// The artifacts below have no config yet, and it is for their own levels to judge
// them. One that fails without a config, because its defaults contradict each
// other or list.Sort wants strings, not their types, makes CUE fail wherever
// something refers to a field around it: then nothing is certain about this level.
func (s *spreader) consistent(v cue.Value, e extent) bool {
	for _, below := range e.parts(v, nil) {
		s.doubtful = s.doubtful || below.Validate() != nil
	}
	s.undecided = s.undecided || s.doubtful
	return s.all(v.Validate()) || s.doubtful
}

// complete refuses a level in which something is not known, and reports whether it
// is worth while to go on.
func (s *spreader) complete(v cue.Value, e extent) bool { return s.all(unknown(v, e)) || s.doubtful }

// parts are the values in v that are judged by other levels.
func (e extent) parts(v cue.Value, path []string) []cue.Value {
	if matches(e.below, path) {
		return []cue.Value{v}
	}
	var out []cue.Value
	for _, name := range fieldNames(v) {
		if next := append(slices.Clip(path), name); isPrefixOf(e.below, next) {
			out = append(out, e.parts(at(v, name), next)...)
		}
	}
	return out
}

// unknown is what of a level has no value, nil if all has: regular fields, and
// ifs and fors that cannot be decided. CUE tells only where nothing contradicts.
func unknown(v cue.Value, e extent) error { return unknownAt(v, e, nil) }

func unknownAt(v cue.Value, e extent, path []string) error {
	switch {
	case matches(e.below, path):
		return nil
	case matches(e.open, path) && isOpen(v):
		return nil
	case !around(e, path):
		return v.Validate(cue.Concrete(true))
	}
	var found errors.Error
	if err := v.Err(); err != nil { // of the struct itself
		found = errors.Promote(err, "")
	}
	for _, name := range fieldNames(v) {
		if err := unknownAt(at(v, name), e, append(slices.Clip(path), name)); err != nil {
			found = errors.Append(found, errors.Promote(err, ""))
		}
	}
	if found == nil {
		return nil
	}
	return found
}

// extent is what of a value belongs to its level. Paths are those of regular
// fields, from the value; * is any name.
type extent struct {
	below [][]string // judged by another level
	open  [][]string // may be left as the model has it
}

var (
	ofDeployment = extent{
		below: [][]string{{"artifact"}},
		open:  [][]string{{"config", "*"}},
	}
	ofArtifact = extent{
		below: [][]string{{"description", "role", "*", "artifact"}},
		open:  [][]string{{"description", "role", "*", "config", "*"}, {"description", "connect", "*", "to", "*", "*"}},
	}
)

// isOpen reports whether a value is as the model has it: any, or any whole number
// for resilience.
func isOpen(v cue.Value) bool {
	d, _ := v.Default()
	return v.Err() == nil && (v.IncompleteKind() == cue.TopKind || v.IncompleteKind() == cue.IntKind && !d.IsConcrete())
}

func matches(patterns [][]string, path []string) bool {
	return slices.ContainsFunc(patterns, func(p []string) bool { return len(p) == len(path) && isPrefix(path, p) })
}

// around reports whether something below the path is judged otherwise than the
// rest.
func around(e extent, path []string) bool {
	return isPrefixOf(e.below, path) || isPrefixOf(e.open, path)
}

func isPrefixOf(patterns [][]string, path []string) bool {
	return slices.ContainsFunc(patterns, func(p []string) bool { return isPrefix(path, p) })
}

func isPrefix(path, pattern []string) bool {
	if len(path) > len(pattern) {
		return false
	}
	for i, name := range path {
		if pattern[i] != "*" && pattern[i] != name {
			return false
		}
	}
	return true
}
