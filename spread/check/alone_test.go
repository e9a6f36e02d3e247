package check_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
)

// TestAlone finds a mistake of an artifact whose role has its config under another name, with a
// deployment and without one.
func TestAlone(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer(
		"«component»", "parameter: p: string", "«rest of component»", "code: d: mapping: env: V: value: string", "«config»", "", "«role»", "",
		"«rest»", "role: ab: config: parameter: p: \"x\"",
	).Replace(checkedService) + `
-- deploy/deploy.cue --
package deployment

import c "check.example/app/c:service"

#Deployment: {name: "x", artifact: c.#Artifact}
`
	files, err := txtar.FS(txtar.Parse([]byte(text)))
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, files))
	for _, dir := range []string{"deploy", "c"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			in := compiler.Input{Artifacts: dir == "c"}
			in.Dir = filepath.Join(root, dir)
			_, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
			var codes []diag.Code
			for _, d := range problems {
				codes = append(codes, d.Code)
			}
			slices.Sort(codes)
			require.Equal(t, []diag.Code{diag.Hole, diag.RoleWithoutArtifact}, codes, "%s", show(problems))
		})
	}
}
