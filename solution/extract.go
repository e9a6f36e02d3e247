package solution

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// Options are what a solution says besides its deployments.
type Options struct {
	Comment string
	// Owner is the domain of the solution's ref: who deploys it.
	Owner string
	// Inputs are the modules that took part.
	Inputs []Input
	// Values is the digest of what the command line gave; "" for nothing.
	Values string
	// Taken are the values that were taken from other deployments.
	Taken []Reference
	// Broken tells that an earlier stage has found an error: what comes out is
	// then not expected to keep the rules of a solution.
	Broken bool
	// Label returns the label at a place as its source has it, "" where it has none; nil
	// where nobody knows the sources.
	Label func(diag.Pos) (diag.Pos, string)
}

// Extract flattens the tree. It reports all that it finds wrong; the solution
// is complete only if none of that is an error.
func Extract(tree *value.Tree, opts Options) (*Solution, diag.List) {
	e := &extractor{
		tree:       tree,
		labelAt:    opts.Label,
		components: map[*value.Node]*Artifact{},
		services:   map[*value.Node]*Artifact{},
		channels:   map[*value.Node]Srv{},
		read:       map[reading]any{},
		texts:      map[string]*Env{},
		out: &Solution{
			Comment:     opts.Comment,
			Cspec:       Cspec,
			Deployments: map[string]*Deployment{},
			Inputs:      &Inputs{Modules: nonNil(opts.Inputs), References: opts.Taken, Values: opts.Values},
			Links:       []Link{},
			Ref:         SolutionRef{Domain: opts.Owner, Kind: "solution", Name: tree.Name},
			Top:         tree.Name,
			sources:     map[string]source{},
		},
	}
	if tree.Name == "" {
		e.report(diag.New(diag.Shape, tree.Pos, "the deployment's name is empty: write name: \"…\"").AtPath("name"))
	}
	root := e.place(tree.Root, tree.Name, nil, tree.Pos)
	root.up, root.meta = tree.Up, tree.Meta
	e.out.SLA, e.out.objects = tree.SLA.Any(), tree.Objects
	if m, ok := tree.Objects.Any().(map[string]any); ok && len(m) > 0 {
		e.out.Objects = m
	}
	e.out.Layout = e.deployment(root)
	e.checkUp()
	sorting.By(e.out.Links, func(a, b Link) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.SourceChannel, b.SourceChannel),
			strings.Compare(a.Target, b.Target), strings.Compare(a.TargetChannel, b.TargetChannel))
	})
	e.checkSecrets()
	if !e.problems.HasErrors() && !opts.Broken {
		e.finish()
	}
	return e.out, e.problems
}

// finish checks the solution of a tree without errors.
func (e *extractor) finish() {
	v := newVerifier(e.out)
	if !e.known { // else it was checked when it was made
		v.rules()
	}
	for _, d := range v.problems {
		e.report(diag.New(diag.Internal, diag.NoPos, "the solution breaks a rule of its own; this is a mistake in kumiki, please report it: %s", d.Message).AtPath(d.At...))
	}
}

// extractor is the state of one Extract.
type extractor struct {
	tree     *value.Tree
	labelAt  func(diag.Pos) (diag.Pos, string)
	out      *Solution
	problems diag.List
	// components and services are finished once a node: equal roles share them.
	components map[*value.Node]*Artifact
	services   map[*value.Node]*Artifact // and builtins
	channels   map[*value.Node]Srv
	nodes      []*value.Node   // of which artifacts were made
	read       map[reading]any // what [again] has read
	texts      map[string]*Env // see [extractor.text]
	known      bool            // whether an earlier run has made some of it
}

// report keeps a problem, unless it is about a value that stands in for one
// that is missing or wrong: that is reported already.
func (e *extractor) report(d *diag.Diagnostic) {
	if !value.IsStandIn(d.Pos) {
		e.problems = append(e.problems, d)
	}
}

// placed is a service or builtin on its way to becoming a deployment.
type placed struct {
	node *value.Node
	name string   // of the deployment
	path []string // of roles from the top
	pos  diag.Pos
	up   *string
	meta *value.Data
}

func (e *extractor) place(n *value.Node, name string, path []string, pos diag.Pos) placed {
	return placed{node: n, name: name, path: path, pos: pos}
}

// deployment adds the deployment of p, and those of its roles that are not
// components, and returns where all of them went.
func (e *extractor) deployment(p placed) *Layout {
	layout := &Layout{Artifact: p.node.Ref, Deployment: p.name}
	d := &Deployment{Name: p.name, Up: p.up, Meta: object(p.meta)}
	e.out.Deployments[p.name] = d
	e.out.sources[p.name] = source{pos: p.pos, description: p.node.Description, config: p.node.Config}
	switch {
	case p.node.Kept != nil:
		layout.Roles = e.kept(p, d)
	case p.node.Unknown:
		d.Artifact = &Artifact{}
	case p.node.Builtin:
		d.Artifact = e.artifact(p.node)
		d.Config = d.Artifact.Description.Config
		d.Config.Parameter = map[string]any{} // as the vendor's tool has it
	case p.node.Ref.Kind == "component":
		e.alone(p, d)
		layout.Role = roleName(p.node.Ref)
	default:
		a, known := e.services[p.node]
		if !known {
			a = e.artifact(p.node)
			e.services[p.node] = a
		}
		d.Artifact, d.Config = a, a.Description.Config
		layout.Roles = e.service(p, d, known)
	}
	return layout
}

