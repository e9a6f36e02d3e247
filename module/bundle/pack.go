package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/modsource"
	"kumiki.dev/load"
	"kumiki.dev/solution"
)

// Pack makes a bundle of the deployment that the input names, and of all that the input has
// beside it. Of what lies in directories it has the files that take part; of the registry's
// modules, whose digests a lock file may have, all; of other deployments the solutions that
// something is taken from. What is wrong with the manifest is in the problems; then there is
// no bundle. That the bundle compiles to the same solution is tried; what keeps one from
// compiling that could be packed are warnings, as values that are given later may mend it.
func Pack(ctx context.Context, in compiler.Input) ([]byte, diag.List, error) {
	if in.With == nil {
		in.With = compiler.NewOthers(nil)
	}
	want, wrong := compiler.Compile(ctx, in)
	data, problems, err := packed(ctx, in, nil)
	if data == nil || err != nil {
		return data, problems, err
	}
	if wrong.HasErrors() {
		return data, append(problems, later(wrong)...), nil
	}
	return data, problems, same(ctx, want, data)
}

// Of makes a bundle of what a solution has just been compiled from. Who changed the sources
// meanwhile gets an error.
func Of(ctx context.Context, in compiler.Input, made *solution.Solution) ([]byte, error) {
	data, problems, err := packed(ctx, in, made)
	if err == nil && data == nil {
		err = problems.Sorted()[0]
	}
	return data, err
}

// later are the errors of a compilation as warnings.
func later(wrong diag.List) (out diag.List) {
	for _, d := range wrong {
		if d.Severity == diag.Error {
			warning := *d
			warning.Severity = diag.Warning
			out = append(out, &warning)
		}
	}
	return out
}

// packed makes a bundle; made is what the sources were compiled to before, nil for nothing.
func packed(ctx context.Context, in compiler.Input, made *solution.Solution) ([]byte, diag.List, error) {
	survey, problems := load.Look(in.Dir)
	if survey == nil {
		return nil, problems, nil
	}
	r := &recorder{dir: survey.Dir, open: modsource.Open, next: in.Registry, files: map[module.Version]*modfile.File{}, fetched: map[module.Version]module.SourceLoc{}}
	sources := in.LoadInput
	sources.Registry, sources.Memory = r, nil
	result, problems := compiler.Run(ctx, compiler.Input{LoadInput: sources}, compiler.LoadStage)
	program := result.Program
	if problems.HasErrors() || program == nil {
		return nil, problems, nil
	}
	if made != nil && made.Inputs != nil && !slices.Equal(made.Inputs.Modules, compiler.Modules(program)) {
		return nil, problems, errors.New("the sources have changed since they were compiled")
	}
	p := &packer{in: sources, files: map[string][]byte{}, placed: map[string]string{}, tree: treeOf(program, filesDir, r)}
	dir, err := filepath.Abs(in.Dir)
	if err != nil {
		return nil, problems, err
	}
	if p.Dir, err = p.tree.name(dir); err != nil {
		return nil, problems, err
	}
	p.Package = program.Root.Name
	if err := p.sources(program, p.tree, r); err != nil {
		return nil, problems, err
	}
	if _, err := p.links(in.Dir, linksDir, r); err != nil { // those beside the deployment
		return nil, problems, err
	}
	if err := errors.Join(p.give(in, r), p.registry(r)); err != nil {
		return nil, problems, err
	}
	data, err := encode(p.contents, p.files)
	return data, problems, err
}

type packer struct {
	contents
	in     load.Input
	tree   subtree // of the deployment
	files  map[string][]byte
	placed map[string]string // where modules are in the bundle, by their directories
}

// subtree is a directory and what it is called in the bundle.
type subtree struct{ base, to string }

// treeOf is that of a program: its main module, or what is above it and has the cue.mod in
// which dependencies lie.
func treeOf(p *load.Program, to string, r *recorder) subtree {
	t := subtree{p.Dir, to}
	for _, place := range p.Places {
		if at, _, ok := strings.Cut(filepath.ToSlash(place.Found), "/cue.mod/"); ok && below(p.Dir, at) && !r.has(place) {
			t.base = filepath.FromSlash(at)
		}
	}
	return t
}

// name is what a directory in the tree is called in the bundle.
func (t subtree) name(dir string) (string, error) {
	rel, err := filepath.Rel(t.base, dir)
	if err == nil && !filepath.IsLocal(rel) {
		err = fmt.Errorf("%s is not in %s", dir, t.base)
	}
	return path.Join(t.to, filepath.ToSlash(rel)), err
}

