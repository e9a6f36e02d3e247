package partial

import (
	"cmp"
	"slices"

	"kumiki.dev/spread"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// parameterGroup are parameters of an artifact that CUE makes, of a slice of the sources
// in which there is nothing else.
type parameterGroup struct {
	names []string        // sorted; nil for all parameters
	pkg   *spread.Package // the slice, nil until it is needed
	set   depends.Set
	known map[string]knownParameters
	// declared has the shapes, see shapeOf, for which the config has all fields, whatever their values are.
	declared map[string]bool
	// conditional is set if an if or a for writes parameters of the group.
	conditional bool
	scope       scope
	// types are their declarations alone, nil if those are not for CUE to see without the rest.
	types *ast.StructLit
	// rules are those declarations as Go sees them, nil if some are for CUE.
	rules *declarations
}

// knownParameters are what a group was with what is given of it.
type knownParameters struct{ given, made *value.Data }

// parameters fills the section with what is given, which is the config as a whole. It is
// false where CUE has to see all of the config.
func (res *residual) parameters(r *runner, u *unit, given *value.Data, origin value.Origin) (*value.Data, bool) {
	s, own := res.schema["parameter"], given.Get("parameter")
	out := value.NewStruct(given.Pos)
	if own != nil {
		out.Pos = own.Pos
	}
	if s.pos.IsValid() {
		out.Pos = s.pos
	}
	groups, origins := slices.Clip(res.groups), spread.Origins(spread.Givers(given), origin)
	if s.fields == nil {
		groups = []*parameterGroup{res.group(nil)}
	}
	for _, f := range s.fields {
		if filter.Any(res.groups, func(g *parameterGroup) bool { return g.has(f.name) }) {
			continue
		}
		x := own.Get(f.name)
		if f.optional && x == nil {
			continue
		}
		filled, ok := f.schema.fill(r, x, origin)
		if !ok || f.required && x == nil {
			groups = append(groups, res.group([]string{f.name}))
			continue
		}
		out.Fields = append(out.Fields, value.Field{Name: f.name, Value: filled})
	}
	for _, f := range own.Each() {
		if len(s.patterns) == 0 || s.field(f.Name) != nil || filter.Any(groups, func(g *parameterGroup) bool { return g.has(f.Name) }) {
			continue
		}
		if !s.takesOther(f) {
			return nil, false
		}
		out.Fields = append(out.Fields, f)
	}
	for _, g := range groups {
		made := g.fill(r, u, res, given)
		if made == nil {
			return nil, false
		}
		for _, f := range made.Fields {
			if g.has(f.Name) {
				x := f.Value.WithOrigin(func(d *value.Data) value.Origin { return origins(d.Pos) })
				out.Fields = append(out.Fields, value.Field{Name: f.Name, Value: x})
			}
		}
	}
	value.SortFields(out.Fields)
	return out, !filter.Any(own.Each(), func(f value.Field) bool { return out.Get(f.Name) == nil })
}

// has reports whether a parameter is one of the group.
func (g *parameterGroup) has(name string) bool {
	return g.names == nil || filter.Contains(g.names, name)
}

// mayWrite reports whether a declaration at a path of the config may be about a parameter of the group. In the path, a computed name
// is "".
func (g *parameterGroup) mayWrite(path []string) bool {
	return len(path) < 2 || path[0] == "" || path[0] == "parameter" && (path[1] == "" || g.has(path[1]))
}

// group is the one of the given names, which is kept.
func (res *residual) group(names []string) *parameterGroup {
	for _, g := range res.single {
		if slices.Equal(g.names, names) {
			return g
		}
	}
	g := &parameterGroup{names: names}
	res.single = append(res.single, g)
	return g
}

// fill makes the parameters of a group with a config that is given, nil where there is
// anything wrong.
func (g *parameterGroup) fill(r *runner, u *unit, res *residual, given *value.Data) *value.Data {
	if g.pkg == nil {
		s := res.depends.Slice(false, g.paths()...)
		g.pkg, g.set, g.known, g.declared = r.Eval.Sliced(res.left, s), u.whole(s.Set), map[string]knownParameters{}, map[string]bool{}
		g.conditional = filter.Any(spread.ConditionalFields(u.Package), g.mayWrite)
		g.scope.of, g.scope.imports = u, s.Orders
		if !g.conditional { // those are never evaluated in scope
			g.scope.prepare = func(own *scope) {
				if !own.imports {
					own.bare = newBareScope(r, res.left, s, [][]string{parameterAt})
				}
			}
		}
		if g.names != nil {
			types, alone := res.depends.Types(g.names)
			if g.rules = rulesOf(types, g.names); alone {
				g.types = types
			}
		}
	}
	own := value.NewStruct(given.Pos)
	for _, path := range g.set {
		own = own.Merge(u.within(given, path))
	}
	key := own.JSON()
	if old, ok := g.known[key]; ok {
		if value.Same(old.given, own) {
			return old.made
		}
		if moved, ok := moves(old.given, own); ok {
			return old.made.Moved(func(p diag.Pos) diag.Pos { return cmp.Or(moved[p], p) })
		}
	}
	if made := g.compute(own); made != nil {
		return made
	}
	made := g.alone(r, u, own)
	if made == nil && g.declares(u, own) { // CUE does not mind what is not declared where a struct is empty
		made = g.evaluate(r, u, own)
	}
	if made != nil {
		g.learn(own, made)
		g.known[key] = knownParameters{own, made}
	}
	return made
}

// declares reports whether the config has a field for everything that is given.
func (g *parameterGroup) declares(u *unit, given *value.Data) bool {
	shape := shapeOf(given)
	if g.declared[shape] {
		return true
	}
	all, always := spread.Declares(u.Unit, given)
	if always {
		g.declared[shape] = true
	}
	return all
}

// parameterAt is where an artifact has its parameters.
var parameterAt = []string{"description", "config", "parameter"}

// paths are those of the parameters in the artifact.
func (g *parameterGroup) paths() (out []depends.Path) {
	if g.names == nil {
		return []depends.Path{parameterAt}
	}
	for _, name := range g.names {
		out = append(out, append(slices.Clip(depends.Path(parameterAt)), name))
	}
	return out
}

// alone has CUE evaluate the declarations with what is given, and nothing else of the artifact.
// It is nil where anything is wrong, or there is more to the declarations.
func (g *parameterGroup) alone(r *runner, u *unit, own *value.Data) *value.Data {
	if g.types == nil {
		return nil
	}
	r.Work.Sliced++
	v := r.Eval.File(g.written(own)).LookupPath(givenPath)
	if len(spread.ErrorsOf(v)) > 0 || spread.Failed(v) != nil {
		return nil
	}
	f := &spread.Finisher{Given: own, Places: func(v cue.Value, path []string) diag.Pos { return u.PlaceInConfig(v, own, path[1:], false) }}
	out := value.NewStruct(own.Pos)
	for i, name := range g.names {
		if x := v.LookupPath(spread.PathOf([]string{labelOf(i)})); x.Exists() && !syntax.IsAside(name) {
			d := f.Finish(x, []string{"config", "parameter", name})
			if d == nil || len(f.Problems) > 0 {
				return nil
			}
			out = out.Set(name, d)
		}
	}
	if g.conditional && f.Defaulted > 0 && len(spread.ErrorsOf(r.Eval.File(g.written(asGiven(out, own))).LookupPath(givenPath))) > 0 {
		return nil
	}
	return out
}

// asGiven is what is given, with the defaults of parameters as if they were given too: a condition may refuse its own default, which CUE
// reports only then.
func asGiven(parameters, own *value.Data) *value.Data {
	return value.NewStruct(own.Pos, value.Field{Name: "parameter", Value: parameters}).Merge(own)
}

// written is a definition of the parameters, as the artifact is one, and what is given of it.
func (g *parameterGroup) written(own *value.Data) *ast.File {
	given, all := &ast.StructLit{}, &ast.File{}
	for i, name := range g.names {
		if d := own.Get("parameter", name); d != nil {
			label := &ast.Ident{NamePos: fromcue.Token(d.Pos), Name: labelOf(i)}
			given.Elts = append(given.Elts, &ast.Field{Label: label, Value: spread.Expr(d)})
		}
	}
	def := &ast.Ident{Name: "#types", Node: g.types, Scope: all}
	all.Decls = []ast.Decl{
		&ast.Field{Label: ast.NewIdent("#types"), Value: g.types},
		&ast.Field{Label: ast.NewIdent("given"), Value: &ast.BinaryExpr{X: def, Op: token.AND, Y: given}},
	}
	return all
}

var (
	parametersPath = spread.PathOf(parameterAt)
	givenPath      = cue.ParsePath("given")
)

func (g *parameterGroup) evaluate(r *runner, u *unit, own *value.Data) *value.Data {
	defaulted := 0
	made := func(v cue.Value, bare bool) ([]*value.Data, bool) {
		if len(spread.ErrorsOf(v)) > 0 || spread.Failed(v) != nil {
			return nil, false
		}
		f := &spread.Finisher{Given: own, Bare: bare, Places: func(v cue.Value, path []string) diag.Pos { return u.PlaceInConfig(v, own, path[1:], bare) }}
		d := f.Finish(v.LookupPath(parametersPath), []string{"config", "parameter"})
		defaulted = f.Defaulted
		return []*value.Data{d}, d != nil && len(f.Problems) == 0
	}
	if !g.conditional {
		s := &g.scope
		if hasStructInList(own) { // which in scope may have any field
			s = &scope{of: u, again: true, imports: true}
		}
		out, ok := s.level(r, g.pkg, own, nil, made)
		if !ok {
			return nil
		}
		return out[0]
	}
	// In scope, CUE takes a field whose condition only held for a default.
	r.Work.Sliced++
	out, ok := made(r.Eval.Imported(g.pkg, own), false)
	if !ok {
		return nil
	}
	if defaulted > 0 && len(spread.ErrorsOf(r.Eval.Imported(g.pkg, asGiven(out[0], own)))) > 0 {
		return nil
	}
	return out[0]
}

// hasStructInList reports whether a list that is given has a struct.
func hasStructInList(given *value.Data) bool {
	return given.Holds(func(x *value.Data) bool { return filter.Any(x.Items, (*value.Data).IsComposite) })
}
