package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io/fs"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// image is one for several platforms, made of nothing but its files.
type image struct {
	name   string // as it is referred to, with its registry and tag
	title  string
	layers []layer
}

// layer is what an image is for a platform.
type layer struct {
	on     platform
	files  []file
	config oci.ImageConfig
}

// toolLayer is kumiki with what it asks of a system: roots of trust for registries, a
// directory for its cache, and one for a user's files. Its user is nobody in particular.
func toolLayer(b binary, common []file) layer {
	files := append(licences(common),
		file{name: "kumiki", mode: 0o755, data: b.data},
		file{name: "etc/ssl/certs/ca-certificates.crt", data: roots()},
		file{name: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		file{name: "work", mode: fs.ModeDir | 0o755})
	return layer{b.on, files, oci.ImageConfig{User: "65532:65532", Env: []string{"HOME=/tmp"}, Entrypoint: []string{"/kumiki"}, WorkingDir: "/work"}}
}

// resolverLayer is what cmd/kumiki-resolver/Dockerfile makes, too.
func resolverLayer(b binary, common []file) layer {
	files := append(licences(common), file{name: "kumiki-resolver", mode: 0o755, data: b.data})
	return layer{b.on, files, oci.ImageConfig{User: "65532:65532", Env: []string{"GOMEMLIMIT=24MiB"}, Entrypoint: []string{"/kumiki-resolver"}}}
}

func licences(common []file) []file {
	var out []file
	for _, f := range common {
		if strings.HasPrefix(f.name, "LICENSE") {
			out = append(out, f)
		}
	}
	return out
}

// roots are Mozilla's certificate authorities, but those that it trusts with conditions
// which the form cannot say.
func roots() []byte {
	var out []byte
	for r := range bundle.Roots() {
		if r.Constraint == nil {
			out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate})...)
		}
	}
	return out
}

// loadable is an entry of manifest.json, by which engines that do not know OCI's layout
// load an image.
type loadable struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// layout is an image as a tar of OCI's image layout, which docker, containerd and tools
// that push to registries read.
func (i image) layout(v version) ([]byte, error) {
	l := &blobs{}
	familiar := strings.TrimPrefix(i.name, "docker.io/")
	index := oci.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageIndex, Annotations: i.annotations(v)}
	var old []loadable
	for n, part := range i.layers {
		manifest, entry, err := i.platform(v, part, l)
		if err != nil {
			return nil, err
		}
		index.Manifests = append(index.Manifests, manifest)
		entry.RepoTags = []string{familiar + "-" + part.on.processor}
		if n == 0 {
			entry.RepoTags = append(entry.RepoTags, familiar)
		}
		old = append(old, entry)
	}
	all, err := l.addJSON(index.MediaType, index)
	if err != nil {
		return nil, err
	}
	_, tag, _ := strings.Cut(familiar, ":")
	all.Annotations = map[string]string{oci.AnnotationRefName: tag, "io.containerd.image.name": i.name}
	top := oci.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageIndex, Manifests: []oci.Descriptor{all}}
	for name, what := range map[string]any{oci.ImageIndexFile: top, oci.ImageLayoutFile: oci.ImageLayout{Version: oci.ImageLayoutVersion}, "manifest.json": old} {
		data, err := json.Marshal(what)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, file{name: name, data: data})
	}
	return tarred(v.date, l.files)
}

// platform adds the image for one platform.
func (i image) platform(v version, part layer, l *blobs) (oci.Descriptor, loadable, error) {
	files, err := tarred(v.date, part.files)
	if err != nil {
		return oci.Descriptor{}, loadable{}, err
	}
	of := oci.Platform{OS: part.on.system, Architecture: part.on.processor}
	packed := l.add(oci.MediaTypeImageLayerGzip, compressed(files))
	config, err := l.addJSON(oci.MediaTypeImageConfig, oci.Image{
		Created: &v.date, Platform: of, Config: part.config,
		RootFS:  oci.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(files)}},
		History: []oci.History{{Created: &v.date, CreatedBy: i.title + " " + v.name}},
	})
	if err != nil {
		return oci.Descriptor{}, loadable{}, err
	}
	manifest, err := l.addJSON(oci.MediaTypeImageManifest, oci.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest,
		Config: config, Layers: []oci.Descriptor{packed}, Annotations: i.annotations(v),
	})
	manifest.Platform = &of
	return manifest, loadable{Config: blobName(config), Layers: []string{blobName(packed)}}, err
}

func (i image) annotations(v version) map[string]string {
	return map[string]string{
		oci.AnnotationTitle: i.title, oci.AnnotationVersion: v.name, oci.AnnotationRevision: v.commit,
		oci.AnnotationLicenses: "Apache-2.0", oci.AnnotationCreated: v.date.Format("2006-01-02T15:04:05Z"),
	}
}

// blobs are the files of a layout that are named by their digests.
type blobs struct{ files []file }

func (l *blobs) add(mediaType string, data []byte) oci.Descriptor {
	d := oci.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
	l.files = append(l.files, file{name: blobName(d), data: data})
	return d
}

func (l *blobs) addJSON(mediaType string, what any) (oci.Descriptor, error) {
	data, err := json.Marshal(what)
	return l.add(mediaType, data), err
}

func blobName(d oci.Descriptor) string { return "blobs/sha256/" + d.Digest.Encoded() }

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