// artifact makes the parts that every artifact has.
func (e *extractor) artifact(n *value.Node) *Artifact {
	e.nodes = append(e.nodes, n)
	return &Artifact{
		Description: Description{Builtin: n.Builtin, Config: e.config(n.Config), Srv: copySrv(e.srv(n))},
		Ref:         n.Ref,
		Spec:        n.Spec,
	}
}

// service fills in the roles and connectors of a service's deployment, unless they
// are known from another one of the same node.
func (e *extractor) service(p placed, d *Deployment, known bool) map[string]*Layout {
	desc := &d.Artifact.Description
	if !known {
		desc.Role, desc.Connector = map[string]*Role{}, map[string]*Connector{}
	}
	layouts := map[string]*Layout{}
	for _, r := range p.node.Roles {
		if r.Node == nil {
			continue // reported where it was found
		}
		path := append(slices.Clip(p.path), r.Name)
		if !e.checkRoleName(p, r) {
			continue
		}
		if r.Node.Ref.Kind == "component" && !r.Node.Builtin {
			e.hsize(r, path)
			if !known {
				desc.Role[r.Name] = e.role(r, r.Name)
			}
			e.out.sources[p.name+"/"+r.Name] = source{pos: r.Pos, description: r.Node.Description, config: r.Node.Config, loadRead: len(r.Node.UnreadQos) == 0}
			layouts[r.Name] = &Layout{Artifact: r.Node.Ref, Deployment: p.name, Role: r.Name}
			continue
		}
		layouts[r.Name] = e.below(p, d, r)
	}
	e.checkDetail(p)
	if !known {
		(&topology{extractor: e, placed: p, deployment: d}).connect()
	}
	return layouts
}

// kept fills in what an earlier run has made, and makes the deployments of
// the roles.
func (e *extractor) kept(p placed, d *Deployment) map[string]*Layout {
	d.kept = p.node.Kept
	d.Artifact = &Artifact{Description: Description{Srv: copySrv(e.srv(p.node))}, Ref: p.node.Ref}
	e.known = true
	layouts := map[string]*Layout{}
	for _, r := range p.node.Roles {
		if r.Node.Ref.Kind == "component" && !r.Node.Builtin {
			layouts[r.Name] = &Layout{Artifact: r.Node.Ref, Deployment: p.name, Role: r.Name}
			continue
		}
		layouts[r.Name] = e.below(p, d, r)
	}
	return layouts
}

// below makes the deployment of a role that is none of a component, and joins it
// with that of its service.
func (e *extractor) below(p placed, d *Deployment, r *value.Role) *Layout {
	child := e.place(r.Node, p.name+"."+r.Name, append(slices.Clip(p.path), r.Name), r.Pos)
	child.up, child.meta = &d.Name, r.Meta
	layout := e.deployment(child)
	e.promote(d, r, child.name)
	return layout
}

// promote gives the parent's service the channels of a role that has become a
// deployment of its own, and links each pair.
func (e *extractor) promote(parent *Deployment, r *value.Role, child string) {
	srv := &parent.Artifact.Description.Srv
	own := e.srv(r.Node)
	for _, ch := range sorting.Ordered(own.Client) {
		name := r.Name + "." + ch
		srv.Server[name] = &Channel{Inherited: true, Protocol: own.Client[ch].Protocol}
		e.link(child, ch, parent.Name, name, parent.Meta)
	}
	for _, ch := range sorting.Ordered(own.Server) {
		name := r.Name + "." + ch
		srv.Client[name] = &Channel{Inherited: true, Protocol: own.Server[ch].Protocol}
		e.link(parent.Name, name, child, ch, object(r.Meta))
	}
	for _, ch := range sorting.Ordered(own.Duplex) {
		// A duplex channel is both: it is linked in both directions.
		name := r.Name + "." + ch
		srv.Duplex[name] = &Channel{Inherited: true, Protocol: own.Duplex[ch].Protocol}
		e.link(child, ch, parent.Name, name, parent.Meta)
		e.link(parent.Name, name, child, ch, object(r.Meta))
	}
}

func (e *extractor) link(source, sourceChannel, target, targetChannel string, meta any) {
	e.out.Links = append(e.out.Links, Link{
		Source: source, SourceChannel: sourceChannel,
		Target: target, TargetChannel: targetChannel,
		Meta: TargetMeta{Meta: meta},
	})
}

func copySrv(s Srv) Srv {
	return Srv{Client: maps.Clone(s.Client), Duplex: maps.Clone(s.Duplex), Server: maps.Clone(s.Server)}
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
