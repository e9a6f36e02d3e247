package partial

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// pruned is the unit of a package without its literal fields, which are read from the
// sources, so that CUE evaluates only the rest. It is nil where there are none, where a
// role refers to a field that does not exist, or where anything else is wrong. Roles of the given names are left to CUE.
func (r *runner) pruned(p *spread.Package, unwritten map[string]bool) *unit {
	if syntax.HasWrongNames(p.Files) {
		return nil
	}
	left, apart := r.takeApart(p)
	src := r.readLeft(left, apart != nil, unwritten)
	if src == nil {
		return nil
	}
	src.order = append(src.order, apart...)
	v := prunedValue(r.Eval, left, src)
	if v.Err() != nil {
		r.Eval.ForgetFailed()
		return nil
	}
	u := knownOf(spread.NewUnit(p, v.LookupPath(spread.ArtifactPath)))
	u.Shared, u.Partial, u.src, u.unwritten = true, true, src, unwritten
	u.Reading, u.Read, u.Aside = src.Reading, true, src.aside
	if unread := u.unread(); len(unread) > 0 {
		maps.Copy(unread, unwritten)
		return r.pruned(p, unread)
	}
	kind, _ := u.Artifact.LookupPath(spread.KindPath).String()
	if len(src.plain) > 0 && kind != "service" {
		return nil // roles are not for it
	}
	if !r.ResourcesFit(u.Unit) || u.Artifact.Validate() != nil || !u.placePassed() {
		return nil
	}
	return u
}

// readLeft reads what is to be known of the sources of p before CUE sees them; nil if nothing
// is, unless CUE does not see all of them anyway.
func (r *runner) readLeft(p *spread.Package, anyway bool, unwritten map[string]bool) *sources {
	var src *sources
	stubbed := r.Eval.Stubbable(p)
	if len(stubbed) == 0 && !anyway {
		src = r.readPruned(p)
	}
	if src == nil || src.crossing {
		src = r.readRest(p, stubbed, unwritten)
	}
	if src != nil && len(src.aside) > 0 {
		return src
	}
	if !anyway {
		return nil
	}
	x := r.Eval.Reading(p)
	if x == nil {
		return nil
	}
	src = holesOf(x)
	src.rest = p
	return src
}

// takeApart leaves out of a package what config decides by itself, which is for slices of the
// package as it was.
func (r *runner) takeApart(p *spread.Package) (*spread.Package, []*dependents) {
	left, all, holes := r.Eval.TakeApart(p)
	if all == nil {
		return p, nil
	}
	s := newHoles(p, all)
	for _, h := range holes {
		s.depend(h, h.Path...)
	}
	for _, g := range s.order {
		g.apart = all
	}
	return left, s.order
}

// readPruned reads the sources of p, and sets aside the fields whose values they give as
// literals.
func (r *runner) readPruned(p *spread.Package) *sources {
	s := newSources(p)
	if s.spine == nil {
		return nil
	}
	out := s.read()
	if out == nil || len(out.unclear) > 0 && !out.clear(p, r.Eval.Sources(p)) {
		return nil
	}
	s.Reading = out.Reading
	s.readConstants()
	out.constants, out.parameters, out.from = s.constants, s.parameters, s.from
	return out
}

// clear finds the dependencies of the fields that are unclear. It is false where those are more than values in the
// description.
func (s *sources) clear(p *spread.Package, d *depends.Sources) bool {
	x := &spread.Reading{Package: p, Sources: d, Described: s.Described, Passed: s.Passed}
	s.pkg, s.groups = p, map[string]*dependents{}
	for i, path := range s.unclear {
		isInOther := func(y []string) bool { return isWithin(path, y) }
		isInLarger := func(y []string) bool { return len(y) < len(path) && isWithin(path, y) }
		if filter.Any(s.unclear[:i], isInOther) || filter.Any(s.unclear[i+1:], isInLarger) {
			continue
		}
		at := append([]string{"description"}, path...)
		maps.DeleteFunc(x.Described, func(key string, _ spread.Passed) bool { return isWithin(strings.Split(key, "\x00"), path) })
		for _, h := range d.Holes(at...) {
			h.Path = append(slices.Clip(at), h.Path...)
			if !x.Add(h) {
				return false
			}
		}
	}
	s.grouping(x)
	return true
}

// isWithin reports whether a path leads to what another one does, or into it.
func isWithin(path, around []string) bool {
	return len(path) >= len(around) && slices.Equal(path[:len(around)], around)
}

// placePassed gives what is passed to plain roles its place. It is false if the
// config has not got it, or if it cannot become a part of a text.
func (u *unit) placePassed() bool {
	known := map[string]bool{}
	for _, role := range u.src.plain {
		for i, at := range role.passed {
			role.passed[i].asks = at.asks || u.showsChoice(at.Passed)
			for _, x := range at.Parts {
				key := strings.Join(x.Ref, "\x00")
				if x.Ref == nil || known[key] && !at.Text {
					continue
				}
				if known[key] = u.has(x.Ref[1:], at.Text); !known[key] {
					return false
				}
			}
			if !at.Text && at.byCUE == nil && !at.embeds {
				hole, _ := holeAt(role.given, role.meta, at.path)
				hole.Pos = u.Declared(at.Parts[0].Ref[1:]...)
			}
		}
	}
	return true
}

