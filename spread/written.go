package spread

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/guards"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// Written is a place in a package's sources that gives a field a value.
type Written struct {
	Pos diag.Pos
	// Expr is the expression, on one line.
	Expr string
	// Config are the fields of the artifact's config that the expression reads,
	// each from "config" on.
	Config [][]string

	x      ast.Expr
	within []condition // that it is written under
}

// condition is that of an if around a place, or the opposite of one.
type condition struct {
	x     ast.Expr
	holds bool
}

// WrittenIn returns the places in a package that give the field at path, which starts with
// #Artifact or #Deployment. A place that gives a struct above it by a reference
// counts: what it refers to is then the field below that.
func WrittenIn(p *Package, path ...string) []Written {
	var out []Written
	for _, f := range p.Files {
		w := &writtenSearch{path: path, lets: map[string][]string{}}
		ast.Walk(f, w.before, w.after)
		out = append(out, w.found...)
	}
	return out
}

// WrittenBy returns the places in the artifact's sources, of the field at path from
// its description on, that have given the field its value: of those under
// conditions, the ones whose conditions are not known to be false with the
// node's config.
func WrittenBy(n *value.Node, path ...string) []Written {
	all := WrittenIn(PackageOf(n), append([]string{"#Artifact", "description"}, path...)...)
	if len(all) < 2 && (len(all) == 0 || len(all[0].within) == 0) {
		return all
	}
	sources := guards.Read(PackageOf(n).OwnFiles(), nil)
	env := configEnv(n.Config)
	return filter.Out(all, func(w Written) bool {
		return filter.Any(w.within, func(c condition) bool {
			truth := sources.TruthOf(c.x, env)
			return truth != guards.Unknown && (truth == guards.True) != c.holds
		})
	})

}

// configEnv is what is known of a config when it is finished.
func configEnv(config *value.Data) guards.Env {
	return func(p guards.Path) (any, bool) {
		if v := config.Get(p...); v != nil {
			return PlainValue(v), true
		}
		return guards.Absent{}, true
	}
}

// writtenSearch walks a file and knows at each node which fields it is in.
type writtenSearch struct {
	path   []string
	fields []string
	lets   map[string][]string
	found  []Written
	within [][]condition // of each comprehension around
}

func (w *writtenSearch) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.LetClause:
		if chain := configChain(x.Expr, w.lets); chain != nil {
			w.lets[x.Ident.Name] = chain
		}
		return false
	case *ast.Comprehension:
		var all []condition
		for _, clause := range x.Clauses {
			if c, ok := clause.(*ast.IfClause); ok {
				all = append(all, condition{c.Condition, true})
			}
		}
		w.within = append(w.within, all)
	case *ast.FallbackClause:
		w.within[len(w.within)-1] = opposite(w.within[len(w.within)-1])
	case *ast.Field:
		w.fields = append(w.fields, syntax.LabelName(x.Label))
		if !hasStruct(x.Value) && w.covers() {
			w.add(x.Value)
		}
	}
	return true
}

// opposite is what holds where the conditions do not; it is not known of which if
// there are several.
func opposite(all []condition) []condition {
	if len(all) != 1 {
		return nil
	}
	return []condition{{all[0].x, false}}
}

// hasStruct reports whether x is a struct, maybe unified with something else: its
// fields are visited by themselves.
func hasStruct(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.StructLit:
		return true
	case *ast.ParenExpr:
		return hasStruct(x.X)
	case *ast.BinaryExpr:
		return x.Op == token.AND && (hasStruct(x.X) || hasStruct(x.Y))
	}
	return false
}

// covers reports whether the walk is at the path or above it.
func (w *writtenSearch) covers() bool {
	return len(w.fields) <= len(w.path) && slices.Equal(w.fields, w.path[:len(w.fields)])
}

func (w *writtenSearch) add(x ast.Expr) {
	rest := w.path[len(w.fields):]
	found := Written{Pos: fromcue.Pos(x), Expr: wording.OneLine(x), x: x, within: slices.Concat(w.within...)}
	ast.Walk(x, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if chain := configChain(e, w.lets); len(chain) > 1 {
			found.Config = append(found.Config, append(slices.Clip(chain), rest...))
			return false
		}
		return true
	}, nil)
	if len(rest) > 0 && len(found.Config) == 0 {
		return // a type or an artifact, which says nothing of the field below
	}
	w.found = append(w.found, found)
}

func (w *writtenSearch) after(n ast.Node) {
	switch n.(type) {
	case *ast.Field:
		w.fields = w.fields[:len(w.fields)-1]
	case *ast.Comprehension:
		w.within = w.within[:len(w.within)-1]
	}
}

// configChain is the path that an expression like description.config.parameter.x
// names, from config on; lets are what let names stand for. It is nil for any
// other expression.
func configChain(x ast.Expr, lets map[string][]string) []string {
	switch x := x.(type) {
	case *ast.Ident:
		if x.Name == "config" {
			return []string{"config"}
		}
		return lets[x.Name]
	case *ast.SelectorExpr:
		inner := configChain(x.X, lets)
		if inner == nil {
			if syntax.LabelName(x.Sel) == "config" {
				return []string{"config"}
			}
			return nil
		}
		return append(slices.Clip(inner), syntax.LabelName(x.Sel))
	}
	return nil
}
