package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/parser"
	"cuelang.org/go/mod/modfile"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/load"
)

const kmoduleFile = "kmodule.cue"

// kversion finds the version in a kmodule.cue.
var kversion = lazyregexp.New(`(?m)(\bversion\s*:\s*\[)[^\]]*\]`)

// Migration is what a kam-style module becomes.
type Migration struct {
	// Dir is the module's root.
	Dir string
	// Module is its new path, "example.com/shop@v2".
	Module string
	// Version is the version that the old file had, "2.1.3": the new one has the
	// first number only, the rest is said when it is published.
	Version string
	// Files are the new contents by name, with slashes; nil for one that goes.
	Files map[string][]byte
	// Deployments counts those whose solutions were compared.
	Deployments int
}

// Migrate says how the kam-style module that dir lies in becomes a native one.
// Both are compiled in a copy: if the solution of any deployment differs, apart
// from the digests of the sources, it is an error.
func Migrate(ctx context.Context, dir string) (*Migration, error) {
	survey, problems := load.Look(dir)
	if survey == nil || problems.HasErrors() {
		return nil, errors.New(problems[0].Message)
	}
	if !survey.Module.Kam {
		return nil, fmt.Errorf("module %s is native already", survey.Module.Path)
	}
	major, _, _ := strings.Cut(survey.Version, ".")
	m := &Migration{Dir: survey.Dir, Module: survey.Module.Path + "@v" + major, Version: survey.Version, Files: map[string][]byte{kmoduleFile: nil}}
	if err := m.rewrite(major); err != nil {
		return nil, err
	}
	if err := m.describe(survey); err != nil {
		return nil, err
	}
	return m, m.prove(ctx, survey, major)
}

// rewrite makes the imports of the module's own packages full paths.
func (m *Migration) rewrite(major string) error {
	base := strings.TrimSuffix(m.Module, "@v"+major)
	root := os.DirFS(m.Dir)
	return fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (e.Name() == "cue.mod" || strings.HasPrefix(e.Name(), ".") || isRoot(filepath.Join(m.Dir, filepath.FromSlash(name)))):
			return fs.SkipDir
		case !e.Type().IsRegular() || !strings.HasSuffix(name, ".cue") || name == kmoduleFile:
			return nil
		}
		old, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		text, err := fullImports(name, old, base, major)
		if err == nil && !bytes.Equal(old, text) {
			m.Files[name] = text
		}
		return err
	})
}

// fullImports replaces ".../web:component" by "example.com/shop/web@v2:component",
// and nothing else.
func fullImports(name string, text []byte, base, major string) ([]byte, error) {
	f, err := parser.ParseFile(name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	end := 0
	for spec := range f.ImportSpecs() {
		old := strings.Trim(spec.Path.Value, `"`)
		rest, ok := strings.CutPrefix(old, ".../")
		if !ok {
			if rest, ok = strings.CutPrefix(old, "mod.local/"); !ok {
				continue
			}
		}
		dir, pkg, _ := strings.Cut(rest, ":")
		if pkg == "" {
			pkg = path.Base(dir)
		}
		at := spec.Path.Pos().Offset()
		out.Write(text[end:at])
		fmt.Fprintf(&out, "%q", fmt.Sprintf("%s/%s@v%s:%s", base, dir, major, pkg))
		end = at + len(spec.Path.Value)
	}
	out.Write(text[end:])
	return out.Bytes(), nil
}

// describe writes the module file, with the dependencies that do not come with
// kumiki.
func (m *Migration) describe(survey *load.Survey) error {
	f := &modfile.File{Module: m.Module, Language: &modfile.Language{Version: language}, Deps: map[string]*modfile.Dep{}}
	for p, version := range survey.Dependencies {
		if load.Embedded(p) || version == "" {
			continue
		}
		first, _, _ := strings.Cut(version, ".")
		f.Deps[p+"@v"+first] = &modfile.Dep{Version: "v" + version}
	}
	text, err := modfile.Format(f)
	if err != nil {
		return fmt.Errorf("module %s: %w", m.Module, err)
	}
	m.Files[moduleFile] = text
	return nil
}

// prove compiles all deployments before and after, in a copy.
func (m *Migration) prove(ctx context.Context, survey *load.Survey, major string) error {
	dir, err := os.MkdirTemp("", "kumiki-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return err
	}
	kmodule, err := os.ReadFile(filepath.Join(dir, kmoduleFile))
	if err != nil {
		return err
	}
	// Only the first number can be the same.
	same := kversion().ReplaceAll(kmodule, []byte("${1}"+major+", 0, 0]"))
	if err := os.WriteFile(filepath.Join(dir, kmoduleFile), same, 0o644); err != nil {
		return err
	}
	before := solutions(ctx, dir, survey)
	if err := m.write(dir); err != nil {
		return err
	}
	after := solutions(ctx, dir, survey)
	for _, p := range survey.Packages {
		if !p.Deployment {
			continue
		}
		m.Deployments++
		was, is := before[p.Path], after[p.Path]
		switch {
		case was.err != nil:
			return fmt.Errorf("%s does not compile as it is: %w; mend that first, so that its solutions can be compared", p.Dir, was.err)
		case is.err != nil:
			return fmt.Errorf("%s would not compile any more: %w", p.Dir, is.err)
		case !bytes.Equal(was.text, is.text):
			return fmt.Errorf("the solution of %s would change", p.Dir)
		}
	}
	return nil
}

// outcome is what came of a deployment.
type outcome struct {
	text []byte
	err  error
}

func solutions(ctx context.Context, dir string, survey *load.Survey) map[string]outcome {
	out := map[string]outcome{}
	for _, p := range survey.Packages {
		if !p.Deployment {
			continue
		}
		in := compiler.Input{LoadInput: compiler.LoadInput{Dir: filepath.Join(dir, filepath.FromSlash(p.Dir)), Package: p.Name}}
		s, problems := compiler.Compile(ctx, in)
		if s == nil {
			out[p.Path] = outcome{err: firstError(problems)}
			continue
		}
		s.Inputs, s.Digest = nil, ""
		text, err := s.Bytes()
		out[p.Path] = outcome{text, err}
	}
	return out
}

func firstError(problems diag.List) error {
	for _, d := range problems {
		if d.Severity == diag.Error {
			return errors.New(d.Message)
		}
	}
	return errors.New("it has no solution")
}

// Write changes the module.
func (m *Migration) Write() error { return m.write(m.Dir) }

func (m *Migration) write(dir string) error {
	for name, text := range m.Files {
		if text == nil {
			continue // last, so that there is a module at any time
		}
		if err := writeIn(dir, name, text); err != nil {
			return err
		}
	}
	return os.Remove(filepath.Join(dir, kmoduleFile))
}
