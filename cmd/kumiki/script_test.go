package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"cuelang.org/go/mod/modregistrytest"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	_ "kumiki.dev/internal/apart"
	"kumiki.dev/internal/golden"
)

func TestMain(m *testing.M) {
	completing = 30 * time.Second // a machine may be busy
	testscript.Main(m, map[string]func(){"kumiki": main})
}

// TestScripts runs the command lines of testdata/script, which compare the
// whole of both streams. A script finds the repository's examples beside it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		Setup:               setup,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "registry": serve, "webtree": serveTree, "slowly": slowly},
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// scripts are all of testdata/script. Under the race detector it is those in which something
// runs at the same time as something else, and one of twelve of the others.
func scripts(t *testing.T) []string {
	all, err := filepath.Glob("../../testdata/script/*.txtar")
	require.NoError(t, err)
	if !raced {
		return all
	}
	sideBySide := regexp.MustCompile(`(?m)^slowly | &\w*&?$|kumiki (matrix|watch|apply)|--jobs|/\.\.\.`)
	var some []string
	for i, name := range all {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if i%12 == 0 || sideBySide.Match(text) {
			some = append(some, name)
		}
	}
	return some
}

// setup keeps a script to its own directory: neither the network nor the
// caches of whoever runs the tests are there.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CUE_CACHE_DIR", "CUE_CONFIG_DIR"} {
		env.Setenv(name, home)
	}
	env.Setenv("CUE_REGISTRY", "none")
	return os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS("../../examples"))
}

// slowly puts a server before CUE's registry that waits before it answers:
//
//	slowly 2s
func slowly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: slowly DURATION")
	}
	wait, err := time.ParseDuration(args[0])
	ts.Check(err)
	host, options, _ := strings.Cut(ts.Getenv("CUE_REGISTRY"), "+")
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(wait)
		proxy.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv("CUE_REGISTRY", strings.TrimPrefix(server.URL, "http://")+"+"+options)
}

// serveTree starts a web server with the files of a directory, and makes it CUE's
// registry:
//
//	webtree DIR
func serveTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: webtree DIR")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(server.Close)
	ts.Setenv("CUE_REGISTRY", server.URL)
}

// serve starts a registry on the loopback interface with the modules in a
// directory, one a directory such as example.org_lib_v1.0.0, and makes it
// CUE's, or what another variable says:
//
//	registry published
//	registry empty OTHER
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: registry DIR [VARIABLE]")
	}
	modules := ocimem.New()
	ts.Check(modregistrytest.Upload(context.Background(), modules, os.DirFS(ts.MkAbs(args[0]))))
	r, err := modregistrytest.NewServer(modules, nil)
	ts.Check(err)
	ts.Defer(r.Close)
	name := "CUE_REGISTRY"
	if len(args) == 2 {
		name = args[1]
	}
	ts.Setenv(name, r.Host()+"+insecure")
	ts.Defer(func() { writable(ts.Getenv("HOME")) })
}

// writable lets the script's directory be removed: CUE's cache is read-only.
func writable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			_ = os.Chmod(path, 0o777)
		}
		return nil
	})
}

// exits runs a command that has to end with an exit code:
//
//	exits 2 kumiki compile --nonsense
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
