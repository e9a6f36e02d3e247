package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecrets: what is shown beside sources has no secrets in it, unless it is wanted.
func TestSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cue.mod/module.cue": "module: \"secrets.example/app@v0\"\nlanguage: version: \"v0.12.0\"\n",
		"c/component.cue": `package component

#Artifact: {
	ref: name: "c"
	description: {
		config: parameter: {password: *"geheim-standard" | string, size: *1 | int}
		code: c: {
			image: tag: "c:1"
			mapping: env: {
				DB_PASSWORD: parameter: "password"
				DSN: value: "postgres://c:\(config.parameter.password)@db/c"
			}
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`,
		"deploy/deployment.cue": `package deployment

import c "secrets.example/app/c:component"

#Deployment: {
	name:     "c"
	artifact: c.#Artifact
	config: {
		parameter: {password: "geheim-geheim", size: "geheim-geheim"}
		scale: hsize: 1
	}
}
`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	at := filepath.Join(dir, "deploy")
	open := []string{filepath.Join(dir, "c/component.cue"), filepath.Join(at, "deployment.cue")}
	said := func(values bool) string {
		w := newWorker()
		w.values = values
		out := w.answer(t.Context(), request{Dir: at, Open: open})
		require.NotEmpty(t, out.Facts)
		require.NotEmpty(t, out.Problems)
		text, err := json.Marshal([]any{out, w.answer(t.Context(), request{Dir: at, Why: "config.parameter.password"})})
		require.NoError(t, err)
		return string(text)
	}
	require.Contains(t, said(true), "geheim")
	require.NotContains(t, said(false), "geheim")
}

// TestHideLiterals: what is offered from sources alone has none either.
func TestHideLiterals(t *testing.T) {
	t.Parallel()
	password := []string{"parameter", "password"}
	require.Equal(t, `*"(hidden)" | string`, hideLiterals(password, `*"geheim-standard" | string`))
	require.Equal(t, `*"info" | "debug"`, hideLiterals([]string{"parameter", "logLevel"}, `*"info" | "debug"`))
	require.Equal(t, `=~"^[a-z]+$"`, hideLiterals([]string{"parameter", "title"}, `=~"^[a-z]+$"`))
	require.Equal(t, `string`, hideLiterals(password, `string`))
}
