package depends

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// Decision is a condition on config under which the artifact has fields.
type Decision struct {
	At   *ast.Comprehension // all of whose clauses are conditions
	Asks []*Closed          // which must all be true
}

// Decisions are those of the artifact's description, outside of its config, that config alone
// decides, by the order in which they are met. What is in roles' artifacts is not looked at.
func (s *Sources) Decisions() (out []Decision) {
	d := decider{reader: s.reader, met: map[*ast.Comprehension]int{}, seen: map[*node]bool{}}
	s.artifact.expand()
	d.node(s.reader.config.up, 0)
	return filter.Out(d.out, func(x Decision) bool { return d.met[x.At] > 1 })
}

// Roles is how many roles the artifact has by name, under whatever condition.
func (s *Sources) Roles() int {
	s.artifact.expand()
	n, exact := s.at(Path{"description", "role"})
	if !exact {
		return 0
	}
	n.expand()
	return len(n.fields)
}

type decider struct {
	reader *reader
	out    []Decision
	met    map[*ast.Comprehension]int
	seen   map[*node]bool
}

func (d *decider) node(n *node, depth int) {
	if n.config != nil || n.isArtifact() || d.seen[n] || depth > maxDecided {
		return
	}
	d.seen[n] = true
	if depth > 1 && n.isPlain() {
		return
	}
	n.expand()
	for _, c := range n.bodies {
		x := c.decl.(*ast.Comprehension)
		if d.met[x]++; d.met[x] > 1 {
			continue
		}
		if asks := d.asks(x, c.given[len(c.given)-len(x.Clauses):]); asks != nil {
			d.out = append(d.out, Decision{x, asks})
		}
	}
	for _, name := range sorting.Ordered(n.fields) {
		d.node(n.fields[name], depth+1)
	}
}

// isPlain reports whether a field cannot contain a comprehension: no conjunct has one, or refers to
// anything in the package, where one might be.
func (n *node) isPlain() bool {
	return len(n.said) > 0 && !filter.Any(n.said, func(c *conjunct) bool {
		return !c.isModels() && (c.x == nil || mayDecide(c.x))
	})
}

// mayDecide reports whether an expression has a comprehension, or refers to anything in the package,
// where one might be.
func mayDecide(x ast.Expr) (found bool) {
	ast.Walk(x, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			if _, ok := nameOf(labelOf(x)); ok {
				found = found || x.Value == nil || mayDecide(x.Value)
				return false
			}
		case *ast.Comprehension:
			found = true
		case *ast.SelectorExpr:
			found = found || mayDecide(x.X)
			return false
		case *ast.Ident:
			_, isImport := x.Node.(*ast.ImportSpec)
			found = found || !isImport && (x.Node != nil || x.Scope != nil || !IsPredeclared(x.Name))
		}
		return !found
	}, nil)
	return found
}

// maxDecided is how deep in a description conditions are looked for: in the parameters of a
// role's config, and in what is next to them.
const maxDecided = 6

// asks are the conditions of a comprehension that are its own, nil where they are not for
// config to decide.
func (d *decider) asks(x *ast.Comprehension, clauses []term) (out []*Closed) {
	for _, t := range clauses {
		clause, ok := t.x.(*ast.IfClause)
		if _, p := t.scope.pkg(); !ok || p != d.reader.own || x.Fallback != nil {
			return nil
		}
		e := newCloser(d.reader)
		if !e.expr(term{x: clause.Condition, scope: t.scope}) {
			return nil
		}
		out = append(out, e.finish([]ast.Expr{clause.Condition}))
	}
	return out
}
