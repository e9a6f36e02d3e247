package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
)

// Deployment is what a manifest becomes: everything in it is data.
type Deployment struct {
	Name string
	Up   any
	Meta any
	Root *Node
}

// Node is an artifact with its finished config.
type Node struct {
	Ref, Spec any
	Builtin   bool
	Config    map[string]any
	// Description is all that is described but config, roles and builtin.
	Description map[string]any
	Roles       map[string]*Role // of a service, else nil
}

// Role is a place in a service, with the artifact that fills it.
type Role struct {
	Meta any
	Node *Node
}

// Refusal is a reason not to deploy.
type Refusal struct {
	Rule string // the code of one of Kumiki's own rules, "" for CUE
	Text string
}

// Result is what a manifest becomes, or why it may not be deployed: one of the
// two is nil.
type Result struct {
	// Undecided says that nothing is wrong for certain, but CUE cannot tell, see
	// [spreader.consistent].
	Undecided  bool
	Deployment *Deployment
	Refusals   []Refusal
	// Levels are the files that were added, for a reader to try.
	Levels []string
}

// spreader is the state of one [Spread].
type spreader struct {
	app      App
	model    Model
	cue      *cue.Context
	refusals []Refusal
	levels   []string
	// doubtful says that what is wrong with the level may be CUE's fault; undecided
	// that it was so with any level.
	doubtful, undecided bool
}

// Spread pushes the config of the deployment down to every artifact.
func Spread(m Model, app App) Result {
	s := &spreader{app: app, model: m, cue: cuecontext.New()}
	var d *Deployment
	if pkg, err := app.load(m); s.holds(err) {
		d = s.deployment(pkg)
	}
	if len(s.refusals) == 0 && !s.undecided {
		s.solutionRules(d)
	}
	if len(s.refusals) > 0 {
		return Result{Refusals: s.refusals, Levels: s.levels}
	}
	return Result{Undecided: s.undecided, Deployment: d, Levels: s.levels}
}

func (s *spreader) refuse(rule, format string, args ...any) {
	if !s.doubtful {
		s.refusals = append(s.refusals, Refusal{rule, fmt.Sprintf(format, args...)})
	}
}

// holds refuses what CUE does not evaluate.
// CUE says of some fields of a comprehension that they come too late, by the order in
// which it evaluates the struct: beside a field that is given, and one that refers to
// the struct by another way. Nothing is certain then.
func (s *spreader) holds(err error) bool {
	switch {
	case err != nil && strings.Contains(err.Error(), "field set was already referenced"):
		s.doubtful, s.undecided = true, true
	case errors.Is(err, errNotData):
		s.refuse("spread/not-data", "%v", err)
	case err != nil:
		s.refuse("", "%v", err)
	}
	return err == nil
}

// place is where an artifact stands: in a package, to which a file with the lines
// is added, at a path of its field "level".
type place struct {
	pkg   *build.Instance
	lines []string
	path  []string
}

// field is the place of a field of the artifact.
func (p place) field(path ...string) place {
	p.path = slices.Concat(p.path, path)
	return p
}

// say is the place with a further line about the value there.
func (p place) say(value string) place {
	p.lines = append(slices.Clip(p.lines), "level: "+labels(p.path)+value)
	return p
}

// evaluate is the value at a place.
func (s *spreader) evaluate(p place) (cue.Value, error) {
	text := fmt.Sprintf("package %s\n%s\n", p.pkg.PkgName, strings.Join(p.lines, "\n"))
	f, err := parser.ParseFile("level.cue", text)
	if err != nil {
		return cue.Value{}, err
	}
	s.levels = append(s.levels, p.pkg.ImportPath+"\n"+text)
	pkg := *p.pkg
	pkg.Files = append(slices.Clip(pkg.Files), f)
	v := s.cue.BuildInstance(&pkg)
	level := v.LookupPath(cue.ParsePath("level"))
	if !level.Exists() {
		return level, fmt.Errorf("the package cannot be evaluated: %w", v.Err())
	}
	return at(level, p.path...), nil
}

