package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// Param is a field of an artifact's config.
type Param struct {
	// Path is the field's path in config: "parameter", "title".
	Path []string
	// Required tells that a deployment has to give it: it is neither optional
	// nor has it a default.
	Required bool
	// Default is the value it has when nobody gives one; nil for none.
	Default *Data
	// DefaultBy names the artifact that supplies the default; "" for none.
	DefaultBy string
	// Takes says in plain words what values it takes.
	Takes string
	// Schema is its declaration in CUE, without the default.
	Schema cue.Value
	// Doc is its doc comment on one line, "" for none.
	Doc string
	// Pos is the place of its declaration.
	Pos token.Pos
}

// Params lists what can be configured in the artifact of a package, sections
// in the order parameter, resource, scale, resilience and fields by name. For
// a service it includes the scale of every component role, however deep.
func Params(e *Evaluator, p *Package) ([]Param, diag.List) {
	tree, problems := Check(e, p, Options{})
	if tree == nil || tree.Root == nil {
		return nil, problems
	}
	u := newUnit(p, e.Value(p).LookupPath(artifactPath))
	l := lister{unit: u}
	for _, section := range []string{"parameter", "resource"} {
		if !u.bare[section] {
			l.fields(u.config.LookupPath(stringPath([]string{section})), []string{section})
		}
	}
	l.scale(tree.Root, []string{"scale"})
	l.resilience()
	return l.out, problems
}

// lister collects the fields of a config.
type lister struct {
	unit *unit
	out  []Param
}

// fields adds the fields of a struct, sorted by name; structs are gone into,
// except for resources, which are one thing to a deployer.
func (l *lister) fields(v cue.Value, path []string) {
	iter, err := v.Fields(cue.Optional(true))
	if err != nil {
		return
	}
	start := len(l.out)
	for iter.Next() {
		field := iter.Value()
		at := append(slices.Clip(path), iter.Selector().Unquoted())
		optional := iter.FieldType()&cue.OptionalConstraint != 0
		kind := resourceKind(field)
		if path[0] == "resource" && kind != "" {
			l.add(field, at, optional, "the id of a registered "+kind)
			continue
		}
		if field.IncompleteKind() == cue.StructKind && !optional && hasFields(field) {
			l.fields(field, at)
			continue
		}
		l.add(field, at, optional, words(field))
	}
	slices.SortStableFunc(l.out[start:], func(a, b Param) int {
		return strings.Compare(strings.Join(a.Path, "\x00"), strings.Join(b.Path, "\x00"))
	})
}

func (l *lister) add(v cue.Value, path []string, optional bool, takes string) {
	p := Param{Path: path, Takes: takes, Schema: v, Doc: doc(v), Pos: first(slices.DeleteFunc(positions(v), IsModel))}
	f := &finisher{}
	if d := f.finish(v, path); len(f.problems) == 0 && !optional {
		p.Default, p.DefaultBy = d, l.unit.String()
	}
	p.Required = !optional && p.Default == nil
	l.out = append(l.out, p)
}

// scale adds the numbers of instances that the artifact leaves open.
func (l *lister) scale(n *Node, path []string) {
	if n.Builtin {
		return
	}
	if n.Ref.Kind == "component" {
		p := Param{Path: append(slices.Clip(path), "hsize"), Takes: "a whole number >=0", Doc: "Number of instances.", Pos: n.Pos}
		if h := n.Config.Get("scale", "hsize"); h != nil && !IsStandIn(h.Pos) {
			p.Default, p.DefaultBy = h, n.Ref.Kind+" "+n.Ref.Name
			if h.Origin.By == FromRole {
				p.DefaultBy = "service, for role " + h.Origin.Who
			}
		}
		p.Required = p.Default == nil
		l.out = append(l.out, p)
		return
	}
	for _, r := range n.Roles {
		if r.Node != nil {
			l.scale(r.Node, append(slices.Clip(path), "detail", r.Name))
		}
	}
}

func (l *lister) resilience() {
	p := Param{Path: []string{"resilience"}, Takes: "a whole number >=0", Doc: "Failures of instances that have to be survived.", DefaultBy: "the model", Default: NewInt(token.NoPos, 0)}
	if v := l.unit.config.LookupPath(resiliencePath); !l.unit.bare["resilience"] {
		f := &finisher{}
		p.Default, p.DefaultBy = f.finish(v, nil), l.unit.String()
	}
	l.out = append(l.out, p)
}

func hasFields(v cue.Value) bool { return len(fieldNames(v)) > 0 }

// doc is the doc comment of a field on one line.
func doc(v cue.Value) string {
	var parts []string
	for _, group := range v.Doc() {
		if text := strings.Join(strings.Fields(group.Text()), " "); text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
