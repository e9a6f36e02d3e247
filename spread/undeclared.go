package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// Undeclared returns the paths of given values that the artifact's config, as
// it is before anything is given, has no field for.
func Undeclared(u *Unit, given *value.Data) [][]string { return undeclaredIn(u, given).extra }

// Declares reports whether the artifact's config has a field for everything that is given (all), and
// whether that is so for any other values of the same fields (always).
func Declares(u *Unit, given *value.Data) (all, always bool) {
	found := undeclaredIn(u, given)
	return len(found.extra) == 0, len(found.extra) == 0 && !found.byValue
}

// undeclared are the paths of given values that a config has no field for.
type undeclared struct {
	unit    *Unit
	extra   [][]string
	byValue bool // whether the value of a field decided if the config has that field
}

func undeclaredIn(u *Unit, given *value.Data) *undeclared {
	found := &undeclared{unit: u}
	for _, section := range []string{"parameter", "resource"} {
		g := given.Get(section)
		if u.Bare[section] {
			for _, f := range g.Each() {
				found.extra = append(found.extra, []string{section, f.Name})
			}
			continue
		}
		found.look(u.Config.LookupPath(PathOf([]string{section})), g, []string{section})
	}
	for _, f := range given.Each() {
		if !filter.Contains([]string{"parameter", "resource", "scale", "resilience"}, f.Name) && !depends.IsAside(f.Name) {
			found.extra = append(found.extra, []string{f.Name})
		}
	}
	return found
}

// look compares what is given with the part of the config at a path.
func (x *undeclared) look(schema cue.Value, given *value.Data, path []string) {
	if given == nil || given.Kind != value.Struct || schema.IncompleteKind()&cue.StructKind == 0 || x.unit.isChoiceItself(schema, path) {
		return
	}
	for _, f := range given.Fields {
		at := append(slices.Clip(path), f.Name)
		if !schema.Allows(cue.Str(f.Name)) {
			x.byValue = true
			if !takesField(schema, f) {
				x.extra = append(x.extra, at)
				continue
			}
		}
		if field := fromcue.Lookup(schema, []string{f.Name}); field.Exists() && f.Value.Kind == value.Struct {
			x.look(field, f.Value, at)
		}
	}
}

// takesField reports whether a schema takes a field. Of a choice, [cue.Value.Allows]
// asks the default alone.
func takesField(schema cue.Value, f value.Field) bool {
	given := &value.Data{Kind: value.Struct, Fields: []value.Field{f}}
	return schema.Unify(cuecontext.New().BuildExpr(Expr(given))).Validate() == nil
}

// disallowed returns the paths of given values that a level's config has no field
// for: those that are declared under a condition which does not hold with them.
func (u *Unit) disallowed(level cue.Value, given *value.Data) (extra [][]string) {
	for _, e := range errors.Errors(level.Validate()) {
		path := fromcue.FieldPath(e.Path())
		if wording.IsRefusal(e) && len(path) > 3 && slices.Equal(path[:2], ConfigAt) && given.Get(path[2:]...) != nil && !u.IsChoice(path[2:]) {
			extra = append(extra, path[2:])
		}
	}
	return extra
}

// IsChoice reports whether the artifact declares alternatives for the config at a
// path, or for something around it.
func (u *Unit) IsChoice(path []string) bool {
	for n := range path {
		if part := path[:n+1]; u.isChoiceItself(u.At(part), part) {
			return true
		}
	}
	return false
}

// MayBeChoice reports whether the type of the config at a path may be a disjunction of structs. Unlike
// [Unit.IsChoice], it also follows references, and it says yes if it cannot tell.
func (u *Unit) MayBeChoice(path []string) bool {
	key := strings.Join(path, "\x00")
	is, known := u.alternatives[key]
	if !known {
		is = mayBeChoice(u.At(path), 8)
		u.alternatives[key] = is
	}
	return is
}

func mayBeChoice(v cue.Value, depth int) bool {
	if v.IncompleteKind()&cue.StructKind == 0 {
		return false
	}
	if fromcue.WritesAlternatives(v) {
		return true
	}
	op, args := fromcue.ExprOf(v)
	switch op {
	case cue.OrOp:
		return true
	case cue.AndOp:
		return depth == 0 || filter.Any(args, func(a cue.Value) bool { return mayBeChoice(a, depth-1) })
	}
	to := fromcue.Dereference(v)
	if to.Source() == v.Source() || to.Source() == nil {
		return op != cue.NoOp
	}
	return depth == 0 || mayBeChoice(to, depth-1)
}

// isChoiceItself reports whether the config at a path has alternatives. It remembers that:
// a section is asked about as often as it has fields.
func (u *Unit) isChoiceItself(schema cue.Value, path []string) bool {
	key := strings.Join(path, "\x00")
	if name := u.DefinitionAt(path); name != "" {
		key = name
	}
	is, known := u.choices[key]
	if !known {
		is = hasAlternatives(schema, 3)
		u.choices[key] = is
	}
	return is
}

// DefinitionAt is the definition that a field of a section of config is said to be, "" if
// that is not known, or not all that is said.
func (u *Unit) DefinitionAt(path []string) string {
	if len(path) != 2 || u.Reading == nil || u.Reading.Sources == nil {
		return ""
	}
	all, known := u.definitions[path[0]]
	if !known {
		all = u.Reading.Sources.Definitions("description", "config", path[0])
		u.definitions[path[0]] = all
	}
	if name := all[path[1]]; name != "" {
		return path[0] + " " + name
	}
	return ""
}

