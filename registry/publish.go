package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"cuelang.org/go/mod/modzip"
	"github.com/opencontainers/go-digest"
	"golang.org/x/mod/semver"

	"kumiki.dev/catalog"
	"kumiki.dev/compat"
	"kumiki.dev/compiler"
	"kumiki.dev/suite"
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

// release is all that is pushed.
type release struct {
	version  module.Version
	archive  []byte
	metadata *modregistry.Metadata
	said     []attachment
}

// prepare makes the archive, its index and its provenance.
func (p Publication) prepare(ctx context.Context, m *Module, v module.Version, selected []module.Version) (*release, error) {
	archive, err := pack(m, v)
	if err != nil {
		return nil, err
	}
	listed, problems := catalog.Of(m.Dir, v.Version())
	if listed == nil || problems.HasErrors() {
		return nil, fmt.Errorf("the artifacts can't be listed: %s", problems[0].Message)
	}
	index, err := catalog.New(*listed).Bytes()
	if err != nil {
		return nil, err
	}
	c := commitOf(ctx, m.Dir)
	sum := digest.FromBytes(archive)
	provenance, err := p.provenance(ctx, v, sum.Encoded(), selected, c)
	if err != nil {
		return nil, err
	}
	return &release{v, archive, c.metadata(), []attachment{
		{kind: indexType, layer: indexType, data: index},
		{kind: provenanceType, layer: provenanceType, data: provenance},
	}}, nil
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

// committed tells whether everything is in the version control system, if the
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
	r, problems := suite.Run(ctx, suite.Options{Dir: dir})
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
	survey, _ := compiler.Look(dir)
	for _, p := range survey.Artifacts() {
		if !slices.ContainsFunc(r.Artifacts, func(path string) bool { return path == p.Path }) && !suite.IsCase(p.Dir) {
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
	report, problems := compat.Compare(compat.Side{Dir: root}, compat.Side{Dir: m.Dir})
	if report == nil {
		return fmt.Errorf("%s can't be compared with %s: %s", out.Module, out.Before, problems[0].Message)
	}
	out.Step = report.Step
	if err := compat.CheckStep(before, p.Version, report.Step); err != nil {
		return fmt.Errorf("%w; the first change that needs it: %s %s: %s", err, report.Changes[0].Artifact, report.Changes[0].Path, report.Changes[0].Message)
	}
	return nil
}

// pack makes the archive of a module. A file that would be left out silently,
// such as a link, is an error.
func pack(m *Module, v module.Version) ([]byte, error) {
	if err := onlyFiles(m.Dir); err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	if err := modzip.CreateFromDir(&archive, v, m.Dir); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}

// onlyFiles refuses what is neither a file nor a directory.
func onlyFiles(dir string) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != dir && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !e.IsDir() && !e.Type().IsRegular():
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				rel = name
			}
			return fmt.Errorf("%s is a link, or no file at all, which is not published; put a copy of the file there", filepath.ToSlash(rel))
		}
		return nil
	})
}

// push pushes a release and reads it back: who publishes the same version at
// the same time gets it, or an error, but never half of each. The tag is the
// last that is pushed, so before it nothing is published, and after it all of it.
func (p Publication) push(ctx context.Context, r *release) error {
	var manifest digest.Digest
	to := &attaching{Resolver: p.Resolver, say: func(ctx context.Context, at *place) error {
		manifest = at.manifest.Digest
		return p.say(ctx, at, r)
	}}
	client := modregistry.NewClientWithResolver(to)
	err := client.PutModuleWithMetadata(ctx, r.version, bytes.NewReader(r.archive), int64(len(r.archive)), r.metadata)
	if to.failed != nil {
		err = to.failed
	}
	at, readErr := locate(ctx, p.Resolver, r.version)
	switch {
	case readErr == nil && at.manifest.Digest == manifest:
		return p.compare(ctx, r) // even if the answer to the last request was lost
	case errors.Is(err, errOther):
		return fmt.Errorf("%s: %w, and nothing of this was published; compare, and take the next version", r.version, errOther)
	case err != nil:
		return fmt.Errorf("%s can't be pushed, nothing is published: %w", r.version, err)
	case readErr != nil:
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, readErr)
	}
	return otherPublisher(r.version)
}

func otherPublisher(v module.Version) error {
	return fmt.Errorf("%s is not what was pushed: %w; compare, and take the next version", v, errOther)
}

// say attaches all that is said about a release to its manifest.
func (p Publication) say(ctx context.Context, at *place, r *release) error {
	all := r.said
	if p.Key != nil {
		signature, err := p.Key.signature(r.version, at.manifest.Digest)
		if err != nil {
			return err
		}
		all = append(slices.Clip(all), signature)
	}
	for _, a := range all {
		if err := at.attach(ctx, a); err != nil {
			return err
		}
	}
	// A last look, as late as can be: registries replace a tag without a word.
	switch now, err := locate(ctx, p.Resolver, r.version); {
	case err == nil && now.manifest.Digest != at.manifest.Digest:
		return errOther
	case err != nil && !errors.Is(err, errUnpublished):
		return err
	}
	return nil
}

// errOther says that somebody else published the same version.
var errOther = errors.New("somebody else published it at the same time")

// compare reads the archive back.
func (p Publication) compare(ctx context.Context, r *release) error {
	pushed, err := modregistry.NewClientWithResolver(p.Resolver).GetModule(ctx, r.version)
	if err != nil {
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, err)
	}
	z, err := pushed.GetZip(ctx)
	if err != nil {
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, err)
	}
	defer z.Close()
	got, err := io.ReadAll(io.LimitReader(z, int64(len(r.archive))+1))
	if err != nil {
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, err)
	}
	if !bytes.Equal(got, r.archive) {
		return otherPublisher(r.version)
	}
	return nil
}
