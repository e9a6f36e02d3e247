// Package registry_test publishes to Debian's docker-registry, with TLS and
// basic auth, by kumiki and by cue, and lets each read what the other wrote.
package registry_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cmd/cue/cmd"
	"github.com/stretchr/testify/require"
)

// TestMain makes the test's binary the cue command when it is asked to.
func TestMain(m *testing.M) {
	if os.Getenv("AS_CUE") != "" {
		os.Exit(cmd.Main())
	}
	os.Exit(m.Run())
}

// TestPublish publishes by kumiki, and reads it by kumiki and by cue.
func TestPublish(t *testing.T) {
	p := start(t)
	u := p.user(t, "secret")
	hello := files(t, map[string]string{
		"cue.mod/module.cue":            moduleFile("example.org/hello@v1"),
		"hello.cue":                     component,
		"examples/small/deployment.cue": deployment("example.org/hello:component"),
	})
	u.must(hello, "kumiki", "publish", "v1.0.0")
	_, err := u.run(hello, "kumiki", "publish", "v1.0.0")
	require.Error(t, err, "published already")

	app := files(t, map[string]string{
		"cue.mod/module.cue": moduleFile("example.org/app@v0"),
		"deployment.cue":     deployment("example.org/hello:component"),
	})
	fresh := p.user(t, "secret")
	fresh.must(app, "kumiki", "mod", "tidy")
	require.Contains(t, fresh.must(app, "kumiki", "compile"), `"name": "small"`)
	fresh.must(app, "cue", "mod", "tidy", "--check")
	require.Contains(t, fresh.must(app, "cue", "export", "-e", "#Deployment.artifact.ref.name", "."), "hello")
	require.Contains(t, fresh.must(app, "kumiki", "compile", "example.org/hello:v1", "--name", "direct", "--set", "config.parameter.who=x"), `"name": "direct"`)
}

// TestModules lists what the registry has, in the pages that it lists it in.
func TestModules(t *testing.T) {
	p := start(t)
	u := p.user(t, "secret")
	out, err := u.run(t.TempDir(), "kumiki", "mod", "list", "...")
	require.Error(t, err)
	require.Contains(t, out, "the registry has no module there")
	for _, path := range []string{"example.org/hello", "example.org/shop/site", "example.org/shopping", "other.example/hello"} {
		dir := files(t, map[string]string{
			"cue.mod/module.cue":            moduleFile(path + "@v1"),
			"hello.cue":                     component,
			"examples/small/deployment.cue": deployment(path + ":component"),
		})
		u.must(dir, "kumiki", "publish", "v1.0.0")
	}
	u.must(t.TempDir(), "kumiki", "mod", "list", "...")
	require.Equal(t, "example.org/hello\nexample.org/shop/site\nexample.org/shopping\nother.example/hello\n", u.must(t.TempDir(), "kumiki", "mod", "list", "..."))
	require.Equal(t, "example.org/shop/site\n", u.must(t.TempDir(), "kumiki", "mod", "list", "example.org/shop/..."))
	require.Equal(t, "example.org/hello\n", u.must(t.TempDir(), "kumiki", "mod", "list", "Example.org/Hello/..."))
}

// keys makes a key pair as openssl does.
func keys(t *testing.T) (private, public string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	pkix, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	dir := files(t, map[string]string{
		"key.pem": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
		"key.pub": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})),
	})
	return filepath.Join(dir, "key.pem"), filepath.Join(dir, "key.pub")
}

// TestSigned attaches an index, a provenance and a signature to a module, in a
// registry that does not know of referrers: they are found, and cue is not
// disturbed by them.
func TestSigned(t *testing.T) {
	p := start(t)
	u := p.user(t, "secret")
	private, public := keys(t)
	_, other := keys(t)
	hello := files(t, map[string]string{
		"cue.mod/module.cue":            moduleFile("example.org/hello@v1"),
		"hello.cue":                     "// Hello greets.\n" + component,
		"examples/small/deployment.cue": deployment("example.org/hello:component"),
	})
	u.must(hello, "kumiki", "publish", "v1.0.0", "--sign", private)
	u.must(hello, "kumiki", "publish", "v1.0.1", "--sign", private)

	fresh := p.user(t, "secret")
	app := files(t, map[string]string{
		"cue.mod/module.cue": moduleFile("example.org/app@v0"),
		"deployment.cue":     deployment("example.org/hello:component"),
	})
	require.Contains(t, fresh.must(app, "kumiki", "list", "example.org/hello@v1"), "example.org/hello:v1.0.1  component  -           Hello greets.")
	_, err := os.Stat(filepath.Join(fresh.home(), "cue", "mod", "extract", "example.org"))
	require.ErrorIs(t, err, os.ErrNotExist, "the module itself is not fetched")
	require.Equal(t, "v1.0.0\nv1.0.1\n", fresh.must(app, "kumiki", "mod", "list", "example.org/hello"))
	fresh.must(app, "kumiki", "mod", "tidy", "--verify", public)
	fresh.must(app, "kumiki", "mod", "verify", "--key", public)
	out, err := fresh.run(app, "kumiki", "mod", "verify", "--key", other)
	require.Error(t, err)
	require.Contains(t, out, "is signed, but not with a key in")
	fresh.must(app, "cue", "mod", "tidy", "--check")
	require.Contains(t, fresh.must(app, "cue", "export", "-e", "#Deployment.artifact.ref.name", "."), "hello")

	// It goes along to another registry.
	second := start(t)
	both := fresh.with(second)
	both.must(app, "kumiki", "mod", "mirror", "--to", second.host+"/modules+secure")
	there := second.user(t, "secret")
	there.must(app, "kumiki", "mod", "verify", "--key", public)
	require.Contains(t, there.must(app, "kumiki", "list", "example.org/hello"), "Hello greets.")
}

