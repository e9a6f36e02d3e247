package assist

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// Step is one link of the chain that made a value, the value itself first.
type Step struct {
	// Depth is the distance from the value: what a value was made of has a
	// greater depth.
	Depth int
	// What says where in the tree the step is: "role web of service shop".
	What string
	// Field is the field that is given there.
	Field string
	// Expr is the expression that gives it, "" where it is simply there.
	Expr string
	// Value is the field's finished value.
	Value *value.Data
	Pos   diag.Pos
}

// Why returns the chain of levels that made the value at a path of the tree:
// roles from the top, then the field ("web.config.parameter.title",
// "api.code.api.image.tag"; "config.parameter.title" at the top). A path of the
// solution is understood as well, and so is one of the deployment's own fields
// ("links.db.to"; none of these where top is nil).
func Why(top *spread.Top, t *value.Tree, path string) ([]Step, error) {
	p := cue.ParsePath(path)
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%q is not a path: quote names with dots or dashes, as in code.web.env.\"a-b\"", path)
	}
	var names []string
	for _, sel := range p.Selectors() {
		switch sel.LabelType() {
		case cue.StringLabel:
			names = append(names, sel.Unquoted())
		case cue.IndexLabel:
			names = append(names, value.Element(sel.Index()))
		default:
			names = append(names, sel.String())
		}
	}
	w := &why{tree: t}
	roles, field := w.split(fromSolution(t, names))
	switch {
	case len(names) == 0:
		return nil, errors.New("no path is given: name a field, such as config.parameter.NAME")
	case top != nil && len(roles) == 0 && filter.Contains(ownNames, names[0]):
		return deployment(ownFields(top), names, path)
	case len(field) == 0:
		return nil, fmt.Errorf("%s is an artifact: name one of its fields, such as %s.config.parameter.NAME", path, path)
	}
	value := w.value(roles, field)
	if value == nil {
		return nil, fmt.Errorf("%s has no value%s", path, w.nearest(roles, field))
	}
	w.field(roles, field, 0)
	return w.steps, nil
}

// ownNames are the fields of a deployment beside its name, artifact and config.
var ownNames = []string{"up", "meta", "links", "accepts", "labels", "sla", "objects"}

// ownFields are those that it has.
func ownFields(top *spread.Top) *value.Data {
	all := map[string]*value.Data{"meta": top.Meta, "links": top.Links, "accepts": top.Accepts, "labels": top.Labels, "sla": top.SLA, "objects": top.Objects}
	if top.Up != nil {
		all["up"] = value.NewString(top.UpPos, *top.Up)
	}
	var fields []value.Field
	for name, d := range all {
		if d != nil {
			fields = append(fields, value.Field{Name: name, Value: d})
		}
	}
	return value.NewStruct(top.Pos, fields...)
}

// deployment explains a field of the deployment's own: the manifest gives it, or it is a
// default of the model.
func deployment(own *value.Data, field []string, path string) ([]Step, error) {
	found := own.Get(field...)
	if found != nil {
		what := "the deployment"
		if value.IsModel(found.Pos) {
			what = "default of #Deployment"
		}
		return []Step{{What: what, Field: dotted(field), Value: found, Pos: found.Pos}}, nil
	}
	if own.Get(field[0]) == nil {
		return nil, fmt.Errorf("%s has no value: the deployment has no %s", path, field[0])
	}
	at := len(field) - 1
	for own.Get(field[:at]...) == nil {
		at--
	}
	return nil, fmt.Errorf("%s has no value: there is no %s in %s%s", path, field[at], dotted(field[:at]), thereIs(own.Get(field[:at]...)))
}

// dotted writes names as a path.
func dotted(names []string) string { return strings.ReplaceAll(strings.Join(names, "."), ".[", "[") }

// thereIs lists the fields of a value.
func thereIs(d *value.Data) string {
	names := fieldNames(d)
	if len(names) == 0 {
		return ""
	}
	return "; there is " + strings.Join(names, ", ")
}

func fieldNames(d *value.Data) (names []string) {
	for _, f := range d.Each() {
		names = append(names, f.Name)
	}
	return names
}

// fromSolution rewrites a path of the solution file to one of the tree.
func fromSolution(t *value.Tree, names []string) []string {
	if len(names) < 2 || names[0] != "deployments" {
		return names
	}
	var out []string
	if name := strings.TrimPrefix(names[1], t.Name); name != "" {
		out = strings.Split(strings.TrimPrefix(name, "."), ".")
	}
	rest := names[2:]
	for len(rest) > 0 && (rest[0] == "artifact" || rest[0] == "description") {
		rest = rest[1:]
		if len(rest) > 1 && rest[0] == "role" {
			out, rest = append(out, rest[1]), rest[2:]
		}
	}
	return append(out, rest...)
}

// why collects the steps.
type why struct {
	tree  *value.Tree
	steps []Step
}

// split separates the roles at the head of a path from the field.
func (w *why) split(names []string) (roles, field []string) {
	n := w.tree.Root
	for i, name := range names {
		next := role(n, name)
		if next == nil || name == "config" {
			return names[:i], names[i:]
		}
		n = next.Node
		if n == nil {
			return names[:i+1], names[i+1:]
		}
	}
	return names, nil
}