// all refuses each of CUE's errors.
func (s *spreader) all(err error) bool {
	for _, e := range cueerrors.Errors(err) {
		s.holds(e)
	}
	return err == nil
}

// deployment is the outermost level.
func (s *spreader) deployment(pkg *build.Instance) *Deployment {
	in := place{pkg: pkg, lines: []string{"level: #Deployment"}}
	level, err := s.evaluate(in)
	if !s.holds(err) {
		return nil
	}
	var rest map[string]any
	if overlay := s.overlay(level); len(keys(overlay)) > 0 {
		var known map[string]any
		known, rest = split(level, overlay)
		in = in.say(text(known))
		level, err = s.evaluate(in)
	}
	if !s.holds(err) || !s.consistent(level, ofDeployment) || !s.complete(level, ofDeployment) {
		return nil
	}
	d := &Deployment{}
	top, err := object(level, "artifact", "config")
	given, err2 := config(at(level, "config"))
	if !s.holds(errors.Join(err, err2)) {
		return nil
	}
	d.Name, _ = top["name"].(string)
	d.Up, d.Meta = top["up"], orEmpty(top["meta"])
	s.deploymentRules(d)
	d.Root = s.node(in.field("artifact"), context{deployment: d.Name}, at(level, "artifact"), s.taken(merge(given, orEmpty(rest["config"]))))
	return d
}

// context is where an artifact is deployed, which it may read.
type context struct{ deployment, role, path string }

// of is that of a role below.
func (c context) of(role string) context {
	return context{c.deployment, role, strings.TrimPrefix(c.path+"."+role, ".")}
}

// node gives the artifact at a place its config, and takes it as data. The value
// is the artifact without one.
func (s *spreader) node(in place, where context, bare cue.Value, given any) *Node {
	defer func(around bool) { s.doubtful = around }(s.doubtful)
	s.doubtful = false
	if !s.hasArtifact(bare, in.path) || !s.declared(bare, in.path, given) {
		return nil
	}
	if pkg := imported(bare); pkg != nil {
		in = place{pkg: pkg, lines: []string{"level: #Artifact"}}
	}
	in = in.say("description: config: #context: " + text(map[string]any{"deployment": where.deployment, "role": where.role, "path": where.path}))
	n, in, artifact := s.level(in, completed(bare, given))
	if n == nil {
		return nil
	}
	s.artifactRules(n)
	if get(n.Ref, "kind") == "service" && !n.Builtin {
		n.Roles = s.roles(n, where, in.field("description", "role"), at(artifact, "description", "role"))
		s.serviceRules(n)
	}
	return n
}

// imported is the package whose #Artifact an artifact is, neither more nor less;
// nil for one that is refined or written out where it is used.
func imported(artifact cue.Value) *build.Instance {
	var pkg *build.Instance
	op, parts := artifact.Expr()
	if op != cue.AndOp {
		parts = []cue.Value{artifact}
	}
	for _, part := range parts {
		if strings.Contains(part.Pos().Filename(), "kumori.systems/kumori/") {
			continue // the model's own word
		}
		root, path := part.ReferencePath()
		if path.String() != "#Artifact" || pkg != nil && pkg != root.BuildInstance() {
			return nil
		}
		pkg = root.BuildInstance()
	}
	return pkg
}

// completed adds what is the same for every artifact: {} for sections that
// neither side says anything of, and a resilience of 0.
func completed(artifact cue.Value, given any) any {
	empty := map[string]any{"parameter": map[string]any{}, "resource": map[string]any{}, "scale": map[string]any{}, "resilience": json.Number("0")}
	for _, name := range sections {
		if get(given, name) == nil && isAnything(at(artifact, "description", "config", name), name) {
			given = merge(given, map[string]any{name: empty[name]})
		}
	}
	return given
}

