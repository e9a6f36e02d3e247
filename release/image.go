package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// image is one for several platforms, made of nothing but its files.
type image struct {
	name  string // as it is referred to, with its registry and tag
	title string
	parts []part
}

// part is what an image is for a platform.
type part struct {
	on     platform
	layers []layer
	config oci.ImageConfig
}

// layer is a tar of files, plain and compressed.
type layer struct{ files, packed []byte }

func newLayer(v version, files []file) (layer, error) {
	data, err := tarred(v.date, files)
	return layer{data, compressed(data)}, err
}

// images are those of a release.
type images struct{ tools, managers, resolvers image }

func newImages(v version, resolverImage string) *images {
	return &images{
		tools:     image{name: "docker.io/kumiki/kumiki:" + v.name, title: "kumiki"},
		managers:  image{name: "docker.io/kumiki/kumikid:" + v.name, title: "kumikid"},
		resolvers: image{name: resolverImage, title: "kumiki-resolver"},
	}
}

func (i *images) all() []image { return []image{i.tools, i.managers, i.resolvers} }

// add adds what the images are for a platform.
func (i *images) add(v version, on platform, tool, server, names binary, common, managed []file) error {
	tools, err := newLayer(v, toolFiles(tool, common))
	if err != nil {
		return err
	}
	managers, err := newLayer(v, managerFiles(server, managed))
	if err != nil {
		return err
	}
	resolvers, err := newLayer(v, resolverFiles(names, common))
	i.tools.parts = append(i.tools.parts, part{on, []layer{tools}, toolConfig})
	i.managers.parts = append(i.managers.parts, part{on, []layer{tools, managers}, managerConfig}) // the first is shared
	i.resolvers.parts = append(i.resolvers.parts, part{on, []layer{resolvers}, resolverConfig})
	return err
}

// nobody is the id of the user that the images run as.
const nobody = 65532

var nobodys = fmt.Sprintf("%d:%[1]d", nobody)

// How the images are run.
var (
	toolConfig = oci.ImageConfig{User: nobodys, Env: []string{"HOME=/tmp"}, Entrypoint: []string{"/kumiki"}, WorkingDir: "/work"}
	// A new volume at /state gets the owner that the directory has in the image.
	managerConfig = oci.ImageConfig{User: nobodys, Env: []string{"HOME=/state", "XDG_STATE_HOME=/state"}, Entrypoint: []string{"/kumikid"}, Cmd: []string{"serve"},
		WorkingDir: "/state", Volumes: map[string]struct{}{"/state": {}}, ExposedPorts: map[string]struct{}{"7676/tcp": {}}}
	// It is what cmd/kumiki-resolver/Dockerfile makes, too.
	resolverConfig = oci.ImageConfig{User: nobodys, Env: []string{"GOMEMLIMIT=24MiB"}, Entrypoint: []string{"/kumiki-resolver"}}
)

// toolFiles is kumiki with what it asks of a system: roots of trust for registries, a
// directory for its cache, and one for a user's files.
func toolFiles(b binary, common []file) []file {
	return append(licences(common),
		file{name: "kumiki", mode: 0o755, data: b.data},
		file{name: "etc/ssl/certs/ca-certificates.crt", data: roots()},
		file{name: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		file{name: "work", mode: fs.ModeDir | 0o755})
}

// managerFiles is the manager, which lies beside the compiler that it runs, and a directory for
// what it keeps.
func managerFiles(b binary, managed []file) []file {
	return append(below("licences/kumikid", licences(managed)...),
		file{name: "kumikid", mode: 0o755, data: b.data},
		file{name: "state", mode: fs.ModeDir | 0o700, owner: nobody})
}

func resolverFiles(b binary, common []file) []file {
	return append(licences(common), file{name: "kumiki-resolver", mode: 0o755, data: b.data})
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
	for n, part := range i.parts {
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
func (i image) platform(v version, p part, l *blobs) (oci.Descriptor, loadable, error) {
	of := oci.Platform{OS: p.on.system, Architecture: p.on.processor}
	image := oci.Image{
		Created: &v.date, Platform: of, Config: p.config, RootFS: oci.RootFS{Type: "layers"},
	}
	manifest := oci.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest, Annotations: i.annotations(v)}
	entry := loadable{}
	for _, layer := range p.layers {
		packed := l.add(oci.MediaTypeImageLayerGzip, layer.packed)
		image.RootFS.DiffIDs = append(image.RootFS.DiffIDs, digest.FromBytes(layer.files))
		image.History = append(image.History, oci.History{Created: &v.date, CreatedBy: i.title + " " + v.name})
		manifest.Layers = append(manifest.Layers, packed)
		entry.Layers = append(entry.Layers, blobName(packed))
	}
	var err error
	if manifest.Config, err = l.addJSON(oci.MediaTypeImageConfig, image); err != nil {
		return oci.Descriptor{}, loadable{}, err
	}
	entry.Config = blobName(manifest.Config)
	made, err := l.addJSON(oci.MediaTypeImageManifest, manifest)
	made.Platform = &of
	return made, entry, err
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
