// Package registrytest runs Debian's docker-registry for tests.
package registrytest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

// Options say how a registry is talked to, and what it lets be done.
type Options struct {
	// Password is that of the user kumiki; "" lets everybody in, without TLS.
	Password string
	// Keeps lets nothing be removed.
	Keeps bool
}

// Registry is one that runs.
type Registry struct {
	// Host is where it answers.
	Host string
	// CA is the file with the authority of its certificate, "" without TLS.
	CA string
	// Data is the directory that it keeps blobs in.
	Data string

	t      testing.TB
	config string
	cmd    *exec.Cmd
	log    bytes.Buffer
}

// Start starts the registry that REGISTRY names; it ends with the test.
func Start(t testing.TB, o Options) *Registry {
	t.Helper()
	require.NotEmpty(t, os.Getenv("REGISTRY"), "REGISTRY names the binary of docker-registry; make test-manager sets it")
	dir := t.TempDir()
	r := &Registry{t: t, Host: free(t), Data: filepath.Join(dir, "data"), config: filepath.Join(dir, "config.yml")}
	text := fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: %s}, delete: {enabled: %t}}\n", r.Data, !o.Keeps)
	if o.Password == "" {
		text += fmt.Sprintf("http: {addr: %q}\n", r.Host)
	} else {
		hash, err := bcrypt.GenerateFromPassword([]byte(o.Password), bcrypt.MinCost)
		require.NoError(t, err)
		write(t, filepath.Join(dir, "htpasswd"), fmt.Sprintf("kumiki:%s\n", hash))
		r.CA = filepath.Join(dir, "cert.pem")
		certify(t, r.CA, filepath.Join(dir, "key.pem"))
		text += fmt.Sprintf("http: {addr: %q, tls: {certificate: %[2]s/cert.pem, key: %[2]s/key.pem}}\nauth: {htpasswd: {realm: tests, path: %[2]s/htpasswd}}\n", r.Host, dir)
	}
	write(t, r.config, text)
	t.Cleanup(func() {
		r.Stop()
		if t.Failed() {
			t.Log(r.log.String())
		}
	})
	r.Serve()
	return r
}

// Serve starts it, again after Stop.
func (r *Registry) Serve() {
	r.t.Helper()
	r.cmd = exec.Command(os.Getenv("REGISTRY"), "serve", r.config)
	r.cmd.Stdout, r.cmd.Stderr = &r.log, &r.log
	require.NoError(r.t, r.cmd.Start())
	require.Eventually(r.t, func() bool {
		c, err := net.Dial("tcp", r.Host)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
}

// Stop ends it.
func (r *Registry) Stop() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// Blob is the file of a blob.
func (r *Registry) Blob(digest string) string {
	hex := strings.TrimPrefix(digest, "sha256:")
	return filepath.Join(r.Data, "docker/registry/v2/blobs/sha256", hex[:2], hex, "data")
}

// free is an address whose port the system gives nobody who asks for any, so that it is still
// free when the registry starts again.
func free(t testing.TB) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 20_000+mathrand.IntN(10_000)))
		if err == nil {
			require.NoError(t, l.Close())
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

func write(t testing.TB, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// certify makes a certificate that is its own authority.
func certify(t testing.TB, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})))
}
