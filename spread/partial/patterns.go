package partial

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// pattern is what a struct says of all fields whose names match, such as  [=~"^feature_"]: bool.
type pattern struct {
	matches func(name string) bool
	takes   func(*value.Data) bool
	any     bool // its type is _
}

// patternsOf returns the patterns of a section of config. There are none if Go does not know one of them.
func patternsOf(section cue.Value) (out []pattern) {
	op, args := section.Expr()
	if op != cue.AndOp {
		args = []cue.Value{section}
	}
	for _, a := range args {
		lit, isLit := writtenAs(a).(*ast.StructLit)
		if !isLit {
			if isAnything(a) {
				continue
			}
			return nil
		}
		for _, d := range lit.Elts {
			f, isField := d.(*ast.Field)
			if !isField {
				return nil
			}
			if syntax.LabelName(f.Label) != "" {
				continue
			}
			p, ok := patternOf(f)
			if !ok {
				return nil
			}
			out = append(out, p)
		}
	}
	return out
}

// patternOf reads a pattern whose label Go can match, such as  [string]: T  or  [=~"^a"]: T , for a type T of leaves, and _.
func patternOf(f *ast.Field) (pattern, bool) {
	if _, ok := f.Label.(*ast.ListLit); !ok || f.Constraint != token.ILLEGAL {
		return pattern{}, false
	}
	p := pattern{matches: depends.MatcherOf(f.Label)}
	if id, isIdent := f.Value.(*ast.Ident); isIdent && id.Name == "_" {
		p.any, p.takes = true, func(*value.Data) bool { return true }
	} else if isScalarType(f.Value) {
		p.takes = checkExpr(f.Value)
	}
	return p, p.matches != nil && p.takes != nil
}

// setPatterns sets the patterns of a struct whose named fields are known. It is false if a pattern may say more of one of these fields.
func (s *schema) setPatterns(all []pattern) bool {
	s.patterns = all
	return !filter.Any(all, func(p pattern) bool {
		return !p.any && filter.Any(s.fields, func(f schemaField) bool { return p.matches(f.name) })
	})
}

// takesOther reports whether the struct takes a field that it does not name.
func (s *schema) takesOther(f value.Field) bool {
	matched := false
	for _, p := range s.patterns {
		if p.matches(f.Name) {
			matched = true
			if !p.takes(f.Value) {
				return false
			}
		}
	}
	return matched || s.open
}