// sources takes the files that take part of every module that lies in a
// directory.
func (p *packer) sources(program *load.Program, t subtree, r *recorder) error {
	for _, place := range program.Places {
		dir, known := p.placed[place.Dir]
		if !known {
			var err error
			if dir, err = p.placeOf(place, t, r); err != nil {
				return err
			}
			p.placed[place.Dir] = dir
			p.Modules = append(p.Modules, Module{Path: place.Module.Path, Version: place.Module.Version, Dir: dir})
		}
		if !r.has(place) {
			if err := p.take(program, place, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeOf is where a module is in the bundle.
func (p *packer) placeOf(place load.Place, t subtree, r *recorder) (string, error) {
	if mv, ok := r.version(place); ok {
		return path.Join(registryDir, inBundle(mv)), nil
	}
	if place.Module.Main || below(place.Found, filepath.Join(t.base, "cue.mod")) {
		return t.name(place.Found)
	}
	for _, dir := range p.in.Modules {
		if real, err := filepath.Abs(dir); err == nil {
			if links, err := filepath.EvalSymlinks(real); err == nil {
				real = links
			}
			if below(place.Dir, real) {
				return path.Join(modulesDir, strconv.Itoa(len(p.Modules))), nil
			}
		}
	}
	return "", fmt.Errorf("module %s is replaced by a directory, %s, which a bundle has no place for; publish it, or copy it to cue.mod/pkg", place.Module.Path, place.Dir)
}

func below(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// take takes the sources of a module, and the files that say what it is.
func (p *packer) take(program *load.Program, place load.Place, to string) error {
	for _, name := range []string{"cue.mod/module.cue", "kmodule.cue", load.LockFile} {
		data, err := p.read(filepath.Join(place.Dir, filepath.FromSlash(name)))
		switch {
		case err == nil:
			p.files[path.Join(to, name)] = data
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	for _, pkg := range program.Packages {
		if pkg.Module != place.Module {
			continue
		}
		for _, f := range pkg.Files {
			rel, err := filepath.Rel(place.Dir, f.Filename)
			if err != nil || !filepath.IsLocal(rel) {
				continue // it comes with kumiki
			}
			data, err := p.read(f.Filename)
			if err != nil {
				return err
			}
			p.files[path.Join(to, filepath.ToSlash(rel))] = data
		}
		for _, e := range pkg.Embedded {
			p.files[path.Join(to, e.File)] = e.Text
		}
	}
	return nil
}

func (p *packer) read(name string) ([]byte, error) {
	if data, ok := p.in.Overlay[name]; ok {
		return data, nil
	}
	return os.ReadFile(name)
}

// registry takes what the registry was asked for.
func (p *packer) registry(r *recorder) error {
	for mv, f := range r.files {
		text, err := modfile.Format(f)
		if err != nil {
			return fmt.Errorf("%s: %w", mv, err)
		}
		p.files[path.Join(moduleFilesDir, inBundle(mv)+".cue")] = text
	}
	for mv, loc := range r.fetched {
		files, err := fs.Sub(loc.FS, loc.Dir)
		if err != nil {
			return err
		}
		err = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(files, name)
			p.files[path.Join(registryDir, inBundle(mv), name)] = data
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", mv, err)
		}
	}
	return nil
}

// has reports whether a module came from the registry.
func (r *recorder) has(place load.Place) bool {
	_, ok := r.version(place)
	return ok
}

func (r *recorder) version(place load.Place) (module.Version, bool) {
	for mv, loc := range r.fetched {
		if mv.BasePath() != place.Module.Path || strings.TrimPrefix(mv.Version(), "v") != place.Module.Version {
			continue
		}
		root, ok := loc.FS.(module.OSRootFS)
		if !ok {
			continue
		}
		dir := filepath.Join(root.OSRoot(), filepath.FromSlash(loc.Dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == place.Dir || dir == place.Found {
			return mv, true
		}
	}
	return module.Version{}, false
}

// same compiles the bundle, and compares.
func same(ctx context.Context, want *solution.Solution, data []byte) error {
	got, problems, err := Compile(ctx, data)
	if err != nil {
		return fmt.Errorf("the bundle can't be read again: %w", err)
	}
	if problems.HasErrors() {
		return fmt.Errorf("the bundle would not compile: %s", problems[0].Message)
	}
	a, err := want.Bytes()
	if err != nil {
		return err
	}
	b, err := got.Bytes()
	if err == nil && !bytes.Equal(a, b) {
		err = errors.New("the bundle would compile to another solution; this is a mistake in kumiki, please report it")
	}
	return err
}

// Compile makes the solution of a bundle; nil if any of the problems is an error.
func Compile(ctx context.Context, data []byte) (*solution.Solution, diag.List, error) {
	opened, err := Open(data)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	sol, problems := compiler.Compile(ctx, opened.Input)
	return sol, problems, nil
}
