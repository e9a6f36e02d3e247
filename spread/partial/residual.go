package partial

import (
	"reflect"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// residual is what is left of an artifact once CUE has evaluated it, without a
// config or with one: how it looks with any. The model's first rule makes that
// possible: everything in an artifact is concrete or refers to its config. So
// where its sources show that the description does not depend on config, and
// that what its roles get are values of config or texts made of them, the next
// config needs no CUE.
type residual struct {
	node           *value.Node // the outline, or that of the evaluation that it was made of
	schema         map[string]*schema
	described      []describedAt
	roles          []roleResidual
	dependent      []*dependents
	depends        *depends.Sources
	left           *spread.Package   // whose sources those are
	together       bool              // more of the config than parameters depends on config: CUE fills it
	whole          bool              // CUE makes structs together with copies of config in them
	groups, single []*parameterGroup // parameters that CUE makes: several, or one or all
	size           *passedAt         // the number of instances that parameters make; nil if none do
	made           *[][]string       // see [residual.madeOfConfig], nil until it is needed
	declared       *spread.Unit      // the declarations of the config alone, nil until they are needed
}

// describedAt is a place in the description that shows a part of the config.
type describedAt struct {
	path []string
	spread.Passed
	check func(*runner, *value.Data) bool // whether the rest that is said there takes a value
	asks  bool                            // whether check asks CUE
	byCUE *dependents                     // to have CUE make the value, nil if it has to make all
	last  *value.Data                     // the value that was put there last
}

// roleResidual is a role whose config is known but for what is passed to it.
type roleResidual struct {
	name     string
	pos      diag.Pos
	meta     *value.Data
	given    *value.Data // its config as first seen
	ownScale bool        // which is joined with what the level above has for it
	passed   []passedAt
	of       *spread.Package // whose artifact fills it
	// openScale tells that its scale takes any other field that the model has.
	openScale bool
}

// passedAt is a place in a role's config that gets a value of the service's.
type passedAt struct {
	path []string
	spread.Passed
	asks  bool        // it is for CUE to make the value
	byCUE *dependents // as in describedAt
	// embeds tells that the value is a struct, and that its fields are added to the struct that the role has at the path.
	embeds bool
	// beside are the literals and texts that are written in that struct, by the names of their fields.
	beside map[string]diag.Pos
}

// learn makes the residual of a unit from its first evaluation, which went
// without problems.
func (u *unit) learn(n *value.Node) *residual {
	src := u.src
	if src == nil || !u.Shared || spread.IsAmbiguous(u.Config) || src.Sources != nil && src.Sources.MayHaveConfigs() {
		return nil
	}
	res := &residual{node: n, schema: u.schemas()}
	if !src.declare(res.schema["parameter"]) {
		return nil
	}
	res.dependent, res.depends, res.left, res.together, res.whole = src.order, src.Sources, src.pkg, src.together, src.whole
	if s := res.schema["scale"]; s != nil {
		s.sized(src.size)
		res.size = src.size
	}
	for _, names := range src.groupsOfConfig {
		res.groups = append(res.groups, &parameterGroup{names: names})
	}
	for path, p := range src.Described {
		x, ok := u.newDescribed(src, res, strings.Split(path, "\x00"), p)
		if !ok {
			return nil
		}
		res.described = append(res.described, x)
	}
	sorting.By(res.described, func(a, b describedAt) int { return slices.Compare(a.path, b.path) })
	plain := src.plainRoles()
	for _, role := range n.Roles {
		seen, ok := u.Seen[role.Name]
		if !ok || seen.Of == nil {
			return nil
		}
		x := roleResidual{name: role.Name, ownScale: seen.OwnScale, pos: role.Pos, meta: role.Meta, given: seen.Given, of: seen.Of}
		if p := plain[role.Name]; p != nil {
			x.passed, x.openScale = p.passed, p.open
		}
		for path, p := range src.Passed[role.Name] {
			at := passedAt{path: strings.Split(path, "\x00"), Passed: p}
			at.byCUE = byCUE(p, append([]string{"description", "role", role.Name, "config"}, at.path...))
			if at.asks = res.showsSize(p) || u.showsChoice(p) || !u.isOfTypes(p, at.path); at.asks && at.byCUE == nil {
				return nil
			}
			x.passed = append(x.passed, at)
		}
		if !src.fills(role.Name) {
			return nil
		}
		sorting.By(x.passed, func(a, b passedAt) int { return slices.Compare(a.path, b.path) })
		res.roles = append(res.roles, x)
	}
	if src.Sources != nil && res.isPlain() {
		res.depends, src.Sources = nil, nil // which is as large as the sources
	}
	return res
}

// newDescribed finds out how to check and make what a place in the description shows of the config. It is
// false where CUE has to see the artifact as a whole.
func (u *unit) newDescribed(src *sources, res *residual, path []string, p spread.Passed) (describedAt, bool) {
	x := describedAt{path: path, Passed: p, byCUE: byCUE(p, append([]string{"description"}, path...))}
	apart := res.copiedChoice(p)
	forCUE := res.showsSize(p) || apart == nil && u.showsChoice(p)
	if src.isTyped(x) && !forCUE {
		x.check = func(*runner, *value.Data) bool { return true }
	} else if x.check, x.asks = u.constraint(x.path, p); x.check == nil || forCUE {
		x.check, x.asks = nil, true
		return x, x.byCUE != nil
	}
	if check := x.check; apart != nil {
		x.check, x.asks = func(r *runner, d *value.Data) bool { return apart.takes(d) && check(r, d) }, true
	}
	return x, true
}

// isTyped reports whether what is shown is right where it is, as it is right in the config.
func (s *sources) isTyped(x describedAt) bool {
	return s.Sources != nil && !x.Text && s.Sources.IsTyped(append([]string{"description"}, x.path...)...)
}

// isPlain reports whether no slice of the sources is needed with other configs.
func (res *residual) isPlain() bool {
	for _, s := range res.schema {
		if s.asks() {
			return false
		}
	}
	isSlice := func(g *dependents) bool { return g != nil && g.closed == nil && g.written == nil }
	return !res.together && len(res.groups) == 0 && !filter.Any(res.dependent, isSlice) &&
		!filter.Any(res.described, func(x describedAt) bool { return x.asks }) &&
		!filter.Any(res.roles, func(x roleResidual) bool {
			return filter.Any(x.passed, func(p passedAt) bool { return p.asks && isSlice(p.byCUE) })
		})
}

// schemas are those of the sections of config that the artifact declares.
func (u *unit) schemas() map[string]*schema {
	out := map[string]*schema{}
	for _, section := range []string{"parameter", "resource", "scale", "resilience"} {
		if !u.Bare[section] {
			out[section] = u.compileSchema(u.Config.LookupPath(spread.PathOf([]string{section})), []string{section})
			out[section].pos = u.Declared(section)
		}
	}
	return out
}

// known is what the sources of a unit tell, nil if too little.
func (u *unit) known(e *spread.Evaluator) *sources {
	if u.src == nil {
		if x := u.ShowsAll(e); x != nil {
			u.src = holesOf(x)
			u.src.whole = x.Package != u.Shows(e).Package
		}
	}
	return u.src
}

// byCUE is how CUE makes a value where Go cannot, nil where the sources were not asked for that.
func byCUE(p spread.Passed, path []string) *dependents {
	if !p.HasSet {
		return nil
	}
	g := dependentAt(path, p.Set)
	g.copies = !p.Text
	return g
}

// residual is known of an artifact by its outline, or else once it has been
// evaluated with one config.
func (r *runner) residual(u *unit) *residual {
	if !u.outlined {
		u.outlined, u.first = true, r.outline(u)
	}
	if u.first == nil {
		u.first = u.First
	}
	if u.first != nil && !u.learnt {
		u.residual, u.learnt = u.learn(u.first), true
		u.forget()
	}
	return u.residual
}

// instantiate makes the level that CUE would make of the unit with the given config. It
// is nil where that is not certain: then CUE has to.
func (r *runner) instantiate(u *unit, at spread.Place) *spread.Level {
	res, given := r.residual(u), at.Given
	if res == nil || len(r.Problems) > 0 && standsIn(given) || !spread.IsPlaced(given) {
		return nil
	}
	own, ok := res.configure(r, u, given.Without([]string{depends.Lifted}), at)
	if !ok {
		return nil
	}
	own = spread.WithoutAsides(own)
	config := spread.WithAsides(own, given)
	values, ok := res.fill(r, u, config, given)
	if !ok {
		return nil
	}
	n := *res.node
	n.Config, n.Roles, n.UnreadQos = own, nil, nil
	if n.Description, ok = res.describe(r, u, config, given); !ok {
		return nil
	}
	n.Description = values.in(n.Description, nil, "description")
	if res.whole {
		n.Description = u.Copied(r.Eval, n.Description, own)
	}
	l := &spread.Level{Node: &n, Package: u.Package}
	if res.node.Roles == nil {
		return l
	}
	n.Roles, l.Below = make([]*value.Role, 0, len(res.roles)), make([]*spread.Filling, 0, len(res.roles))
	for _, role := range res.roles {
		x, below := r.instantiateRole(u, role, config, given, values, at)
		if x == nil {
			res.leaveUnwritten(u, config)
			return nil
		}
		n.Roles, l.Below = append(n.Roles, x), append(l.Below, below)
	}
	return l
}

// leaveUnwritten notes which roles have a part that Go cannot make with this config.
func (res *residual) leaveUnwritten(u *unit, config *value.Data) {
	for _, role := range res.roles {
		if filter.Any(role.passed, func(p passedAt) bool { return p.byCUE.isUnwritten(config) }) {
			if u.unwritten == nil {
				u.unwritten = map[string]bool{}
			}
			u.unwritten[role.name] = true
		}
	}
}

// constraint makes the check of what is said of a place of the description
// beside the expression; nil if that cannot be told from it. It also reports whether
// the check asks CUE.
func (u *unit) constraint(path []string, p spread.Passed) (check func(*runner, *value.Data) bool, asks bool) {
	v := u.Artifact.LookupPath(spread.PathOf(append([]string{"description"}, path...)))
	args := fromcue.Conjuncts(v)
	own, types := 0, []*schema{}
	for _, a := range args {
		if isMadeBy(a, p.Expr) || refersToText(a, p.Expr) {
			own++
		} else if kind := plainKind(a); kind != nil {
			types = append(types, &schema{check: func(d *value.Data) bool { return d.Kind == *kind }})
		} else if t := u.structType(a); t != nil {
			types = append(types, t)
		} else if op, _ := a.Expr(); op != cue.NoOp || a.IncompleteKind() != cue.TopKind {
			own = -len(args) // more than that
		}
	}
	switch {
	case own == 1:
		return func(_ *runner, d *value.Data) bool {
			return !filter.Any(types, func(t *schema) bool { return !t.isWhole(d) })
		}, false
	case p.Text || !v.Exists():
		return nil, false
	}
	return (&schema{value: v}).takes, true
}

// describe puts config into the description.
func (res *residual) describe(r *runner, u *unit, config, given *value.Data) (*value.Data, bool) {
	desc := res.node.Description
	paths, puts := make([][]string, 0, len(res.described)), make([]*value.Data, 0, len(res.described))
	for i := range res.described {
		x := &res.described[i]
		old := desc.Get(x.path...)
		if old == nil {
			return nil, false
		}
		var put *value.Data
		if x.check != nil {
			put = x.Value(config, old, value.Origin{})
		}
		if put == nil || !x.check(r, put) {
			if put = x.byCUE.only(r, u, config, given); put == nil {
				return nil, false
			}
			if same := x.Copied(config); same != nil && same.JSON() == put.JSON() {
				put = same
			}
		}
		paths, puts = append(paths, x.path), append(puts, x.shown(put, old))
	}
	return desc.Replaced(paths, puts), true
}

// shown is a value as it is in a description, where values have no origin. Roles whose values are equal
// share one, which saves memory because most roles leave parameters at their defaults.
func (x *describedAt) shown(d, old *value.Data) *value.Data {
	if d.IsComposite() {
		out := d.WithoutOrigin()
		if !x.Text {
			return out.At(old.Pos)
		}
		return out
	}
	if x.last == nil || x.last.Kind != d.Kind || x.last.Text != d.Text || x.last.Pos != d.Pos {
		x.last = &value.Data{Kind: d.Kind, Text: d.Text, Pos: d.Pos}
	}
	return x.last
}

// showsChoice reports whether an expression is a part of config that may be one of several
// structs. What refers to one refers to all of them, and need not tell them apart.
func (u *unit) showsChoice(p spread.Passed) bool {
	if p.Text || len(p.Parts) == 0 {
		return false
	}
	path := p.Parts[0].Ref[1:]
	key := strings.Join(path, "\x00")
	shows, known := u.choices[key]
	if !known {
		shows = !u.src.isOneStruct(path) && u.At(path).IncompleteKind()&cue.StructKind != 0 && u.IsChoice(path)
		u.choices[key] = shows
	}
	return shows
}

// kindsOfTypes are the kinds of value that types take, by their names. Whether any other type, such as uint8, takes a value is not told by
// the kind alone.
var kindsOfTypes = map[string]cue.Kind{"_": cue.TopKind, "string": cue.StringKind, "bool": cue.BoolKind, "int": cue.IntKind, "number": cue.NumberKind}

// isOfTypes reports whether the author's types for a parameter of a role take every value that may be given of the config that is copied
// there. At other paths of a role the types are the model's, which are checked when the role is made.
func (u *unit) isOfTypes(p spread.Passed, path []string) bool {
	if path[0] != "parameter" || len(p.Types) == 0 {
		return true
	}
	if p.Text {
		return false
	}
	kind := u.At(p.Parts[0].Ref[1:]).IncompleteKind()
	return !filter.Any(p.Types, func(t string) bool { return kind&^kindsOfTypes[t] != 0 })
}

// isMadeBy reports whether a conjunct is an expression, or a field whose value is the expression, with braces around it or without.
func isMadeBy(conjunct cue.Value, x ast.Expr) bool {
	field, ok := conjunct.Source().(*ast.Field)
	if !ok {
		return isSame(conjunct.Source(), x)
	}
	embedded := syntax.OnlyEmbedded(field.Value)
	return isSame(field.Value, x) || embedded != nil && isSame(embedded, x)
}

// refersToText reports whether a conjunct is a field that is a reference to another one, which is a text. CUE
// places it there; what is referred to by a let or in an expression lies elsewhere.
func refersToText(conjunct cue.Value, x ast.Expr) bool {
	if _, isField := conjunct.Source().(*ast.Field); !isField {
		return false
	}
	field, ok := fromcue.Dereference(conjunct).Source().(*ast.Field)
	if !ok {
		return false
	}
	_, isText := field.Value.(*ast.Interpolation)
	return isText && isSame(field.Value, x)
}

// isSame reports whether an expression is another one, or a copy of it.
func isSame(a, b ast.Node) bool {
	if a == b {
		return true
	}
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && fromcue.Pos(a).IsValid() && fromcue.Pos(a) == fromcue.Pos(b)
}

// standsIn reports whether a part of d is a stand-in, whose consequences CUE knows.
func standsIn(d *value.Data) bool {
	return d.Holds(func(x *value.Data) bool { return value.IsStandIn(x.Pos) })
}

// config fills the sections of an artifact's config.
func (res *residual) config(r *runner, u *unit, given *value.Data, origin value.Origin) (*value.Data, bool) {
	out := &value.Data{Kind: value.Struct, Pos: given.Pos}
	for _, section := range []string{"parameter", "resilience", "resource", "scale"} {
		own := given.Get(section)
		if own != nil && own.Kind != value.Struct && section != "resilience" {
			return nil, false // which is wrong
		}
		if s := res.schema[section]; s != nil {
			fill := s.section
			if section == "parameter" && res.depends != nil {
				fill = func(r *runner, _ *value.Data, origin value.Origin) (*value.Data, bool) {
					return res.parameters(r, u, given, origin)
				}
			}
			if section == "scale" && res.size != nil {
				fill = func(r *runner, own *value.Data, origin value.Origin) (*value.Data, bool) {
					return res.scale(r, u, out, given, origin)
				}
			}
			filled, ok := fill(r, own, origin)
			if !ok {
				return nil, false
			}
			own = filled
		} else if own == nil || section != "scale" && section != "resilience" && len(own.Fields) > 0 {
			return nil, false // undeclared, or more than this knows
		} else if section == "resilience" && own.Origin == (value.Origin{}) {
			own = own.WithOrigin(func(*value.Data) value.Origin { return origin }) // nobody gave it
		}
		if section == "resource" {
			own = spread.VolatileBy(own, origin)
		}
		out.Fields = append(out.Fields, value.Field{Name: section, Value: own})
	}
	return out, len(given.Fields) <= len(out.Fields)
}

// evaluated is a config that CUE has made of nothing but the declarations of configs,
// where those depend on each other; false where anything is wrong with it.
func (res *residual) evaluated(r *runner, given *value.Data, at spread.Place) (*value.Data, bool) {
	if res.declared == nil {
		p := r.Eval.Sliced(res.left, res.depends.Slice(false, depends.Path(spread.ConfigAt)))
		res.declared = spread.NewUnit(p, r.Eval.Value(p).LookupPath(spread.ArtifactPath))
	}
	r.Work.Sliced++
	config := r.QuietConfig(res.declared, given, at)
	return config, config != nil
}

// configure fills the config: field by field, or as CUE does where more than parameters
// depend on each other.
func (res *residual) configure(r *runner, u *unit, given *value.Data, at spread.Place) (*value.Data, bool) {
	if !res.together {
		config, ok := res.config(r, u, u.Complete(given), value.Origin{By: value.FromDefault, Who: at.Who()})
		if ok || res.depends == nil {
			return config, ok
		}
	}
	return res.evaluated(r, given, at)
}

// instantiateRole makes a role as CUE would; nil where CUE has to make the level.
func (r *runner) instantiateRole(u *unit, role roleResidual, config, outer *value.Data, values filled, parent spread.Place) (*value.Role, *spread.Filling) {
	at := spread.Place{Path: append(slices.Clip(parent.Path), role.name), Pos: role.pos, By: u.Package}
	origin := value.Origin{By: value.FromRole, Who: strings.Join(at.Path, ".")}
	given := role.given.WithOrigin(func(*value.Data) value.Origin { return origin })
	meta, by := role.meta, func(p diag.Pos) value.Origin { return spread.Origins(values.givers(), origin)(p) }
	var paths [][]string
	var puts []*value.Data
	var embedded []passedAt
	for _, p := range role.passed {
		if p.path[0] == "resilience" {
			given = given.Set("resilience", config.Get("resilience"))
			continue
		}
		if p.embeds {
			embedded = append(embedded, p)
			continue
		}
		old, ok := holeAt(role.given, role.meta, p.path)
		var put *value.Data
		if !p.asks {
			put = p.Value(config, old, origin)
		}
		if put == nil {
			put = p.madeByCUE(r, u, config, outer, by)
		}
		if put == nil || !ok || p.path[0] == "scale" && (put.Kind != value.Int || strings.HasPrefix(put.Text, "-")) {
			return nil, nil
		}
		if p.path[0] == "meta" {
			meta = value.NewStruct(diag.NoPos, value.Field{Name: "meta", Value: meta}).With(p.path, put).Get("meta")
			continue
		}
		paths, puts = append(paths, p.path), append(puts, put)
	}
	if given = embed(given.Replaced(paths, puts), embedded, config, origin); given == nil {
		return nil, nil
	}
	given = spread.PlaceParameters(values.in(given, by, "description", "role", role.name, "config"))
	if scale := config.Get("scale", "detail", role.name); scale != nil {
		if role.ownScale {
			scale = role.scale(given.Get("scale"), scale)
		}
		if scale == nil {
			return nil, nil
		}
		given = given.Set("scale", scale)
	}
	at.Given = given
	meta = values.in(meta, by, "description", "role", role.name, "meta")
	return &value.Role{Name: role.name, Pos: role.pos, Meta: meta}, &spread.Filling{Package: role.of, At: at}
}

// embed adds copies of structs of config to structs in a role's config. It is nil if a copy has a field that is there already: one that was
// given, and that the artifact does not declare.
func embed(given *value.Data, copies []passedAt, config *value.Data, origin value.Origin) *value.Data {
	for _, p := range copies {
		to, put := given.Get(p.path...), p.Value(config, nil, origin)
		if put == nil || put.Kind != value.Struct || filter.Any(put.Fields, func(f value.Field) bool { return to.Get(f.Name) != nil }) {
			return nil
		}
		given = given.With(p.path, to.Merge(put))
	}
	return given
}

// scale is what a role states of its scale with what the level above has for it; nil if CUE has to
// join them: both have a field, or some of the role's depends on config, which CUE places elsewhere
// once there is more.
func (x roleResidual) scale(own, above *value.Data) *value.Data {
	if !x.openScale || own.JSON() != x.given.Get("scale").JSON() {
		return nil
	}
	for _, f := range above.Fields {
		if own.Get(f.Name) != nil {
			return nil
		}
		own = own.Set(f.Name, f.Value)
	}
	return own
}

// holeAt is what a role has at a path of its config, or of its meta.
func holeAt(config, meta *value.Data, path []string) (*value.Data, bool) {
	d := config
	if path[0] == "meta" {
		d, path = meta, path[1:]
	}
	d = d.Get(path...)
	return d, d != nil
}
