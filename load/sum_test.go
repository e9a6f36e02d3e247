package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

// TestSum has sources each of which is small enough, and which are too much together:
// the first that is too much is named, and no other.
func TestSum(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "cue.mod"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cue.mod", "module.cue"), []byte("module: \"large.example/app@v0\"\nlanguage: version: \"v0.12.0\"\n"), 0o644))
	large := "package deployment\n//" + strings.Repeat("x", 15<<20) + "\n"
	for i := range 7 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.cue", i)), []byte(large), 0o644))
	}
	_, problems := Load(Input{Dir: dir})
	var found []string
	for _, d := range problems {
		if d.Code == diag.BadFile {
			found = append(found, filepath.Base(d.Pos.Filename())+": "+d.Message)
		}
	}
	require.Equal(t, []string{"f4.cue: with this file, there are more than 64 MiB of sources, the most that can be taken in; move large contents out of them, or name a smaller package"}, found)
}
