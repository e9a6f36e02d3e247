package spread

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
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

// dependents are what depends on the same fields of config. Its values are made of a slice of
// the artifact's sources, once for each config that differs there.
type dependents struct {
	set   depends.Set
	from  []depends.Path
	paths [][]string // those of from that are data; the others are only right or wrong
	// closed are expressions for the values of from, nil if some have none.
	closed []*depends.Closed
	given  *Package // the slice for a config that is given whole, nil until it is needed
	typed  *Package // the same with the types of config
	// defaults reports whether it may make a difference what of the config is a default.
	defaults bool
	// leaves tells that all values were leaves so far.
	leaves bool
	known  map[string]made
}

// made is what a group was with a config.
type made struct {
	config *value.Data   // what was given of it
	values []*value.Data // by path; nil for what is not there
}

// depend adds what lies at a path of the artifact to those that depend on the same.
func (s *sources) depend(h depends.Hole, path ...string) {
	key := fmt.Sprint(h.Closed != nil, h.Set)
	g := s.groups[key]
	if g == nil {
		g = &dependents{set: h.Set, known: map[string]made{}}
		s.groups[key] = g
		s.order = append(s.order, g)
	}
	g.from = append(g.from, h.Path)
	if h.Closed != nil {
		g.closed = append(g.closed, h.Closed)
	}
	if len(path) > 0 {
		g.paths = append(g.paths, path)
	}
}

// readHoles reads in the sources what depends on config, and how. It is nil where that
// is more than values in the description, and in the configs and the meta of roles.
func readHoles(p *Package, lib *library) *sources {
	s := newHoles(p, depends.Read(lib.of(p)))
	if !s.readHoles() {
		return nil
	}
	return s
}

func newHoles(p *Package, d *depends.Sources) *sources {
	groups, ok := d.Together()
	return &sources{groupsOfConfig: groups, together: !ok, pkg: p, depends: d, alone: map[string]*dependents{}, passed: map[string]map[string]passed{}, described: map[string]passed{}, groups: map[string]*dependents{}, aside: map[*ast.Field]bool{}}
}

func (s *sources) readHoles() bool {
	return !slices.ContainsFunc(s.depends.Holes(), func(h depends.Hole) bool { return !s.hole(h) })
}

