package attack_test

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

// TestRegistries asks registries that lie, on the loopback interface.
func TestRegistries(t *testing.T) {
	t.Parallel()
	tags := func(n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf("v0.0.%d", i))
		}
		return out
	}
	list := func(w http.ResponseWriter, tags []string) {
		_ = json.NewEncoder(w).Encode(map[string]any{"name": "x", "tags": tags})
	}
	answers := map[string]http.HandlerFunc{
		"all tags, whatever is asked for": func(w http.ResponseWriter, _ *http.Request) { list(w, tags(300_000)) },
		"the same page for ever":          func(w http.ResponseWriter, _ *http.Request) { list(w, tags(1000)) },
		"no JSON":                         func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\x1b[2J<html>")) },
		"an endless answer": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		},
		"escapes in an error": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"errors": []any{map[string]any{"code": "UNKNOWN", "message": "\x1b]0;owned\a\x1b[2J\r\u202ekimuk"}}})
		},
		"links to itself": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "<"+r.URL.String()+">; rel=\"next\"")
			list(w, tags(1000))
		},
		"redirects for ever": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(answer)
			t.Cleanup(server.Close)
			p := newPlace(t, application(map[string]string{"deploy/deployment.cue": strings.Replace(deployment, "attack.example/app/app:", "other.example/lib/app:", 1)}))
			p.env = append(p.env, "CUE_REGISTRY="+strings.TrimPrefix(server.URL, "http://")+"+insecure")
			for _, args := range [][]string{{"mod", "list", "other.example/lib"}, {"mod", "tidy"}, {"vet", "deploy"}, {"compile", "other.example/lib:v1", "--name", "x"}} {
				o := p.kumiki(args...)
				require.NotZero(t, o.code, "%v", args)
				require.Less(t, o.took, 30*time.Second, "%v", args)
				require.NotContains(t, o.err, "\x1b", "%v", args)
				require.NotContains(t, o.err, "\u202e", "%v", args)
				require.NotContains(t, o.err, "\a", "%v", args)
			}
		})
	}
}
