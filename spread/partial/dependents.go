package partial

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/spread/compute"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// dependents are the values of an artifact that depend on the same fields of config. CUE makes
// them of their expressions or of a slice of the artifact's sources, once for each config that
// differs in these fields.
type dependents struct {
	set   depends.Set
	seen  depends.Set // set as [unit.whole] has it, nil until it is needed
	from  []depends.Path
	paths [][]string // those of from that are data; the others are only right or wrong
	// closed are expressions for the values of from, nil if some have none.
	closed []*depends.Closed
	// written is a list or struct of a role's parameters, which Go makes at place; nil for any other value.
	written *compute.Expr
	place   diag.Pos
	// check is [depends.Hole.Check] of each value, nil if some have none.
	check []*depends.Closed
	given *spread.Package // the slice for a config that is given whole, nil until it is needed
	typed *spread.Package // the same with the types of config
	// defaults reports whether it may make a difference what of the config is a default, showsOrder in which
	// order its structs have their fields, and needsTypes is [depends.Slice.Typed].
	defaults, showsOrder, needsTypes bool
	// fixesOrder, maps and lists are [depends.Sources.FixesOrder] of set. Then orders are the orders that have been learnt, by the
	// fields that are given and those of the finished config.
	fixesOrder  bool
	maps, lists []depends.Path
	// loops and writes are [depends.Slice].Loops and Writes.
	loops, writes bool
	orders        map[string]*learntOrder
	// marshalled and encoding are [depends.Sources.Marshalled] of the value.
	marshalled depends.Path
	encoding   string
	yaml       compute.YAML
	// copies tells that the value is one of config, as it is.
	copies bool
	scopes map[*spread.Package]*scope
	// typedAt are the places that the second evaluation has for those of the first, by which
	// fields of the config are defaults.
	typedAt map[string]*places
	// literal has Go make values that are literals in the sources, where CUE would need the types of config. It is nil for other values.
	// literalAt are the places that CUE gives those values: which fields of the config are defaults makes a difference.
	literal   *literalScope
	literalAt map[string]*places
	// apart are the sources that the values are in, nil for those that CUE sees the rest of.
	// Where they are fields of computed names, beside are the names of the others in the same
	// struct.
	apart  *depends.Sources
	beside []string
	// formulas are what the values are, of which only whether they are right counts; nil for others.
	formulas []spread.Passed
	known    map[string]made
}

// made are the values of a group with one config.
type made struct {
	config *value.Data   // the part that the values depend on
	values []*value.Data // by path; nil for a field that is not there
	open   bool          // see [unit.open]
}

// dependentAt is what lies at one path of the artifact.
func dependentAt(path depends.Path, set depends.Set) *dependents {
	return &dependents{set: set, from: []depends.Path{path}, paths: [][]string{path}, known: map[string]made{}}
}

