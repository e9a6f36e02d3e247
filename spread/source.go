package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"
)

// Written is a place in a package's sources that gives a field a value.
type Written struct {
	Pos token.Pos
	// Expr is the expression, on one line.
	Expr string
	// Config are the fields of the artifact's config that the expression reads,
	// each from "config" on.
	Config [][]string
}

// Written returns the places that give the field at path, which starts with
// #Artifact or #Deployment. A place that gives a struct above it by a reference
// counts: what it refers to is then the field below that.
func (p *Package) Written(path ...string) []Written {
	var out []Written
	for _, f := range p.Files {
		w := &writtenSearch{path: path, lets: map[string][]string{}}
		ast.Walk(f, w.before, w.after)
		out = append(out, w.found...)
	}
	return out
}

// writtenSearch walks a file and knows at each node which fields it is in.
type writtenSearch struct {
	path   []string
	fields []string
	lets   map[string][]string
	found  []Written
}

func (w *writtenSearch) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.LetClause:
		if chain := configChain(x.Expr, w.lets); chain != nil {
			w.lets[x.Ident.Name] = chain
		}
		return false
	case *ast.Field:
		w.fields = append(w.fields, labelName(x.Label))
		if !hasStruct(x.Value) && w.covers() {
			w.add(x.Value)
		}
	}
	return true
}

// hasStruct tells whether x is a struct, maybe unified with something else: its
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

// covers tells whether the walk is at the path or above it.
func (w *writtenSearch) covers() bool {
	return len(w.fields) <= len(w.path) && slices.Equal(w.fields, w.path[:len(w.fields)])
}

func (w *writtenSearch) add(x ast.Expr) {
	rest := w.path[len(w.fields):]
	found := Written{Pos: x.Pos(), Expr: oneLine(x)}
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
	if _, ok := n.(*ast.Field); ok {
		w.fields = w.fields[:len(w.fields)-1]
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
			if labelName(x.Sel) == "config" {
				return []string{"config"}
			}
			return nil
		}
		return append(slices.Clip(inner), labelName(x.Sel))
	}
	return nil
}

func oneLine(x ast.Expr) string {
	b, err := format.Node(x)
	if err != nil {
		return ""
	}
	return short(strings.Join(strings.Fields(string(b)), " "))
}
