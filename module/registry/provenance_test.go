package registry

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestCommit reads the commit of a module in git: the same each time, with
// nothing of this machine.
func TestCommit(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"cue.mod/module.cue": libFile, "lib.cue": "package lib\n"})
	require.Nil(t, commitOf(context.Background(), dir))
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=/usr/bin:/bin:/usr/local/bin", "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2024-05-06T07:08:09+02:00",
			"GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE=2024-05-06T07:08:09+02:00"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	run("init", "-q")
	require.Nil(t, commitOf(context.Background(), dir), "no commit yet")
	run("remote", "add", "origin", "https://somebody:secret@git.example.org/lib.git?x=y")
	run("add", ".")
	run("commit", "-q", "-m", "first")
	c := commitOf(context.Background(), dir)
	require.NotNil(t, c)
	require.True(t, c.clean)
	require.Equal(t, "2024-05-06 05:08:09 +0000 UTC", c.time.String())
	require.Equal(t, c.hash, c.metadata().VCSCommit)

	data, err := Publication{}.provenance(context.Background(), lib, "00", nil, c)
	require.NoError(t, err)
	var got Provenance
	require.NoError(t, json.Unmarshal(data, &got))
	want := []resource{{URI: "git+https://git.example.org/lib.git", Digest: map[string]string{"gitCommit": c.hash}, Annotations: map[string]string{"time": "2024-05-06T05:08:09Z"}}}
	if diff := cmp.Diff(want, got.Predicate.BuildDefinition.ResolvedDependencies); diff != "" {
		t.Error(diff)
	}

	write(t, filepath.Join(dir, "more.cue"), "package lib\n")
	c = commitOf(context.Background(), dir)
	require.False(t, c.clean)
	require.Nil(t, c.metadata(), "the commit does not have what is published")
	require.Equal(t, "true", c.resource().Annotations["dirty"])
}

// TestOrigin keeps what is no business of the public out of a provenance.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]string{
		"https://git.example.org/lib.git":           "git+https://git.example.org/lib.git",
		"https://token@git.example.org/lib.git#x":   "git+https://git.example.org/lib.git",
		"https://me:secret@git.example.org/lib.git": "git+https://git.example.org/lib.git",
		"ssh://git@git.example.org/lib.git":         "git+ssh://git@git.example.org/lib.git",
		"ssh://git:secret@git.example.org/lib.git":  "git+ssh://git.example.org/lib.git",
		"git@git.example.org:me/lib.git":            "git+ssh://git@git.example.org/me/lib.git",
		"/home/me/lib":                              "",
		"file:///home/me/lib":                       "",
		"../lib":                                    "",
		"":                                          "",
	} {
		require.Equal(t, want, withoutSecrets(origin), origin)
	}
}
