package modsource

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"cuelabs.dev/go/oci/ociregistry"
	"github.com/opencontainers/go-digest"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/inside"
)

// TestPushOverLinks: whoever can put links into a directory of modules does not decide
// where a push writes.
func TestPushOverLinks(t *testing.T) {
	t.Parallel()
	blob := []byte("blob")
	desc := ociregistry.Descriptor{Digest: digest.FromBytes(blob), Size: int64(len(blob))}
	for name, link := range map[string]string{
		"the repository":     "example.org/lib",
		"a directory around": "example.org",
		"the blobs":          "example.org/lib/blobs",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, elsewhere := t.TempDir(), t.TempDir()
			at := filepath.Join(dir, filepath.FromSlash(link))
			require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
			require.NoError(t, os.Symlink(elsewhere, at))
			_, err := newDirectory(dir).pushBlob(context.Background(), "example.org/lib", desc, bytes.NewReader(blob))
			require.ErrorIs(t, err, inside.ErrLink)
			left, err := os.ReadDir(elsewhere)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
