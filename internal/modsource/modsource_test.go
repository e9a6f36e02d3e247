package modsource

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"cuelang.org/go/mod/modcache"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"github.com/opencontainers/go-digest"
	"github.com/stretchr/testify/require"
)

const libFile = "module: \"example.org/lib@v1\"\nlanguage: version: \"v0.12.0\"\n"

var lib = module.MustNewVersion("example.org/lib@v1", "v1.0.0")

// tree writes files to a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	require.NoError(t, os.CopyFS(dir, m))
	return dir
}

// open returns a directory as a registry that unpacks to a directory of the test.
func open(t *testing.T, path string) *cached {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { _ = modcache.RemoveAll(dir) })
	from := newDirectory(path)
	return &cached{from, modregistry.NewClient(from), dir}
}

// text reads a file of lib.
func text(t *testing.T, c *cached, name string) string {
	t.Helper()
	loc, err := c.Fetch(context.Background(), lib)
	require.NoError(t, err)
	got, err := fs.ReadFile(loc.FS, filepath.Join(loc.Dir, name))
	require.NoError(t, err)
	return string(got)
}

func TestDirectoryNames(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"dir:modules": "modules", "./modules": "./modules", "../modules": "../modules", ".": ".", "/srv/modules": "/srv/modules", "dir:/srv": "/srv",
		"": "", "dir:": "", "none": "", "localhost:5000+insecure": "", "example.org/modules": "", "file:registry.cue": "", ".modules/x": "", "registry.cue.works": "",
	}
	for name, want := range tests {
		got, ok := Directory(name)
		require.Equal(t, want != "", ok, name)
		if ok {
			require.Equal(t, want, got)
		}
	}
}

// TestChanged sees what a directory has now, not what it had once.
func TestChanged(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"example.org/lib/v1.0.0/cue.mod/module.cue": libFile, "example.org/lib/v1.0.0/lib.cue": "package lib\n"})
	c := open(t, dir)
	require.Equal(t, "package lib\n", text(t, c, "lib.cue"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "example.org/lib/v1.0.0/lib.cue"), []byte("package lib\n\nx: 1\n"), 0o644))
	again := &cached{newDirectory(dir), nil, c.dir}
	again.client = modregistry.NewClient(again.from)
	require.Equal(t, "package lib\n\nx: 1\n", text(t, again, "lib.cue"))
}

// published is a layout with lib, as a publisher writes it.
func published(t *testing.T, whole bool) string {
	t.Helper()
	dir := t.TempDir()
	if whole {
		require.NoError(t, (&layout{dir: dir}).write("oci-layout", []byte(`{"imageLayoutVersion": "1.0.0"}`)))
	}
	put(t, newDirectory(dir), zipped(t, map[string][]byte{"lib.cue": []byte("package lib\n")}))
	return dir
}

func put(t *testing.T, to ociregistry.Interface, archive []byte) {
	t.Helper()
	require.NoError(t, modregistry.NewClient(to).PutModule(context.Background(), lib, bytes.NewReader(archive), int64(len(archive))))
}

func zipped(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	files["cue.mod/module.cue"] = []byte(libFile)
	for name, content := range files {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		dir := published(t, whole)
		require.Equal(t, "package lib\n", text(t, open(t, dir), "lib.cue"))
		versions, err := open(t, dir).ModuleVersions(context.Background(), "example.org/lib@v1")
		require.NoError(t, err)
		require.Equal(t, []string{"v1.0.0"}, versions)
		versions, err = open(t, dir).ModuleVersions(context.Background(), "example.org/other")
		require.NoError(t, err)
		require.Empty(t, versions)
		_, err = open(t, dir).Fetch(context.Background(), module.MustNewVersion("example.org/lib@v1", "v1.0.1"))
		require.ErrorIs(t, err, modregistry.ErrNotFound)
		_, err = open(t, dir).ModFile(context.Background(), module.MustNewVersion("example.org/other@v1", "v1.0.1"))
		require.ErrorIs(t, err, modregistry.ErrNotFound)

		// Of two who publish one version, the second is refused.
		other := zipped(t, map[string][]byte{"lib.cue": []byte("package lib\n\nx: 1\n")})
		err = modregistry.NewClient(newDirectory(dir)).PutModule(context.Background(), lib, bytes.NewReader(other), int64(len(other)))
		require.ErrorContains(t, err, "v1.0.0 is there already, and is something else")
		require.Equal(t, "package lib\n", text(t, open(t, dir), "lib.cue"))
	}
}

// TestAttached keeps what is attached to a module when it is copied.
func TestAttached(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), published(t, false)
	d := newDirectory(dir)
	desc, err := d.ResolveTag(ctx, "example.org/lib", "v1.0.0")
	require.NoError(t, err)
	empty := ociregistry.Descriptor{MediaType: "application/vnd.oci.empty.v1+json", Digest: digest.FromString("{}"), Size: 2}
	_, err = d.PushBlob(ctx, "example.org/lib", empty, strings.NewReader("{}"))
	require.NoError(t, err)
	about := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/x-note",
