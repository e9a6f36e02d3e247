package moduletest

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
	"kumiki.dev/value"
)

// Coverage says which config fields of the module's artifacts get a value from
// outside of the artifact in some case, and which ifs are taken in some.
type Coverage struct {
	// Fields counts all of them, Exercised those that got one.
	Fields, Exercised int
	// Unexercised are the others, sorted by artifact and field.
	Unexercised []Field
	// Branches counts the ifs of the artifacts' packages, Taken those whose
	// condition was true in some case.
	Branches, Taken int
	// Untaken are the others; Always those that were taken whenever they were come
	// to. Both are sorted by artifact and place.
	Untaken, Always []Branch
}

// Branch is an if of an artifact's package.
type Branch struct {
	// Package is the artifact's import path.
	Package string
	// Pos is where the if is.
	Pos diag.Pos
	// Condition is its condition in CUE.
	Condition string
}

// Field is a config field of an artifact.
type Field struct {
	// Package is the artifact's import path.
	Package string
	// Path is the field's path: "config.parameter.size".
	Path string
}

// cover measures the coverage of the module's artifacts by the cases that were
// spread.
func cover(ctx context.Context, s *load.Survey, o Options, all []*Case) (Coverage, diag.List) {
	given := map[Field]bool{}
	for _, c := range all {
		if c.tree != nil && c.tree.Root != nil {
			collect(c.tree.Root, nil, given)
		}
	}
	configs := configsOf(all)
	var out Coverage
	var problems diag.List
	for _, p := range s.Artifacts() {
		if IsCase(p.Dir) {
			continue // made for a case
		}
		in := load.Input{Dir: inside(s, p), Package: p.Name, Modules: o.Modules}
		program, params, found := compiler.Params(ctx, in)
		broken := found.HasErrors()
		for _, d := range found {
			d.Severity = diag.Warning // a case that uses the artifact fails by itself
		}
		problems = append(problems, found...)
		for _, param := range params {
			out.count(Field{p.Path, "config." + strings.Join(param.Path, ".")}, given)
		}
		if program != nil && !broken {
			out.branches(program.Root, configs[p.Path])
		}
	}
	return out, problems.Sorted()
}

// branches counts the ifs of a package, by all configs that its artifact had.
func (c *Coverage) branches(p *spread.Package, configs []*value.Data) {
	if p.Broken {
		return
	}
	for _, b := range watch(p, configs) {
		c.Branches++
		branch := Branch{p.Path, b.Pos, b.Condition}
		switch {
		case !b.True:
			c.Untaken = append(c.Untaken, branch)
			continue
		case !b.False:
			c.Always = append(c.Always, branch)
		}
		c.Taken++
	}
}

// watch evaluates the ifs of a package with each config. Where CUE gives up, there
// is nothing to say.
func watch(p *spread.Package, configs []*value.Data) (seen []check.Branch) {
	defer func() {
		if recover() != nil {
			seen = nil
		}
	}()
	watched := check.NewBranches(spread.NewEvaluator(cuecontext.New()), p)
	for _, config := range configs {
		watched.See(config)
	}
	return watched.Seen()
}

// configsOf lists the different configs that each artifact has in the cases that
// compile.
func configsOf(all []*Case) map[string][]*value.Data {
	out := map[string][]*value.Data{}
	seen := map[[2]string]bool{}
	var visit func(n *value.Node)
	visit = func(n *value.Node) {
		if n.Package != nil && !n.Unknown {
			key := [2]string{n.Package.ImportPath(), n.Config.JSON()}
			if !seen[key] {
				seen[key] = true
				out[n.Package.ImportPath()] = append(out[n.Package.ImportPath()], n.Config)
			}
		}
		for _, r := range n.Roles {
			if r.Node != nil {
				visit(r.Node)
			}
		}
	}
	for _, c := range all {
		if c.tree != nil && c.tree.Root != nil && c.compiled {
			visit(c.tree.Root)
		}
	}
	return out
}

func (c *Coverage) count(f Field, given map[Field]bool) {
	c.Fields++
	if given[f] {
		c.Exercised++
		return
	}
	c.Unexercised = append(c.Unexercised, f)
}

// deployed lists the module's artifacts that a case has somewhere in its tree.
func deployed(s *load.Survey, all []*Case) []string {
	seen := map[string]bool{}
	var visit func(n *value.Node)
	visit = func(n *value.Node) {
		if n.Package != nil {
			seen[n.Package.ImportPath()] = true
		}
		for _, r := range n.Roles {
			if r.Node != nil {
				visit(r.Node)
			}
		}
	}
	for _, c := range all {
		if c.tree != nil && c.tree.Root != nil {
			visit(c.tree.Root)
		}
	}
	var out []string
	for _, p := range s.Artifacts() {
		if seen[p.Path] {
			out = append(out, p.Path)
		}
	}
	return out
}

// collect notes the fields of every artifact below the node that have a value
// which is not written in the artifact's own package and is no default of its own,
// wherever that is written, and all that they lie in. Roles are those that lead to the node.
func collect(n *value.Node, roles []string, given map[Field]bool) {
	if n.Package != nil {
		n.Config.Walk([]string{"config"}, func(path []string, d *value.Data) bool {
			leaf := len(d.Fields) == 0 && len(d.Items) == 0
			// Every artifact has a resilience, by the model.
			own := path[min(1, len(path)-1)] != "resilience" && d.Origin.By == value.FromDefault && d.Origin.Who == strings.Join(roles, ".")
			if leaf && !own && d.Pos.IsValid() && !value.IsModel(d.Pos) && !writtenIn(spread.PackageOf(n), d.Pos.Filename()) {
				for i := range path {
					given[Field{n.Package.ImportPath(), strings.Join(path[:i+1], ".")}] = true
				}
			}
			return true
		})
	}
	for _, r := range n.Roles {
		if r.Node != nil {
			collect(r.Node, append(slices.Clip(roles), r.Name), given)
		}
	}
}

func writtenIn(p *spread.Package, file string) bool {
	return filter.Any(p.Files, func(f *ast.File) bool { return f.Filename == file })
}

func inside(s *load.Survey, p load.SurveyPackage) string {
	return filepath.Join(s.Dir, filepath.FromSlash(p.Dir))
}
