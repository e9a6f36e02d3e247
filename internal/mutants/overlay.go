package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const activePath = "kumiki.dev/internal/mutants/active"

// overlay writes the sources with all mutants in them into dir, each to be switched
// on by its number, its place in the list from 1 on, and the file that tells the go
// command so, whose name it returns. Nothing else is changed.
func overlay(dir string, all []*mutant) (string, error) {
	numbered := map[*source][]site{}
	for i, m := range all {
		numbered[m.src] = put(numbered[m.src], m, i+1)
	}
	var files struct{ Replace map[string]string }
	files.Replace = map[string]string{}
	for s, sites := range numbered {
		name := filepath.Join(dir, strings.ReplaceAll(s.name, "/", "_"))
		if err := os.WriteFile(name, []byte(rewrite(s, sites)), 0o600); err != nil {
			return "", err
		}
		files.Replace[s.path] = name
	}
	text, err := json.Marshal(files)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// site is a place of a source and the mutants there.
type site struct {
	at  span
	ids []numberedMutant
}

type numberedMutant struct {
	*mutant
	id int
}

func put(sites []site, m *mutant, id int) []site {
	i := slices.IndexFunc(sites, func(s site) bool { return s.at == m.at })
	if i < 0 {
		sites, i = append(sites, site{at: m.at}), len(sites)
	}
	sites[i].ids = append(sites[i].ids, numberedMutant{m, id})
	return sites
}

// rewrite is the text of a source with its mutants. Lines stay where they are, as
// nothing but the repetition of a comparison has more than one.
func rewrite(s *source, sites []site) string {
	slices.SortFunc(sites, func(a, b site) int { // outer ones first
		if a.at.from != b.at.from {
			return a.at.from - b.at.from
		}
		return b.at.to - a.at.to
	})
	w := &writer{src: s, sites: sites}
	clause := s.span(s.file.Name).to
	return s.text[:clause] + `; import active_ "` + activePath + `"` + w.part(span{clause, len(s.text)}, nil)
}

type writer struct {
	src   *source
	sites []site
}

// part is the text of a span with the mutants in it, those of outer aside, which
// is around it or the same.
func (w *writer) part(at span, outer *site) string {
	var b strings.Builder
	from := at.from
	for i := range w.sites {
		x := &w.sites[i]
		if x.at.from < from || x.at.to > at.to || outer != nil && x.at == outer.at {
			continue // before, behind, or within one that was written already
		}
		b.WriteString(w.src.text[from:x.at.from])
		b.WriteString(w.site(x))
		from = x.at.to
	}
	b.WriteString(w.src.text[from:at.to])
	return b.String()
}

// site is the text of a place, switched by each of its mutants.
func (w *writer) site(x *site) string {
	text := w.part(x.at, x)
	if i := slices.IndexFunc(x.ids, func(m numberedMutant) bool { return m.form == compared }); i >= 0 {
		text = w.comparison(x, x.ids[i].node.(*ast.BinaryExpr))
	}
	for _, m := range x.ids {
		switch m.form {
		case isTrue:
			text = fmt.Sprintf("(active_.On(%d) || active_.True(%d, %s))", m.id, m.id, text)
		case isFalse:
			text = fmt.Sprintf("(!active_.On(%d) && active_.False(%d, %s))", m.id, m.id, text)
		case negated:
			text = fmt.Sprintf("active_.Not(%d, %s)", m.id, text)
		case counted:
			kind, number, _ := strings.Cut(m.other, " ")
			text = fmt.Sprintf("active_.Int[%s](%d, %s, %s)", kind, m.id, text, number)
		case dropped:
			text = fmt.Sprintf("if active_.Keep(%d) { %s }", m.id, text)
		}
	}
	return text
}

// comparison evaluates its sides once, and compares them in each way.
func (w *writer) comparison(x *site, n *ast.BinaryExpr) string {
	sides, bound := [2]string{}, ""
	for i, side := range []ast.Expr{n.X, n.Y} {
		sides[i] = w.part(w.src.span(side), nil)
		if !isPure(side) {
			name := []string{"mutantX", "mutantY"}[i]
			bound += name + " := " + sides[i] + "; "
			sides[i] = name
		}
	}
	text := sides[0] + " " + n.Op.String() + " " + sides[1]
	for _, m := range x.ids {
		if m.form == compared {
			text = fmt.Sprintf("active_.Either(%d, %s, %s %s %s)", m.id, text, sides[0], m.other, sides[1])
		}
	}
	if bound == "" {
		return text
	}
	return "func() bool { " + bound + "return " + text + " }()"
}

// isPure reports whether an expression may be evaluated twice.
func isPure(x ast.Expr) bool {
	pure := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			pure = pure && isLength(n)
		case *ast.FuncLit:
			pure = false
		}
		return pure
	})
	return pure
}
