package partial

import (
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// bareScope is a slice without the model's types, which CUE evaluates in a third of the time. Go
// checks what comes out against those types instead, as far as it knows them.
type bareScope struct {
	slice *spread.Package
	types typesOf
	at    *places
	fails int // how often it made nothing that could be used
}

// newBareScope is nil if the slice needs the model, or if Go has no type for one of the values. It needs the model if both have defaults, because CUE
// joins those.
func newBareScope(r *runner, p *spread.Package, slice depends.Slice, paths [][]string) *bareScope {
	m := modelTypesOf(p)
	types := m.ofPaths(paths)
	if types == nil {
		return nil
	}
	bare, ok := slice.Bare()
	if !ok || bare.Marks && filter.Any(paths, m.hasDefault) {
		return nil
	}
	return &bareScope{slice: r.Eval.Sliced(p, bare), types: types}
}

// typesOf are the model's types of some values, see [typeAt].
type typesOf []func(*value.Data) (*value.Data, bool)

// ofPaths are the types at paths of the artifact, nil if Go has no type for one of them.
func (m modelTypes) ofPaths(paths [][]string) (types typesOf) {
	for _, path := range paths {
		t := typeAt(m, path)
		if t == nil {
			return nil
		}
		types = append(types, t)
	}
	return types
}

func (b *bareScope) isUsable() bool {
	return b != nil && !b.at.isUnclear() && b.fails <= maxRefused
}

// level has CUE make the values of a level; nil if the model's types do not take them as they are.
func (b *bareScope) level(r *runner, config *value.Data, values valuesIn) []*value.Data {
	if !b.isUsable() {
		return nil
	}
	r.Work.Sliced++
	if out, ok := values(r.Eval.InScope(b.slice, config), true); ok {
		if out = b.types.typed(out); out != nil {
			return out
		}
	}
	b.fails++
	return nil
}

// typed are values as the model's types make them; nil if that is not certain.
func (t typesOf) typed(values []*value.Data) []*value.Data {
	out := make([]*value.Data, len(values))
	for i, d := range values {
		var ok bool
		if out[i], ok = t[i](d); !ok {
			return nil
		}
	}
	return out
}

// isParameter reports whether a path leads to parameters of the artifact or of a role. The model
// takes any.
func isParameter(path []string) bool {
	return len(path) > 2 && path[1] == "config" && path[2] == "parameter" ||
		len(path) > 5 && path[1] == "role" && path[3] == "config" && path[4] == "parameter"
}

// typeAt is the model's type for a path of the artifact: it returns a value with the defaults of the type, and false
// if the type does not take the value or that is not certain. It is nil itself if Go has no such type.
func typeAt(m modelTypes, path []string) func(*value.Data) (*value.Data, bool) {
	if isParameter(path) {
		return func(d *value.Data) (*value.Data, bool) { return d, d == nil || !isEmpty(d) }
	}
	s, optional := m.at(path)
	if s == nil {
		return nil
	}
	return func(d *value.Data) (*value.Data, bool) {
		if d == nil {
			return nil, optional
		}
		return s.fill(nil, s.withName(d, path[len(path)-1]), value.Origin{})
	}
}

// isEmpty reports whether a value is an empty struct. If the model declares a field as _, and loops and
// conditions give it no fields, CUE (v0.17.1) leaves _ instead of an empty struct.
func isEmpty(d *value.Data) bool { return d.Kind == value.Struct && len(d.Fields) == 0 }

func onlyIf(ok bool, d *value.Data) *value.Data {
	if !ok {
		return nil
	}
	return d
}
