package registry

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"testing"

	"cuelabs.dev/go/oci/ociregistry"
	"github.com/opencontainers/go-digest"
	"github.com/stretchr/testify/require"
)

// entry is a file of an archive that no honest publisher makes.
type entry struct {
	name    string
	mode    fs.FileMode
	content []byte
}

// TestArchives refuses archives that would write elsewhere, or too much.
func TestArchives(t *testing.T) {
	t.Parallel()
	tests := map[string][]entry{
		"out of the module":   {{"../../escaped.cue", 0o644, []byte("package x\n")}},
		"an absolute path":    {{"/tmp/escaped.cue", 0o644, []byte("package x\n")}},
		"names that fold":     {{"a.cue", 0o644, []byte("package x\n")}, {"A.cue", 0o644, []byte("package x\n")}},
		"another module file": {{"sub/cue.mod/module.cue", 0o644, []byte(libFile)}},
		"a backslash":         {{`..\escaped.cue`, 0o644, []byte("package x\n")}},
		"a link":              {{"link.cue", 0o777 | fs.ModeSymlink, []byte("/etc/passwd")}},
		"a device":            {{"device.cue", 0o666 | fs.ModeDevice, nil}},
		"a bomb":              {{"bomb.cue", 0o644, make([]byte, 501<<20)}},
	}
	for name, entries := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroken(t)
			pushRaw(t, b.store, entries)
			dir := newCache(t)
			reg, _ := b.open(t, dir)
			_, err := fetch(context.Background(), reg, lib)
			require.Error(t, err)
			said := Explain(err).Error()
			require.Contains(t, said, "example.org/lib@v1.0.0: its archive: ")
			require.Contains(t, said, "no honest publisher makes such an archive")
			require.NotContains(t, said, dir)
			for file := range read(t, dir) {
				require.NotContains(t, file, "escaped")
				require.NotContains(t, file, "bomb.cue")
			}
			require.NoFileExists(t, "/tmp/escaped.cue")
		})
	}
}

// pushRaw pushes an archive without the checks of an honest publisher.
func pushRaw(t *testing.T, r ociregistry.Interface, entries []entry) {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, e := range append([]entry{{"cue.mod/module.cue", 0o644, []byte(libFile)}}, entries...) {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = w.Write(e.content)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	push := func(mediaType string, data []byte) ociregistry.Descriptor {
		d := ociregistry.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
		_, err := r.PushBlob(context.Background(), "example.org/lib", d, bytes.NewReader(data))
		require.NoError(t, err)
		return d
	}
	manifest := map[string]any{
		"schemaVersion": 2,
		"mediaType":     "application/vnd.oci.image.manifest.v1+json",
		"config":        push("application/vnd.cue.module.v1+json", []byte("{}")),
		"layers": []any{
			push("application/zip", archive.Bytes()),
			push("application/vnd.cue.modulefile.v1", []byte(libFile)),
		},
	}
	data, err := json.Marshal(manifest)
	require.NoError(t, err)
	_, err = r.PushManifest(context.Background(), "example.org/lib", "v1.0.0", data, fmt.Sprint(manifest["mediaType"]))
	require.NoError(t, err)
}
