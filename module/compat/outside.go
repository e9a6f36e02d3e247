package compat

import (
	"slices"
	"strings"
	"unicode"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// outside compares the ifs and fors of an artifact's package that are not in its
// config and say something of it all the same. CUE does not write them down as
// long as their conditions are not known. Found are the changes of the config.
func (c *comparison) outside(was, is *spread.Package, found []Change, at diag.Pos) {
	before, after := intoConfig(was), intoConfig(is)
	if !slices.Equal(before, after) {
		all := slices.Concat(after, before)
		i := slices.IndexFunc(all, func(text string) bool { return !slices.Contains(before, text) || !slices.Contains(after, text) })
		c.report(Major, at, "config", "nothing proves that all it took is still taken: it depends on %s", short(all[max(i, 0)]))
		return
	}
	for _, text := range after {
		names := map[string]bool{}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
			names[word] = true
		}
		c.referred(relation{text: text, names: names}, found)
	}
}

// configAt is where an artifact's config is in its package.
var configAt = []string{"#Artifact", "description", "config"}

// intoConfig lists those of a package, in the order of its files.
func intoConfig(p *spread.Package) []string {
	var out []string
	for _, f := range p.Files {
		if value.IsModel(fromcue.Pos(f)) {
			continue
		}
		w := outsider{out: &out}
		w.decls(f.Decls, nil, nil)
	}
	return out
}

type outsider struct{ out *[]string }

// decls looks for the config among declarations at a path; within is the
// outermost comprehension that they lie in.
func (w outsider) decls(decls []ast.Decl, path []string, within *ast.Comprehension) {
	for _, d := range decls {
		switch x := d.(type) {
		case *ast.Comprehension:
			outer := within
			if outer == nil {
				outer = x
			}
			w.expr(x.Value, path, outer)
		case *ast.Field:
			w.expr(x.Value, append(slices.Clip(path), labelOf(x.Label)), within)
		case *ast.EmbedDecl:
			w.expr(x.Expr, path, within)
		}
	}
}

func (w outsider) expr(x ast.Expr, path []string, within *ast.Comprehension) {
	switch n := min(len(path), len(configAt)); {
	case !slices.Equal(path[:n], configAt[:n]):
		return
	case n == len(configAt):
		if within != nil {
			w.note(within)
		}
		return
	}
	switch x := x.(type) {
	case *ast.StructLit:
		w.decls(x.Elts, path, within)
	case *ast.ParenExpr:
		w.expr(x.X, path, within)
	case *ast.BinaryExpr:
		w.expr(x.X, path, within)
		w.expr(x.Y, path, within)
	}
}

func (w outsider) note(c *ast.Comprehension) {
	s := plain(&ast.File{Decls: []ast.Decl{c}})
	if !slices.Contains(*w.out, s) {
		*w.out = append(*w.out, s)
	}
}

// plain is the source of a file on one line, without comments.
func plain(f *ast.File) string {
	text, err := format.Node(f)
	if err != nil {
		return err.Error()
	}
	if bare, err := parser.ParseFile("", text); err == nil { // the mode leaves them out
		if text, err = format.Node(bare); err != nil {
			return err.Error()
		}
	}
	return strings.Join(strings.Fields(string(text)), " ")
}
