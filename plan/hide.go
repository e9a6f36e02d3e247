package plan

import (
	"strings"

	"kumiki.dev/internal/secretlike"
)

// Hide replaces values in the plan by what hide makes of them, which is given a text and
// the path of its field, dotted. Of two that differ and become the same, the new one says
// that it has changed.
func (p *Plan) Hide(hide func(path, text string) string) {
	h := hiding(hide)
	for i := range p.Entries {
		h.changes(p.Entries[i].Changes)
	}
	if p.Target == nil {
		return
	}
	for i := range p.Target.Objects {
		h.changes(p.Target.Objects[i].Changes)
	}
}

type hiding func(path, text string) string

func (h hiding) changes(all []Change) {
	for i, c := range all {
		all[i].From, all[i].To = h.both(c.Path, c.From, c.To)
	}
}

// both hides what is in two values of one field.
func (h hiding) both(path string, from, to any) (any, any) {
	switch a := from.(type) {
	case string:
		if b, ok := to.(string); ok {
			x, y := h(path, a), h(path, b)
			if x == y && a != b {
				y = strings.Replace(y, secretlike.Hidden, secretlike.Changed, 1)
			}
			return x, y
		}
	case []any:
		if b, ok := to.([]any); ok && len(a) == len(b) {
			x, y := make([]any, len(a)), make([]any, len(a))
			for i := range a {
				x[i], y[i] = h.both(path, a[i], b[i])
			}
			return x, y
		}
	case map[string]any:
		if b, ok := to.(map[string]any); ok {
			return h.members(path, a, b)
		}
	}
	return h.one(path, from), h.one(path, to)
}

func (h hiding) members(path string, a, b map[string]any) (any, any) {
	x, y := map[string]any{}, map[string]any{}
	for name := range a {
		at := path + "." + dotted([]string{name})
		if other, ok := b[name]; ok {
			x[name], y[name] = h.both(at, a[name], other)
			continue
		}
		x[name] = h.one(at, a[name])
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			y[name] = h.one(path+"."+dotted([]string{name}), b[name])
		}
	}
	return x, y
}

// one hides what is in a value.
func (h hiding) one(path string, v any) any {
	switch v := v.(type) {
	case string:
		return h(path, v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = h.one(path, item)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, item := range v {
			out[name] = h.one(path+"."+dotted([]string{name}), item)
		}
		return out
	}
	return v
}
