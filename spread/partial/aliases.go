package partial

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// resolveAliases finds what stands for a part of config.
func (s *sources) resolveAliases() {
	for known := -1; s.mayAlias && known != len(s.aliases); { // an alias may be one of another
		known = len(s.aliases)
		s.walk(s.collectAlias, nil)
	}
}

// collectAlias finds lets and hidden fields that stand for a part of config.
func (s *sources) collectAlias(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.LetClause:
		if chain := s.chain(x.Expr); chain != nil {
			s.aliases[x] = chain
		}
	case *ast.Field:
		if s.aside[x] {
			return false
		}
		if isHidden(x.Label) && syntax.HasOnlyValue(x) && s.hidden[syntax.LabelName(x.Label)] == 1 {
			if chain := s.chain(x.Value); chain != nil {
				s.aliases[x.Value] = chain
			}
		}
	}
	return true
}

// isHidden tells a hidden field from one whose name begins likewise, in quotes.
func isHidden(l ast.Label) bool {
	id, ok := l.(*ast.Ident)
	return ok && strings.HasPrefix(id.Name, "_")
}

// chain is the path, from config on, that x refers to in the artifact's config;
// nil if it is anything else.
func (s *sources) chain(x ast.Expr) []string {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.chain(x.X)
	case *ast.Ident:
		if x.Node != nil && s.configs[x.Node] {
			return []string{"config"}
		}
		if x.Node == nil {
			return nil
		}
		return s.aliases[x.Node]
	case *ast.SelectorExpr:
		name := syntax.LabelName(x.Sel)
		if id, ok := x.Sel.(*ast.Ident); ok && (isHidden(id) || strings.HasPrefix(id.Name, "#")) {
			return nil // another field than the one with that name in quotes
		}
		if id, ok := x.X.(*ast.Ident); ok && id.Node != nil && s.descriptions[id.Node] && name == "config" {
			return []string{"config"}
		}
		if inner := s.chain(x.X); inner != nil && name != "" {
			return append(slices.Clip(inner), name)
		}
	}
	return nil
}