// TestAtOnce lets several publish the same version at the same time, each
// another module. Who is told that it is published may be wrong if another one
// came right after; but what is there is one of them, whole.
func TestAtOnce(t *testing.T) {
	p := start(t)
	private, public := keys(t)
	var all sync.WaitGroup
	for i := range 4 {
		u := p.user(t, "secret")
		hello := files(t, map[string]string{
			"cue.mod/module.cue":            moduleFile("example.org/hello@v1"),
			"hello.cue":                     fmt.Sprintf("// Hello from %d.\n", i) + component,
			"examples/small/deployment.cue": deployment("example.org/hello:component"),
		})
		all.Go(func() {
			if out, err := u.run(hello, "kumiki", "publish", "v1.0.0", "--sign", private); err != nil && !strings.Contains(out, "published") {
				t.Errorf("%s", out)
			}
		})
	}
	all.Wait()
	u := p.user(t, "secret")
	dir := t.TempDir()
	require.Equal(t, "v1.0.0\n", u.must(dir, "kumiki", "mod", "list", "example.org/hello"))
	u.must(dir, "kumiki", "mod", "verify", "--key", public, "example.org/hello")
	require.Contains(t, u.must(dir, "kumiki", "list", "example.org/hello"), "Hello from ")
}

// TestDown publishes to a registry that is down, and again once it is back.
func TestDown(t *testing.T) {
	p := start(t)
	u := p.user(t, "secret")
	hello := files(t, map[string]string{
		"cue.mod/module.cue":            moduleFile("example.org/hello@v1"),
		"hello.cue":                     component,
		"examples/small/deployment.cue": deployment("example.org/hello:component"),
	})
	p.stop()
	out, err := u.run(hello, "kumiki", "publish", "v1.0.0")
	require.Error(t, err)
	require.Contains(t, out, "the registry can't be reached")
	p.serve(t)
	out, err = u.run(hello, "kumiki", "mod", "list", "example.org/hello")
	require.Error(t, err, out)
	u.must(hello, "kumiki", "publish", "v1.0.0")
	require.Equal(t, "v1.0.0\n", u.must(hello, "kumiki", "mod", "list", "example.org/hello"))
}

// TestExpired publishes with a password that is no longer right: that is told,
// and nothing is published.
func TestExpired(t *testing.T) {
	p := start(t)
	hello := files(t, map[string]string{
		"cue.mod/module.cue":            moduleFile("example.org/hello@v1"),
		"hello.cue":                     component,
		"examples/small/deployment.cue": deployment("example.org/hello:component"),
	})
	out, err := p.user(t, "expired").run(hello, "kumiki", "publish", "v1.0.0")
	require.Error(t, err)
	require.Contains(t, out, "log in again")
	_, err = p.user(t, "secret").run(hello, "kumiki", "mod", "list", "example.org/hello")
	require.Error(t, err)
}

// TestRead reads by kumiki what cue published.
func TestRead(t *testing.T) {
	p := start(t)
	u := p.user(t, "secret")
	hello := files(t, map[string]string{"cue.mod/module.cue": moduleFile("example.org/hello@v1"), "hello.cue": component})
	u.must(hello, "cue", "mod", "publish", "v1.0.0")
	require.Equal(t, "v1.0.0\n", u.must(hello, "kumiki", "mod", "list", "example.org/hello"))
	app := files(t, map[string]string{
		"cue.mod/module.cue": moduleFile("example.org/app@v0"),
		"deployment.cue":     deployment("example.org/hello:component"),
	})
	u.must(app, "kumiki", "mod", "get", "example.org/hello")
	require.Contains(t, u.must(app, "kumiki", "compile"), `"name": "small"`)
}

// TestPassword is told in a line, and nothing is written.
func TestPassword(t *testing.T) {
	p := start(t)
	app := files(t, map[string]string{"cue.mod/module.cue": moduleFile("example.org/app@v0")})
	out, err := p.user(t, "wrong").run(app, "kumiki", "mod", "get", "example.org/hello")
	require.Error(t, err)
	require.Contains(t, out, "example.org/hello")
	require.Contains(t, out, "401")
	require.NoFileExists(t, filepath.Join(app, "kumiki.lock"))
}
