package registry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"golang.org/x/mod/semver"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/module/compat"
	"kumiki.dev/module/moduletest"
)

// Publication says what to publish.
type Publication struct {
	// Dir lies in the module.
	Dir string
	// Version is the version to publish, "v1.2.3".
	Version string
	// Dirty allows a module that differs from its last commit.
	Dirty bool
	// DryRun does everything but to push.
	DryRun bool
	// Resolver is where to push, and to look for the versions that are there.
	Resolver modregistry.Resolver
	// Registry is where dependencies and the version before come from.
	Registry Registry
	// Key signs what is published; nil for no signature.
	Key *Key
	// Tool is the version of kumiki, for the provenance; "" for none.
	Tool string
}

// Published is what was pushed, or would have been.
type Published struct {
	Module module.Version
	// Before is the version that it was compared with; zero for the first.
	Before module.Version
	// Step is the step that the change from Before needs.
	Step compat.Step
	// Cases counts the examples that passed.
	Cases int
	// Size is the number of bytes of the archive.
	Size int
}

// Publish pushes a version of a module, once it is shown to be fit for that: it
// is committed, its examples pass, what it depends on is published, the version
// is new, and it is no smaller a step than the change needs.
func Publish(ctx context.Context, p Publication) (*Published, error) {
	m, err := OpenModule(p.Dir)
	if err != nil {
		return nil, err
	}
	out := &Published{}
	if out.Module, err = versionOf(m, p.Version); err != nil {
		return nil, err
	}
	if err := committed(ctx, m.Dir, p.Dirty); err != nil {
		return nil, err
	}
	if out.Cases, err = tested(ctx, m.Dir); err != nil {
		return nil, err
	}
	g, err := m.Graph(ctx, p.Registry)
	if err != nil {
		return nil, fmt.Errorf("a dependency is not published: %w", err)
	}
	if err := p.fits(ctx, m, out); err != nil {
		return nil, err
	}
	r, err := p.prepare(ctx, m, out.Module, g.Selected)
	if err != nil {
		return nil, err
	}
	out.Size = len(r.archive)
	if p.DryRun {
		return out, nil
	}
	return out, p.push(ctx, r)
}

func versionOf(m *Module, version string) (module.Version, error) {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return module.Version{}, fmt.Errorf("version %q is expected to look like v1.2.3", version)
	}
	v, err := module.NewVersion(m.File.QualifiedModule(), version)
	if err != nil {
		return v, fmt.Errorf("module %s can't have version %s: its path says which major version it is; write module: %q",
			m.File.QualifiedModule(), version, m.File.ModuleRootPath()+"@"+semver.Major(version))
	}
	return v, nil
}

// committed reports whether everything is in the version control system, if the
// module is in git at all.
func committed(ctx context.Context, dir string, dirty bool) error {
	if dirty || !inGit(dir) {
		return nil
	}
	text, err := git(ctx, dir, "status", "--porcelain", "--", ".")
	if err != nil {
		return fmt.Errorf("git status in %s: %w; publish with --dirty if that is meant", dir, err)
	}
	if lines := strings.Split(strings.TrimSpace(text), "\n"); lines[0] != "" {
		return fmt.Errorf("%d files are not committed, the first is %q; commit them, or publish with --dirty", len(lines), strings.TrimSpace(lines[0]))
	}
	return nil
}

func inGit(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// tested runs the module's examples and returns how many there are.
func tested(ctx context.Context, dir string) (int, error) {
	r, problems := moduletest.Run(ctx, moduletest.Options{Dir: dir})
	for _, d := range problems {
		if r == nil {
			return 0, errors.New(d.Message)
		}
	}
	for _, c := range r.Cases {
		if !c.Passed() {
			return 0, fmt.Errorf("%s does not pass: run kumiki test", c.Dir)
		}
	}
	survey, _ := load.Look(dir)
	for _, p := range survey.Artifacts() {
		if !filter.Any(r.Artifacts, func(path string) bool { return path == p.Path }) && !moduletest.IsCase(p.Dir) {
			return 0, fmt.Errorf("no example deploys %s: put a deployment of it below examples", p.Path)
		}
	}
	return len(r.Cases), nil
}

// fits compares the module with the version before it.
func (p Publication) fits(ctx context.Context, m *Module, out *Published) error {
	versions, err := modregistry.NewClientWithResolver(p.Resolver).ModuleVersions(ctx, out.Module.Path())
	if err != nil {
		return fmt.Errorf("the registry can't be asked for versions of %s: %w", out.Module.Path(), err)
	}
	before := ""
	for _, v := range versions {
		switch c := semver.Compare(v, p.Version); {
		case c == 0:
			return fmt.Errorf("%s is published already; a published version never changes: take the next one", out.Module)
		case c < 0 && (before == "" || semver.Compare(v, before) > 0):
			before = v
		}
	}
	if before == "" {
		return nil
	}
	if out.Before, err = module.NewVersion(out.Module.Path(), before); err != nil {
		return err
	}
	root, err := rootOf(ctx, p.Registry, out.Before)
	if err != nil {
		return err
	}
	texts := compiler.TextsOf(ctx)
	report, problems := compat.Compare(ctx, compat.Side{Dir: root, Texts: texts}, compat.Side{Dir: m.Dir, Texts: texts})
	if report == nil {
		return fmt.Errorf("%s can't be compared with %s: %s", out.Module, out.Before, problems[0].Message)
	}
	out.Step = report.Step
	if err := compat.CheckStep(before, p.Version, report.Step); err != nil {
		return fmt.Errorf("%w; the first change that needs it: %s %s: %s", err, report.Changes[0].Artifact, report.Changes[0].Path, report.Changes[0].Message)
	}
	return nil
}
