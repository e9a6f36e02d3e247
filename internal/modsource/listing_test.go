package modsource

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestListing asks registries that do not list as they should: whatever page they
// are asked for, it ends soon.
func TestListing(t *testing.T) {
	many := func(n, from int) []string {
		var tags []string
		for i := range n {
			tags = append(tags, fmt.Sprintf("v0.0.%d", from+i))
		}
		return tags
	}
	page := 0
	tests := []struct {
		name string
		tags func() []string
		want string // "" for no error
	}{
		{"one page", func() []string { return many(3, 0) }, ""},
		{"all, whatever is asked for", func() []string { return many(5000, 0) }, `has "tag v0.0.0" again and again`},
		{"too many at once", func() []string { return many(300_000, 0) }, "has more than 20000 entries"},
		{"pages without an end", func() []string { page++; return many(1000, 1000*page) }, "has more than 20000 entries"},
		{"the same tag", func() []string { return []string{"v0.0.1", "v0.0.1"} }, `has "tag v0.0.1" again`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]any{"name": "x", "tags": tt.tags()})
			}))
			defer server.Close()
			t.Setenv("CUE_CACHE_DIR", t.TempDir())
			reg, err := Named(strings.TrimPrefix(server.URL, "http://") + "+insecure")
			require.NoError(t, err)
			begun := time.Now()
			versions, err := reg.ModuleVersions(t.Context(), "example.org/x")
			require.Less(t, time.Since(begun), time.Minute)
			if tt.want == "" {
				require.NoError(t, err)
				require.Len(t, versions, 3)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}
