package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/run/api"
)

// TestOpenAPI compares the document with the one that is committed.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	data, err := (&api.Server{}).OpenAPI()
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, data, "", "  "))
	got.WriteByte('\n')
	const file = "openapi.json"
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String(), "the interface has changed: UPDATE_GOLDEN=1 go test ./api writes its document anew")
}
