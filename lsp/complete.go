package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
)

// completion offers what the artifact can take at the cursor: fields of its
// config, roles, channels, and names that a mapping refers to. The artifact is
// known from the last result that was whole; the place from what is written
// before the cursor, whatever comes after it.
func (s *server) completion(_ context.Context, params json.RawMessage) (any, error) {
	p, file := s.document(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	out := completionList{Items: []completionItem{}}
	d := s.documents[file]
	own, all := s.shapes(file)
	if d == nil || own == nil {
		return out, nil
	}
	at := cursorAt(d.text, d.offset(p.Position))
	for _, c := range candidates(at, own, all) {
		out.Items = append(out.Items, c.item(d.lines, at))
	}
	return out, nil
}

// candidate is something that can be written at the cursor.
type candidate struct {
	name, detail, doc string
	// value tells that it is a string, not a field.
	value bool
}

func (c candidate) item(l *lines, at cursor) completionItem {
	text := c.name
	if c.value || !ast.IsValidIdent(text) {
		text = `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
	}
	kind := completeField
	if c.value {
		kind = completeValue
	} else if !at.colon {
		text += ": "
	}
	return completionItem{
		Label: c.name, Kind: kind, Detail: c.detail, Documentation: c.doc, FilterText: strings.TrimSuffix(text, ": "),
		TextEdit: &textEdit{l.span(at.start, at.end), text},
	}
}

// candidates are what fits the path that the cursor is in.
func candidates(at cursor, own *shape, all map[string]*shape) []candidate {
	path := at.path
	switch {
	case match(path, "#Deployment", "config"):
		return configOf(path[2:], own, all)
	case match(path, "#Artifact", "description", "role", "*", "config"):
		return configOf(path[5:], all[own.Roles[path[3]]], all)
	case match(path, "#Artifact", "description", "connect", "*"):
		return channels(path[4:], own, all)
	case match(path, "#Artifact", "description", "code", "*", "mapping"):
		return mapped(path[5:], own, at.value)
	}
	return nil
}

// match tells whether the path begins like that; * is any name.
func match(path []string, head ...string) bool {
	if len(path) < len(head) {
		return false
	}
	for i, name := range head {
		if name != "*" && name != path[i] {
			return false
		}
	}
	return true
}

// configOf are the fields below a path of an artifact's config.
func configOf(path []string, s *shape, all map[string]*shape) []candidate {
	if s == nil {
		return nil
	}
	if len(path) == 0 {
		return []candidate{{name: "parameter"}, {name: "resource"}, {name: "scale"}, {name: "resilience"}}
	}
	if path[0] == "scale" {
		return scaleOf(path[1:], s, all)
	}
	var out []candidate
	for _, d := range s.Config {
		if len(d.Path) <= len(path) || !slices.Equal(d.Path[:len(path)], path) {
			continue
		}
		c := candidate{name: d.Path[len(path)]}
		if len(d.Path) == len(path)+1 {
			c.detail, c.doc = d.Type, d.Doc
		}
		if !slices.ContainsFunc(out, func(o candidate) bool { return o.name == c.name }) {
			out = append(out, c)
		}
	}
	return out
}

// scaleOf follows detail down the roles.
func scaleOf(path []string, s *shape, all map[string]*shape) []candidate {
	for len(path) > 1 && path[0] == "detail" && s != nil {
		s, path = all[s.Roles[path[1]]], path[2:]
	}
	switch {
	case s == nil:
		return nil
	case len(path) == 1 && path[0] == "detail":
		return names(slices.Sorted(maps.Keys(s.Roles)), "role", false)
	case len(path) > 0:
		return nil
	case s.Kind == "component":
		return []candidate{{name: "hsize", detail: "instances"}}
	}
	return []candidate{{name: "detail", detail: "of each role"}}
}

// channels are the ends of a connector: roles, then their channels, which from
// has as a string and to as a field.
func channels(path []string, own *shape, all map[string]*shape) []candidate {
	if len(path) == 0 {
		return names([]string{"as", "from", "to"}, "", false)
	}
	from := path[0] == "from"
	switch {
	case !from && path[0] != "to" || len(path) > 2:
		return nil
	case len(path) == 1:
		return append(names(slices.Sorted(maps.Keys(own.Roles)), "role", false), candidate{name: "self", detail: "the service"})
	case path[1] == "self" && from: // seen from within, what others connect to sends
		return names(own.Servers, "channel", true)
	case path[1] == "self":
		return names(own.Clients, "channel", false)
	}
	of := all[own.Roles[path[1]]]
	switch {
	case of == nil:
		return nil
	case from:
		return names(of.Clients, "channel", true)
	}
	return names(of.Servers, "channel", false)
}

// mapped are the names that environment variables and files are made of.
func mapped(path []string, own *shape, value bool) []candidate {
	if len(path) < 3 {
		if len(path) == 2 && !value {
			return names([]string{"parameter", "resource", "value"}, "", false)
		}
		return nil
	}
	if !value || path[2] != "parameter" && path[2] != "resource" && path[2] != "secret" {
		return nil
	}
	section := map[bool]string{true: "parameter", false: "resource"}[path[2] == "parameter"]
	var out []candidate
	for _, d := range own.Config {
		if d.Path[0] == section && len(d.Path) > 1 {
			out = append(out, candidate{strings.Join(d.Path[1:], "."), d.Type, d.Doc, true})
		}
	}
	return out
}

func names(list []string, detail string, value bool) []candidate {
	var out []candidate
	for _, n := range list {
		out = append(out, candidate{name: n, detail: detail, value: value})
	}
	return out
}
