package modsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"kumiki.dev/internal/sorting"
)

// The bounds of what is read of a layout.
const (
	maxIndex    = 16 << 20
	maxManifest = 4 << 20
)

// layout is an OCI image layout as one repository of a registry. All that is read
// is compared with the digest that it is named by.
type layout struct {
	*ociregistry.Funcs // what a store has beyond reading is not supported

	dir string
	// root is the directory that it is kept in, "" for its own: no link is followed
	// from there on where something is written.
	root string
	// prefix is what the references of the repository begin with, where the layout
	// holds several.
	prefix string
	// get reads a file of a layout that is not on this machine, nil for one that is.
	get func(name string, limit int64) ([]byte, error)
}

// is reports whether there is a layout.
func (l *layout) is() (bool, error) {
	text, err := l.read(ocispec.ImageLayoutFile, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var file ocispec.ImageLayout
	if err != nil && l.get != nil {
		return false, err // which says where
	}
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err == nil && file.Version != ocispec.ImageLayoutVersion {
		err = fmt.Errorf("version %q is not known; expected %s", file.Version, ocispec.ImageLayoutVersion)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", l.at(ocispec.ImageLayoutFile), err)
	}
	return true, nil
}

// read reads a file of the layout, which has to be one itself.
func (l *layout) read(name string, limit int64) ([]byte, error) {
	if l.get != nil {
		return l.get(name, limit)
	}
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("%s is expected to be a file of no more than %d bytes", name, limit)
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// at is where a file of the layout is, for messages.
func (l *layout) at(name string) string {
	if l.get != nil {
		return l.dir + "/" + name
	}
	return filepath.Join(l.dir, filepath.FromSlash(name))
}

func (l *layout) index() (*ocispec.Index, error) {
	index := &ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, Manifests: []ociregistry.Descriptor{}}
	index.SchemaVersion = 2
	text, err := l.read(ocispec.ImageIndexFile, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return index, nil
	}
	if err == nil {
		err = json.Unmarshal(text, index)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.at(ocispec.ImageIndexFile), err)
	}
	return index, nil
}

// tag is what a manifest is called in this repository.
func (l *layout) tag(desc ociregistry.Descriptor) (string, bool) {
	name, ok := desc.Annotations[ocispec.AnnotationRefName]
	if !ok {
		return "", false
	}
	tag, ok := strings.CutPrefix(name, l.prefix)
	return tag, ok && !strings.ContainsAny(tag, ":/")
}

func (l *layout) tags() ([]string, error) {
	index, err := l.index()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, desc := range index.Manifests {
		if tag, ok := l.tag(desc); ok {
			all = append(all, tag)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// blobName is where a layout keeps what has a digest.
func blobName(d ociregistry.Digest) (string, error) {
	if err := d.Validate(); err != nil || d.Algorithm() != digest.SHA256 {
		return "", fmt.Errorf("%q is no SHA-256 digest", d)
	}
	return path.Join(ocispec.ImageBlobsDir, string(d.Algorithm()), d.Encoded()), nil
}

// blob reads what has a digest, and refuses what has another one.
func (l *layout) blob(d ociregistry.Digest, limit int64) ([]byte, error) {
	name, err := blobName(d)
	if err != nil {
		return nil, err
	}
	data, err := l.read(name, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown(ociregistry.ErrBlobUnknown)
	}
	if err == nil && digest.FromBytes(data) != d {
		err = fmt.Errorf("%s is not what its name says: its digest is %s", l.at(name), digest.FromBytes(data))
	}
	return data, err
}

// GetTag implements [ociregistry.Interface].
func (l *layout) GetTag(ctx context.Context, repo, tag string) (ociregistry.BlobReader, error) {
	desc, err := l.ResolveTag(ctx, repo, tag)
	if err != nil {
		return nil, err
	}
	return l.manifest(desc)
}

// ResolveTag implements [ociregistry.Interface].
func (l *layout) ResolveTag(_ context.Context, _, tag string) (ociregistry.Descriptor, error) {
	return l.find(func(desc ociregistry.Descriptor) bool {
		name, ok := l.tag(desc)
		return ok && name == tag
	})
}

// GetManifest implements [ociregistry.Interface].
func (l *layout) GetManifest(ctx context.Context, repo string, d ociregistry.Digest) (ociregistry.BlobReader, error) {
	desc, err := l.ResolveManifest(ctx, repo, d)
	if err != nil {
		return nil, err
	}
	return l.manifest(desc)
}

// ResolveManifest implements [ociregistry.Interface].
func (l *layout) ResolveManifest(_ context.Context, _ string, d ociregistry.Digest) (ociregistry.Descriptor, error) {
	return l.find(func(desc ociregistry.Descriptor) bool { return desc.Digest == d })
}

func (l *layout) find(is func(ociregistry.Descriptor) bool) (ociregistry.Descriptor, error) {
	index, err := l.index()
	if err != nil {
		return ociregistry.Descriptor{}, err
	}
	if i := slices.IndexFunc(index.Manifests, is); i >= 0 {
		return index.Manifests[i], nil
	}
	return ociregistry.Descriptor{}, unknown(ociregistry.ErrManifestUnknown)
}

func (l *layout) manifest(desc ociregistry.Descriptor) (ociregistry.BlobReader, error) {
	data, err := l.blob(desc.Digest, maxManifest)
	if err != nil {
		return nil, err
	}
	return ocimem.NewBytesReader(data, desc), nil
}

// GetBlob implements [ociregistry.Interface].
func (l *layout) GetBlob(_ context.Context, _ string, d ociregistry.Digest) (ociregistry.BlobReader, error) {
	data, err := l.blob(d, maxArchive)
	if err != nil {
		return nil, err
	}
	return ocimem.NewBytesReader(data, ociregistry.Descriptor{MediaType: "application/octet-stream", Digest: d, Size: int64(len(data))}), nil
}

// ResolveBlob implements [ociregistry.Interface].
func (l *layout) ResolveBlob(ctx context.Context, repo string, d ociregistry.Digest) (ociregistry.Descriptor, error) {
	r, err := l.GetBlob(ctx, repo, d)
	if err != nil {
		return ociregistry.Descriptor{}, err
	}
	return r.Descriptor(), nil
}

// referrers are the manifests that say they are about another one, sorted by
// digest.
func (l *layout) referrers(about ociregistry.Digest, artifactType string) ([]ociregistry.Descriptor, error) {
	index, err := l.index()
	if err != nil {
		return nil, err
	}
	var out []ociregistry.Descriptor
	for _, desc := range index.Manifests {
		data, err := l.blob(desc.Digest, maxManifest)
		if err != nil {
			return nil, err
		}
		var m ociregistry.Manifest
		if json.Unmarshal(data, &m) != nil || m.Subject == nil || m.Subject.Digest != about {
			continue
		}
		kind := m.ArtifactType
		if kind == "" {
			kind = m.Config.MediaType
		}
		if artifactType == "" || kind == artifactType {
			out = append(out, ociregistry.Descriptor{MediaType: desc.MediaType, Digest: desc.Digest, Size: desc.Size, ArtifactType: kind, Annotations: m.Annotations})
		}
	}
	sorting.By(out, func(a, b ociregistry.Descriptor) int { return strings.Compare(string(a.Digest), string(b.Digest)) })
	return slices.CompactFunc(out, func(a, b ociregistry.Descriptor) bool { return a.Digest == b.Digest }), nil
}
