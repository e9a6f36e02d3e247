package apart_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "kumiki.dev/internal/apart"
)

// TestApart: a connection outlives another test's server.
func TestApart(t *testing.T) {
	connections := map[string]bool{}
	stays := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { connections[r.RemoteAddr] = true }))
	defer stays.Close()
	for range 2 {
		response, err := http.Get(stays.URL)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		httptest.NewServer(nil).Close()
	}
	require.Len(t, connections, 1)
}

// TestEverywhere looks for packages whose tests have such servers, and do not keep apart.
// The modules below test run the binary, whose connections are its own.
func TestEverywhere(t *testing.T) {
	servers, apart := map[string]bool{}, map[string]bool{}
	for _, pattern := range []string{"../../*/*_test.go", "../../*/*/*_test.go", "../../*/*/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			dir := filepath.Dir(name)
			servers[dir] = servers[dir] || strings.Contains(string(text), "\"net/http/httptest\"")
			apart[dir] = apart[dir] || strings.Contains(string(text), "_ \"kumiki.dev/internal/apart\"")
		}
	}
	for dir, has := range servers {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		ofModule := err == nil
		require.True(t, !has || ofModule || apart[dir], "%s: import _ \"kumiki.dev/internal/apart\"", dir)
	}
}