"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"` + string(empty.Digest) + `","size":2},"layers":[],
"subject":{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"` + string(desc.Digest) + `","size":1}}`
	note, err := d.PushManifest(ctx, "example.org/lib", "", []byte(about), desc.MediaType)
	require.NoError(t, err)

	copied := newDirectory(t.TempDir())
	require.NoError(t, modregistry.NewClient(newDirectory(dir)).Mirror(ctx, modregistry.NewClient(copied), lib))
	var kinds []string
	for r, err := range copied.Referrers(ctx, "example.org/lib", desc.Digest, "") {
		require.NoError(t, err)
		require.Equal(t, note.Digest, r.Digest)
		kinds = append(kinds, r.ArtifactType)
	}
	require.Equal(t, []string{"application/x-note"}, kinds)
	for range copied.Referrers(ctx, "example.org/lib", desc.Digest, "application/x-other") {
		t.Error("a referrer of another type")
	}
}

// TestBrokenLayouts damages a layout in several ways: reading it fails, and
// nothing of it is unpacked.
func TestBrokenLayouts(t *testing.T) {
	t.Parallel()
	blob := func(t *testing.T, dir, mediaType string) string {
		t.Helper()
		d := newDirectory(dir)
		m, err := modregistry.NewClient(d).GetModule(context.Background(), lib)
		require.NoError(t, err)
		name := m.ManifestDigest()
		if mediaType == "zip" {
			r, err := m.GetZip(context.Background())
			require.NoError(t, err)
			name, err = digest.FromReader(r)
			require.NoError(t, err)
		}
		return filepath.Join(dir, "example.org/lib/blobs/sha256", name.Encoded())
	}
	change := func(t *testing.T, name string, f func([]byte) []byte) {
		t.Helper()
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, f(data), 0o644))
	}
	half := func(b []byte) []byte { return b[:len(b)/2] }
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	tests := map[string]struct {
		damage func(t *testing.T, dir string)
		want   string
	}{
		"truncated blob":   {func(t *testing.T, dir string) { change(t, blob(t, dir, "zip"), half) }, "is not what its name says"},
		"changed blob":     {func(t *testing.T, dir string) { change(t, blob(t, dir, "zip"), flip) }, "is not what its name says"},
		"changed manifest": {func(t *testing.T, dir string) { change(t, blob(t, dir, "manifest"), flip) }, "is not what its name says"},
		"no blob":          {func(t *testing.T, dir string) { require.NoError(t, os.Remove(blob(t, dir, "zip"))) }, "blob unknown"},
		"half an index":    {func(t *testing.T, dir string) { change(t, filepath.Join(dir, "example.org/lib/index.json"), half) }, "index.json: unexpected end of JSON"},
		"an unknown version": {func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "example.org/lib/oci-layout"), func([]byte) []byte { return []byte(`{"imageLayoutVersion":"2.0.0"}`) })
		}, `version "2.0.0" is not known`},
		"a link for a blob": {func(t *testing.T, dir string) {
			name := blob(t, dir, "zip")
			require.NoError(t, os.Rename(name, filepath.Join(dir, "elsewhere")))
			require.NoError(t, os.Symlink("../../../../elsewhere", name))
		}, "is expected to be a file"},
		"links for directories": {func(t *testing.T, dir string) {
			blobs := filepath.Join(dir, "example.org/lib/blobs")
			require.NoError(t, os.Rename(blobs, filepath.Join(dir, "elsewhere")))
			require.NoError(t, os.Symlink("../../elsewhere", blobs))
		}, "path escapes"},
		"a digest that is a path": {func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "example.org/lib/index.json"), func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"sha256:`), []byte(`"sha256:../`), 1)
			})
		}, "is no SHA-256 digest"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := published(t, false)
			tt.damage(t, dir)
			c := open(t, dir)
			_, err := c.Fetch(context.Background(), lib)
			require.ErrorContains(t, err, tt.want)
			_ = filepath.WalkDir(c.dir, func(name string, _ fs.DirEntry, _ error) error {
				require.NotEqual(t, "lib.cue", filepath.Base(name))
				return nil
			})
		})
	}
}

// TestArchives refuses archives that would write elsewhere, or too much, also in
// a layout whose digests are right.
func TestArchives(t *testing.T) {
	t.Parallel()
	tests := map[string]map[string][]byte{
		"out of the module": {"../../escaped.cue": []byte("package x\n")},
		"an absolute path":  {"/escaped.cue": []byte("package x\n")},
		"names that fold":   {"a.cue": []byte("package x\n"), "A.cue": []byte("package x\n")},
		"a bomb":            {"bomb.cue": make([]byte, 501<<20)},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good, evil := zipped(t, map[string][]byte{}), zipped(t, files)
			dir := t.TempDir()
			put(t, newDirectory(dir), good)
			// The manifest of an honest archive, with the digest of the other.
			mem := ocimem.New()
			put(t, mem, good)
			r, err := mem.GetTag(context.Background(), "example.org/lib", "v1.0.0")
			require.NoError(t, err)
			var manifest bytes.Buffer
			_, err = manifest.ReadFrom(r)
			require.NoError(t, err)
			text := bytes.ReplaceAll(manifest.Bytes(), []byte(digest.FromBytes(good)), []byte(digest.FromBytes(evil)))
			l := &layout{dir: filepath.Join(dir, "example.org/lib")}
			require.NoError(t, os.Remove(filepath.Join(l.dir, "index.json")))
			require.NoError(t, l.keep(digest.FromBytes(evil), evil))
			_, err = newDirectory(dir).PushManifest(context.Background(), "example.org/lib", "v1.0.0", text, r.Descriptor().MediaType)
			require.NoError(t, err)

			c := open(t, dir)
			_, err = c.Fetch(context.Background(), lib)
			require.Error(t, err)
			for _, dir := range []string{c.dir, dir, filepath.Dir(c.dir)} {
				_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error {
					require.NotContains(t, []string{"escaped.cue", "bomb.cue", "a.cue"}, filepath.Base(name))
					return nil
				})
			}
		})
	}
}
