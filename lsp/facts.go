package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// instance is a role that an artifact fills; none is the top.
type instance struct {
	roles []string
	node  *value.Node
}

// describer makes facts and shapes of a tree.
type describer struct {
	sources *sources
	open    []string
	tree    *value.Tree
	// places are where each package's artifact is used.
	places map[*spread.Package][]instance
	// readers are what readersOf has found.
	readers map[*spread.Package]map[string][]string
	out     *result
	// declared is what is known from earlier compilations.
	declared map[string][]declared
}

// maxInstances bounds the roles of one artifact that are looked at: an editor
// can't show more.
const maxInstances = 200

// describe adds what is to be shown beside the fields of open files, and what
// can be written in them.
func describe(out *result, s *sources, known map[string][]declared, p *load.Program, t *value.Tree, open []string) {
	d := &describer{sources: s, open: open, tree: t, places: map[*spread.Package][]instance{}, readers: map[*spread.Package]map[string][]string{}, out: out, declared: known}
	out.Shapes, out.Packages = map[string]*shape{}, map[string]string{}
	out.Root = d.shape(t.Root)
	d.instances(nil, t.Root)
	for _, pkg := range p.Packages {
		for _, f := range pkg.Files {
			file := s.real(f.Filename)
			if !filter.Contains(open, file) {
				continue
			}
			out.Packages[file] = pkg.Path
			if out.Deployment {
				d.facts(pkg, f)
			}
		}
	}
}

func (d *describer) instances(roles []string, n *value.Node) {
	if n == nil || n.Unknown {
		return
	}
	if known := d.places[spread.PackageOf(n)]; len(known) < maxInstances {
		d.places[spread.PackageOf(n)] = append(known, instance{roles, n})
	}
	for _, r := range n.Roles {
		d.instances(append(slices.Clip(roles), r.Name), r.Node)
	}
}

// facts adds those of a file.
func (d *describer) facts(pkg *spread.Package, f *ast.File) {
	for _, l := range spread.Leaves(f) {
		if x, ok := d.fact(pkg, l); ok {
			d.out.Facts = append(d.out.Facts, x)
		}
	}
}

// readersOf are the roles of a package's artifact that read a field of its
// config, by the field.
func (d *describer) readersOf(pkg *spread.Package) map[string][]string {
	if known, ok := d.readers[pkg]; ok {
		return known
	}
	out := map[string][]string{}
	d.readers[pkg] = out
	for _, f := range pkg.Files {
		for _, l := range spread.Leaves(f) {
			role, _ := roleOf(l.Path)
			for _, c := range l.Config {
				if name := strings.Join(c, "."); role != "" && !filter.Contains(out[name], role) {
					out[name] = append(out[name], role)
				}
			}
		}
	}
	return out
}

// roleOf splits the path of a role's field into the role and the field.
func roleOf(path []string) (role string, field []string) {
	if len(path) > 5 && path[0] == "#Artifact" && path[2] == "role" && path[4] == "config" {
		return path[3], path[4:]
	}
	return "", nil
}

// fact is what is known of a leaf, if it is one of an artifact or deployment.
func (d *describer) fact(pkg *spread.Package, l spread.Leaf) (fact, bool) {
	path := l.Path
	var instances []instance
	var below, field []string
	switch role, rest := roleOf(path); {
	case role != "":
		instances, below, field = d.places[pkg], []string{role}, rest
	case len(path) > 2 && path[0] == "#Artifact" && path[1] == "description":
		instances, field = d.places[pkg], path[2:]
	case len(path) > 2 && path[0] == "#Deployment" && path[1] == "config":
		instances, field = []instance{{nil, d.tree.Root}}, path[1:]
	}
	if len(instances) == 0 || field[0] == "role" {
		return fact{}, false
	}
	lit, literal := l.Field.Value.(*ast.BasicLit)
	x := fact{Name: strings.Join(field, "."), Type: l.Expr, Doc: l.Doc, Literal: literal && lit != nil}
	for _, i := range instances {
		if n := d.final(&x, i, below, field); n != nil && x.Readers == nil {
			x.Readers = d.readersOf(spread.PackageOf(n))[x.Name]
		}
	}
	file := d.sources.real(l.Field.Pos().Filename())
	text := d.sources.get(file)
	if len(x.Finals) == 0 || text == nil {
		return fact{}, false
	}
	x.File = file
	x.Label, x.Value = spanOf(text, l.Field.Label), spanOf(text, l.Field.Value)
	return x, filepath.IsAbs(x.File)
}

