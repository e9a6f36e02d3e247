package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// The flags are those of releases, whose compiled packages are there already.
var installed = []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-trimpath -buildvcs=true"}

// TestInstallFromCheckout: go install in a clone makes a kumiki that knows its commit.
func TestInstallFromCheckout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clone")
	command(t, "..", "git", "clone", "--quiet", "--no-local", ".", dir)
	bin := t.TempDir()
	environed(t, dir, append(installed, "GOBIN="+bin), "go", "install", "./cmd/kumiki")
	commit := strings.TrimSpace(command(t, dir, "git", "rev-parse", "HEAD"))
	said := command(t, dir, filepath.Join(bin, "kumiki"), "version")
	require.Regexp(t, `^kumiki v\d+\.\d+\.\d+-\S*`+commit[:12]+` \(`+commit+`\)\nCUE `+cueVersion(t)+`\ngo1\.`, said)

	command(t, dir, "git", "-c", "user.name=x", "-c", "user.email=x@example.com", "tag", "v7.8.9")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), nil, 0o644))
	environed(t, dir, append(installed, "GOBIN="+bin), "go", "install", "./cmd/kumiki")
	require.Contains(t, command(t, dir, filepath.Join(bin, "kumiki"), "version"), " ("+commit+" and changes)\n")
}

// TestInstallVersion: the repository is a module that go install MODULE@VERSION takes,
// from a proxy that has it.
func TestInstallVersion(t *testing.T) {
	proxy := t.TempDir()
	at := filepath.Join(proxy, "kumiki.dev/@v")
	require.NoError(t, os.MkdirAll(at, 0o755))
	src := sources(t)
	goMod, err := os.ReadFile(filepath.Join(src, "go.mod"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(at, "v0.9.0.mod"), goMod, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(at, "v0.9.0.info"), []byte(`{"Version":"v0.9.0"}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(at, "list"), []byte("v0.9.0\n"), 0o644))
	f, err := os.Create(filepath.Join(at, "v0.9.0.zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(f, module.Version{Path: "kumiki.dev", Version: "v0.9.0"}, src))
	require.NoError(t, f.Close())

	cache := strings.TrimSpace(command(t, ".", "go", "env", "GOMODCACHE"))
	bin := t.TempDir()
	env := append(installed, "GOBIN="+bin, "GOMODCACHE="+filepath.Join(t.TempDir(), "modules"), "GONOSUMDB=*", "GOFLAGS=-trimpath -modcacherw",
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(cache, "cache/download"))
	environed(t, proxy, env, "go", "install", "kumiki.dev/cmd/kumiki@v0.9.0")
	require.Regexp(t, `^kumiki v0\.9\.0\nCUE `+cueVersion(t)+`\ngo1\.`, command(t, proxy, filepath.Join(bin, "kumiki"), "version"))
}
