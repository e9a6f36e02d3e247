package load

import (
	"os"
	"path/filepath"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"
)

// TestPlainSets: texts that name no files mean what those did that named some.
func TestPlainSets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "x.txt")
	require.NoError(t, os.WriteFile(file, []byte("@at=\n"), 0o600))
	sets := []string{"config.parameter.a=1", `config.parameter."b.c" = x=y`, "config.parameter.d=@@e", "config.parameter.f=@" + file, "config.parameter.g="}
	plain, err := PlainSets(sets, dir)
	require.NoError(t, err)
	require.Equal(t, []string{"config.parameter.a=1", `config.parameter."b.c" = x=y`, "config.parameter.d=@@e", "config.parameter.f=@@at=\n", "config.parameter.g="}, plain)
	want, problems := Overlay(cuecontext.New(), nil, sets, dir, nil)
	require.Empty(t, problems)
	got, problems := Overlay(cuecontext.New(), nil, plain, "", nil)
	require.Empty(t, problems)
	for i := range want.Sets {
		require.Equal(t, want.Sets[i].Path, got.Sets[i].Path)
		require.Equal(t, want.Sets[i].Text, got.Sets[i].Text)
	}
	for _, wrong := range []string{"config.parameter.a", "nowhere.a=1", "config.parameter.a=@" + filepath.Join(dir, "none")} {
		_, err := PlainSets([]string{wrong}, dir)
		require.Error(t, err, wrong)
	}
}
