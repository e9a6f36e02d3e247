package params

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

var (
	qosPath        = cue.ParsePath("scale.qos")
	resiliencePath = cue.ParsePath("resilience")
)

// Param is a field of an artifact's config.
type Param struct {
	// Path is the field's path in config: "parameter", "title".
	Path []string
	// Required tells that a deployment has to give it: it is neither optional
	// nor has it a default, and it does not follow from other fields.
	Required bool
	// Optional tells that nobody has to give it although it has no default, and Ignored
	// that nothing in the artifact reads such a field.
	Optional, Ignored bool
	// Computed is the expression by which the artifact makes it of other fields,
	// in CUE, "" if it does not. A deployment need not give such a field, and can
	// give it no other value.
	Computed string
	// Default is the value it has when nobody gives one; nil for none.
	Default *value.Data
	// DefaultBy names the artifact that supplies the default; "" for none.
	DefaultBy string
	// Takes says in plain words what values it takes.
	Takes string
	// Schema is its declaration in CUE, without the default.
	Schema cue.Value
	// Doc is its doc comment on one line, "" for none.
	Doc string
	// Pos is the place of its declaration.
	Pos diag.Pos
}

// Of lists what can be configured in the artifact of a package, sections
// in the order parameter, resource, scale, resilience and fields by name. For
// a service it includes the scale of every component role, however deep.
func Of(e *spread.Evaluator, p *spread.Package) ([]Param, diag.List) {
	defer e.Enter(p)()
	needs, problems := check.NeedsOf(e, p)
	if needs == nil {
		return nil, problems
	}
	l := lister{unit: needs.Unit, needs: needs}
	for _, section := range []string{"parameter", "resource"} {
		if !l.unit.Bare[section] {
			l.fields(l.unit.Config.LookupPath(spread.PathOf([]string{section})), []string{section})
		}
	}
	l.scale(needs.Node, []string{"scale"})
	l.resilience()
	return l.out, problems
}

// lister collects the fields of a config.
type lister struct {
	unit  *spread.Unit // whose config it is
	needs *check.Needs
	out   []Param
}

// fields adds the fields of a struct, sorted by name; structs are gone into,
// except for resources, which are one thing to a deployer.
func (l *lister) fields(v cue.Value, path []string) {
	iter, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil {
		return
	}
	start := len(l.out)
	for iter.Next() {
		field := iter.Value()
		at := append(slices.Clip(path), iter.Name())
		optional := iter.FieldType()&cue.OptionalConstraint != 0
		kind := wording.ResourceKind(field)
		if path[0] == "resource" && kind != "" {
			l.add(field, at, optional, "the id of a registered "+kind)
			continue
		}
		if field.IncompleteKind() == cue.StructKind && !optional && hasFields(field) {
			l.fields(field, at)
			continue
		}
		l.add(field, at, optional, wording.Of(field))
	}
	sorting.By(l.out[start:], func(a, b Param) int {
		return strings.Compare(strings.Join(a.Path, "\x00"), strings.Join(b.Path, "\x00"))
	})
}

func (l *lister) add(v cue.Value, path []string, optional bool, takes string) {
	p := Param{Path: path, Takes: takes, Schema: v, Doc: doc(v), Pos: fromcue.OwnPos(v)}
	f := &spread.Finisher{}
	if d := f.Finish(v, path); len(f.Problems) == 0 && !optional {
		p.Default, p.DefaultBy = d, l.unit.String()
	}
	if text := l.computed(v, path); text != "" {
		p.Computed, p.Default, p.DefaultBy, p.Takes = text, nil, l.unit.String(), "what is computed: "+text
	}
	p.Optional = optional
	p.Ignored = optional && !spread.MayRead(l.unit.Package, l.needs.Node.Description, append([]string{"config"}, path...))
	p.Required = !optional && p.Default == nil && (p.Computed == "" && !l.needs.Sources.Computed(path) || l.needs.Asks(path))
	l.out = append(l.out, p)
}

