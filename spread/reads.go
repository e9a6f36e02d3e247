package spread

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Unread lists the parameters, resources and parts of the load (scale.qos), each
// from "config" on, that the node's artifact declares or is given and that nothing
// in it reads: no expression of its sources, and no mapping. Where that cannot be
// told for certain, a field counts as read.
func Unread(n *value.Node) [][]string {
	if n.Builtin || n.Unknown || PackageOf(n) == nil {
		return nil
	}
	r := &reads{words: map[string]bool{}, lets: map[string][]string{}}
	for _, f := range PackageOf(n).Files {
		r.file(f)
	}
	if r.opaque {
		return nil
	}
	r.strings(n.Description)
	var out [][]string
	for _, section := range []string{"parameter", "resource"} {
		for _, path := range leafPaths(n.Config.Get(section), []string{"config", section}) {
			if !r.has(path, 2) {
				out = append(out, path)
			}
		}
	}
	if qos := n.Config.Get("scale", "qos"); qos != nil {
		for _, path := range leafPaths(qos, []string{"config", "scale", "qos"}) {
			if !r.has(path, 3) {
				out = append(out, path)
			}
		}
	}
	for _, path := range declaredOptional(PackageOf(n)) {
		if n.Config.Get(path[1:]...) == nil && !MayRead(PackageOf(n), n.Description, path) {
			out = append(out, path)
		}
	}
	return out
}

// MayRead reports whether something in an artifact may read the field of its config at a
// path, from "config" on, whatever its other fields are. It is true where that cannot be
// told for certain.
func MayRead(p *Package, description *value.Data, path []string) bool {
	r := &reads{words: map[string]bool{}, lets: map[string][]string{}, literals: true}
	for _, f := range p.Files {
		r.file(f)
	}
	r.strings(description)
	return r.opaque || r.has(path, 2)
}

// unreadQos are the fields of scale.qos that the node is given and that nothing in its
// artifact reads.
func unreadQos(n *value.Node) [][]string {
	return filter.Out(Unread(n), func(path []string) bool { return path[1] != "scale" || len(path) < 4 })
}

// leafPaths are the paths of all leaves, a list counting as one. A resource is
// one too, whatever its kind.
func leafPaths(d *value.Data, path []string) [][]string {
	resource := path[1] == "resource" && len(d.Each()) == 1 && d.Fields[0].Value.Kind == value.String
	if len(path) > 2 && (len(d.Each()) == 0 || resource) {
		return [][]string{path}
	}
	var out [][]string
	for _, f := range d.Each() {
		out = append(out, leafPaths(f.Value, append(slices.Clip(path), f.Name))...)
	}
	return out
}

// reads is all that a package may read of its artifact's config.
type reads struct {
	chains [][]string // as description.config.parameter.x, from config on
	asked  [][]string // those that are only asked for whether they are there
	words  map[string]bool
	lets   map[string][]string
	model  string // what the model is imported as
	// literals tells that texts in sources are words too: what a condition keeps out of
	// the description may be there with another config.
	literals bool
	opaque   bool // the artifact is another one, refined: what that reads is not known
}

// has reports whether something may read the field at path. What people call it
// begins after the first names.
func (r *reads) has(path []string, first int) bool {
	name := path[first:]
	for i := range name {
		if r.words[strings.Join(name[:i+1], ".")] {
			return true // as the key of a mapping, or by its bare name
		}
	}
	if r.words[path[len(path)-1]] {
		return true
	}
	if filter.Any(r.asked, func(chain []string) bool { return len(chain) >= len(path) && slices.Equal(chain[:len(path)], path) }) {
		return true
	}
	return filter.Any(r.chains, func(chain []string) bool {
		n := min(len(chain), len(path))
		return slices.Equal(chain[:n], path[:n])
	})
}

// file collects what the expressions of a file read. The labels of fields read
// nothing, and what a role is filled with is another artifact.
func (r *reads) file(f *ast.File) {
	r.model = ""
	for spec := range f.ImportSpecs() {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && strings.HasPrefix(path, "kumori.systems/kumori") {
			r.model = "kumori"
			if spec.Name != nil {
				r.model = spec.Name.Name
			}
		}
	}
	for _, d := range f.Decls {
		ast.Walk(d, r.visit, nil)
	}
}

func (r *reads) visit(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.ImportDecl, *ast.Attribute:
		return false
	case *ast.LetClause:
		if chain := configChain(x.Expr, r.lets); chain != nil {
			r.lets[x.Ident.Name] = chain
		} else {
			ast.Walk(x.Expr, r.visit, nil)
		}
		return false
	case *ast.Field:
		name := syntax.LabelName(x.Label)
		if name != "artifact" {
			ast.Walk(x.Value, r.visit, nil)
		}
		return false
	case *ast.BinaryExpr:
		of := syntax.ComparedWithBottom(x)
		if of == nil {
			break
		}
		if chain := configChain(of, r.lets); chain != nil {
			r.asked = append(r.asked, chain)
			return false
		}
	case *ast.SelectorExpr:
		if chain := configChain(x, r.lets); chain != nil {
			r.chains = append(r.chains, chain)
			return false
		}
		if id, ok := x.X.(*ast.Ident); ok && syntax.LabelName(x.Sel) == "#Artifact" && id.Name != r.model {
			r.opaque = true
		}
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil && r.literals {
			r.words[text] = true
		}
	case *ast.Ident:
		if chain := configChain(x, r.lets); chain != nil {
			r.chains = append(r.chains, chain)
		}
		r.words[x.Name] = true
	}
	return true
}

// strings collects the texts in the finished description: keys of mappings are
// among them.
func (r *reads) strings(d *value.Data) {
	if d == nil {
		return
	}
	if d.Kind == value.String {
		r.words[d.Text] = true
	}
	for _, f := range d.Fields {
		r.strings(f.Value)
	}
	for _, x := range d.Items {
		r.strings(x)
	}
}
