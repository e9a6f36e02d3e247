package lsp

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// candidates are what fits the path that the cursor is in.
func candidates(at cursor, own *shape, all map[string]*shape) []candidate {
	path := at.path
	switch {
	case own == nil:
		return nil
	case match(path, "#Deployment", "config"):
		return configOf(path[2:], own, all)
	case match(path, "#Artifact", "description", "role", "*", "config"):
		return configOf(path[5:], all[own.Roles[path[3]]], all)
	case match(path, "#Artifact", "description", "connect", "*"):
		return channels(path[4:], own, all)
	case match(path, "#Artifact", "description", "code", "*", "mapping"):
		return mapped(path[5:], own, at.value)
	case match(path, "#Artifact", "description", "code", "*", "image", "hub", "secret"):
		return keys("secret", own)
	}
	return nil
}

// match reports whether the path begins like that; * is any name.
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
	for _, d := range s.Config {
		if slices.Equal(d.Path, path) {
			return valuesOf(d)
		}
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
		if !filter.Any(out, func(o candidate) bool { return o.name == c.name }) {
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
		return names(sorting.Ordered(s.Roles), "role", false)
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
		return append(names(sorting.Ordered(own.Roles), "role", false), candidate{name: "self", detail: "the service"})
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

// valuesOf is what a field that is declared can be: one of some literals, or a
// resource, which is a struct with one field.
func valuesOf(d declared) []candidate {
	for _, r := range resourceTypes {
		if d.Path[0] == "resource" && strings.HasSuffix(d.Type, r.definition) {
			return []candidate{{name: r.key, detail: d.Type, doc: d.Doc}}
		}
	}
	expr, err := parser.ParseExpr("", d.Type)
	if err != nil {
		return nil
	}
	var out []candidate
	ast.Walk(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			return n.Op == token.OR
		case *ast.BasicLit:
			if text, err := literal.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				out = append(out, candidate{name: text, doc: d.Doc, value: true})
			}
		case *ast.UnaryExpr:
			return n.Op == token.MUL
		case *ast.ParenExpr:
			return true
		}
		return false
	}, nil)
	return out
}

// resourceTypes are the keys by which resources are given and mapped, and the
// definitions of their types.
var resourceTypes = []struct{ key, definition string }{
	{"secret", "#Secret"}, {"volume", "#Volume"}, {"domain", "#Domain"},
	{"port", "#Port"}, {"certificate", "#Certificate"}, {"ca", "#CA"},
}

// mapped are the keys of environment variables and files, and the names that
// those are made of.
func mapped(path []string, own *shape, value bool) []candidate {
	switch {
	case len(path) == 0 && !value:
		return names([]string{"env", "filesystem"}, "", false)
	case len(path) == 2 && path[0] == "env":
		return names([]string{"value", "parameter", "secret", "domain", "port", "certificate", "ca"}, "", false)
	case len(path) == 2 && path[0] == "filesystem":
		return names([]string{"volume", "data"}, "", false)
	case len(path) == 3 && value && path[2] != "value" && path[2] != "data":
		return keys(path[2], own)
	}
	return nil
}

// keys are the parameters, or the resources of a type; where none says that it
// is of the type, all.
func keys(key string, own *shape) []candidate {
	var out, all []candidate
	for _, d := range own.Config {
		if len(d.Path) < 2 || (d.Path[0] == "parameter") != (key == "parameter") {
			continue
		}
		c := candidate{strings.Join(d.Path[1:], "."), d.Type, d.Doc, true}
		all = append(all, c)
		for _, r := range resourceTypes {
			if r.key == key && strings.HasSuffix(d.Type, r.definition) {
				out = append(out, c)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	return all
}

func names(list []string, detail string, value bool) []candidate {
	var out []candidate
	for _, n := range list {
		out = append(out, candidate{name: n, detail: detail, value: value})
	}
	return out
}