// computed is the expression by which the artifact makes a field of others. A mere
// reference to a field with a default leaves it open: either may be given.
func (l *lister) computed(v cue.Value, path []string) string {
	x := l.needs.Sources.Formula(path)
	if x == nil || l.needs.Asks(path) {
		return ""
	}
	if _, hasDefault := v.Default(); hasDefault && len(l.needs.Sources.Exact(x)) > 0 {
		return ""
	}
	return wording.OneLine(x)
}

// scale adds the numbers of instances that the artifact leaves open, and the load
// that it declares.
func (l *lister) scale(n *value.Node, path []string) {
	if n.Builtin {
		return
	}
	if u := l.needs.UnitOf(n); u != nil {
		own := lister{unit: u, needs: l.needs}
		own.fields(u.Config.LookupPath(qosPath), append(slices.Clip(path), "qos"))
		l.out = append(l.out, own.out...)
	}
	if n.Ref.Kind == "component" {
		l.instances(n, append(slices.Clip(path), "hsize"))
		return
	}
	for _, r := range n.Roles {
		if r.Node != nil {
			l.scale(r.Node, append(slices.Clip(path), "detail", r.Name))
		}
	}
}

func (l *lister) instances(n *value.Node, path []string) {
	p := Param{Path: path, Takes: l.taken(n, path), Doc: "Number of instances.", Pos: n.Pos}
	h := n.Config.Get("scale", "hsize")
	x, by := l.needs.Sources.Formula(path), l.unit.String()
	if u := l.needs.UnitOf(n); x == nil && u != nil {
		x, by = l.needs.SourcesOf(n).Formula([]string{"scale", "hsize"}), u.String()
	}
	p.Required = l.needs.Asks(path)
	switch {
	case p.Required || h == nil:
	case x != nil:
		p.Computed, p.DefaultBy, p.Takes = wording.OneLine(x), by, "what is computed: "+wording.OneLine(x)
	default:
		p.Default, p.DefaultBy = h, n.Ref.Kind+" "+n.Ref.Name
		if h.Origin.By == value.FromRole {
			p.DefaultBy = "service, for role " + h.Origin.Who
		}
	}
	l.out = append(l.out, p)
}

// taken says which numbers of instances a component takes: what the artifact that is listed
// says of its role, else what the component does.
func (l *lister) taken(n *value.Node, path []string) string {
	const any = "a whole number >=0"
	own := l.needs.UnitOf(n)
	for _, in := range []struct {
		unit *spread.Unit
		path []string
	}{{l.unit, path}, {own, []string{"scale", "hsize"}}} {
		if in.unit == nil {
			continue
		}
		v := in.unit.Config.LookupPath(spread.PathOf(in.path))
		if !v.Exists() || v.Err() != nil {
			continue
		}
		text := wording.Of(v)
		if plain, _, _ := strings.Cut(text, " (default"); plain == any {
			continue
		}
		if strings.HasPrefix(text, "a whole number ") || strings.HasPrefix(text, "one of ") || strings.HasPrefix(text, "nothing but ") {
			return text
		}
	}
	return any
}

func (l *lister) resilience() {
	p := Param{Path: []string{"resilience"}, Takes: "a whole number >=0", Doc: "Failures of instances that have to be survived.", DefaultBy: "the model", Default: value.NewInt(diag.NoPos, 0)}
	if v := l.unit.Config.LookupPath(resiliencePath); !l.unit.Bare["resilience"] {
		f := &spread.Finisher{}
		p.Default, p.DefaultBy = f.Finish(v, nil), l.unit.String()
	}
	l.out = append(l.out, p)
}

func hasFields(v cue.Value) bool { return len(fromcue.FieldNames(v)) > 0 }

// doc is the doc comment of a field on one line.
func doc(v cue.Value) string {
	var parts []string
	for _, group := range v.Doc() {
		if text := strings.Join(strings.Fields(group.Text()), " "); text != "" && !filter.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