// hasAlternatives reports whether a schema is a choice, looked for down to depth:
// which fields there are hangs on the alternative, and that on all that is given.
func hasAlternatives(schema cue.Value, depth int) bool {
	if fromcue.WritesAlternatives(schema) { // before CUE is asked, which takes it long
		return true
	}
	op, args := fromcue.ExprOf(schema)
	if op == cue.OrOp {
		return true
	}
	return depth > 0 && op == cue.AndOp && filter.Any(args, func(a cue.Value) bool { return hasAlternatives(a, depth-1) })
}

// undeclared looks at the fields that the bare artifact does not declare. Some
// may be declared under a condition that the rest of the config fulfils. The
// others are reported: in a kam-style module they are passed on with a
// warning, as the vendor's tool does, elsewhere they are left out.
//
// It reports whether the config has to be open for what is left of the given.
func (r *Runner) undeclared(u *Unit, given *value.Data, extra [][]string, at Place) (open bool, left *value.Data) {
	rest := given
	for _, path := range extra {
		rest = rest.Without(path)
	}
	conditional, unknown := r.conditional(u, given, rest, extra)
	lenient := r.lenient(u.Package)
	passed := false
	for _, path := range extra {
		x := given.Get(path...)
		if kind, wanted := u.wrongKind(path, conditional); wanted != "" {
			d := r.reportKind(u, path, kind, wanted, given, at)
			pos := r.Eval.NewCause()
			r.causeAt(pos).reported = d
			id := value.NewString(pos, "stand-in")
			if given.Get(append(slices.Clip(path[:2]), wanted)...) == nil {
				rest = rest.With(append(slices.Clip(path[:2]), wanted), id)
			}
			continue
		}
		known := !filter.Any(unknown, func(x []string) bool { return slices.Equal(x, path) })
		if !known {
			d, near := r.reportUndeclared(u, path, x, at, lenient)
			if near != nil {
				r.renamed[at.String()+" config."+wording.Path(near)] = true
			}
			if near != nil && rest.Get(near...) == nil && d.Severity == diag.Error {
				pos := r.Eval.NewCause()
				r.causeAt(pos).reported = d
				rest = rest.With(near, x.MovedTo(pos)) // what was meant is not missing as well
			}
		}
		if known || lenient && len(path) > 1 {
			rest = rest.With(path, x)
			passed = passed || !known
		}
	}
	return passed, rest
}

// conditional is the config of an artifact with the rest of what is given, and with those of the extra fields that it declares under a condition
// which holds then. It returns the others too. Such a field may fulfil the condition of the next.
func (r *Runner) conditional(u *Unit, given, rest *value.Data, extra [][]string) (config cue.Value, unknown [][]string) {
	for unknown = extra; ; {
		config = r.Eval.level(u.Package, false, u.chain.with(ConfigAt, rest)).LookupPath(filledPath)
		var left [][]string
		for _, path := range unknown {
			parent := config.LookupPath(PathOf(path[:len(path)-1]))
			if len(path) > 1 && parent.IncompleteKind() == cue.StructKind && parent.Allows(cue.Str(path[len(path)-1])) {
				rest = rest.With(path, given.Get(path...))
			} else {
				left = append(left, path)
			}
		}
		if len(left) == 0 || len(left) == len(unknown) {
			return config, left
		}
		unknown = left
	}
}

// written is where the field of a config is written: for a role, in the
// service, wherever the value comes from that it passes on.
func (p Place) written(path []string, given diag.Pos) diag.Pos {
	if p.By == nil {
		return given
	}
	full := append([]string{"#Artifact", "description", "role", p.Path[len(p.Path)-1], "config"}, path...)
	for _, w := range WrittenIn(p.By, full...) {
		if !value.IsModel(w.Pos) {
			return w.Pos
		}
	}
	return given
}

// reportUndeclared returns the path of the declared field that was probably
// meant, nil if none comes near.
func (r *Runner) reportUndeclared(u *Unit, path []string, value *value.Data, at Place, lenient bool) (*diag.Diagnostic, []string) {
	parent, name := path[:len(path)-1], path[len(path)-1]
	names := filter.Out(fromcue.FieldNames(u.Config.LookupPath(PathOf(parent))), func(other string) bool { return other == name })
	near, found := diag.Nearest(name, names)
	hint := "; it has " + strings.Join(slices.Sorted(slices.Values(names)), ", ")
	elsewhere := r.elsewhere(u, path)
	switch {
	case found:
		hint = fmt.Sprintf("; did you mean %s?", near)
	case elsewhere.hint != "":
		hint = elsewhere.hint
	case len(names) == 0:
		hint = ", which declares none here; leave it out"
	}
	label := r.labelOf(at.written(path, value.LeafPos()))
	d := diag.New(diag.Undeclared, label.pos, "config.%s is not a field of %s%s", wording.Path(path), at.artifact(u), hint)
	if lenient {
		d.Severity = diag.Warning
	}
	r.report(d.AtPath(at.field("config", path...)...).With(fromcue.WrittenPos(u.Config.LookupPath(PathOf(parent))), "%s declares its fields here", u))
	if !found {
		return d, elsewhere.meant
	}
	if label.text != "" {
		d.Fixes = []diag.Fix{{
			Title: fmt.Sprintf("rename %s to %s", name, near),
			Edits: []diag.Edit{{Pos: label.pos, Len: len(label.text), Text: cue.MakePath(cue.Str(near)).String()}},
		}}
	}
	return d, append(slices.Clip(parent), near)
}
