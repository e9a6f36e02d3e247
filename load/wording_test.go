package load

import (
	"context"
	"fmt"
	"testing"

	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modfile"
	"github.com/stretchr/testify/require"
)

// TestWording shows CUE's own words, which may be others in its next version.
func TestWording(t *testing.T) {
	t.Parallel()
	end := func(text string) bool {
		_, err := parser.ParseFile("a.cue", text)
		require.Error(t, err)
		return atEndOfFile(errors.Errors(err)[0])
	}
	require.True(t, end("a: {"))
	require.True(t, end("a: [1"))
	require.False(t, end("a: 1 2\n"))
	require.False(t, end("a: \"found 'EOF'\" 2\n"))

	_, err := modfile.Parse([]byte("module: \"example.org/a@v1\"\nlanguage: version: \"v0.12.0\"\ndeps: \"x\": v: \"q\"\n"), "cue.mod/module.cue")
	require.Error(t, err)
	require.Equal(t, `cannot make version from module "x", version "q": version "q" (of module "x") is not well formed`, ofModuleFile("cue.mod/module.cue", err))

	root := tree(t, map[string]string{
		"cue.mod/module.cue": "module: \"example.com/shop@v1\"\nlanguage: version: \"v0.12.0\"\n",
		"a.cue":              "package deployment\nimport l \"example.org/absent:l\"\n#Deployment: {name: \"x\", artifact: l.#Artifact}\n",
	})
	_, problems := Load(Input{Dir: root, Registry: nobody{}})
	require.Len(t, problems, 1)
	require.True(t, nobodyProvides(problems[0].Cause), "%v", problems[0].Cause)
	require.False(t, nobodyProvides(fmt.Errorf("no route to host")))
}

// nobody is a registry without any module.
type nobody struct{ modconfig.Registry }

func (nobody) ModuleVersions(context.Context, string) ([]string, error) { return nil, nil }
