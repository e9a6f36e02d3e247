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
	"strconv"
	"strings"

	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/modsource"
	"kumiki.dev/load"
)

// Pack makes a bundle of the deployment that the input names. Of what lies in
// directories it has the files that take part; of the registry's modules, whose
// digests a lock file may have, all. What is wrong with the manifest is in the
// problems; then there is no bundle. That the bundle compiles to the same
// solution is tried.
func Pack(ctx context.Context, in load.Input) ([]byte, diag.List, error) {
	survey, problems := load.Look(in.Dir)
	if survey == nil {
		return nil, problems, nil
	}
	r := &recorder{dir: survey.Dir, open: modsource.Open, next: in.Registry, files: map[module.Version]*modfile.File{}, fetched: map[module.Version]module.SourceLoc{}}
	in.Registry = r
	result, problems := compiler.Run(ctx, compiler.Input{LoadInput: in}, compiler.LoadStage)
	program := result.Program
	if problems.HasErrors() || program == nil {
		return nil, problems, nil
	}
	p := &packer{program: program, in: in, files: map[string][]byte{}}
	if err := errors.Join(p.sources(r), p.registry(r)); err != nil {
		return nil, problems, err
	}
	data, err := encode(p.contents, p.files)
	if err != nil {
		return nil, problems, err
	}
	return data, problems, same(ctx, in, data)
}

type packer struct {
	contents
	program *load.Program
	in      load.Input
	base    string // the directory that filesDir stands for
	files   map[string][]byte
}

// sources takes the files that take part of every module that lies in a
// directory.
func (p *packer) sources(r *recorder) error {
	p.base = p.program.Dir
	for _, place := range p.program.Places {
		if at, _, ok := strings.Cut(filepath.ToSlash(place.Found), "/cue.mod/"); ok && below(p.program.Dir, at) && !r.has(place) {
			p.base = filepath.FromSlash(at)
		}
	}
	dir, err := filepath.Abs(p.in.Dir)
	if err != nil {
		return err
	}
	if p.Dir, err = p.inFiles(dir); err != nil {
		return err
	}
	p.Package = p.program.Root.Name
	for i, place := range p.program.Places {
		m := Module{Path: place.Module.Path, Version: place.Module.Version}
		if m.Dir, err = p.placeOf(place, r, i); err != nil {
			return err
		}
		p.Modules = append(p.Modules, m)
		if !r.has(place) {
			if err := p.take(place, m.Dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeOf is where a module is in the bundle.
func (p *packer) placeOf(place load.Place, r *recorder, i int) (string, error) {
	if mv, ok := r.version(place); ok {
		return path.Join(registryDir, inBundle(mv)), nil
	}
	if place.Module.Main || below(place.Found, filepath.Join(p.base, "cue.mod")) {
		return p.inFiles(place.Found)
	}
	for _, dir := range p.in.Modules {
		if real, err := filepath.Abs(dir); err == nil {
			if links, err := filepath.EvalSymlinks(real); err == nil {
				real = links
			}
			if below(place.Dir, real) {
				return path.Join(modulesDir, strconv.Itoa(i)), nil
			}
		}
	}
	return "", fmt.Errorf("module %s is replaced by a directory, %s, which a bundle has no place for; publish it, or copy it to cue.mod/pkg", place.Module.Path, place.Dir)
}

// inFiles is the name in the bundle of a directory in the base.
func (p *packer) inFiles(dir string) (string, error) {
	rel, err := filepath.Rel(p.base, dir)
	if err == nil && !filepath.IsLocal(rel) {
		err = fmt.Errorf("%s is not in %s", dir, p.base)
	}
	return path.Join(filesDir, filepath.ToSlash(rel)), err
}

func below(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// take takes the sources of a module, and the files that say what it is.
func (p *packer) take(place load.Place, to string) error {
	for _, name := range []string{"cue.mod/module.cue", "kmodule.cue", load.LockFile} {
		data, err := p.read(filepath.Join(place.Dir, filepath.FromSlash(name)))
		switch {
		case err == nil:
			p.files[path.Join(to, name)] = data
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	for _, pkg := range p.program.Packages {
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

// same compiles the directory and the bundle, and compares. A deployment that
// does not compile by itself may do so with values that are given later.
func same(ctx context.Context, in load.Input, data []byte) error {
	want, problems := compiler.Compile(ctx, compiler.Input{LoadInput: in})
	if problems.HasErrors() {
		return nil
	}
	opened, err := Open(data)
	if err != nil {
		return fmt.Errorf("the bundle can't be read again: %w", err)
	}
	defer opened.Close()
	got, problems := compiler.Compile(ctx, compiler.Input{LoadInput: opened.Input})
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
