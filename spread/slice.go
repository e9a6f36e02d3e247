package spread

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"

	"kumiki.dev/spread/depends"
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

// of is a package as [depends.Read] takes it.
func (l *library) of(p *Package) *depends.Package {
	if p == nil {
		return nil
	}
	if l.read[p] == nil {
		p.link()
		l.read[p] = &depends.Package{Files: p.Files, Model: isModel(p), Import: func(path string) *depends.Package { return l.of(p.Imports[path]) }}
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

// evaluated is a config that CUE has made of nothing but the declarations of configs,
// where those depend on each other; false where anything is wrong with it.
func (res *residual) evaluated(r *runner, u *unit, given *value.Data, at place) (*value.Data, bool) {
	quiet := newRunner(r.eval, r.opts)
	if res.declared == nil {
		p := r.eval.library.sliced(u.pkg, res.depends.Slice(false, depends.Path(configAt)))
		res.declared = newUnit(p, r.eval.Value(p).LookupPath(artifactPath))
	}
	r.work.Sliced++
	c := quiet.configure(res.declared, given, at)
	if quiet.found > 0 || c.open || len(errorsOf(c.value)) > 0 {
		return nil, false
	}
	return c.config, true
}

// configure fills the config: field by field, or as CUE does where more than parameters
// depend on each other.
func (res *residual) configure(r *runner, u *unit, given *value.Data, at place) (*value.Data, bool) {
	if !res.together {
		config, ok := res.config(r, u, u.complete(given), value.Origin{By: value.FromDefault, Who: at.who()})
		if ok || res.depends == nil {
			return config, ok
		}
	}
	return res.evaluated(r, u, given, at)
}

// imported evaluates the artifact of a slice with a part of its config. Other than a
// level, it is one of a package that imports the slice, which CUE compiles once.
func (e *Evaluator) imported(p *Package, given *value.Data) cue.Value {
	e.nextLevel()
	real := e.shallowInstance(p)
	at := step{path: []string{"artifact", "#Artifact"}, at: configAt, given: given}
	file := &ast.File{Filename: levelFile, Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent("level")},
		&ast.ImportDecl{Specs: []*ast.ImportSpec{ast.NewImport(ast.NewIdent("artifact"), p.Path)}},
		&ast.Field{Label: ast.NewIdent(levelName + "0"), Value: at.expr("")},
	}}
	inst := build.NewContext(build.Loader(func(token.Pos, string) *build.Instance { return real })).NewInstance("level", nil)
	inst.ImportPath, inst.PkgName = "kumiki.dev/level", "level"
	_ = inst.AddSyntax(file) // the error is kept in inst.Err as well
	_ = inst.Complete()      // likewise
	e.count(inst)
	return e.ctx.BuildInstance(inst).LookupPath(cue.MakePath(cue.Str(levelName + "0")))
}

// inScope does the same in half the time. But CUE places what is in structs and lists
// otherwise than in a level.
func (e *Evaluator) inScope(p *Package, given *value.Data) cue.Value {
	e.nextLevel()
	scope := e.build(e.shallowInstance(p))
	level := step{path: artifactSteps[0].path, at: configAt, given: given}.expr("")
	ast.Walk(level, func(ast.Node) bool { e.compiled++; return true }, nil)
	return e.ctx.BuildExpr(level, cue.Scope(scope))
}
