package gitrev

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// repository makes one with a commit of files and links.
func repository(t *testing.T, files, links map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for name, to := range links {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return dir
}

// written is what Write puts into a directory, by path.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rest, _ := filepath.Rel(dir, name)
		got[filepath.ToSlash(rest)] = string(text)
		return err
	}))
	return got
}

func TestWrite(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a/x.cue": "x: 1\n", "a/[b] ü\n.cue": "", "cue.mod/module.cue": "y", "a/README": "no"}
	dir := repository(t, files, map[string]string{"a/link.cue": "/etc/passwd", "links": "a"})
	ctx := context.Background()
	tree, err := Open(ctx, "HEAD", filepath.Join(dir, "a"))
	require.NoError(t, err)
	into := t.TempDir()
	at, err := tree.Write(ctx, into, filepath.Join(dir, "a"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(into, "a"), at)
	delete(files, "a/README")
	require.Equal(t, files, written(t, into))

	text, ok, err := tree.File(ctx, filepath.Join(dir, "a", "[b] ü\n.cue"))
	require.NoError(t, err)
	require.True(t, ok)
	require.Empty(t, text)
	for _, name := range []string{"a", "b", "a/link.cue", "links", "a/[bx] ü\n.cue", "../x", ".", "a/x"} {
		_, ok, err := tree.File(ctx, filepath.Join(dir, name))
		require.NoError(t, err, name)
		require.False(t, ok, name)
	}
	_, err = tree.Write(ctx, into, filepath.Dir(dir))
	require.ErrorContains(t, err, "is not in the Git repository")
}

func TestInside(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{"a/x.cue": "x"}, nil)
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	tree, err := Open(context.Background(), "HEAD", dir)
	require.NoError(t, err)
	require.Equal(t, filepath.Join("into", "a"), tree.Inside("into", filepath.Join(dir, "a")))
	require.Equal(t, filepath.Dir(dir), tree.Inside("into", filepath.Dir(dir)))
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{"a/x.cue": "x"}, nil)
	for _, rev := range []string{"", "-h", "--help", "HEAD~1", "v1", "HEAD:a/x.cue", "HEAD\x00", "HEAD^{blob}"} {
		_, err := Open(context.Background(), rev, dir)
		require.Error(t, err, "%q", rev)
	}
	_, err := Open(context.Background(), "HEAD", t.TempDir())
	require.ErrorContains(t, err, "not a git repository")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Open(ctx, "HEAD", dir)
	require.Error(t, err)
}

func TestWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Open(context.Background(), "HEAD", ".")
	require.ErrorContains(t, err, "git is not installed")
}
