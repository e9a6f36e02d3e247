package differential

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/diag"
	"kumiki.dev/internal/differential/reference"
	"kumiki.dev/spread"
)

// checked is how many applications are made up whose artifacts are checked.
const checked = 60

// TestCheck finds nothing wrong with the artifacts of applications that were made
// up without a mistake, and deploy.
func TestCheck(t *testing.T) {
	t.Parallel()
	model := reference.NewModel()
	artifacts := 0
	for seed := range uint64(checked / Fewer) {
		c, app := Made(seed)
		if app.Mistake != "" {
			continue
		}
		dir := t.TempDir()
		out, err := Run(model, c, dir, Settings()[:1])
		require.NoError(t, err)
		if !out.Deployed {
			continue
		}
		for _, p := range artifactsOf(t, dir) {
			artifacts++
			_, problems := spread.Check(spread.NewEvaluator(cuecontext.New()), p, spread.Options{})
			for _, d := range problems {
				if d.Severity == diag.Error {
					t.Errorf("seed %d: %s: %s\n%s", seed, p.Path, told(diag.List{d}), sourceOf(p))
				}
			}
		}
	}
	require.Greater(t, artifacts, checked/Fewer/2)
}

// artifactsOf are those that the deployment in a directory is made of.
func artifactsOf(t *testing.T, dir string) (out []*spread.Package) {
	t.Helper()
	program, _ := compiler.Load(compiler.LoadInput{Dir: filepath.Join(dir, deploy)})
	require.NotNil(t, program)
	for _, p := range program.Packages {
		if p.IsArtifact() && strings.HasPrefix(p.Files[0].Filename, dir) {
			out = append(out, p)
		}
	}
	return out
}

func sourceOf(p *spread.Package) string {
	var b strings.Builder
	for _, f := range p.Files {
		text, _ := os.ReadFile(f.Filename)
		b.Write(text)
	}
	return b.String()
}