func role(n *value.Node, name string) *value.Role {
	for _, r := range n.Roles {
		if r.Name == name {
			return r
		}
	}
	return nil
}

func (w *why) node(roles []string) *value.Node {
	n := w.tree.Root
	for _, name := range roles {
		r := role(n, name)
		if r == nil || r.Node == nil {
			return nil
		}
		n = r.Node
	}
	return n
}

func (w *why) value(roles, field []string) *value.Data {
	n := w.node(roles)
	if n == nil {
		return nil
	}
	if field[0] == "config" {
		return n.Config.Get(field[1:]...)
	}
	return n.Description.Get(field...)
}

// nearest lists the names at the innermost part of the path that is there.
func (w *why) nearest(roles, field []string) string {
	n := w.node(roles)
	if n == nil {
		return ""
	}
	at, start := n.Description, 0
	if field[0] == "config" {
		at, start = n.Config, 1
	}
	for i := start; i < len(field); i++ {
		next := at.Get(field[i])
		if next == nil {
			names := fieldNames(at)
			if i == 0 {
				names = append(names, "config")
				for _, r := range n.Roles {
					names = append(names, r.Name)
				}
			}
			return fmt.Sprintf(": there is no %s in %s; there is %s", field[i], orTop(append(roles, field[:i]...)), strings.Join(names, ", "))
		}
		at = next
	}
	return ""
}

func orTop(names []string) string {
	if len(names) == 0 {
		return "the deployed artifact"
	}
	return strings.Join(names, ".")
}

// maxSteps bounds the chain; a value is made of few others.
const maxSteps = 200

// field adds the steps of one field of the artifact that fills the roles.
func (w *why) field(roles, field []string, depth int) {
	n, value := w.node(roles), w.value(roles, field)
	if value == nil || len(w.steps) > maxSteps {
		return
	}
	here := Step{Depth: depth, What: artifact(n), Field: strings.Join(append(slices.Clone(roles), field...), "."), Value: value, Pos: value.Pos}
	if field[0] != "config" {
		w.description(n, roles, field, here)
		return
	}
	w.config(n, roles, field, here)
}

// description explains a field of an artifact's description by the expression
// in its sources and what that reads of config.
func (w *why) description(n *value.Node, roles, field []string, here Step) {
	places := chosen(spread.WrittenBy(n, field...), here.Value)
	if len(places) > 0 {
		here.Pos, here.Expr = places[0].Pos, places[0].Expr
	}
	w.steps = append(w.steps, here)
	for _, p := range places {
		for _, c := range p.Config {
			w.field(roles, c, here.Depth+1)
		}
	}
	if len(field) > 2 && field[len(field)-1] == "parameter" && field[len(field)-3] == "env" {
		w.field(roles, append([]string{"config", "parameter"}, strings.Split(here.Value.Str(), ".")...), here.Depth+1)
	}
}

// chosen leaves of several places the one that the value itself is written at, if
// it is at one of them.
func chosen(places []spread.Written, value *value.Data) []spread.Written {
	if i := slices.IndexFunc(places, func(p spread.Written) bool { return p.Pos == value.Pos }); i >= 0 {
		return places[i : i+1]
	}
	return places
}

// config explains a field of an artifact's config: by its own default, or by
// what the level above gives.
func (w *why) config(n *value.Node, roles, field []string, here Step) {
	who := strings.Join(roles, ".")
	origin := here.Value.Origin
	if origin.By == value.FromDefault && origin.Who == who {
		here.What = "default of " + artifact(n)
		w.steps = append(w.steps, here)
		return
	}
	if len(roles) == 0 {
		switch origin.By {
		case value.FromFlag:
			here.What = origin.Who
		case value.FromTemplate:
			here.What = "the template, for this environment"
		case value.FromEnvironment:
			here.What = "the environment"
		case value.FromDeployment:
			here.What = "the deployment"
			if origin.Who != "" {
				here.What += ", from " + origin.Who
			}
		}
		w.steps = append(w.steps, here)
		return
	}
	w.steps = append(w.steps, here)
	w.given(roles, field, here.Depth+1)
}

// given explains what the service above gives a role.
func (w *why) given(roles, field []string, depth int) {
	parents, name := roles[:len(roles)-1], roles[len(roles)-1]
	parent := w.node(parents)
	value := w.value(roles, field)
	step := Step{Depth: depth, What: fmt.Sprintf("role %s of %s", name, artifact(parent)), Field: strings.Join(field, "."), Value: value, Pos: value.Pos}
	places := chosen(spread.WrittenBy(parent, append([]string{"role", name}, field...)...), value)
	if len(places) > 0 {
		step.Pos, step.Expr = places[0].Pos, places[0].Expr
		w.steps = append(w.steps, step)
		for _, c := range places[0].Config {
			w.field(parents, c, depth+1)
		}
		return
	}
	if field[1] == "scale" && parent.Config.Get("scale", "detail", name) != nil {
		step.Expr = "scale.detail." + name + ", which spreads by itself"
		w.steps = append(w.steps, step)
		w.field(parents, append([]string{"config", "scale", "detail", name}, field[2:]...), depth+1)
		return
	}
	w.steps = append(w.steps, step)
}

func artifact(n *value.Node) string { return n.Ref.Kind + " " + n.Called() }
