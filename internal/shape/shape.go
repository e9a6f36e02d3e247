// Package shape finds what is not written in the model's form although it is
// plain what is meant, and gives the tree that form: what else is wrong can then
// be found in the same run, without what CUE would say of the rest.
//
//	role: cache: c.#Artifact // is mended to role: cache: artifact: c.#Artifact
//
// It touches nothing that the model could accept.
package shape

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/token"
	"golang.org/x/text/unicode/norm"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// Package is the parsed files of a package. The mended trees are its own.
type Package struct {
	Path, Name string
	Files      []*ast.File
}

// Mend reports what has another form than the model's, and mends the files. It
// comes before imports are looked for, as it may tell what they are for; each
// import has a name.
func Mend(p *Package) diag.List {
	m := &mender{Package: p}
	m.oneDeployment()
	m.otherDeployments()
	for _, f := range p.Files {
		before := len(m.problems)
		m.file = f
		m.misnamed()
		m.misspelt()
		m.deployed()
		m.artifact(literals(definition(f, "#Artifact")...))
		m.deployment(literals(definition(f, "#Deployment")...))
		if len(m.problems) > before {
			// Names may lead elsewhere now. The parser has reported those that lead
			// nowhere.
			astutil.Resolve(f, func(token.Pos, string, ...any) {})
			f.Unresolved = filter.Out(f.Unresolved, func(x *ast.Ident) bool { return x.Node != nil })
		}
	}
	m.kindless()
	m.closedBase()
	m.closedAlone("#Artifact", "an artifact")
	m.closedAlone("#Deployment", "a deployment")
	return m.problems
}

// mender is the state of one Mend.
type mender struct {
	*Package
	file     *ast.File
	problems diag.List
}

// report keeps a problem with the artifact's description, or the deployment. Where
// something has no name it follows from no other problem that it has none.
func (m *mender) report(d *diag.Diagnostic, path ...string) {
	d.AtPath(path...)
	if len(path) > 1 && path[0] == "description" && d.Code != diag.Shape {
		d.In(m.Path, path[1:]...)
	}
	m.problems = append(m.problems, d)
}

func (m *mender) artifact(lits []*ast.StructLit) {
	if len(lits) == 0 {
		return
	}
	m.specified(lits)
	m.sections(lits, []string{}, []string{"spec", "ref", "description"})
	m.reference(lits)
	description := below(lits, "description")
	m.sections(description, []string{"description"}, m.described(lits))
	m.sections(below(description, "config"), []string{"description", "config"}, configSections)
	m.arrows(description)
	m.unnamed(description)
	for _, role := range members(below(description, "role")) {
		m.role(role)
	}
}

// specified mends what other models call spec, which is the model's version in this one:
//
//	spec: {srv: {…}, code: {…}}
func (m *mender) specified(lits []*ast.StructLit) {
	for _, f := range members(lits, "spec") {
		if _, ok := f.Value.(*ast.StructLit); !ok {
			continue
		}
		d := diag.New(diag.UnknownField, fromcue.Pos(f.Label), "spec is the model's version; what an artifact is stands in description: write description in its place")
		d.Fixes = []diag.Fix{rename(f.Label, "spec", "description")}
		m.report(d, "spec")
		label := ast.NewIdent("description")
		ast.SetPos(label, f.Label.Pos())
		f.Label = label
	}
}

// role looks at one role of a service.
func (m *mender) role(role *ast.Field) {
	at := []string{"description", "role", nameOf(role.Label)}
	m.bareArtifact(role)
	lits := literals(role.Value)
	m.sections(lits, at, []string{"artifact", "config", "meta", "name"})
	m.sections(below(lits, "config"), append(at, "config"), configSections)
	for _, f := range members(lits, "artifact") {
		m.filled(f, diag.RoleWithoutArtifact, at)
	}
}

func (m *mender) deployment(lits []*ast.StructLit) {
	m.sections(lits, nil, []string{"name", "artifact", "config", "meta", "up", "links", "accepts", "labels", "sla", "objects"})
	for _, f := range members(lits, "artifact") {
		m.filled(f, diag.NoArtifact, nil)
	}
}

// definition is what a definition at the top of a file is given.
func definition(f *ast.File, name string) []ast.Expr {
	var out []ast.Expr
	for _, d := range f.Decls {
		if field, ok := d.(*ast.Field); ok && nameOf(field.Label) == name {
			out = append(out, field.Value)
		}
	}
	return out
}

// conjuncts are what expressions unify.
func conjuncts(all ...ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, x := range all {
		switch x := x.(type) {
		case nil:
		case *ast.ParenExpr:
			out = append(out, conjuncts(x.X)...)
		case *ast.BinaryExpr:
			if x.Op == token.AND {
				out = append(out, conjuncts(x.X, x.Y)...)
				continue
			}
			out = append(out, x)
		default:
			out = append(out, x)
		}
	}
	return out
}

// literals are the structs that expressions unify.
func literals(all ...ast.Expr) []*ast.StructLit {
	var out []*ast.StructLit
	for _, c := range conjuncts(all...) {
		if lit, ok := c.(*ast.StructLit); ok {
			out = append(out, lit)
		}
	}
	return out
}

// members are the fields of structs that have one of the names, of any plain
// name if none is given.
func members(lits []*ast.StructLit, names ...string) []*ast.Field {
	var out []*ast.Field
	for _, lit := range lits {
		for _, e := range lit.Elts {
			f, ok := e.(*ast.Field)
			if !ok {
				continue
			}
			name := nameOf(f.Label)
			wanted := len(names) == 0 && isPlain(f.Label)
			for _, n := range names {
				wanted = wanted || n == name
			}
			if wanted {
				out = append(out, f)
			}
		}
	}
	return out
}

// below are the structs at a path.
func below(lits []*ast.StructLit, path ...string) []*ast.StructLit {
	for _, name := range path {
		var next []*ast.StructLit
		for _, f := range members(lits, name) {
			next = append(next, literals(f.Value)...)
		}
		lits = next
	}
	return lits
}

// nameOf is the name that a label gives a field, "" if that depends on something.
func nameOf(l ast.Label) string {
	name, isIdent, err := ast.LabelName(l)
	if err != nil {
		return ""
	}
	if !isIdent {
		return norm.NFC.String(name) // as CUE has it
	}
	return name
}

// isPlain reports whether a field is a regular one with a name.
func isPlain(l ast.Label) bool {
	name, isIdent, err := ast.LabelName(l)
	return err == nil && !(isIdent && strings.HasPrefix(strings.TrimPrefix(name, "_"), "#")) && !(isIdent && strings.HasPrefix(name, "_"))
}

// quoted is a name as CUE writes it.
func quoted(name string) string { return cue.MakePath(cue.Str(name)).String() }

// joined is a path as CUE writes it.
func joined(path []string) string {
	words := make([]string, len(path))
	for i, name := range path {
		words[i] = quoted(name)
	}
	return strings.Join(words, ".")
}

// text is the value of a literal in double quotes, false for anything else.
func text(x ast.Expr) (string, bool) {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING || !strings.HasPrefix(lit.Value, `"`) || strings.HasPrefix(lit.Value, `""`) && lit.Value != `""` {
		return "", false
	}
	s, err := literalString(lit)
	return s, err == nil
}
