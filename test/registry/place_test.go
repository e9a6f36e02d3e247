package registry_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

// place is a registry that runs, and what a client needs to use it.
type place struct {
	dir, host, cert string
	stop            func()
}

const config = `version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: %[1]s/data}}
http: {addr: "%[2]s", tls: {certificate: %[1]s/cert.pem, key: %[1]s/key.pem}}
auth: {htpasswd: {realm: tests, path: %[1]s/htpasswd}}
`

// start starts the registry that REGISTRY names.
func start(t *testing.T) place {
	t.Helper()
	p := place{dir: t.TempDir()}
	p.host = freeAddress(t)
	p.certificate(t)
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	require.NoError(t, err)
	p.write(t, "htpasswd", fmt.Sprintf("publisher:%s\n", hash))
	p.write(t, "config.yml", fmt.Sprintf(config, p.dir, p.host))
	p.serve(t)
	return p
}

// freeAddress is one whose port the system gives nobody who asks for any, so that
// it is still free when the registry has started, and when it starts again.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 20_000+mathrand.IntN(10_000)))
		if err == nil {
			require.NoError(t, listener.Close())
			return listener.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// serve starts the registry, again if it was stopped.
func (p *place) serve(t *testing.T) {
	t.Helper()
	binary := os.Getenv("REGISTRY")
	require.NotEmpty(t, binary, "REGISTRY names the binary of docker-registry; make test-registry sets it")
	var log bytes.Buffer
	server := exec.Command(binary, "serve", filepath.Join(p.dir, "config.yml"))
	server.Stdout, server.Stderr = &log, &log
	require.NoError(t, server.Start())
	p.stop = sync.OnceFunc(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	stop := p.stop
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	p.wait(t)
}

func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(p.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// certificate makes one that is its own authority.
func (p *place) certificate(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	p.write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	p.write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	p.cert = filepath.Join(p.dir, "cert.pem")
}

func (p *place) wait(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(p.cert)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	require.Eventually(t, func() bool {
		answer, err := client.Get("https://" + p.host + "/v2/")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusUnauthorized
	}, time.Minute, 50*time.Millisecond)
}

// user is somebody with a home, a password and tools.
type user struct {
	t   *testing.T
	env []string
}

func (p *place) user(t *testing.T, password string) user {
	t.Helper()
	home := t.TempDir()
	t.Cleanup(func() {
		_ = filepath.WalkDir(home, func(name string, _ os.DirEntry, _ error) error { return os.Chmod(name, 0o777) })
	})
	auth := base64.StdEncoding.EncodeToString([]byte("publisher:" + password))
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), fmt.Appendf(nil, `{"auths": {%q: {"auth": %q}}}`, p.host, auth), 0o600))
	return user{t, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "DOCKER_CONFIG=" + home, "CUE_CACHE_DIR=" + filepath.Join(home, "cue"),
		"CUE_CONFIG_DIR=" + filepath.Join(home, "config"), "CUE_REGISTRY=" + p.host + "/modules+secure", "SSL_CERT_FILE=" + p.cert}}
}

// home is the user's home directory.
func (u user) home() string {
	for _, v := range u.env {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			return home
		}
	}
	return ""
}

// with is the user with a login, and trust, for another registry too.
func (u user) with(p place) user {
	u.t.Helper()
	var certs []byte
	for i, v := range u.env {
		if name, ok := strings.CutPrefix(v, "SSL_CERT_FILE="); ok {
			for _, file := range []string{name, p.cert} {
				text, err := os.ReadFile(file)
				require.NoError(u.t, err)
				certs = append(certs, text...)
			}
			both := filepath.Join(u.t.TempDir(), "certs.pem")
			require.NoError(u.t, os.WriteFile(both, certs, 0o600))
			u.env = slices.Clone(u.env)
			u.env[i] = "SSL_CERT_FILE=" + both
		}
	}
	name := filepath.Join(u.home(), "config.json")
	var logins struct {
		Auths map[string]map[string]string `json:"auths"`
	}
	text, err := os.ReadFile(name)
	require.NoError(u.t, err)
	require.NoError(u.t, json.Unmarshal(text, &logins))
	logins.Auths[p.host] = map[string]string{"auth": base64.StdEncoding.EncodeToString([]byte("publisher:secret"))}
	text, err = json.Marshal(logins)
	require.NoError(u.t, err)
	require.NoError(u.t, os.WriteFile(name, text, 0o600))
	return u
}

// run runs kumiki or cue in a directory.
func (u user) run(dir, tool string, args ...string) (string, error) {
	u.t.Helper()
	binary, env := os.Getenv("KUMIKI"), u.env
	if tool == "cue" {
		self, err := os.Executable()
		require.NoError(u.t, err)
		binary, env = self, append(env, "AS_CUE=1")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	u.t.Logf("%s %v: %s", tool, args, out)
	return string(out), err
}

func (u user) must(dir, tool string, args ...string) string {
	u.t.Helper()
	out, err := u.run(dir, tool, args...)
	require.NoError(u.t, err, out)
	return out
}

// files writes a directory.
func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	p := place{dir: t.TempDir()}
	for name, text := range contents {
		p.write(t, name, text)
	}
	return p.dir
}

const component = `package component

#Artifact: {
	ref: name: "hello"
	description: {
		srv: server: web: port: 8080
		config: {
			parameter: who: string
			scale: hsize: *1 | uint
		}
		code: hello: {
			image: tag: "ghcr.example/hello:1.2.0"
			mapping: env: WHO: parameter: "who"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`

func deployment(imported string) string {
	return fmt.Sprintf("package deployment\n\nimport h %q\n\n#Deployment: {name: \"small\", artifact: h.#Artifact, config: parameter: who: \"you\"}\n", imported)
}

func moduleFile(path string) string {
	return fmt.Sprintf("module: %q\nlanguage: version: \"v0.12.0\"\nsource: kind: \"self\"\n", path)
}
