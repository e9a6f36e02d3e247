package spread

import (
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// Sources are those of a package, read for one use of theirs.
func (e *Evaluator) Sources(p *Package) *depends.Sources { return e.library.Sources(p) }

// Sliced is a package with the sources that a slice has.
func (e *Evaluator) Sliced(p *Package, s depends.Slice) *Package { return e.library.Sliced(p, s.Files) }

// Imported evaluates the artifact of a slice with a part of its config. Other than a
// level, it is one of a package that imports the slice, which CUE compiles once.
func (e *Evaluator) Imported(p *Package, given *value.Data) cue.Value {
	e.nextLevel()
	real := e.shallowInstance(p)
	at := step{path: []string{"artifact", "#Artifact"}, at: ConfigAt, given: given}
	file := &ast.File{Filename: fromcue.LevelFile, Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent("level")},
		&ast.ImportDecl{Specs: []*ast.ImportSpec{ast.NewImport(ast.NewIdent("artifact"), p.Path)}},
		&ast.Field{Label: ast.NewIdent(fromcue.LevelName + "0"), Value: at.expr("")},
	}}
	inst := build.NewContext(build.Loader(func(token.Pos, string) *build.Instance { return real })).NewInstance("level", nil)
	inst.ImportPath, inst.PkgName = "kumiki.dev/level", "level"
	_ = inst.AddSyntax(file) // the error is kept in inst.Err as well
	_ = inst.Complete()      // likewise
	e.count(inst)
	return e.ctx.BuildInstance(inst).LookupPath(cue.MakePath(cue.Str(fromcue.LevelName + "0")))
}

// InScope does the same in half the time. But CUE places what is in structs and lists
// otherwise than in a level, and the config's structs are open: see [source.Package.HasChoice].
func (e *Evaluator) InScope(p *Package, given *value.Data) cue.Value {
	scope := e.build(e.shallowInstance(p))
	level := step{path: artifactSteps[0].path, at: ConfigAt, given: given}.expr("")
	ast.Walk(level, func(ast.Node) bool { e.compiled++; return true }, nil)
	return e.ctx.BuildExpr(level, cue.Scope(scope))
}

// LoopNames are the names of the fields of a struct at a path of a value, in the order in which CUE's loops go through them; nil if there
// is none.
func (e *Evaluator) LoopNames(v cue.Value, at cue.Path) (names []string) {
	all := e.ctx.CompileString(fmt.Sprintf("[for name, _ in %v {name}]", at), cue.Scope(v))
	if all.Decode(&names) != nil {
		return nil
	}
	return names
}