// readRest is [readHoles] for a service whose roles are read from the sources as far as they
// are plain; nil if none is. What is left is for CUE.
func (r *runner) readRest(p *Package, stubbed map[*Package]bool) *sources {
	if syntax.HasUnused(p.Files) {
		return nil // CUE minds
	}
	s := newHoles(p, depends.Read(r.eval.library.of(p)))
	plain := map[string]*plainRole{}
	var fields []depends.Part
	for _, x := range s.depends.Once("description", "role") {
		if role := r.readPlain(p, x, stubbed); role != nil {
			plain[x.Name] = role
			fields = append(fields, x)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	fields = s.depends.LeaveOut(fields)
	for _, x := range fields {
		s.plain = append(s.plain, plain[x.Name])
		for _, f := range x.Fields {
			s.aside[f] = true
		}
	}
	if len(s.plain) == 0 || !s.readHoles() {
		return nil
	}
	s.rest = &Package{Path: p.Path, Name: p.Name, Module: p.Module, Imports: p.Imports, Files: s.depends.Rest(fields)}
	return s
}

func (s *sources) hole(h depends.Hole) bool {
	path := h.Path
	switch {
	case slices.ContainsFunc(path, isAside):
		s.depend(h)
	case len(path) < 2 || path[0] != "description" || path[1] == "builtin" || len(path) < 5 && path[1] == "role":
		return false
	case slices.ContainsFunc(path, func(name string) bool { return strings.HasPrefix(name, `"`) }):
		return false // a field whose name looks like that of a hidden one
	case path[1] != "role":
		if f, ok := formulaOf(h); ok && !f.reads("resource") {
			s.described[strings.Join(path[1:], "\x00")] = f
			s.alone[strings.Join(path, "\x00")] = &dependents{set: h.Set, from: []depends.Path{path}, paths: [][]string{path}, known: map[string]made{}}
			return true
		}
		s.depend(h, path...)
	case path[3] == "config":
		f, ok := formulaOf(h)
		if path[4] == "resilience" && !slices.Equal(f.copies(), []string{"config", "resilience"}) {
			return false
		}
		if ok {
			if s.passed[path[2]] == nil {
				s.passed[path[2]] = map[string]passed{}
			}
			s.passed[path[2]][strings.Join(path[4:], "\x00")] = f
			s.alone[strings.Join(path, "\x00")] = &dependents{set: h.Set, from: []depends.Path{path}, paths: [][]string{path}, known: map[string]made{}}
			return true
		}
		if path[4] == "resource" {
			return false // what is written for one is judged where it stands
		}
		s.depend(h, path...)
	case path[3] == "meta":
		s.depend(h, path...)
	default:
		return false
	}
	return true
}

// formulaOf is the expression by which a value is made, false if Go does not know it.
func formulaOf(h depends.Hole) (passed, bool) {
	if h.Formula == nil {
		return passed{}, false
	}
	out := passed{text: h.Formula.Text, expr: h.Formula.Expr}
	for _, x := range h.Formula.Pieces {
		p := part{literal: x.Text}
		if x.Path != nil {
			p.ref = append([]string{"config"}, x.Path...)
		}
		out.parts = append(out.parts, p)
	}
	return out, true
}

// open are the paths of groups, from the artifact or, of what lies in one, from a role
// on: CUE is not asked for them when it evaluates the artifact without a config.
func (s *sources) open(role string) map[string]bool {
	out := map[string]bool{}
	for _, g := range s.order {
		for _, path := range g.paths {
			if role == "" && path[1] != "role" {
				out[strings.Join(path, "\x00")] = true
			} else if role != "" && path[1] == "role" && path[2] == role {
				out[strings.Join(path[3:], "\x00")] = true
			}
		}
	}
	return out
}

// fill makes the values of a group with a config, of which a part was given. It is false
// where CUE has to see the whole artifact.
func (g *dependents) fill(r *runner, u *unit, config, given *value.Data) ([]*value.Data, bool) {
	part, own := g.part(config), g.part(given)
	key := part.JSON()
	key += own.JSON() // a default may have another place
	if old, ok := g.known[key]; ok {
		if same(old.config, part) {
			return old.values, true
		}
		if moved, ok := moves(old.config, part); ok {
			out := make([]*value.Data, len(old.values))
			for i, x := range old.values {
				out[i] = x
				if x != nil {
					out[i] = x.Moved(func(p diag.Pos) diag.Pos { return cmp.Or(moved[p], p) })
				}
			}
			return out, true
		}
	}
	values, ok := g.evaluate(r, u, part, own)
	if ok {
		g.known[key] = made{part, values}
	}
	return values, ok
}

// part is what a config has for the group.
func (g *dependents) part(config *value.Data) *value.Data {
	part := value.NewStruct(config.Pos)
	for _, path := range g.set {
		part = part.Merge(config.Within(path))
	}
	return part
}

// moves are the positions of one config for those of another of the same values, false
// if one would have to become two.
func moves(from, to *value.Data) (map[diag.Pos]diag.Pos, bool) {
	out, ok := map[diag.Pos]diag.Pos{}, true
	var each func(a, b *value.Data)
	each = func(a, b *value.Data) {
		if p, known := out[a.Pos]; known && p != b.Pos {
			ok = false
		}
		out[a.Pos] = b.Pos
		other := b.Members()
		for i, m := range a.Members() {
			each(m.Value, other[i].Value)
		}
	}
	each(from, to)
	return out, ok
}

// evaluate has CUE make the values. Where some of the config is not given but a default,
// CUE sees it as one in an artifact as a whole, unless something stays open then: so it may
// make no difference.
func (g *dependents) evaluate(r *runner, u *unit, part, own *value.Data) ([]*value.Data, bool) {
	if values := g.alone(r, part); values != nil {
		return values, true
	}
	if u.src == nil || u.src.depends == nil || u.src.isPlain(g.from[0]) {
		return nil, false // it is not in the sources that are left
	}
	if g.given == nil {
		s := u.src.depends.Slice(true, g.from...)
		g.given, g.defaults = r.eval.library.sliced(u.pkg, s), s.Defaults
	}
	values, wrong, open := g.level(r, u, g.given, part)
	if wrong || open {
		return nil, false
	}
	if part.JSON() == own.JSON() || !g.defaults && !showsDefault(values, part, own) {
		return values, true
	}
	if g.typed == nil {
		g.typed = r.eval.library.sliced(u.pkg, u.src.depends.Slice(false, g.from...))
	}
	others, wrong, open := g.level(r, u, g.typed, own)
	if open {
		return values, true
	}
	return others, !wrong && slices.EqualFunc(values, others, func(a, b *value.Data) bool {
		return a == nil && b == nil || a != nil && b != nil && a.JSON() == b.JSON()
	})
}

// alone has CUE evaluate the expressions for the values, with config in them; nil where
// that is not certain to be the same.
func (g *dependents) alone(r *runner, config *value.Data) (values []*value.Data) {
	if g.closed == nil {
		return nil
	}
	x := g.withConfig(config)
	if x == nil {
		return nil
	}
	r.work.Sliced++
	v := r.eval.expression(x)
	if len(errorsOf(v)) > 0 {
		return nil
	}
	n := 0
	for i, path := range g.from {
		f, isData := &finisher{places: nowhere}, n < len(g.paths) && slices.Equal(g.paths[n], path)
		d := f.finish(v.LookupPath(stringPath([]string{fmt.Sprint(i)})), path)
		if d == nil || len(f.problems) > 0 || d.IsComposite() {
			return nil // CUE tells in more ways than one where what is in a struct lies
		}
		if isData {
			n++
			if decl := g.closed[i].Decl; decl != nil {
				d.Pos = fromcue.Pos(decl)
			}
			values = append(values, d)
		}
	}
	return values
}

// finisherAt finishes what lies at a path of the artifact, which of a role is one from
// there on.
func (u *unit) finisherAt(path []string) (*finisher, []string) {
	if path[1] == "role" {
		return &finisher{places: u.placesInRole(path[2])}, path[3:]
	}
	return &finisher{any: path[1] == "connect", places: u.place}, path
}

// withConfig is a struct of the values, by their index, and of the config that they refer to;
// nil where the order of the fields of one might be seen in them.
func (g *dependents) withConfig(config *value.Data) *ast.StructLit {
	out := &ast.StructLit{}
	fields := map[string]*ast.Field{}
	field := func(path depends.Path) *ast.Field {
		key := strings.Join(path, "\x00")
		if f := fields[key]; f != nil {
			return f
		}
		f := &ast.Field{Label: ast.NewIdent(fmt.Sprint("config", len(fields))), Value: ast.NewIdent("_"), Constraint: token.OPTION}
		if d := config.Get(path...); d != nil {
			f.Value, f.Constraint = Expr(d), token.ILLEGAL
			ast.SetPos(f.Label, fromcue.Token(d.Pos))
		}
		fields[key] = f
		out.Elts = append(out.Elts, f)
		return f
	}
	for i, c := range g.closed {
		instead := map[ast.Expr]ast.Expr{}
		for at, path := range c.Config {
			if d := config.Get(path...); d != nil && isOrdered(d) {
				return nil
			}
			f := field(path)
			instead[at] = &ast.Ident{NamePos: at.Pos(), Name: f.Label.(*ast.Ident).Name, Node: f.Value, Scope: out}
		}
		label := ast.NewString(fmt.Sprint(i))
		for _, x := range c.Exprs {
			y, _ := syntax.CopyExpr(x, syntax.Change{Instead: instead})
			out.Elts = append(out.Elts, &ast.Field{Label: label, Value: y})
		}
		if len(c.Exprs) == 1 && c.Decl == nil {
			out.Elts = append(out.Elts, &ast.Field{Label: label, Value: ast.NewIdent("_")}) // CUE places one by itself where it is written
		}
	}
	return out
}

// isOrdered reports whether there are fields in a value that may come in another order.
func isOrdered(d *value.Data) (found bool) {
	d.Walk(nil, func(_ []string, x *value.Data) bool {
		found = found || len(x.Fields) > 1
		return !found
	})
	return found
}

// showsDefault reports whether there are defaults of config in values, which have another
// place as such than when they are given.
func showsDefault(values []*value.Data, part, own *value.Data) (shows bool) {
	defaults := map[diag.Pos]bool{}
	part.Walk(nil, func(path []string, x *value.Data) bool {
		if len(x.Members()) == 0 && own.Get(path...) == nil {
			defaults[x.Pos] = true
		}
		return true
	})
	for _, v := range values {
		v.Walk(nil, func(_ []string, x *value.Data) bool {
			shows = shows || defaults[x.Pos]
			return !shows
		})
	}
	return shows
}

// level evaluates the slice with a part of config. It reports whether anything is wrong,
// or left open.
func (g *dependents) level(r *runner, u *unit, slice *Package, part *value.Data) (values []*value.Data, wrong, open bool) {
	r.work.Sliced++
	level := r.eval.imported
	if g.leaves {
		level = r.eval.inScope
	}
	v := level(slice, part)
	if len(errorsOf(v)) > 0 {
		return nil, true, true
	}
	if len(g.from) > len(g.paths) && failed(v) != nil {
		return nil, false, true
	}
	for _, path := range g.paths {
		x, d := v.LookupPath(stringPath(path)), (*value.Data)(nil)
		if x.Exists() {
			f, path := u.finisherAt(path)
			d = f.finish(x, path)
			open = open || len(f.problems) > 0
		}
		values = append(values, d)
	}
	composite := slices.ContainsFunc(values, func(d *value.Data) bool { return d.IsComposite() })
	if g.leaves && composite {
		g.leaves = false
		return g.level(r, u, slice, part)
	}
	g.leaves = !composite
	return values, false, open
}

// evaluated is a config that CUE has made of nothing but the declarations of configs,
// where those depend on each other; false where anything is wrong with it.
func (res *residual) evaluated(r *runner, u *unit, given *value.Data, at place) (*value.Data, bool) {
	quiet := newRunner(r.eval, r.opts)
	if res.declared == nil {
		p := r.eval.library.sliced(u.pkg, res.depends.Slice(false, configPathNames))
		res.declared = newUnit(p, r.eval.Value(p).LookupPath(artifactPath))
	}
	r.work.Sliced++
	c := quiet.configure(res.declared, given, at)
	if quiet.found > 0 || c.open || len(errorsOf(c.value)) > 0 {
		return nil, false
	}
	return c.config, true
}

var configPathNames = depends.Path{"description", "config"}

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

// filled are the values of all that depend on config, by path from the artifact.
type filled struct {
	paths  [][]string
	values []*value.Data
	givers map[diag.Pos]value.Origin
}

func (res *residual) fill(r *runner, u *unit, config, given *value.Data) (out filled, ok bool) {
	for _, g := range res.dependent {
		values, ok := g.fill(r, u, config, given)
		if !ok {
			return filled{}, false
		}
		out.paths, out.values = append(out.paths, g.paths...), append(out.values, values...)
	}
	if len(out.paths) > 0 {
		out.givers = givers(config)
	}
	return out, true
}

// in puts what lies at a path of the artifact, or below it, into the data there, with who
// gave it if that is asked for.
func (f filled) in(d *value.Data, origin func(diag.Pos) value.Origin, at ...string) *value.Data {
	for i, path := range f.paths {
		if len(path) < len(at) || !slices.Equal(path[:len(at)], at) || len(at) == 1 && path[1] == "role" {
			continue
		}
		x := f.values[i]
		if x == nil && d.Get(path[len(at):]...) == nil {
			continue
		}
		if x != nil && origin != nil {
			x = x.WithOrigin(func(d *value.Data) value.Origin { return origin(d.Pos) })
		}
		d = d.With(path[len(at):], x)
	}
	return d
}

// only is the one value of what depends on some of config, nil where CUE has to see the
// whole artifact.
func (g *dependents) only(r *runner, u *unit, config, given *value.Data) *value.Data {
	if g == nil {
		return nil
	}
	values, ok := g.fill(r, u, config, given)
	if !ok {
		return nil
	}
	return values[0]
}

// madeByCUE is the value with the given config, nil where CUE has to see all.
func (p passedAt) madeByCUE(r *runner, u *unit, config, given *value.Data, origin value.Origin) *value.Data {
	x := p.byCUE.only(r, u, config, given)
	if x == nil {
		return nil
	}
	if same := p.copied(config); same != nil && same.JSON() == x.JSON() {
		return same
	}
	return x.WithOrigin(func(d *value.Data) value.Origin { return origins(givers(config), origin)(d.Pos) })
}

// isKnown reports whether Go knows what is to be done for each value that depends on
// config, without a look at the artifact as a whole.
func (s *sources) isKnown() bool {
	return !s.together && len(s.groupsOfConfig) == 0 && !slices.ContainsFunc(s.order, func(g *dependents) bool { return g.closed == nil })
}

// isPlain reports whether a role, or what lies in one, is read from the sources.
func (s *sources) isPlain(path []string) bool {
	if len(path) < 3 || path[1] != "role" {
		return false
	}
	role := path[2]
	return slices.ContainsFunc(s.plain, func(x *plainRole) bool { return x.name == role })
}

// fills reports whether what fills a role does not depend on config.
func (s *sources) fills(role string) bool {
	return s.depends == nil || s.isPlain([]string{"description", "role", role}) || len(s.depends.Of("description", "role", role, "artifact")) == 0
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