func spanOf(l *lines, n ast.Node) textRange {
	return l.span(n.Pos().Offset(), n.End().Offset())
}

// final adds the value that a field has in one place, and returns the artifact
// whose field it is.
func (d *describer) final(x *fact, i instance, below, field []string) *value.Node {
	n, roles := i.node, i.roles
	for _, name := range below {
		j := slices.IndexFunc(n.Roles, func(r *value.Role) bool { return r.Name == name })
		if j < 0 || n.Roles[j].Node == nil {
			return nil
		}
		n, roles = n.Roles[j].Node, append(slices.Clip(roles), name)
	}
	value := n.Description.Get(field...)
	if field[0] == "config" {
		value = n.Config.Get(field[1:]...)
	}
	if value == nil || value.HasStandIn() {
		return nil
	}
	f := final{JSON: value.JSON(), By: d.by(value.Origin), Path: join(roles, field), Roles: 1}
	for k, known := range x.Finals {
		if known.JSON == f.JSON && known.By == f.By {
			x.Finals[k].Roles++
			return n
		}
	}
	x.Finals = append(x.Finals, f)
	return n
}

// join writes a path as [assist.Why] reads it.
func join(roles, field []string) string {
	var b strings.Builder
	for i, name := range slices.Concat(roles, field) {
		if i > 0 {
			b.WriteByte('.')
		}
		if !ast.IsValidIdent(name) {
			name = fmt.Sprintf("%q", name)
		}
		b.WriteString(name)
	}
	return b.String()
}

// by says who decides a value, in two words.
func (d *describer) by(o value.Origin) string {
	switch o.By {
	case value.FromDefault:
		return d.kind(o.Who) + " default"
	case value.FromRole:
		return "service"
	case value.FromFlag:
		return o.Who
	}
	return string(o.By)
}

// kind is that of the artifact that fills a role, given by its path.
func (d *describer) kind(roles string) string {
	n := d.tree.Root
	for _, name := range strings.Split(roles, ".") {
		for _, r := range n.Roles {
			if r.Name == name && r.Node != nil {
				n = r.Node
				break
			}
		}
	}
	return n.Ref.Kind
}

// maxDeclared bounds the packages that are remembered.
const maxDeclared = 1000

// config is what a package's sources declare; it is worked out once for each
// content of them.
func (d *describer) config(p *spread.Package) []declared {
	key := p.Path + " " + p.Digest
	if known, ok := d.declared[key]; ok {
		return known
	}
	out := []declared{}
	for _, f := range p.Files {
		for _, l := range spread.Leaves(f) {
			if len(l.Path) > 3 && l.Path[0] == "#Artifact" && l.Path[2] == "config" {
				out = append(out, declared{l.Path[3:], l.Expr, l.Doc})
			}
		}
	}
	if len(d.declared) >= maxDeclared {
		clear(d.declared)
	}
	d.declared[key] = out
	return out
}

// shape adds what can be written in an artifact, and returns its name.
func (d *describer) shape(n *value.Node) string {
	if n == nil || n.Package == nil {
		return ""
	}
	name := n.Package.ImportPath()
	if d.out.Shapes[name] != nil {
		return name
	}
	s := &shape{Kind: n.Ref.Kind, Roles: map[string]string{}}
	d.out.Shapes[name] = s
	s.Config = d.config(spread.PackageOf(n))
	for _, r := range n.Roles {
		s.Roles[r.Name] = d.shape(r.Node)
	}
	srv := n.Description.Get("srv")
	for side, list := range map[string][]*[]string{"client": {&s.Clients}, "server": {&s.Servers}, "duplex": {&s.Clients, &s.Servers}} {
		for _, f := range srv.Get(side).Each() {
			for _, l := range list {
				*l = append(*l, f.Name)
			}
		}
	}
	slices.Sort(s.Clients)
	slices.Sort(s.Servers)
	return name
}