// fill makes the values of a group. Config is finished; given is the part of it that the role
// states. It is false where CUE has to evaluate the artifact as a whole.
func (g *dependents) fill(r *runner, u *unit, config, given *value.Data) ([]*value.Data, bool) {
	if g.areLeaves(config) {
		return nil, true
	}
	part, own := g.part(u, config), g.part(u, given)
	key := part.JSON() + own.JSON() // a default may have another place
	if old, ok := g.known[key]; ok {
		if old.open && !u.settles() {
			return nil, false
		}
		u.open = u.open || old.open
		if value.Same(old.config, part) {
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
	before := u.open
	u.open = false
	values, ok := g.evaluate(r, u, part, own)
	if ok {
		g.known[key] = made{part, values, u.open}
	}
	u.open = u.open || before
	return values, ok
}

// areLeaves reports whether the group is texts and copies, and the config has what goes into each: such a leaf, of
// which nothing else is said, cannot fail, so CUE need not be asked.
func (g *dependents) areLeaves(config *value.Data) bool {
	return g.formulas != nil && !filter.Any(g.formulas, func(p spread.Passed) bool {
		d := p.Value(config, &value.Data{}, value.Origin{})
		return d == nil || d.IsComposite()
	})
}

// part is what a config has for the group.
func (g *dependents) part(u *unit, config *value.Data) *value.Data {
	part := value.NewStruct(config.Pos)
	if g.seen == nil {
		g.seen = u.whole(g.set)
	}
	for _, path := range g.seen {
		part = part.Merge(u.within(config, path))
	}
	return part
}

// within is what a config has at a path. If that is nothing, it is the innermost struct on the way that the config has, without fields.
// Paths do not lead into a disjunction, where other fields may count: [unit.whole] cuts them off there.
func (u *unit) within(config *value.Data, path depends.Path) *value.Data {
	for n := len(path); n > 1; n-- {
		switch d := config.Get(path[:n]...); {
		case d == nil:
		case n < len(path) && d.Kind == value.Struct:
			return config.Within(path[:n]).With(path[:n], value.NewStruct(d.Pos))
		default:
			return config.Within(path[:n])
		}
	}
	if len(path) > 1 && u.residual != nil {
		if s := u.residual.schema[path[0]]; s != nil && s.fields == nil {
			return config.Within(path[:1])
		}
	}
	return config.Within(path)
}

// whole returns the paths of config, each once, cut off where one leads into a disjunction of structs: which
// alternative holds may depend on any of the fields that are given for it, so all of them are seen.
func (u *unit) whole(set depends.Set) depends.Set {
	out := slices.Clone(set)
	for i, path := range out {
		for n := 1; n < len(path); n++ {
			if u.MayBeChoice(path[:n]) {
				out[i] = path[:n]
				break
			}
		}
	}
	return sorting.Distinct(out, slices.Compare)
}

// moves maps the positions of one config to those of another that has the same values. It is
// false where one position would have to become two.
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

// evaluate has CUE make the values of the part of a config that they depend on. A field that
// nobody gave is a default when CUE evaluates the artifact as a whole, but a given value here.
// Where that may make a difference, both ways have to give the same.
func (g *dependents) evaluate(r *runner, u *unit, part, own *value.Data) ([]*value.Data, bool) {
	if g.areRight(u, part) {
		return nil, true
	}
	if len(g.closed) == 1 && !g.checks() {
		if d := u.computedOf(g.closed[0]).part(part, own); d != nil {
			return []*value.Data{d}, true
		}
	}
	if !u.copiesDefault(g.closed, part, own) {
		if values := g.alone(r, u, part); values != nil && !showsDefault(values, part, own) {
			return values, true
		}
	}
	sources, pkg := g.sources(u)
	if sources == nil {
		return nil, false
	}
	if g.given == nil {
		g.slice(r, u, sources, pkg)
	}
	if g.showsOrder && len(g.paths) > 0 && filter.Any(g.set, func(path depends.Path) bool { return len(path) == 0 }) {
		return nil, false // the order of the sections of a config depends on which of them are given
	}
	values, ok := g.writtenOut(r, u, part, own)
	if ok && g.closed != nil && !g.checks() {
		u.learnMade(g.closed, values, part, own)
	}
	return values, ok
}

// sliced has CUE make the values, of a slice.
func (g *dependents) sliced(r *runner, u *unit, part, own *value.Data) ([]*value.Data, bool) {
	if g.needsTypes || g.showsOrder && filter.Any(g.set, func(path depends.Path) bool { return spread.IsOrdered(part.Get(path...)) }) {
		return g.ordered(r, u, part, own)
	}
	return g.finished(r, u, part, own, nil)
}

// writtenOut has Go make the values from the literals in the sources. CUE makes them of a slice instead if there are no such literals, if the
// types of config may change the values in a way that Go does not know, and until it is known where CUE places them.
func (g *dependents) writtenOut(r *runner, u *unit, part, own *value.Data) ([]*value.Data, bool) {
	if g.literal == nil {
		return g.sliced(r, u, part, own)
	}
	defaults := u.defaultsOf(part, own)
	at := g.literalAt[defaults]
	if at.isUnclear() {
		return g.sliced(r, u, part, own)
	}
	made := g.literal.level(u, part, nil)
	if made == nil {
		return g.sliced(r, u, part, own)
	}
	if out := at.place(made, part); out != nil {
		return out, true
	}
	values, ok := g.sliced(r, u, part, own)
	if ok {
		if g.literalAt == nil {
			g.literalAt = map[string]*places{}
		}
		g.literalAt[defaults] = at.learn(u, made, values, part)
	}
	return values, ok
}

// finished evaluates the slice for a finished config. CUE gets the fields of its structs in the given order, or
// by name if that is nil.
func (g *dependents) finished(r *runner, u *unit, part, own *value.Data, o *order) ([]*value.Data, bool) {
	var shown *value.Data
	if o != nil {
		shown = o.arranged(part, own)
	}
	values, wrong, open := g.level(r, u, g.given, part, shown)
	if wrong || open {
		return nil, false
	}
	if part.JSON() == own.JSON() || !g.defaults && !showsDefault(values, part, own) {
		return values, true
	}
	defaults := ""
	if !g.defaults {
		defaults = u.defaultsOf(part, own)
		if out := g.typedAt[defaults].place(values, own); out != nil {
			return out, true
		}
	}
	others, wrong, open := g.level(r, u, g.typedSlice(r, u), own, nil)
	if open && !wrong && (g.copies || u.settles()) { // what a copy shows is known when the config is finished
		u.open = u.open || u.settles()
		return values, true
	}
	if wrong || open || !slices.EqualFunc(values, others, func(a, b *value.Data) bool {
		return a == nil && b == nil || a != nil && b != nil && a.JSON() == b.JSON()
	}) {
		return nil, false
	}
	if !g.defaults {
		if g.typedAt == nil {
			g.typedAt = map[string]*places{}
		}
		g.typedAt[defaults] = g.typedAt[defaults].learn(u, values, others, own)
	}
	return others, true
}

// slice makes the slice for a finished config. It also finds out whether the result may depend on which
// values of the config are defaults, and on the order of its fields.
func (g *dependents) slice(r *runner, u *unit, sources *depends.Sources, pkg *spread.Package) {
	s := sources.Slice(true, g.from...)
	g.given, g.showsOrder = r.Eval.Sliced(pkg, s), s.Orders
	chooses := pkg.HasChoice(true) && g.typedSlice(r, u).HasChoice(true)
	g.defaults = s.Defaults || chooses || g.given.JoinsDefaults()
	g.loops, g.writes = s.Loops, s.Writes
	g.needsTypes, g.orders = s.Typed, map[string]*learntOrder{}
	if (s.Typed || chooses && !g.given.JoinsDefaults()) && !s.Defaults && !s.Orders && !g.checks() {
		g.literal = newLiteralScope(sources, g.paths, modelTypesOf(pkg).ofPaths(g.paths))
	}
	if s.Orders && !s.Typed {
		g.maps, g.lists, g.fixesOrder = sources.FixesOrder(g.set)
	}
	if g.fixesOrder && len(g.from) == 1 {
		g.marshalled, g.encoding = sources.Marshalled(g.from[0])
	}
	g.scopeOf(g.given, &scope{of: u, complete: true, prepare: func(own *scope) {
		own.bare = newBareScope(r, pkg, s, g.paths)
		if own.bare != nil && !g.checks() {
			own.literal = newLiteralScope(sources, g.paths, own.bare.types)
		}
	}})
}

// typedSlice is the one that has the types of config too. It takes what is given, in the order in which
// those declare it.
func (g *dependents) typedSlice(r *runner, u *unit) *spread.Package {
	if g.typed == nil {
		sources, pkg := g.sources(u)
		g.typed = r.Eval.Sliced(pkg, sources.Slice(false, g.from...))
		g.scopeOf(g.typed, &scope{of: u, imports: g.showsOrder, complete: true}) // or it has to give what a complete one does
	}
	return g.typed
}

// checks reports whether some of the values only count as right or wrong.
func (g *dependents) checks() bool { return len(g.from) > len(g.paths) }

// areRight reports whether Go evaluates all values of a group that are not data, and none of them is an error.
func (g *dependents) areRight(u *unit, part *value.Data) bool {
	return len(g.check) > 0 && !filter.Any(g.check, func(c *depends.Closed) bool { return !u.isRight(c, part) })
}

// isRight reports whether Go evaluates an expression, and it is no error. In which order a loop goes through config makes no difference then.
func (u *unit) isRight(c *depends.Closed, part *value.Data) bool {
	x := u.computedOf(c)
	if x.hidden(part) != nil {
		return true
	}
	if x.literal == nil {
		x.literal = compute.NewLiteral(c)
	}
	d, joins := x.literal.Data(part, true)
	return d != nil && !filter.Any(joins, u.saysMore)
}

// sources are those that slices are made of, and their package; nil where the values are not in
// any that are left.
func (g *dependents) sources(u *unit) (*depends.Sources, *spread.Package) {
	switch {
	case g.apart != nil:
		return g.apart, u.Package
	case u.src == nil || u.src.isPlain(g.from[0]):
		return nil, nil
	}
	return u.src.Sources, u.src.pkg
}

// defaultsOf names the fields of a config that nobody gave.
func (u *unit) defaultsOf(part, own *value.Data) string {
	var b strings.Builder
	part.Walk(nil, func(path []string, _ *value.Data) bool {
		if own.Get(path...) != nil {
			return true
		}
		u.writePath(&b, path)
		b.WriteByte('\n')
		return false
	})
	return b.String()
}

// alone has CUE evaluate the closed expressions of the values beside the config. It is nil
// where that may differ from what the artifact as a whole gives.
func (g *dependents) alone(r *runner, u *unit, config *value.Data) (values []*value.Data) {
	if g.closed == nil {
		return nil
	}
	all := u.valuesOf(r, g.closed, config)
	if all == nil {
		return nil
	}
	n := 0
	for i, path := range g.from {
		if n < len(g.paths) && slices.Equal(g.paths[n], path) {
			n++
			values = append(values, all[i])
		}
	}
	return values
}

// finisherAt finishes what lies at a path of the artifact, which of a role is one from
// there on.
func (u *unit) finisherAt(path []string) (*spread.Finisher, []string) {
	if path[1] == "role" {
		return &spread.Finisher{Places: u.PlacesInRole(path[2])}, path[3:]
	}
	return &spread.Finisher{Any: path[1] == "connect", Places: u.Place}, path
}

// showsDefault reports whether there are defaults of config in values, which have another
// place as such than when they are given.
func showsDefault(values []*value.Data, part, own *value.Data) bool {
	defaults := map[diag.Pos]bool{}
	addDefaults(defaults, part, own)
	isDefault := func(x *value.Data) bool { return defaults[x.Pos] }
	return len(defaults) > 0 && filter.Any(values, func(v *value.Data) bool { return v.Holds(isDefault) })
}

// addDefaults adds the places of the leaves of a config that nobody gave.
func addDefaults(defaults map[diag.Pos]bool, part, own *value.Data) {
	if part == nil {
		return
	}
	members := part.Members()
	if len(members) == 0 && own == nil {
		defaults[part.Pos] = true
	}
	for _, m := range members {
		addDefaults(defaults, m.Value, own.Get(m.Name))
	}
}

// scopeOf is how a slice is evaluated from now on.
func (g *dependents) scopeOf(slice *spread.Package, s *scope) {
	if g.scopes == nil {
		g.scopes = map[*spread.Package]*scope{}
	}
	g.scopes[slice] = s
}

// level evaluates the slice with a part of config, which CUE gets as shown if that is not nil. It reports whether anything is wrong,
// or left open.
func (g *dependents) level(r *runner, u *unit, slice *spread.Package, part, shown *value.Data) (values []*value.Data, wrong, open bool) {
	values, _ = g.scopes[slice].level(r, slice, part, shown, func(v cue.Value, bare bool) ([]*value.Data, bool) {
		var out []*value.Data
		out, wrong, open = g.made(u, v, bare)
		return out, !wrong && !open
	})
	return values, wrong, open
}

// made takes the values out of a slice that was given a config, as a [valuesIn] does.
func (g *dependents) made(u *unit, v cue.Value, bare bool) (values []*value.Data, wrong, open bool) {
	if len(spread.ErrorsOf(v)) > 0 {
		return nil, true, true
	}
	if g.checks() && spread.Failed(v) != nil {
		return nil, true, true
	}
	for _, path := range g.paths {
		x, d := v.LookupPath(spread.PathOf(path)), (*value.Data)(nil)
		for n := range path { // a condition in any of the structs around a field may be open
			open = open || v.LookupPath(spread.PathOf(path[:n])).Err() != nil
		}
		if x.Exists() {
			f, path := u.finisherAt(path)
			if f.Bare = bare; bare {
				f.Places = nil
			}
			d = f.Finish(x, path)
			open = open || len(f.Problems) > 0
		}
		open = open || d == nil && isRequired(v, path)
		values = append(values, d)
	}
	return values, false, open
}

// isRequired reports whether the field at a path has to be given, as  x!: "a"  says, and is not.
func isRequired(v cue.Value, path []string) bool {
	last := len(path) - 1
	fields, err := fromcue.Fields(v.LookupPath(spread.PathOf(path[:last])), cue.Optional(true))
	for err == nil && fields.Next() {
		if fields.Name() == path[last] {
			return fields.FieldType()&cue.RequiredConstraint != 0
		}
	}
	return false
}

// filled are the values of all that depend on config, by path from the artifact.
type filled struct {
	paths  [][]string
	values []*value.Data
	// apart are structs whose fields have computed names: these lie beside the others at the path.
	apart map[int]bool
	// givers tells who gave the leaves of the config.
	givers func() map[diag.Pos]value.Origin
}

// fill makes all values with a finished config, of which given is the part that the role states. If a value has no answer while
// the other fields are only defaults, it makes all of them again with these fields given too, as [spread.Runner] does.
func (res *residual) fill(r *runner, u *unit, config, given *value.Data) (filled, bool) {
	u.open, u.settles = false, func() bool { return res.settles(u, given) }
	out, ok := res.fillWith(r, u, config, given)
	if !ok || !u.open {
		return out, ok
	}
	u.open = false
	out, ok = res.fillWith(r, u, config, config.Merge(given))
	return out, ok && !u.open
}

// settles reports whether values that are ambiguous with a default, such as a port for which the model has another default, may be
// made again as if all defaults of the config were given. A default may contradict a given value that the config makes of other fields.
func (res *residual) settles(u *unit, given *value.Data) bool {
	if res.made == nil {
		made := res.madeOfConfig(u)
		res.made = &made
	}
	return !res.together && !filter.Any(*res.made, func(path []string) bool { return len(given.Within(path).Fields) > 0 })
}

// madeOfConfig are the fields of the config that are made of others, or written under a condition.
func (res *residual) madeOfConfig(u *unit) [][]string {
	made := slices.Clone(spread.ConditionalFields(u.Package))
	for _, g := range res.groups {
		for _, name := range g.names {
			if path := []string{"parameter", name}; len(res.depends.Of(append([]string{"description", "config"}, path...)...)) > 0 {
				made = append(made, path)
			}
		}
	}
	if res.size != nil {
		made = append(made, res.size.path)
	}
	return made
}

func (res *residual) fillWith(r *runner, u *unit, config, given *value.Data) (out filled, ok bool) {
	out.givers = sync.OnceValue(func() map[diag.Pos]value.Origin { return spread.Givers(config) })
	for _, g := range res.dependent {
		values, ok := g.fill(r, u, config, given)
		if !ok || g.beside != nil && !out.addApart(g.paths[0], values[0], g.beside) {
			return filled{}, false
		}
		if g.beside == nil {
			out.paths, out.values = append(out.paths, g.paths...), append(out.values, values...)
		}
	}
	return out, true
}

// addApart adds the fields of a struct whose names are computed. It is false where a name is
// that of one of the others in the struct.
func (f *filled) addApart(path []string, values *value.Data, beside []string) bool {
	if values == nil || values.Kind != value.Struct {
		return false
	}
	if filter.Any(values.Fields, func(x value.Field) bool { return filter.Contains(beside, x.Name) }) {
		return false
	}
	if len(values.Fields) > 0 {
		if f.apart == nil {
			f.apart = map[int]bool{}
		}
		f.apart[len(f.paths)] = true
		f.paths, f.values = append(f.paths, path), append(f.values, values)
	}
	return true
}

// in puts what lies at a path of the artifact, or below it, into the data there, with who
// gave it if that is asked for.
func (f filled) in(d *value.Data, origin func(diag.Pos) value.Origin, at ...string) *value.Data {
	for i, path := range f.paths {
		if len(path) < len(at) || !slices.Equal(path[:len(at)], at) || len(at) == 1 && path[1] == "role" {
			continue
		}
		x, below := f.values[i], path[len(at):]
		if x == nil && d.Get(below...) == nil {
			continue
		}
		if x != nil && origin != nil {
			x = x.WithOrigin(func(d *value.Data) value.Origin { return origin(d.Pos) })
		}
		if f.apart[i] {
			x = value.OrEmpty(d.Get(below...)).Merge(x)
		}
		d = d.With(below, x)
	}
	return d
}

// only is the one value of what depends on some of config, nil where CUE has to see the
// whole artifact.
func (g *dependents) only(r *runner, u *unit, config, given *value.Data) *value.Data {
	if g == nil {
		return nil
	}
	if g.written != nil {
		return g.written.Placed(config, g.place)
	}
	values, ok := g.fill(r, u, config, given)
	if !ok {
		return nil
	}
	return values[0]
}

// isUnwritten reports whether the value is one that Go makes, and cannot with this config.
func (g *dependents) isUnwritten(config *value.Data) bool {
	return g != nil && g.written != nil && g.written.Placed(config, g.place) == nil
}

// madeByCUE is the value with the given config, nil where CUE has to see all.
func (p passedAt) madeByCUE(r *runner, u *unit, config, given *value.Data, by func(diag.Pos) value.Origin) *value.Data {
	x := p.byCUE.only(r, u, config, given)
	if x == nil {
		return nil
	}
	if same := p.Copied(config); same != nil && same.JSON() == x.JSON() {
		return same
	}
	return x.WithOrigin(func(d *value.Data) value.Origin { return by(d.Pos) })
}