// unread are the names of those plain roles that have to be left to CUE, whatever is given. Some embed a struct of config whose type may say
// something of the fields beside it. Others show a struct of config that takes fields which the artifact does not declare: CUE places those in another way.
func (u *unit) unread() map[string]bool {
	out := map[string]bool{}
	for _, role := range u.src.plain {
		names := map[string]bool{}
		for _, at := range role.passed {
			if at.embeds && !u.addsFields(names, at, role) || at.byCUE != nil && at.byCUE.written != nil && u.mayBeUndeclared(at.byCUE.set) {
				out[role.name] = true
			}
		}
	}
	return out
}

// addsFields reports whether a struct of config that is embedded has no structs in it, and only fields that nothing else in the struct
// around it has. It adds their names to names. Which names a map has is seen when it is given, see [embed].
func (u *unit) addsFields(names map[string]bool, at passedAt, role *plainRole) bool {
	v, given := u.At(at.Copies()[1:]), role.given
	if member, ok := membersOf(v); ok && member == cue.AnyString {
		return role.isBesideMap(at, plainKind(v.LookupPath(cue.MakePath(member))))
	}
	fields, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil || !isOneStruct(v, true) || isOpenStruct(v) {
		return false
	}
	own := given.Get(at.path...)
	for fields.Next() {
		name := fields.Name()
		key := strings.Join(append(slices.Clip(at.path), name), "\x00")
		if own.Get(name) != nil || names[key] || fields.Value().IncompleteKind()&cue.StructKind != 0 {
			return false
		}
		names[key] = true
	}
	return true
}

// isBesideMap reports whether all that the role has in a struct, besides one copy of a map without a name, is leaves that are written there, of the
// kind that the map's fields have: that type is for these leaves too. Then they lie where they are written, and not at the fields.
func (x *plainRole) isBesideMap(of passedAt, kind *value.Kind) bool {
	texts := map[string]bool{}
	for _, p := range x.passed {
		switch {
		case !isWithin(p.path, of.path) || p.embeds && p.Expr == of.Expr:
		case p.embeds || !p.Text || len(p.path) > len(of.path)+1:
			return false
		default:
			texts[p.path[len(of.path)]] = true
		}
	}
	for _, f := range x.given.Get(of.path...).Each() {
		at, isWritten := of.beside[f.Name]
		if kind == nil || !isWritten || f.Value.Kind != *kind && !(texts[f.Name] && *kind == value.String) {
			return false
		}
		f.Value.Pos = at
	}
	return true
}

// mayBeUndeclared reports whether one of several parts of config takes fields or items that the artifact does not declare.
func (u *unit) mayBeUndeclared(set depends.Set) bool {
	return filter.Any(set, func(path depends.Path) bool {
		key := strings.Join(path, "\x00")
		loose, known := u.loose[key]
		if !known {
			loose = isLoose(u.At(path), maxLoose)
			u.loose[key] = loose
		}
		return loose
	})
}

// maxLoose bounds how deep [isLoose] looks.
const maxLoose = 4

// isLoose reports whether a type takes fields or items of which it says nothing, or is too deep to tell.
func isLoose(v cue.Value, depth int) bool {
	kind := v.IncompleteKind()
	if kind&(cue.StructKind|cue.ListKind) == 0 {
		return false
	}
	if depth == 0 || kind == cue.TopKind {
		return true
	}
	member := func(s cue.Selector) bool {
		m := v.LookupPath(cue.MakePath(s))
		return m.Exists() && isLoose(m, depth-1)
	}
	if member(cue.AnyString) || member(cue.AnyIndex) {
		return true
	}
	if kind&cue.StructKind == 0 {
		return false
	}
	fields, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil || isOpenStruct(v) {
		return true
	}
	for fields.Next() {
		if isLoose(fields.Value(), depth-1) {
			return true
		}
	}
	return false
}

// has reports whether the config has a field, which is a text or number if need be.
func (u *unit) has(path []string, scalar bool) bool {
	fits := func(v cue.Value) bool {
		return !scalar || v.IncompleteKind()&^(cue.StringKind|cue.NumberKind|cue.BoolKind) == 0
	}
	if v := u.At(path); v.Exists() {
		return fits(v)
	}
	return hasField(u.Config, path, fits)
}

// hasField reports whether there is a field that fits at a path, in each alternative where there
// are some.
func hasField(v cue.Value, path []string, fits func(cue.Value) bool) bool {
	if x := fromcue.Lookup(v, path); x.Exists() || len(path) == 0 {
		return x.Exists() && fits(x)
	}
	if op, args := v.Expr(); op == cue.OrOp {
		return !filter.Any(args, func(a cue.Value) bool { return !hasField(a, path, fits) })
	}
	if _, isIndex := value.Index(path[0]); isIndex {
		return false
	}
	next := fromcue.Lookup(v, path[:1])
	return next.Exists() && hasField(next, path[1:], fits)
}

// outline is the role without what fills it, and what is known of it.
func (x *plainRole) outline() (*value.Role, spread.SeenRole) {
	role := &value.Role{Name: x.name, Pos: x.pos, Meta: value.OrEmpty(x.meta)}
	return role, spread.SeenRole{Given: x.given, OwnScale: x.sized, Of: x.of}
}

// prunedValue is like Value, without the fields that are set aside.
func prunedValue(e *spread.Evaluator, p *spread.Package, src *sources) cue.Value {
	if src.rest != nil {
		return e.Value(src.rest)
	}
	var v cue.Value
	src.spine.without(src.aside, src.from, func() {
		v = e.AsItIs(p)
	})
	return v
}
