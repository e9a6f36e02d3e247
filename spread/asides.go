package spread

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// asideExpr gives an artifact what it is given beside its config.
func asideExpr(aside value.Field) ast.Expr {
	return syntax.Nested(Expr(aside.Value), "description", "config", aside.Name)
}

// WithoutAsides is a config without what an artifact is given besides, which asides are.
func WithoutAsides(config *value.Data) *value.Data {
	for _, aside := range asides(config) {
		config = config.Without([]string{aside.Name})
	}
	return config
}

func asides(config *value.Data) []value.Field {
	var out []value.Field
	for _, f := range config.Each() {
		if depends.IsAside(f.Name) {
			out = append(out, f)
		}
	}
	return out
}

// WithAsides is a config with what another is given besides.
func WithAsides(config, from *value.Data) *value.Data {
	for _, aside := range asides(from) {
		config = config.Set(aside.Name, aside.Value)
	}
	return config
}
