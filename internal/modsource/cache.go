package modsource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"cuelang.org/go/mod/modcache"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
)

// cached reads the modules of a directory, or of a tree on a web server. They are unpacked beside CUE's cache,
// by the digest of what they are and not by their name: what a directory says of
// a version is neither taken for what a registry says of it nor out of date when
// the directory changes.
type cached struct {
	from   ociregistry.Interface
	client *modregistry.Client
	dir    string
}

func newCached(from ociregistry.Interface) (*cached, error) {
	dir, err := CacheDir()
	if err != nil {
		return nil, err
	}
	return &cached{from, modregistry.NewClient(from), filepath.Join(dir, "kumiki")}, nil
}

// ModFile implements [modconfig.Registry].
func (c *cached) ModFile(ctx context.Context, mv module.Version) (*modfile.File, error) {
	m, err := c.client.GetModule(ctx, mv)
	if err != nil {
		return nil, err
	}
	text, err := m.ModuleFile(ctx)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(text, mv.String())
}

// ModuleVersions implements [modconfig.Registry].
func (c *cached) ModuleVersions(ctx context.Context, modpath string) ([]string, error) {
	return c.client.ModuleVersions(ctx, modpath)
}

// Fetch implements [modconfig.Registry].
func (c *cached) Fetch(ctx context.Context, mv module.Version) (module.SourceLoc, error) {
	r, err := c.from.GetTag(ctx, mv.BasePath(), mv.Version())
	if err != nil {
		if errors.Is(err, ociregistry.ErrManifestUnknown) || errors.Is(err, ociregistry.ErrNameUnknown) {
			return module.SourceLoc{}, fmt.Errorf("module %v: %w", mv, modregistry.ErrNotFound)
		}
		return module.SourceLoc{}, fmt.Errorf("module %v: %w", mv, err)
	}
	defer r.Close()
	manifest, err := io.ReadAll(r)
	if err != nil {
		return module.SourceLoc{}, err
	}
	desc := r.Descriptor()
	// What was read is what is unpacked, though the directory may change meanwhile.
	pinned := &ociregistry.Funcs{
		GetTag_: func(context.Context, string, string) (ociregistry.BlobReader, error) {
			return ocimem.NewBytesReader(manifest, desc), nil
		},
		GetBlob_: c.from.GetBlob,
	}
	cache, err := modcache.New(modregistry.NewClient(pinned), filepath.Join(c.dir, desc.Digest.Encoded()))
	if err != nil {
		return module.SourceLoc{}, err
	}
	return cache.Fetch(ctx, mv)
}
