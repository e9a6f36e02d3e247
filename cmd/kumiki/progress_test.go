package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/spread"
)

// TestProgress shows what goes on, and takes it away before anything else is written.
func TestProgress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c := &console{Writer: &out, secrets: &secrets{}}
	c.progress.evaluated, c.progress.stop = &spread.Progress{}, make(chan struct{})
	c.progress.evaluated.Enter("loading")

	c.glance(c.progress.line())
	require.Equal(t, erase+"loading", out.String())
	c.glance(strings.Repeat("x", 200))
	require.Equal(t, erase+"loading"+erase+strings.Repeat("x", widest-1)+"…", out.String())

	c.progress.evaluated.Begin(3, 12, "directories")
	require.Equal(t, "3 of 12 directories, loading", c.progress.line())
	c.progress.evaluated.Begin(1, 1, "directories")
	require.Equal(t, "loading", c.progress.line(), "there is one")

	out.Reset()
	_, err := c.Write([]byte("a problem\n"))
	require.NoError(t, err)
	require.Equal(t, erase+"a problem\n", out.String())

	out.Reset()
	_, err = c.Write([]byte("another\n"))
	require.NoError(t, err)
	require.Equal(t, "another\n", out.String(), "there is nothing to take away")

	c.glance("loading")
	out.Reset()
	answered := streams{err: c}.ask("Is it %s? ", "meant")
	c.glance("loading")
	require.Equal(t, erase+"Is it meant? ", out.String(), "nothing takes the question away")
	answered()
	c.glance("loading")
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer file.Close()
	out.Reset()
	_, err = io.WriteString(clearing{file, c}, "data\n")
	require.NoError(t, err)
	require.Equal(t, erase, out.String(), "what goes to standard output takes it away first")

	c.glance("loading")
	out.Reset()
	c.quietly()
	c.glance("too late")
	require.Equal(t, erase, out.String())
}

// TestProgressOfRegistries says which module is waited for, and of whom.
func TestProgressOfRegistries(t *testing.T) {
	t.Parallel()
	p := &progress{evaluated: &spread.Progress{}}
	said := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { said <- p.line() }))
	defer server.Close()
	client := http.Client{Transport: telling{http.DefaultTransport, p}, Timeout: 10 * time.Second}
	resp, err := client.Get(server.URL + "/v2/example.org/shop/manifests/v1.0.0")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, "fetching example.org/shop from "+strings.TrimPrefix(server.URL, "http://"), <-said)
	require.Equal(t, "working", p.line())
}

// TestNoProgress is quiet where nobody looks at a terminal.
func TestNoProgress(t *testing.T) {
	pipe, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = pipe.Close(); _ = w.Close() }()
	null, err := os.Open(os.DevNull) // a device, as a terminal is
	require.NoError(t, err)
	defer func() { _ = null.Close() }()
	for name, c := range map[string]*console{"a pipe": {Writer: w}, "--quiet": {Writer: null, quiet: true}} {
		c.progress.begin(c, newVersionCmd(hidingNothing()), &spread.Progress{})
		require.Nil(t, c.progress.stop, name)
	}
	t.Setenv("TERM", "dumb")
	c := &console{Writer: null}
	c.progress.begin(c, newVersionCmd(hidingNothing()), &spread.Progress{})
	require.Nil(t, c.progress.stop, "a terminal that can not go back")
}
