package modsource

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cuelabs.dev/go/oci/ociregistry"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/mod/semver"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
	"kumiki.dev/internal/sorting"
)

// writable returns the layout that a repository is written to. Where there is
// none, one is made, unless sources are there.
func (d *directory) writable(repo string) (*layout, error) {
	if err := os.MkdirAll(d.path, 0o755); err != nil {
		return nil, err
	}
	l, err := d.layout(repo)
	if err != nil || l != nil {
		return l, err
	}
	versions, err := d.versions(repo)
	if err != nil {
		return nil, err
	}
	if len(versions) > 0 {
		return nil, fmt.Errorf("%s has the sources of %s in directories; put those of another version beside them", d.path, repo)
	}
	l = &layout{root: d.path, dir: filepath.Join(d.path, filepath.FromSlash(repo))}
	text, err := json.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})
	if err != nil {
		return nil, err
	}
	return l, l.write(ocispec.ImageLayoutFile, text)
}

// write writes all of a file or nothing.
func (l *layout) write(name string, data []byte) error {
	in, at, err := l.within(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return in.Write(at, bytes.NewReader(data), atomicfile.Options{Mode: 0o644})
}

// within opens the directory that the layout is kept in, and says what a name of the
// layout's is called in it.
func (l *layout) within(name string) (*inside.Dir, string, error) {
	root := cmp.Or(l.root, l.dir)
	at, err := filepath.Rel(root, filepath.Join(l.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, "", err
	}
	in, err := inside.Make(root, 0o755)
	return in, filepath.ToSlash(at), err
}

func (d *directory) pushBlob(_ context.Context, repo string, desc ociregistry.Descriptor, r io.Reader) (ociregistry.Descriptor, error) {
	l, err := d.writable(repo)
	if err != nil {
		return desc, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxArchive+1))
	switch {
	case err != nil:
		return desc, err
	case int64(len(data)) != desc.Size:
		return desc, ociregistry.ErrSizeInvalid
	}
	return desc, l.keep(desc.Digest, data)
}

// keep writes what has a digest, unless it is there.
func (l *layout) keep(d ociregistry.Digest, data []byte) error {
	name, err := blobName(d)
	if err != nil {
		return err
	}
	if digest.FromBytes(data) != d {
		return ociregistry.ErrDigestInvalid
	}
	if _, err := l.blob(d, maxArchive); err == nil {
		return nil
	}
	return l.write(name, data)
}

func (d *directory) pushManifest(_ context.Context, repo, tag string, text []byte, mediaType string) (ociregistry.Descriptor, error) {
	desc := ociregistry.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(text), Size: int64(len(text))}
	l, err := d.writable(repo)
	if err != nil {
		return desc, err
	}
	if len(text) > maxManifest {
		return desc, ociregistry.ErrManifestInvalid
	}
	var m ociregistry.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return desc, fmt.Errorf("%w: %v", ociregistry.ErrManifestInvalid, err)
	}
	for _, part := range append(m.Layers, m.Config) {
		if _, err := l.blob(part.Digest, maxArchive); err != nil {
			return desc, fmt.Errorf("%w: %v", ociregistry.ErrManifestBlobUnknown, err)
		}
	}
	if err := l.keep(desc.Digest, text); err != nil {
		return desc, err
	}
	desc.ArtifactType = m.ArtifactType
	return desc, l.enter(desc, tag)
}

// enter writes a manifest into the index, under a tag if it has one. A version
// stays what it is: of two who publish it at once, the second is refused.
func (l *layout) enter(desc ociregistry.Descriptor, tag string) error {
	in, lock, err := l.within(ocispec.ImageIndexFile + ".lock")
	if err != nil {
		return err
	}
	defer in.Close()
	unlock, err := in.Lock(lock)
	if err != nil {
		return err
	}
	defer unlock()
	index, err := l.index()
	if err != nil {
		return err
	}
	for i, old := range index.Manifests {
		name, tagged := l.tag(old)
		switch {
		case old.Digest == desc.Digest && (tag == "" || tagged && name == tag):
			return nil
		case tag != "" && tagged && name == tag && semver.IsValid(tag):
			return fmt.Errorf("%s is there already, and is something else: %w", tag, ociregistry.ErrDenied)
		case tag != "" && tagged && name == tag:
			delete(index.Manifests[i].Annotations, ocispec.AnnotationRefName)
		}
	}
	if tag != "" {
		desc.Annotations = map[string]string{ocispec.AnnotationRefName: l.prefix + tag}
	}
	index.Manifests = append(index.Manifests, desc)
	sorting.By(index.Manifests, func(a, b ociregistry.Descriptor) int {
		return cmp.Or(strings.Compare(a.Annotations[ocispec.AnnotationRefName], b.Annotations[ocispec.AnnotationRefName]), strings.Compare(string(a.Digest), string(b.Digest)))
	})
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	return l.write(ocispec.ImageIndexFile, append(text, '\n'))
}
