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

	"kumiki.dev/internal/sorting"
)

// directory is a directory as a registry. In it are, for a module
// example.org/lib, either the OCI image layout example.org/lib, whose references
// are the versions, or the directories example.org/lib/v1.0.1 with the sources
// of a version each; v1 is v1.0.0, and v1.1 is v1.1.0. It may also be one layout of all modules, in which the
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
	case version != "" && versions[version] == "":
		return nil, unknown(ociregistry.ErrManifestUnknown)
	case version != "":
		err = d.pack(repo, version, versions[version])
	}
	return d.packed, err
}

// noDirectory says that the directory of all modules is not there: nobody makes one by
// misspelling another.
type noDirectory struct {
	path string
	err  error
}

// Error implements error.
func (e *noDirectory) Error() string {
	if errors.Is(e.err, fs.ErrNotExist) {
		return fmt.Sprintf("there is no directory %s, which is named as the registry: make it (mkdir -p %s), or name another one", e.path, e.path)
	}
	return fmt.Sprintf("directory of modules: %v", e.err)
}

// Unwrap returns the system's error.
func (e *noDirectory) Unwrap() error { return e.err }

// unknown is an error as a registry on the network has it.
func unknown(err error) error { return ociregistry.NewHTTPError(err, http.StatusNotFound, nil, nil) }

// layout returns the layout that a repository is in, nil if it is in none.
func (d *directory) layout(repo string) (*layout, error) {
	if !ociref.IsValidRepository(repo) || !filepath.IsLocal(filepath.FromSlash(repo)) {
		return nil, unknown(ociregistry.ErrNameInvalid)
	}
	if _, err := os.Stat(d.path); err != nil {
		return nil, &noDirectory{d.path, err}
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

// versions are the versions of a module, with the names of their directories.
func (d *directory) versions(repo string) (map[string]string, error) {
	out := map[string]string{}
	at, err := d.found(repo)
	if err != nil || at == "" {
		return out, err
	}
	entries, err := os.ReadDir(filepath.Join(d.path, filepath.FromSlash(at)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		v := semver.Canonical(name)
		if v == "" || v != name && semver.Prerelease(name) != "" || semver.Build(name) != "" {
			continue
		}
		if other := out[v]; other != "" {
			return nil, fmt.Errorf("%s and %s are both %s of %s; remove one", path.Join(at, other), path.Join(at, name), v, repo)
		}
		out[v] = name
	}
	return out, nil
}

// found is the directory of a module below that of all: names of owners may have
// capitals there, which module paths have none of. It is "" if there is none.
func (d *directory) found(repo string) (string, error) {
	at := ""
	for _, name := range strings.Split(repo, "/") {
		entries, err := os.ReadDir(filepath.Join(d.path, filepath.FromSlash(at)))
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		var like []string
		for _, e := range entries {
			if e.Name() == name {
				like = []string{name}
				break
			}
			if strings.EqualFold(e.Name(), name) {
				like = append(like, e.Name())
			}
		}
		switch len(like) {
		case 0:
			return "", nil
		case 1:
			at = path.Join(at, like[0])
		default:
			return "", fmt.Errorf("%s and %s differ in capitals only; which is %s is not known: rename one", path.Join(at, like[0]), path.Join(at, like[1]), repo)
		}
	}
	return at, nil
}

// pack makes a module of a version's directory, as it would be published.
func (d *directory) pack(repo, version, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[repo+":"+version] {
		return nil
	}
	at, err := d.found(repo)
	if err != nil {
		return err
	}
	rel := path.Join(at, name)
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
			var versions map[string]string
			versions, err = d.versions(repo)
			all = sorting.Ordered(versions)
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
