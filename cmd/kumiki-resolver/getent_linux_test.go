package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// insideEnv tells the test's own process, started again, that it is in
// namespaces of its own.
const insideEnv = "KUMIKI_RESOLVER_INSIDE"

// TestGetent shows the names as a process of a pod sees them, which knows
// nothing of Kumiki: getent uses the C library, and that reads /etc/resolv.conf
// and asks 127.0.0.1:53. It needs Linux namespaces, as containers do.
func TestGetent(t *testing.T) {
	getent, err := exec.LookPath("getent")
	if err != nil {
		t.Skip("no getent: its C library is the client of this test")
	}
	if os.Getenv(insideEnv) == "" {
		startInside(t)
		return
	}
	loopbackUp(t)
	require.NoError(t, syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	replaceFile(t, "/etc/nsswitch.conf", []byte("hosts: files dns\n"))
	up := newDNSServer(t, "127.0.0.2:53", nil)
	hosts := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, getent, args...).CombinedOutput()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		t.Logf("getent %s:\n%s", strings.Join(args, " "), out)
		return strings.Join(strings.Fields(string(out)), " ")
	}
	for _, role := range []struct{ channels, lb, set string }{
		{frontChannels, "10.96.0.1", "10.244.0.1 set.0.sql 10.244.1.2 set.0.sql"},
		{backChannels, "10.96.0.2", "10.244.7.7 set.0.sql"},
	} {
		r := newRole(t, "127.0.0.1:53", role.channels, "127.0.0.2")
		conf, err := os.ReadFile(r.out)
		require.NoError(t, err)
		replaceFile(t, "/etc/resolv.conf", conf)
		// The name printed is the one that was found, with the search domain. A
		// machine with no addresses but 127.0.0.1 must be told to ask at all.
		lb := strings.ReplaceAll(hosts("--no-addrconfig", "ahostsv4", "0.sql"), "."+domain, "")
		require.Contains(t, lb, role.lb+" STREAM 0.sql")
		require.Equal(t, role.set, strings.ReplaceAll(hosts("hosts", "set.0.sql"), "."+domain, ""))
		require.Contains(t, hosts("hosts", "0.SQL"), " 0.")
		require.Equal(t, "10.96.0.10 kubernetes.default.svc.cluster.local", hosts("hosts", "kubernetes.default"))
		require.Empty(t, hosts("hosts", "9.sql"))
		require.Zero(t, r.stop())
		require.NoError(t, syscall.Unmount("/etc/resolv.conf", syscall.MNT_DETACH))
	}
	for _, name := range up.asked(t) {
		require.NotContains(t, name, "sql")
	}
}

// startInside runs the test again in a network and a file system of its own.
func startInside(t *testing.T) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestGetent$", "-test.v")
	cmd.Env = append(os.Environ(), insideEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("no namespaces here: %v", err)
	}
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// loopbackUp sets the loopback interface up, which a new network has, but down.
func loopbackUp(t *testing.T) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	require.NoError(t, err)
	defer syscall.Close(socket)
	var request struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "lo")
	request.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	require.Zero(t, errno)
}

// replaceFile puts a file over another, as a container's mounts do.
func replaceFile(t *testing.T, name string, data []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(name))
	require.NoError(t, os.WriteFile(file, data, 0o644))
	require.NoError(t, syscall.Mount(file, name, "", syscall.MS_BIND, ""))
}
