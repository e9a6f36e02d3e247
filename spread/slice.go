package spread

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// library reads packages for [depends.Read], each once.
type library struct {
	read  map[*Package]*depends.Package
	named map[*Package]*depends.Sources // see [library.names]
}

func newLibrary() *library {
	return &library{map[*Package]*depends.Package{}, map[*Package]*depends.Sources{}}
}

// names are the sources of a package, to ask what names in it stand for.
func (l *library) names(p *Package) *depends.Sources {
	if l.named[p] == nil {
		l.named[p] = depends.Read(l.of(p))
	}
	return l.named[p]
}

// sources are those of a package, read for one use of theirs.
func (l *library) sources(p *Package) *depends.Sources { return depends.Read(l.of(p)) }

// of is a package as [depends.Read] takes it.
func (l *library) of(p *Package) *depends.Package {
	if p == nil {
		return nil
	}
	if l.read[p] == nil {
		p.Link()
		l.read[p] = &depends.Package{Files: p.Files, Model: IsModel(p), Import: func(path string) *depends.Package { return l.of(p.Imports[path]) }}
	}
	return l.read[p]
}

// sliced is a package with the sources that a slice has.
func (l *library) sliced(p *Package, s depends.Slice) *Package {
	made := map[*Package]*Package{}
	var slice func(p *Package) *Package
	slice = func(p *Package) *Package {
		if made[p] != nil {
			return made[p]
		}
		files, ok := s.Files[l.read[p]]
		if !ok {
			return p
		}
		out := &Package{Path: p.Path, Name: p.Name, Module: p.Module, Files: files, Imports: map[string]*Package{}}
		made[p] = out
		for path, imp := range p.Imports {
			out.Imports[path] = slice(imp)
		}
		return out
	}
	return slice(p)
}

// Sources are those of a package, read for one use of theirs.
func (e *Evaluator) Sources(p *Package) *depends.Sources { return e.library.sources(p) }

// Sliced is a package with the sources that a slice has.
func (e *Evaluator) Sliced(p *Package, s depends.Slice) *Package { return e.library.sliced(p, s) }

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
// otherwise than in a level, and the config's structs are open: see [Package.HasChoice].
func (e *Evaluator) InScope(p *Package, given *value.Data) cue.Value {
	scope := e.build(e.shallowInstance(p))
	level := step{path: artifactSteps[0].path, at: ConfigAt, given: given}.expr("")
	ast.Walk(level, func(ast.Node) bool { e.compiled++; return true }, nil)
	return e.ctx.BuildExpr(level, cue.Scope(scope))
}

// HasChoice is [syntax.HasChoice] of a package and those that it imports, without the model.
func (p *Package) HasChoice(complete bool) bool {
	return p.has(func(files []*ast.File) bool { return syntax.HasChoice(files, complete) })
}

// JoinsDefaults is [syntax.JoinsDefaults] of a package and those that it imports, without the model.
func (p *Package) JoinsDefaults() bool { return p.has(syntax.JoinsDefaults) }

func (p *Package) has(is func([]*ast.File) bool) bool {
	return !p.within(map[*Package]bool{}, func(p *Package) bool { return IsModel(p) || !is(p.Files) })
}
