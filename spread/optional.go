package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// Optionals warns of the fields of data, in the sections of a deployment, that files mark as
// optional and that nobody gives: they are no part of it. In a definition such a mark
// belongs to a type, and says what may be given.
func Optionals(files []*ast.File, deployment cue.Value, sections ...string) diag.List {
	marked := optionalsIn(files)
	if len(marked) == 0 {
		return nil
	}
	o := optionals{marked: marked}
	for _, section := range sections {
		if v := deployment.LookupPath(cue.MakePath(cue.Str(section))); v.Exists() {
			o.look(v, []string{section})
		}
	}
	return o.problems
}

// optionalsIn are the places of optional fields and their values outside of definitions other
// than #Deployment, with those of the fields.
func optionalsIn(files []*ast.File) map[diag.Pos]diag.Pos {
	marked := map[diag.Pos]diag.Pos{}
	for _, file := range files {
		ast.Walk(file, func(n ast.Node) bool {
			f, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			if name := syntax.LabelName(f.Label); strings.HasPrefix(name, "#") && name != "#Deployment" || strings.HasPrefix(name, "_#") {
				return false
			}
			if f.Constraint == token.OPTION {
				marked[fromcue.Pos(f)], marked[fromcue.Pos(f.Value)] = fromcue.Pos(f), fromcue.Pos(f)
			}
			return true
		}, nil)
	}
	return marked
}

type optionals struct {
	marked   map[diag.Pos]diag.Pos
	problems diag.List
}

// look goes through the structs and lists of a value at a path.
func (o *optionals) look(v cue.Value, path []string) {
	v, _ = v.Default()
	if items, err := v.List(); err == nil {
		for i := 0; items.Next(); i++ {
			o.look(items.Value(), append(slices.Clip(path), value.Element(i)))
		}
		return
	}
	fields, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil {
		return
	}
	for fields.Next() {
		at := append(slices.Clip(path), fields.Name())
		if fields.FieldType()&cue.OptionalConstraint == 0 {
			o.look(fields.Value(), at)
			continue
		}
		for _, pos := range fromcue.ValuePositions(fields.Value()) {
			if field, ok := o.marked[pos]; ok {
				o.problems = append(o.problems, diag.Warn(diag.OptionalField, field, "%s is optional here, so that it is not given and its value counts for nothing: leave out the question mark, or the field", wording.Path(at)).AtPath(at...))
				break
			}
		}
	}
}

// declaredOptional are the parameters and resources that the sources of an artifact mark as
// optional, each as a path from "config" on.
func declaredOptional(p *Package) [][]string {
	var out [][]string
	eachOptional(p, func(path []string, _ *ast.Field) { out = append(out, path) })
	return out
}

// DeclaredAt is where the sources of an artifact mark the field of its config at a path, from
// "config" on, as optional; not valid where they don't.
func DeclaredAt(p *Package, path []string) (at diag.Pos) {
	eachOptional(p, func(other []string, f *ast.Field) {
		if slices.Equal(path, other) {
			at = fromcue.Pos(f)
		}
	})
	return at
}

func eachOptional(p *Package, tell func([]string, *ast.Field)) {
	for _, file := range p.OwnFiles() {
		eachDeclared(file.Decls, []string{"#Artifact", "description", "config"}, nil, tell)
	}
}

// eachDeclared goes through the fields of declarations, those on the way first and then, with
// their paths, those below, and tells of the optional ones.
func eachDeclared(decls []ast.Decl, way, path []string, tell func([]string, *ast.Field)) {
	for _, d := range decls {
		f, ok := d.(*ast.Field)
		if !ok {
			if e, ok := d.(*ast.EmbedDecl); ok {
				eachDeclared(literals(e.Expr), way, path, tell)
			}
			continue
		}
		name := syntax.LabelName(f.Label)
		at := append(slices.Clip(path), name)
		switch {
		case name == "" || syntax.IsAside(name) && name != "#Artifact":
		case len(way) > 1 && name == way[0]:
			eachDeclared(literals(f.Value), way[1:], nil, tell)
		case len(way) == 1 && name == way[0]:
			eachDeclared(literals(f.Value), nil, []string{name}, tell)
		case len(way) > 0 || len(at) == 2 && name != "parameter" && name != "resource":
		case f.Constraint == token.OPTION:
			tell(at, f)
		default:
			eachDeclared(literals(f.Value), nil, at, tell)
		}
	}
}

// literals are the declarations of the structs that an expression is made of.
func literals(x ast.Expr) []ast.Decl {
	var out []ast.Decl
	for _, lit := range syntax.Structs(x) {
		out = append(out, lit.Elts...)
	}
	return out
}
