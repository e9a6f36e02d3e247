package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// step is one level as a source file would have it: what is given to a value,
// in
//
//	kumikiLevel0: #Artifact & {description: config: {parameter: port: 9090}}
//
// It is compiled with the package, because that is how CUE evaluates all of an
// artifact anew: comprehensions of a value that CUE has evaluated before it was
// given anything stay as they were.
type step struct {
	// path leads to the value: from the package for the first step of a chain,
	// from the step before for all others.
	path []string
	// at is where in the value the data goes.
	at []string
	// given is the data, nil for none.
	given *value.Data
}

// chain is the steps to an artifact that is written out within others: of the
// deployment or artifact that the package defines, down to the artifact itself.
type chain []step

var (
	artifactSteps = chain{{path: []string{"#Artifact"}}}
	ConfigAt      = []string{"description", "config"}
)

// with returns the chain whose last step is given the data.
func (c chain) with(at []string, given *value.Data) chain {
	out := slices.Clone(c)
	out[len(out)-1].at, out[len(out)-1].given = at, given
	return out
}

// into returns the chain with a further step.
func (c chain) into(path ...string) chain { return append(slices.Clip(c), step{path: path}) }

// level evaluates the last step of a chain in the package. If open, the config
// takes fields that the artifact does not declare.
func (e *Evaluator) level(p *Package, open bool, c chain) cue.Value {
	return e.levels(p, open, c[:len(c)-1], c[len(c)-1:])[0]
}

// Filled evaluates the artifact of a package with a finished config.
func (e *Evaluator) Filled(p *Package, config *value.Data) cue.Value {
	return e.level(p, false, artifactSteps.with(ConfigAt, config))
}

// levels evaluates steps that all go on from the same chain, at once.
func (e *Evaluator) levels(p *Package, open bool, from chain, last []step) []cue.Value {
	name := freeName(p, fromcue.LevelName)
	file := &ast.File{Filename: fromcue.LevelFile, Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent(p.Name)}}}
	var fields []string
	add := func(before string, s step) {
		fields = append(fields, fmt.Sprint(name, len(fields)))
		file.Decls = append(file.Decls, &ast.Field{Label: ast.NewIdent(fields[len(fields)-1]), Value: s.expr(before)})
	}
	for i, s := range from {
		add(append([]string{""}, fields...)[i], s)
	}
	before := append([]string{""}, fields...)[len(from)]
	for _, s := range last {
		add(before, s)
	}
	v := e.build(e.withExtra(p, open, file))
	var out []cue.Value
	for _, f := range fields[len(from):] {
		out = append(out, v.LookupPath(cue.MakePath(cue.Str(f))))
	}
	return out
}

// expr writes the step; before is the field of the step before, "" for none.
//
// CUE orders fields by the positions of labels and of references: those that are
// given come after all that the step before declares, in the same file. So where an
// order is to be seen, as in what json.Marshal makes, the declarations decide.
func (s step) expr(before string) ast.Expr {
	path := s.path
	if before == "" {
		before, path = path[0], path[1:]
	}
	file := token.NewFile(fromcue.LevelFile, -1, 2)
	var x ast.Expr = &ast.Ident{Name: before, NamePos: file.Pos(0, token.NoRelPos)}
	for _, name := range path {
		var sel ast.Label = ast.NewString(name)
		if syntax.IsAside(name) {
			sel = ast.NewIdent(name)
		}
		x = &ast.SelectorExpr{X: x, Sel: sel}
	}
	if s.given == nil {
		return x
	}
	given := WithoutAsides(s.given)
	for _, name := range slices.Backward(s.at) {
		given = value.NewStruct(given.Pos, value.Field{Name: name, Value: given})
	}
	after := diag.At(file.Pos(1, token.NoRelPos))
	x = &ast.BinaryExpr{X: x, Op: token.AND, Y: exprWith(given, func(value.Field) diag.Pos { return after })}
	for _, aside := range asides(s.given) {
		x = &ast.BinaryExpr{X: x, Op: token.AND, Y: asideExpr(aside)}
	}
	return x
}

// freeName returns a name that no field at the top of the package begins with: the
// one that is proposed, if possible.
func freeName(p *Package, name string) string {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok && strings.HasPrefix(syntax.LabelName(field.Label), name) {
				return freeName(p, name+"_")
			}
		}
	}
	return name
}