// read takes a finished artifact as data.
func read(artifact cue.Value) (*Node, error) {
	n := &Node{}
	all, err := object(artifact, "description")
	if err != nil {
		return nil, err
	}
	n.Ref, n.Spec = all["ref"], all["spec"]
	desc := at(artifact, "description")
	if n.Config, err = object(at(desc, "config")); err != nil {
		return nil, err
	}
	n.Config["resource"] = withKind(n.Config["resource"])
	if n.Description, err = object(desc, "config", "role", "connect", "builtin"); err != nil {
		return nil, err
	}
	if connect := at(desc, "connect"); connect.Exists() {
		if n.Description["connect"], err = connectors(connect); err != nil {
			return nil, err
		}
	}
	n.Builtin, err = at(desc, "builtin").Bool()
	return n, err
}

// connectors takes description.connect as data. A target is mostly written _,
// which says nothing and counts as {}.
func connectors(connect cue.Value) (map[string]any, error) {
	out, err := object(connect, fieldNames(connect)...)
	for _, name := range fieldNames(connect) {
		c := at(connect, name)
		if out[name], err = object(c, "to"); err != nil {
			return nil, err
		}
		to := map[string]any{}
		for _, role := range fieldNames(at(c, "to")) {
			targets := map[string]any{}
			for _, channel := range fieldNames(at(c, "to", role)) {
				target := at(c, "to", role, channel)
				if target.IncompleteKind() == cue.TopKind && target.Err() == nil {
					targets[channel] = map[string]any{}
				} else if targets[channel], err = data(target); err != nil {
					return nil, err
				}
			}
			to[role] = targets
		}
		if at(c, "to").Exists() {
			out[name].(map[string]any)["to"] = to
		}
	}
	return out, err
}

// withKind says of volumes that are requested on the spot that they are storage,
// which the model leaves out in the short form.
func withKind(resource any) any {
	group, ok := resource.(map[string]any)
	if !ok {
		return resource
	}
	out := map[string]any{}
	for name, x := range group {
		out[name] = withKind(x)
		if name == "volume" && get(x, "size") != nil && get(x, "kind") == nil {
			out[name] = merge(x, map[string]any{"kind": "storage"})
		}
	}
	return out
}

// roles goes on with the roles of a service.
func (s *spreader) roles(n *Node, where context, in place, roles cue.Value) map[string]*Role {
	out := map[string]*Role{}
	for _, name := range fieldNames(roles) {
		given, err := s.given(n, name, at(roles, name))
		if !s.holds(err) {
			continue
		}
		artifact := at(roles, name, "artifact")
		out[name] = &Role{Meta: map[string]any{}, Node: s.node(in.field(name, "artifact"), where.of(name), artifact, given)}
		if meta := at(roles, name, "meta"); meta.Exists() {
			out[name].Meta, err = data(meta)
			s.holds(err)
		}
	}
	return out
}

// given is what a service gives to one of its roles. What scale has for the role
// joins what the service itself says of it.
func (s *spreader) given(n *Node, name string, role cue.Value) (map[string]any, error) {
	given, err := config(at(role, "config"))
	if err != nil {
		return nil, err
	}
	s.roleRules(n, given, name)
	scale := at(role, "config", "scale")
	if detail := get(n.Config, "scale", "detail", name); detail != nil {
		scale = scale.Unify(s.cue.CompileString(text(detail)))
	}
	if err := scale.Validate(); err != nil {
		return nil, err
	}
	given["scale"], err = data(scale)
	return given, err
}

// at is the regular field at a path.
func at(v cue.Value, path ...string) cue.Value {
	for _, name := range path {
		v = v.LookupPath(cue.MakePath(cue.Str(name)))
	}
	return v
}

// fieldNames are the names of the regular fields of a struct, in order, even if
// there is a mistake in it.
func fieldNames(v cue.Value) []string {
	var out []string
	for fields, err := v.Fields(cue.All()); err == nil && fields.Next(); {
		if sel := fields.Selector(); sel.LabelType() == cue.StringLabel && sel.ConstraintType() == 0 {
			out = append(out, sel.Unquoted())
		}
	}
	slices.Sort(out)
	return out
}

// labels writes a path as the labels of fields: artifact: description: .
func labels(path []string) string {
	var b strings.Builder
	for _, name := range path {
		if !ast.IsValidIdent(name) || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") {
			name = literal.String.Quote(name)
		}
		b.WriteString(name + ": ")
	}
	return b.String()
}
