package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/gitrev"
	"kumiki.dev/load"
	"kumiki.dev/matrix"
)

// isTemplate reports whether an argument is the file of a template.
func isTemplate(name string) bool {
	dir := filepath.Dir(name)
	if dir == "." { // in the directory itself
		if abs, err := filepath.Abs(name); err == nil {
			dir = filepath.Dir(abs)
		}
	}
	return filepath.Ext(name) == ".cue" && filepath.Base(dir) == environment.Templates
}

// template is a template, as it is compiled for the environment that the command works
// for. File is where it is, and arg what messages call it.
func (o *opener) template(ctx context.Context, arg, file string, modules []string) (subject, error) {
	root := load.Root(filepath.Dir(file))
	if root == "" || !samePlace(filepath.Join(root, environment.Templates), filepath.Dir(file)) {
		return subject{}, fmt.Errorf("%s: a template lies in the directory %s at the root of a module", arg, environment.Templates)
	}
	in, err := o.f.load(root)
	if err != nil {
		return subject{}, err
	}
	in.Modules, in.Texts = modules, o.real.secrets.texts()
	tree := environment.Read(in, root, "")
	name := strings.TrimSuffix(filepath.Base(file), ".cue")
	e := o.real.site.Environment
	if e == nil {
		return subject{}, fmt.Errorf("%s is for environments: name one with --env%s", arg, among(tree, name))
	}
	tree.Environments = append(filter.Out(tree.Environments, func(x *environment.Environment) bool { return x.Name == e.Name }), e)
	some := *tree // what else there is need not be right
	some.Templates = environment.Needed(tree.Templates, name)
	placement, problems := some.Place()
	cell := placement.Cell(name, e.Name)
	if cell == nil {
		if err := o.print(o.streams(), append(of(tree.Problems, file), problems...)); err != nil {
			return subject{}, err
		}
		return subject{}, fmt.Errorf("%s is not for environment %s%s", arg, e.Name, among(tree, name))
	}
	all := o.f.matrixInput(o.real, tree, placement, in)
	given, problems, err := matrix.One(ctx, all, cell)
	if err != nil {
		return subject{}, err
	}
	if err := o.print(o.streams(), problems); err != nil {
		return subject{}, err
	}
	given.Session = nil
	return subject{arg: arg, sources: &given.LoadInput, given: given}, nil
}

func samePlace(a, b string) bool {
	a, err := filepath.Abs(a)
	b, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}

// templateAt is a template as it is at a revision.
func (o *opener) templateAt(ctx context.Context, arg, name, temporary string, tree *gitrev.Tree) (subject, error) {
	file, err := tree.WriteModule(ctx, temporary, name, filepath.Dir(filepath.Dir(name)))
	if err != nil {
		return subject{}, err
	}
	modules := slices.Clone(o.f.modules)
	for i := range modules {
		modules[i] = tree.Inside(temporary, modules[i])
	}
	return o.template(ctx, arg, file, modules)
}

// of are the problems in a file.
func of(problems diag.List, file string) (out diag.List) {
	for _, d := range problems {
		if filepath.Base(d.Pos.Filename()) == filepath.Base(file) {
			out = append(out, d)
		}
	}
	return out
}

// among says which environments a template is for.
func among(tree *environment.Tree, name string) string {
	placement, _ := tree.Place()
	var names []string
	for _, c := range placement.Cells {
		if c.Template.Name == name {
			names = append(names, c.Environment.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; it is for " + strings.Join(names, ", ")
}
