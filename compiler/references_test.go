package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"kumiki.dev/compiler"
	"kumiki.dev/solution"
)

const takers = `
-- cue.mod/module.cue --
module: "kumiki.example/takers@v1"
language: version: "v0.17.0"
-- app/app.cue --
package component

#Artifact: {
	ref: name: "app"
	description: {
		config: {
			parameter: x: _
			scale: hsize: *1 | uint
		}
		code: app: {
			image: tag: "ghcr.example/app:1.0.0"
			mapping: {
				env: X: parameter: "x"
				filesystem: "/x.json": {format: "json", data: value: config.parameter.x}
			}
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`

// TestTakenValue: a value that is taken from another deployment, whatever it is,
// makes the same deployment as the value itself.
func TestTakenValue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(takers)).Files {
		writeFile(t, filepath.Join(dir, f.Name), []byte(string(f.Data)))
	}
	values := rapid.Custom(func(t *rapid.T) any { return anyValue(t, 3) })
	for seed := range 20 {
		value, err := json.Marshal(values.Example(seed))
		require.NoError(t, err)
		deployment := func(folder, name, x string) string {
			writeFile(t, filepath.Join(dir, folder, "deployment.cue"), fmt.Appendf(nil, "package deployment\n\nimport a \"kumiki.example/takers/app@v1:component\"\n\n#Deployment: {name: %q, artifact: a.#Artifact, config: parameter: x: %s}\n", name, x))
			return filepath.Join(dir, folder)
		}
		other := deployment("other", "other", string(value))
		plain := compileDir(t, deployment("plain", "app", string(value)), nil)
		taken := compileDir(t, deployment("taken", "app", `{$from: "other", field: "config.parameter.x"}`), compiler.NewOthers([]string{other}))
		require.Empty(t, cmp.Diff(asJSON(t, plain.Deployments), asJSON(t, taken.Deployments)))
		require.Equal(t, []solution.Reference{{At: "config.parameter.x", Deployment: "other", Field: "config.parameter.x"}}, taken.Inputs.References)
	}
}

func compileDir(t *testing.T, dir string, others *compiler.Others) *solution.Solution {
	t.Helper()
	in := compiler.Input{With: others}
	in.Dir = dir
	s, problems := compiler.Compile(context.Background(), in)
	require.Empty(t, problems)
	return s
}

func asJSON(t *testing.T, x any) string {
	t.Helper()
	text, err := json.Marshal(x)
	require.NoError(t, err)
	return string(text)
}

// anyValue is data as config may hold.
func anyValue(t *rapid.T, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.StringMatching(`[ -~é]{0,12}`).Draw(t, "text")
	case 1:
		return rapid.Int64().Draw(t, "number")
	case 2:
		return rapid.Bool().Draw(t, "bool")
	case 3:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "float")
	case 4:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			out = append(out, anyValue(t, depth-1))
		}
		return out
	default:
		out := map[string]any{}
		for _, name := range rapid.SliceOfN(rapid.StringMatching(`[a-z][a-z-]{0,5}`), 0, 3).Draw(t, "names") {
			out[name] = anyValue(t, depth-1)
		}
		return out
	}
}
