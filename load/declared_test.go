package load

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/spread"
)

const places = `
-- cue.mod/module.cue --
module: "example.org/shop@v1"
language: version: "v0.12.0"
-- environments/us.cue --
package environment

#Environment: _shared & {name: "us"}
-- environments/eu.cue --
package environment

#Environment: _shared & {name: "eu"}
-- environments/shared.cue --
package environment

_shared: target: "swarm"
-- environments/other.cue --
package other

_shared: target: "kubernetes"
-- environments/broken.cue --
package environment

#Environment: name: "broken"
#Environment: labels: : "x"
-- shared.cue --
package environment

_above: true
`

// TestEnvironments: each environment is a package of its file and of what all have in
// common.
func TestEnvironments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(places)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	in := Input{Dir: filepath.Join(dir, "environments")}
	files := func(p *spread.Package) (out []string) {
		for _, f := range p.Files {
			out = append(out, filepath.Base(f.Filename))
		}
		return out
	}
	all, problems := Environments(in)
	require.Len(t, problems, 1)
	require.Len(t, all, 3)
	require.True(t, all[0].Broken)
	for i, name := range []string{"broken", "eu", "us"} {
		require.Equal(t, "example.org/shop/environments/"+name+":environment", all[i].Path)
		require.ElementsMatch(t, []string{"shared.cue", name + ".cue", "shared.cue", refFile}, files(all[i]))
		require.Equal(t, i == 0, all[i].Broken)
	}
	require.NotEqual(t, all[1].Digest, all[2].Digest)
	one, problems := Environments(in, "us", "none")
	require.Empty(t, problems)
	require.Len(t, one, 1)
	require.Equal(t, all[2].Path, one[0].Path)
	none, problems := Environments(Input{Dir: filepath.Join(dir, "nowhere")})
	require.Nil(t, none)
	require.Len(t, problems, 1)
}
