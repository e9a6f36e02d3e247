package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestJSON compares what -o json prints with the YAML, both read by others.
func TestJSON(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	t.Chdir(t.TempDir()) // a stack has files beside it
	for _, target := range []string{"kubernetes", "swarm"} {
		for _, dir := range []string{"hello", "shop", "regions"} {
			t.Run(target+"/"+dir, func(t *testing.T) {
				render := func(form string) []byte {
					var out bytes.Buffer
					at := []string{"render", filepath.Join(examples, dir, "deploy"), "-t", target, "-o", form}
					require.Equal(t, exitOK, run(t.Context(), at, streams{in: strings.NewReader(""), out: &out, err: io.Discard, raw: &out}))
					return out.Bytes()
				}
				var got any
				require.NoError(t, json.Unmarshal(render("json"), &got))
				if list, ok := got.(map[string]any); ok && target == "kubernetes" {
					got = list["items"]
					require.Equal(t, "List", list["kind"])
				}
				require.Equal(t, manifests(t, render("yaml"), target == "kubernetes"), got)
			})
		}
	}
}

// manifests are those of a stream of YAML, or the only one.
func manifests(t *testing.T, text []byte, several bool) any {
	t.Helper()
	var all []any
	for _, part := range strings.Split(string(text), "\n---\n") {
		var one any
		require.NoError(t, yaml.Unmarshal([]byte(part), &one))
		all = append(all, one)
	}
	if !several {
		return all[0]
	}
	return all
}
