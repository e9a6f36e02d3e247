//go:build linux

package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/store"
)

// TestSockets: what listens for etcd are files in a directory of the server's own.
func TestSockets(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	open(t, store.Options{Dir: t.TempDir()})
	found, err := filepath.Glob(filepath.Join(temp, "kumikid*", "*"))
	require.NoError(t, err)
	var names []string
	for _, f := range found {
		names = append(names, filepath.Base(f))
	}
	require.Equal(t, []string{"client", "peer"}, names)
	info, err := os.Stat(filepath.Dir(found[0]))
	require.NoError(t, err)
	require.EqualValues(t, 0o700, info.Mode().Perm())
	own := map[string]bool{}
	descriptors, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, d := range descriptors {
		if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err == nil {
			own[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	table, err := os.ReadFile("/proc/self/net/unix")
	require.NoError(t, err)
	for _, line := range strings.Split(string(table), "\n") {
		fields := strings.Fields(line) // number, references, protocol, flags, type, state, inode, path
		if len(fields) == 8 && own[fields[6]] && fields[3] == "00010000" {
			require.False(t, strings.HasPrefix(fields[7], "@"), "everybody reaches the abstract socket %s", fields[7])
		}
	}
}
