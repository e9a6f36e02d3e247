package partial

import (
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// sources is what can be told from the sources of an artifact about where its
// config is read. It is sound, not complete: whatever it does not understand
// makes the artifact one that only CUE can evaluate.
type sources struct {
	*spread.Reading
	// written counts how often a field of a role's config, or of the description,
	// is given.
	written map[string]int
	// plain are the roles, constants the fields of the description, and parameters the parameters of a
	// component that are read from the sources alone. All of those are aside,
	// where the walk does not come by and CUE does not get to see them; from are the
	// structs that they are in.
	plain      []*plainRole
	constants  []plainField
	parameters []plainParameter
	aside      map[*ast.Field]bool
	from       []*ast.StructLit
	spine      *spine

	rest           *spread.Package // without what is aside
	groups         map[string]*dependents
	order          []*dependents
	together       bool       // more of the config than parameters depends on config
	whole          bool       // what config decides is not apart from the rest
	groupsOfConfig [][]string // parameters that depend on each other
	size           *passedAt  // the number of instances that parameters make; nil if none do

	pkg          *spread.Package       // the artifact's, without what is apart
	inside       map[ast.Node]bool     // values of all fields of the description
	crossing     bool                  // one of those is read by another
	descriptions map[ast.Node]bool     // values of fields #Artifact.description
	configs      map[ast.Node]bool     // values of fields #Artifact.description.config
	roles        map[ast.Node]bool     // values of fields #Artifact.description.role
	aliases      map[ast.Node][]string // what lets and hidden fields stand for, from config on
	mayAlias     bool                  // there are lets or hidden fields
	hidden       map[string]int        // how many declarations there are of hidden fields of a name
	fields       []string              // that the walk is in
	unclear      [][]string            // paths of fields, from the description, that only their dependencies tell more of
	opaque       bool                  // something was not understood
}

func newSources(p *spread.Package) *sources {
	p.Link()
	return &sources{
		pkg: p, spine: readSpine(p), aside: map[*ast.Field]bool{}, Reading: &spread.Reading{Passed: map[string]map[string]spread.Passed{}, Described: map[string]spread.Passed{}}, written: map[string]int{},
		inside: map[ast.Node]bool{}, descriptions: map[ast.Node]bool{}, configs: map[ast.Node]bool{}, roles: map[ast.Node]bool{}, aliases: map[ast.Node][]string{}, hidden: map[string]int{},
	}
}

// read walks the sources.
func (s *sources) read() *sources {
	s.walk(s.collect, s.leave)
	s.resolveAliases()
	s.walk(s.before, s.leave)
	if s.opaque || s.unified() {
		return nil
	}
	return &sources{Reading: s.Reading, plain: s.plain, spine: s.spine, aside: s.aside, crossing: s.crossing, unclear: s.unclear} // the rest is for the walk
}

func (s *sources) walk(before func(ast.Node) bool, after func(ast.Node)) {
	for _, f := range s.pkg.Files {
		ast.Walk(f, before, after)
	}
}

// unified reports whether an expression over config is not all that is said of its
// field.
func (s *sources) unified() bool {
	for key, n := range s.written {
		role, path, inRole := strings.Cut(key, "\x01")
		_, ok := s.Described[key]
		if inRole {
			_, ok = s.Passed[role][path]
		}
		if ok && n > 1 {
			return true
		}
	}
	return false
}

// collect finds the values of the fields that matter by their path.
func (s *sources) collect(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Alias:
		s.opaque = true // names for parts of fields are seldom, and many kinds
	case *ast.LetClause:
		s.mayAlias = true
	case *ast.Field:
		if s.aside[x] {
			s.inside[x.Value] = true
			return false
		}
		s.fields = append(s.fields, syntax.LabelName(x.Label))
		s.opaque = s.opaque || x.Alias != nil
		if isHidden(x.Label) {
			s.mayAlias = true
			s.hidden[syntax.LabelName(x.Label)]++
		}
		switch {
		case len(s.fields) >= 2 && s.fields[0] != "#Artifact" && s.fields[1] == "description":
			s.opaque = true // a base of the artifact's; its parts are not told apart
		case len(s.fields) == 1 && s.fields[0] == "#Artifact":
			_, isName := x.Label.(*ast.Ident)
			s.opaque = s.opaque || !isName // a field of that name, in quotes
		case len(s.fields) > 2 && s.fields[0] == "#Artifact" && s.fields[1] == "description":
			s.inside[x.Value] = true
		}
		switch {
		case s.at("#Artifact", "description"):
			s.descriptions[x.Value] = true
		case s.at("#Artifact", "description", "config"):
			s.configs[x.Value] = true
			s.opaque = s.opaque || hasPattern(x.Value)
		case s.at("#Artifact", "description", "role"):
			s.roles[x.Value] = true
		}
	}
	return true
}

func (s *sources) leave(n ast.Node) {
	if _, ok := n.(*ast.Field); ok {
		s.fields = s.fields[:len(s.fields)-1]
	}
}

func (s *sources) at(path ...string) bool { return slices.Equal(s.fields, path) }

