package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"kumiki.dev/internal/atomicfile"
)

// TestLife is that of a sidecar: it writes the file for the other containers,
// is ready, is told to stop, answers what it has been asked, and ends well.
func TestLife(t *testing.T) {
	t.Parallel()
	asked := make(chan bool, 1)
	up := newDNSServer(t, "127.0.0.1:0", func(reply []byte) [][]byte {
		asked <- true
		time.Sleep(200 * time.Millisecond)
		return [][]byte{reply}
	})
	r := newRole(t, "", frontChannels, up.address)
	written, err := os.ReadFile(r.out)
	require.NoError(t, err)
	require.Equal(t, "nameserver 127.0.0.1\n# the cluster's\nsearch "+domain+" svc.cluster.local cluster.local\noptions ndots:5 attempts:1\n", string(written))

	conn, err := net.Dial("udp", r.address)
	require.NoError(t, err)
	defer conn.Close()
	silent, err := net.Dial("tcp", r.address)
	require.NoError(t, err)
	defer silent.Close()
	_, err = conn.Write(question(t, 1, "0.sql.", dnsmessage.TypeA))
	require.NoError(t, err)
	<-asked
	begin := time.Now()
	require.Zero(t, r.stop())
	require.Less(t, time.Since(begin), grace)
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	n, err := conn.Read(make([]byte, minDatagram))
	require.NoError(t, err)
	require.Greater(t, n, headerLength)
	require.Equal(t, 1, r.check())
}

func TestFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		return name
	}
	channels := file("channels.json", frontChannels)
	conf := file("resolv.conf", "nameserver 10.96.0.10\n")
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	all := func(channels, resolv, listen, out string) []string {
		return []string{"-channels", channels, "-resolv", resolv, "-listen", listen, "-out", filepath.Join(dir, out)}
	}
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"help", []string{"-h"}, 0, "-channels file"},
		{"flag", []string{"-x"}, 2, "-x"},
		{"time", []string{"-refresh", "0"}, 2, "a time has to be more than 0"},
		{"argument", []string{"x"}, 2, `unexpected argument "x"`},
		{"no channels", all(conf+"x", conf, "127.0.0.1:0", "out"), 1, "no such file"},
		{"wrong channels", all(conf, conf, "127.0.0.1:0", "out"), 1, "resolv.conf: invalid character"},
		{"no servers", all(channels, file("empty.conf", "# empty\n"), "127.0.0.1:0", "out"), 1, "empty.conf: no nameserver"},
		{"itself", all(channels, file("self.conf", "nameserver 127.0.0.1\n"), "127.0.0.1:53", "out"), 1, "nameserver 127.0.0.1 is this resolver itself"},
		{"no port", all(channels, conf, "127.0.0.1", "out"), 1, "missing port"},
		{"taken", all(channels, conf, taken.LocalAddr().String(), "out"), 1, "address already in use"},
		{"nowhere to write", all(channels, conf, "127.0.0.1:0", "no/out"), 1, "no such file"},
		{"check, nothing written", []string{"-check", "-out", filepath.Join(dir, "none")}, 1, "no such file"},
		{"check, nothing there", []string{"-check", "-out", conf, "-listen", taken.LocalAddr().String(), "-timeout", "10ms"}, 1, "no answer at"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			for range 10 {
				stderr.Reset()
				require.Equal(t, test.code, run(t.Context(), test.args, &stderr), "%s", &stderr)
				// Any port of UDP may be taken in TCP; another one is not.
				if !strings.Contains(stderr.String(), "address already in use") {
					break
				}
			}
			require.Contains(t, stderr.String(), test.want)
		})
	}
	left, err := filepath.Glob(filepath.Join(dir, atomicfile.Prefix+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
