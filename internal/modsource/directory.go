package modsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"cuelabs.dev/go/oci/ociregistry/ociref"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"cuelang.org/go/mod/modzip"
	"golang.org/x/mod/semver"
)

// directory is a directory as a registry. In it are, for a module
// example.org/lib, either the OCI image layout example.org/lib, whose references
// are the versions, or the directories example.org/lib/v1.0.1 with the sources
// of a version each. It may also be one layout of all modules, in which the
// references are example.org/lib:v1.0.1.
type directory struct {
	*ociregistry.Funcs
	path string

	mu     sync.Mutex
	packed *ocimem.Registry // the directories of versions that were asked for
	known  map[string]bool  // those, as REPOSITORY:VERSION
}

func newDirectory(path string) *directory {
	d := &directory{path: path, packed: ocimem.New(), known: map[string]bool{}}
	d.Funcs = &ociregistry.Funcs{
		GetTag_: func(ctx context.Context, repo, tag string) (ociregistry.BlobReader, error) {
			return in(d, repo, tag, func(s ociregistry.Interface) (ociregistry.BlobReader, error) { return s.GetTag(ctx, repo, tag) })
		},
		ResolveTag_: func(ctx context.Context, repo, tag string) (ociregistry.Descriptor, error) {
			return in(d, repo, tag, func(s ociregistry.Interface) (ociregistry.Descriptor, error) { return s.ResolveTag(ctx, repo, tag) })
		},
		GetManifest_: func(ctx context.Context, repo string, digest ociregistry.Digest) (ociregistry.BlobReader, error) {
			return in(d, repo, "", func(s ociregistry.Interface) (ociregistry.BlobReader, error) { return s.GetManifest(ctx, repo, digest) })
		},
		GetBlob_: func(ctx context.Context, repo string, digest ociregistry.Digest) (ociregistry.BlobReader, error) {
			return in(d, repo, "", func(s ociregistry.Interface) (ociregistry.BlobReader, error) { return s.GetBlob(ctx, repo, digest) })
		},
		ResolveManifest_: func(ctx context.Context, repo string, digest ociregistry.Digest) (ociregistry.Descriptor, error) {
			return in(d, repo, "", func(s ociregistry.Interface) (ociregistry.Descriptor, error) {
				return s.ResolveManifest(ctx, repo, digest)
			})
		},
		ResolveBlob_: func(ctx context.Context, repo string, digest ociregistry.Digest) (ociregistry.Descriptor, error) {
			return in(d, repo, "", func(s ociregistry.Interface) (ociregistry.Descriptor, error) { return s.ResolveBlob(ctx, repo, digest) })
		},
		Tags_:         d.tags,
		Referrers_:    d.referrers,
		PushBlob_:     d.pushBlob,
		PushManifest_: d.pushManifest,
	}
	return d
}

// in calls f with the store that a repository is in, in which the version is if
// there is one of that name.
func in[T any](d *directory, repo, version string, f func(ociregistry.Interface) (T, error)) (T, error) {
	var none T
	store, err := d.store(repo, version)
	if err != nil {
		return none, err
	}
	return f(store)
}

func (d *directory) store(repo, version string) (ociregistry.Interface, error) {
	l, err := d.layout(repo)
	if err != nil || l != nil {
		return l, err
	}
	versions, err := d.versions(repo)
	switch {
	case err != nil:
		return nil, err
	case len(versions) == 0:
		return nil, unknown(ociregistry.ErrNameUnknown)
	case version != "" && !slices.Contains(versions, version):
		return nil, unknown(ociregistry.ErrManifestUnknown)
	case version != "":
		err = d.pack(repo, version)
	}
	return d.packed, err
}

// unknown is an error as a registry on the network has it.
func unknown(err error) error { return ociregistry.NewHTTPError(err, http.StatusNotFound, nil, nil) }