// before judges what the walk comes by, and does not go into what is judged.
func (s *sources) before(n ast.Node) bool {
	s.opaque = s.opaque || s.hasOtherFields(n)
	switch x := n.(type) {
	case *ast.ImportDecl:
		return false
	case *ast.LetClause:
		if s.aliases[x] != nil {
			return false
		}
	case *ast.Field:
		if s.aside[x] {
			return false
		}
		s.fields = append(s.fields, syntax.LabelName(x.Label))
		s.field(x)
		s.leave(x) // the walk does not, where it is told not to go on
		return false
	case *ast.Ident:
		if s.mayVary(x) || s.inside[x.Node] {
			s.opaque = true
			s.crossing = s.crossing || !s.configs[x.Node] && s.aliases[x.Node] == nil
		}
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && id.Node != nil && s.descriptions[id.Node] {
			s.crossing, s.opaque = true, true
			return false // another part of the description
		}
		s.opaque = s.opaque || s.imported(x)
		ast.Walk(x.X, s.before, s.leave) // the other side is a name within that
		return false
	}
	return true
}

// hasOtherFields reports whether an expression in the description, or in a role's config, has fields that do not become fields there.
func (s *sources) hasOtherFields(x ast.Node) bool {
	return syntax.HidesFields(x) && (s.isInDescription() || s.isInRole()) && syntax.HasField(x)
}

// isInRole reports whether the field that the walk is in is a role's config, or a part of one.
func (s *sources) isInRole() bool {
	return len(s.fields) > 4 && slices.Equal(s.fields[:3], []string{"#Artifact", "description", "role"}) && s.fields[4] == "config"
}

// field judges a field by itself where its value is an alias or is passed to a
// role, and looks into it otherwise.
func (s *sources) field(x *ast.Field) {
	switch x.Label.(type) {
	case *ast.Ident, *ast.BasicLit:
	default:
		ast.Walk(x.Label, s.before, s.leave)
	}
	if len(s.fields) > 3 && slices.Equal(s.fields[:3], []string{"#Artifact", "description", "role"}) && filter.Contains(s.fields[3:], "") {
		s.opaque = true // it may say something of any role
	}
	if x.Value != nil && s.aliases[x.Value] != nil && isHidden(x.Label) {
		return
	}
	if x.Constraint == token.NOT && (s.isInDescription() || s.isInRole()) {
		// x!: "a"  demands a value, and gives none.
		s.opaque = true
	}
	if path, ok := s.describedPath(); ok && x.Value != nil {
		s.written[path]++
		if p, ok := s.expression(x.Value); ok && !p.Reads("resource") {
			s.Described[path] = p
			return
		}
	}
	if len(s.fields) > 5 && s.isInRole() && x.Value != nil {
		role, path := s.fields[3], strings.Join(s.fields[5:], "\x00")
		s.written[role+"\x01"+path]++
		if p, ok := s.expression(x.Value); ok {
			if s.Passed[role] == nil {
				s.Passed[role] = map[string]spread.Passed{}
			}
			s.Passed[role][path] = p
			return
		}
	}
	if x.Value != nil {
		s.into(x.Value)
	}
}

// into reads the value of a field. If something in the value is not understood, it adds the field to those of which
// [sources.clear] finds the dependencies.
func (s *sources) into(x ast.Expr) {
	before := s.opaque
	s.opaque = false
	ast.Walk(x, s.before, s.leave)
	if s.opaque && s.isInDescription() {
		s.unclear, s.opaque = append(s.unclear, s.around()), false
	}
	s.opaque = s.opaque || before
}

// around is the path, from the description, of the field that the walk is in; or of the size around it, as the model derives
// one part of a size from another.
func (s *sources) around() []string {
	path := slices.Clone(s.fields[2:])
	switch {
	case path[0] == "size":
		return path[:1]
	case path[0] == "code" && len(path) > 2 && path[2] == "size":
		return path[:3]
	}
	return path
}

// holdsSize reports whether the field that the walk is in may be, or lie in, a size, or have one in it: of the whole artifact or of
// a container. The model says  mincpu: *cpu.size | …  so a value of config that is shown in one may show in two places.
func (s *sources) holdsSize() bool {
	path := s.fields[2:]
	return path[0] == "size" || path[0] == "code" && (len(path) < 3 || path[2] == "size")
}

// isInDescription reports whether the field that the walk is in is a part of the description, other than its roles and
// its config.
func (s *sources) isInDescription() bool {
	return len(s.fields) > 2 && s.fields[0] == "#Artifact" && s.fields[1] == "description" &&
		!filter.Contains([]string{"config", "role", "builtin"}, s.fields[2]) && !filter.Contains(s.fields, "")
}

// describedPath is the path, from the description, of the field that the walk is
// in; false if that is a part of the roles or the config, or one that its name
// does not tell.
func (s *sources) describedPath() (string, bool) {
	if len(s.fields) < 4 || !s.isInDescription() || s.holdsSize() || filter.Any(s.fields, func(name string) bool { return strings.HasPrefix(name, "_") }) {
		return "", false
	}
	return strings.Join(s.fields[2:], "\x00"), true
}

// mayVary reports whether a name may stand for something that depends on the
// artifact's config: config itself, the roles, the artifact as a whole. Within
// a role or the config, only imports and CUE's own names are certain not to.
func (s *sources) mayVary(x *ast.Ident) bool {
	if x.Name == "#Artifact" || x.Node != nil && (s.descriptions[x.Node] || s.configs[x.Node] || s.roles[x.Node] || s.aliases[x.Node] != nil) {
		return true
	}
	if _, isImport := s.pkg.ImportOf(x); x.Node == nil || isImport {
		return false
	}
	if !s.inside[x.Node] && !isContained(s.pkg, x.Node) {
		return true // a base, a part of which may depend on another
	}
	return len(s.fields) > 2 && s.fields[0] == "#Artifact" && (s.fields[2] == "role" || s.fields[2] == "config")
}
