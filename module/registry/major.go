package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
)

var majorForm = lazyregexp.New(`^v(0|[1-9][0-9]{0,5})$`)

// Renaming is what a module becomes with another major version.
type Renaming struct {
	// Dir is the module's root.
	Dir string
	// From and To are the module with its major versions.
	From, To string
	// Changes are the places that differ, sorted.
	Changes []Rename
	files   map[string]renamed
}

// Rename is one place that differs.
type Rename struct {
	// File is the name within the module, with slashes; Line is counted from 1.
	File string
	Line int
	// Was and Is are what is written there.
	Was, Is string
}

type renamed struct{ was, is []byte }

// Major says how the module that dir lies in gets another major version: its file,
// and every import of its own packages that names one. Imports of other modules
// stay, and so do modules within the module. A deployment that compiles before and
// not after is an error; both are tried in a copy.
func Major(ctx context.Context, dir, version string) (*Renaming, error) {
	if !majorForm().MatchString(version) {
		return nil, fmt.Errorf("major version %q is expected to look like v2", version)
	}
	survey, problems := load.Look(dir)
	if survey == nil || problems.HasErrors() {
		return nil, errors.New(problems[0].Message)
	}
	r := &Renaming{Dir: survey.Dir, files: map[string]renamed{}}
	foreign, err := r.describe(survey, version)
	if err != nil {
		return nil, err
	}
	if err := r.imports(survey.Module.Path, version, foreign); err != nil {
		return nil, err
	}
	sorting.By(r.Changes, func(a, b Rename) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return r, r.prove(ctx, survey)
}

// describe changes the module's file, and returns which paths are those of other
// modules although they begin as its own do.
func (r *Renaming) describe(survey *load.Survey, version string) (foreign map[string]bool, err error) {
	foreign = map[string]bool{}
	name, form := moduleFile, regexp.MustCompile(`(?m)(^\s*module\s*:\s*)("[^"\n]*")`)
	is := strconv.Quote(survey.Module.Path + "@" + version)
	if survey.Module.Kam {
		number, _, _ := strings.Cut(survey.Version, ".")
		r.From = survey.Module.Path + "@v" + number
		name, form, is = kmoduleFile, regexp.MustCompile(`(\bversion\s*:\s*)(\[[^\]]*\])`), "["+version[1:]+", 0, 0]"
		if number == version[1:] {
			r.To = r.From
			return foreign, nil
		}
	} else {
		m, err := OpenModule(survey.Dir)
		if err != nil {
			return nil, err
		}
		r.From = m.File.QualifiedModule()
		for p := range m.File.Deps {
			foreign[p] = true
		}
	}
	r.To = survey.Module.Path + "@" + version
	text, err := fs.ReadFile(os.DirFS(survey.Dir), name)
	if err != nil {
		return nil, err
	}
	at := form.FindAllSubmatchIndex(text, -1)
	if len(at) != 1 {
		return nil, fmt.Errorf("%s: the place of the module's version was not found; write it there by hand: %s", name, is)
	}
	from, to := at[0][4], at[0][5]
	r.replace(name, text, []edit{{from, to, is}})
	return foreign, nil
}

// edit puts a text in place of what is between two offsets.
type edit struct {
	from, to int
	is       string
}

// replace notes what differs in a file.
func (r *Renaming) replace(name string, text []byte, edits []edit) {
	var out bytes.Buffer
	end := 0
	for _, e := range edits {
		was := string(text[e.from:e.to])
		if was != e.is {
			r.Changes = append(r.Changes, Rename{name, 1 + bytes.Count(text[:e.from], []byte("\n")), was, e.is})
		}
		out.Write(text[end:e.from])
		out.WriteString(e.is)
		end = e.to
	}
	out.Write(text[end:])
	if !bytes.Equal(out.Bytes(), text) {
		r.files[name] = renamed{text, out.Bytes()}
	}
}

// imports changes the imports of the module's own packages.
func (r *Renaming) imports(base, version string, foreign map[string]bool) error {
	root := os.DirFS(r.Dir)
	return fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (e.Name() == "cue.mod" || strings.HasPrefix(e.Name(), ".") || isRoot(filepath.Join(r.Dir, filepath.FromSlash(name)))):
			return fs.SkipDir
		case !e.Type().IsRegular() || !strings.HasSuffix(name, ".cue") || name == kmoduleFile:
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(name, text, parser.ImportsOnly)
		if err != nil {
			at := name
			if all := cueerrors.Positions(err); len(all) > 0 {
				at = all[0].String()
			}
			return fmt.Errorf("%s: %w; mend that first, so that its imports can be read", at, err)
		}
		var edits []edit
		for spec := range f.ImportSpecs() {
			p := ast.ParseImportPath(strings.Trim(spec.Path.Value, "\"`"))
			if p.Version == "" || p.Version == version || !r.own(p, base, foreign) {
				continue
			}
			p.Version = version
			at := spec.Path.Pos().Offset()
			edits = append(edits, edit{at, at + len(spec.Path.Value), strconv.Quote(p.String())})
		}
		if len(edits) > 0 {
			r.replace(name, text, edits)
		}
		return nil
	})
}

// own reports whether a path is of the module itself, and not of one that it
// depends on or that lies within it.
func (r *Renaming) own(p ast.ImportPath, base string, foreign map[string]bool) bool {
	rest, ok := strings.CutPrefix(p.Path, base)
	if !ok || rest != "" && rest[0] != '/' {
		return false
	}
	for at := p.Path; len(at) >= len(base); at = at[:max(strings.LastIndex(at, "/"), 0)] {
		if foreign[at+"@"+p.Version] || foreign[at] {
			return false
		}
		if below := strings.TrimPrefix(at[len(base):], "/"); below != "" && filepath.IsLocal(filepath.FromSlash(below)) && isRoot(filepath.Join(r.Dir, filepath.FromSlash(below))) {
			return false
		}
	}
	return true
}

// prove compiles the deployments before and after, in a copy.
func (r *Renaming) prove(ctx context.Context, survey *load.Survey) error {
	dir, err := os.MkdirTemp("", "kumiki-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(r.Dir)); err != nil {
		return err
	}
	before := solutions(ctx, dir, survey)
	if err := r.write(dir); err != nil {
		return err
	}
	after := solutions(ctx, dir, survey)
	for _, p := range survey.Packages {
		if p.Deployment && before[p.Path].err == nil && after[p.Path].err != nil {
			return fmt.Errorf("%s would not compile any more: %w; nothing was changed", p.Dir, after[p.Path].err)
		}
	}
	return nil
}

// Write changes the module: all of it, or nothing.
func (r *Renaming) Write() error { return r.write(r.Dir) }

func (r *Renaming) write(dir string) error {
	var done []string
	for _, name := range sorting.Ordered(r.files) {
		now, err := fs.ReadFile(os.DirFS(dir), name)
		if err == nil && !bytes.Equal(now, r.files[name].was) {
			err = fmt.Errorf("%s was changed meanwhile", name)
		}
		if err == nil {
			err = writeIn(dir, name, r.files[name].is)
		}
		if err != nil {
			for _, name := range done {
				err = errors.Join(err, writeIn(dir, name, r.files[name].was))
			}
			return err
		}
		done = append(done, name)
	}
	return nil
}
