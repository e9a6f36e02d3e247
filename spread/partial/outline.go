package partial

import (
	"slices"
	"strings"

	"kumiki.dev/spread"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// outline is an artifact as it is before it is given a config: its node, but for
// the config and the places that show it, in the description and in what roles
// get. It is nil where more than those depends on config, or anything is wrong:
// then CUE has to see a config.
func (r *runner) outline(u *unit) *value.Node {
	src := u.known(r.Eval)
	if src == nil || !u.Shared || u.Flawed || src.copiesContext() {
		return nil
	}
	if around, _ := spread.PartsOf(u.Artifact); filter.Any(around, func(v cue.Value) bool { return v.Err() != nil }) {
		return nil
	}
	n := &value.Node{Package: u.Package.Source(), Pos: u.Pos}
	f := &spread.Finisher{Places: spread.Nowhere}
	spread.Identify(n, f, u.Artifact)
	desc := u.Artifact.LookupPath(spread.DescriptionPath)
	n.Builtin, _ = desc.LookupPath(spread.BuiltinPath).Bool()
	f.Places = u.Place
	f.Shown = u.shown(src.Described, src.open(""))
	var err error
	if n.Description, err = f.Description(desc); err != nil || len(f.Problems) > 0 {
		return nil
	}
	n.Description = src.describe(n.Description)
	if n.Ref.Kind == "service" && !n.Builtin && !r.outlineRoles(u, n, desc.LookupPath(spread.RolesPath)) {
		return nil
	}
	return n
}

// copiesContext reports whether a value is all that the artifact knows of where it is deployed,
// which no source declares, so that CUE has to place it.
func (s *sources) copiesContext() bool {
	for _, p := range s.Described {
		if slices.Equal(p.Copies(), []string{"config", spread.Context}) {
			return true
		}
	}
	return false
}

// outlineRoles adds the roles of a service to its outline; it is false if there is
// more to one than an artifact, and a config that is known but for what is passed.
func (r *runner) outlineRoles(u *unit, n *value.Node, roles cue.Value) bool {
	n.Roles = []*value.Role{}
	u.Seen = map[string]spread.SeenRole{}
	for _, x := range u.src.plain {
		role, seen := x.outline()
		n.Roles = append(n.Roles, role)
		u.Seen[role.Name] = seen
	}
	defer func() {
		slices.SortFunc(n.Roles, func(a, b *value.Role) int { return strings.Compare(a.Name, b.Name) })
	}()
	if spread.IsAmbiguous(roles) {
		return false
	}
	fields, err := fromcue.Fields(roles)
	if err != nil {
		return true // there are no others
	}
	for fields.Next() {
		name, v := fields.Name(), fields.Value()
		if _, ok := u.Seen[name]; ok {
			return false // a name that is computed is that of a plain role
		}
		artifact := v.LookupPath(spread.ArtifactField)
		f := &spread.Finisher{Places: u.PlacesInRole(name), Shown: u.shown(u.src.Passed[name], u.src.open(name))}
		config := v.LookupPath(spread.ConfigPath)
		given := f.Sections(config, []string{"config"})
		if config.Exists() && config.Err() != nil { // it refers to what is not there
			return false
		}
		if !r.Eval.HasArtifact(artifact) || spread.NamesResources(given.Get("resource")) {
			return false
		}
		role := &value.Role{Name: name, Pos: u.PlaceOf(v, "description", "role", name), Meta: value.OrEmpty(nil)}
		if meta := v.LookupPath(spread.MetaPath); meta.Exists() {
			role.Meta = value.OrEmpty(f.Finish(meta, []string{"meta"}))
		}
		if len(f.Problems) > 0 {
			return false
		}
		n.Roles = append(n.Roles, role)
		u.Seen[name] = spread.SeenRole{Given: given, OwnScale: spread.StatesScale(v, given), Of: r.Eval.StandsFor(artifact)}
	}
	return true
}

// shown leaves the places empty that have an expression over config, by their path
// from the config or description.
func (u *unit) shown(expressions map[string]spread.Passed, open map[string]bool) func(cue.Value, []string) *value.Data {
	return func(v cue.Value, path []string) *value.Data {
		if open[strings.Join(path, "\x00")] {
			return &value.Data{Kind: value.Null}
		}
		if p, ok := expressions[strings.Join(path[1:], "\x00")]; ok {
			return &value.Data{Kind: value.Null, Pos: u.shownPos(v, p)}
		}
		return nil
	}
}

// shownPos is where a value lies that an expression over config gives: a text
// where it is written, a struct or list where the config declares it.
func (u *unit) shownPos(v cue.Value, p spread.Passed) diag.Pos {
	if !p.Text {
		return u.Declared(p.Parts[0].Ref[1:]...)
	}
	if field, ok := v.Source().(*ast.Field); ok && isSame(field.Value, p.Expr) {
		return fromcue.Pos(field)
	}
	return fromcue.Pos(throughLets(p.Expr))
}

// throughLets is the expression that a let gives a name, if x is such a name, and x itself if not.
func throughLets(x ast.Expr) ast.Expr {
	let := syntax.LetOf(x)
	if let == nil {
		return x
	}
	return throughLets(syntax.Unparen(let.Expr))
}
