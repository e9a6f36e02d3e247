package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/backup"
	"kumiki.dev/run/store"
)

// The tokens of testdata/schema-1.backup: of an administrator, and of somebody who sees team=a.
const (
	firstAdmin  = "kumiki_08_tlaXsxVYqV_IXN7cGAfAc9BYpRPrsU7pk_WeJbLM"
	firstViewer = "kumiki_y9z8qTHeSibBC948eWxHm-qcYwWnpMpmO5Vu331nbJI"
)

// TestSchemas: what kumikid of schema 1 has kept goes on, in its directory and from a backup.
// testdata/schema-1.backup is of such a one: hello of team a was made with an Idempotency-Key and
// scaled, and plain was made.
func TestSchemas(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "schema-1.backup")
	dir := t.TempDir()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	s, err := store.Open(t.Context(), store.Options{Dir: filepath.Join(dir, "place"), AsIs: true})
	require.NoError(t, err)
	_, err = backup.Read(f, backup.Sink{
		Records: func(some []store.Kept) error { return s.Keep(t.Context(), some) },
		Content: func(_ string, data []byte) error { _, err := s.Contents.Put(t.Context(), data); return err },
	})
	s.Close()
	require.NoError(t, err)
	kumikid(t, 0, "restore", file, "--dir", filepath.Join(dir, "restored"))
	for _, state := range []string{"place", "restored"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			d := newDaemon(t, "KUMIKID_SERVE="+filepath.Join(dir, state), "KUMIKID_FOLDER="+filepath.Join(dir, state+"-environments"))
			require.Empty(t, d.token)
			d.token, d.dir = firstAdmin, dir
			d.audit(t)
			require.Equal(t, 2, d.applied("hello"))
			require.Equal(t, 1, d.applied("plain"))
			var list struct{ Revision int }
			d.ask(200, "GET", "/v1/deployments", nil).read(t, &list)
			d.well(d.ask(202, "PATCH", "/v1/deployments/plain", m{"labels": m{"team": "b"}}, d.of("plain")))
			d.well(d.ask(202, "POST", "/v1/deployments/hello/rollback", m{"manifest": 1}, d.of("hello")))
			d.token = firstViewer
			d.ask(404, "GET", "/v1/deployments/plain", nil)
			d.ask(200, "GET", "/v1/deployments/hello/manifests/2/solution", nil)
			seen := d.watch(2, fmt.Sprintf("/v1/watch/status?from=%d", list.Revision))[1].data
			require.Contains(t, seen, `"key":"hello"`, "nothing is told of what others see")
			require.Contains(t, seen, `"labels":{"team":"a"}`)
		})
	}
}