// layout returns the layout that a repository is in, nil if it is in none.
func (d *directory) layout(repo string) (*layout, error) {
	if !ociref.IsValidRepository(repo) || !filepath.IsLocal(filepath.FromSlash(repo)) {
		return nil, unknown(ociregistry.ErrNameInvalid)
	}
	if _, err := os.Stat(d.path); err != nil {
		return nil, fmt.Errorf("directory of modules: %w", err)
	}
	whole := &layout{dir: d.path, prefix: repo + ":"}
	if ok, err := whole.is(); err != nil || ok {
		return whole, err
	}
	own := &layout{root: d.path, dir: filepath.Join(d.path, filepath.FromSlash(repo))}
	if ok, err := own.is(); err != nil || ok {
		return own, err
	}
	return nil, nil
}

// versions are the directories of versions of a module, sorted.
func (d *directory) versions(repo string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.path, filepath.FromSlash(repo)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if v := e.Name(); semver.IsValid(v) && semver.Canonical(v) == v {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out, nil
}

// pack makes a module of a version's directory, as it would be published.
func (d *directory) pack(repo, version string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[repo+":"+version] {
		return nil
	}
	rel := path.Join(repo, version)
	dir, err := d.inside(rel)
	if err != nil {
		return err
	}
	mv, err := moduleIn(dir, repo, version)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	zip, err := Archive(mv, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	err = modregistry.NewClient(d.packed).PutModule(context.Background(), mv, bytes.NewReader(zip), int64(len(zip)))
	d.known[repo+":"+version] = err == nil
	return err
}

// inside refuses a way to a version's directory that leads over links.
func (d *directory) inside(rel string) (string, error) {
	root, err := filepath.EvalSymlinks(d.path)
	if err != nil {
		return "", err
	}
	want := filepath.Join(root, filepath.FromSlash(rel))
	got, err := filepath.EvalSymlinks(want)
	if err == nil && got != want {
		err = fmt.Errorf("%s is a link, which a directory of modules has none of; put a copy there", rel)
	}
	return got, err
}

// moduleIn is the module in a directory, which has to be what it is looked for.
func moduleIn(dir, repo, version string) (module.Version, error) {
	text, err := os.ReadFile(filepath.Join(dir, "cue.mod", "module.cue"))
	if err != nil {
		return module.Version{}, err
	}
	f, err := modfile.Parse(text, "module.cue")
	if err != nil {
		return module.Version{}, err
	}
	base, _, _ := ast.SplitPackageVersion(f.QualifiedModule())
	if base != repo {
		return module.Version{}, fmt.Errorf("module %s was expected there, but the module calls itself %s", repo, base)
	}
	return module.NewVersion(f.QualifiedModule(), version)
}

// Archive makes the archive of the module in a directory, as it is published. A file
// that would be left out silently, such as a link, is an error.
func Archive(v module.Version, dir string) ([]byte, error) {
	if err := onlyFiles(dir); err != nil {
		return nil, err
	}
	var zip bytes.Buffer
	if err := modzip.CreateFromDir(&zip, v, dir); err != nil {
		return nil, err
	}
	return zip.Bytes(), nil
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

func (d *directory) tags(ctx context.Context, repo, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		l, err := d.layout(repo)
		var all []string
		switch {
		case err != nil:
		case l != nil:
			all, err = l.tags()
		default:
			all, err = d.versions(repo)
		}
		if err != nil {
			yield("", err)
			return
		}
		for _, tag := range all {
			if tag > after && !yield(tag, nil) {
				return
			}
		}
	}
}

func (d *directory) referrers(ctx context.Context, repo string, digest ociregistry.Digest, artifactType string) iter.Seq2[ociregistry.Descriptor, error] {
	l, err := d.layout(repo)
	return func(yield func(ociregistry.Descriptor, error) bool) {
		if err == nil && l == nil {
			return // sources have nothing attached to them
		}
		var all []ociregistry.Descriptor
		if err == nil {
			all, err = l.referrers(digest, artifactType)
		}
		if err != nil {
			yield(ociregistry.Descriptor{}, err)
		}
		for _, desc := range all {
			if !yield(desc, nil) {
				return
			}
		}
	}
}
