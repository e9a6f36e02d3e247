package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
)

// authorityOf is one that signs certificates for 127.0.0.1, in a directory.
type authorityOf struct {
	t      *testing.T
	dir    string
	key    *ecdsa.PrivateKey
	cert   *x509.Certificate
	serial int64
}

func newAuthority(t *testing.T) *authorityOf {
	t.Helper()
	a := &authorityOf{t: t, dir: t.TempDir(), key: ecKey(t).(*ecdsa.PrivateKey)}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	require.NoError(t, err)
	a.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authorityOf) file(name string) string { return filepath.Join(a.dir, name) }

func (a *authorityOf) write(name, kind string, der []byte) {
	a.t.Helper()
	require.NoError(a.t, os.WriteFile(a.file(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// sign writes NAME.pem and NAME.key, and returns the serial number.
func (a *authorityOf) sign(name string) *big.Int {
	a.t.Helper()
	a.serial++
	key := ecKey(a.t)
	template := &x509.Certificate{SerialNumber: big.NewInt(100 + a.serial), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	require.NoError(a.t, err)
	a.write(name+".pem", "CERTIFICATE", der)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	a.write(name+".key", "PRIVATE KEY", secret)
	return template.SerialNumber
}

// serial is that of the certificate that a server shows.
func (a *authorityOf) serialOf(d *daemon) *big.Int {
	a.t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	c, err := tls.Dial("tcp", strings.TrimPrefix(d.url, "https://"), &tls.Config{RootCAs: pool})
	require.NoError(a.t, err)
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].SerialNumber
}

// TestTLS: a server with a certificate is logged in to by its authority, and by nothing less; a
// renewed certificate is shown at once, and a damaged one never.
func TestTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	first := a.sign("server")
	d := withFlags(t, "--tls-cert="+a.file("server.pem"), "--tls-key="+a.file("server.key"))
	answer, err := http.Get(d.url + "/v1/me")
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, 400, answer.StatusCode, "in the clear")
	d.url = strings.Replace(d.url, "http:", "https:", 1)
	require.Equal(t, first, a.serialOf(d))

	u := d.user()
	_, errs := u.given(3, u.token, "login", d.url)
	require.Contains(t, errs, "certificate")
	u.given(0, u.token, "login", d.url, "--ca", a.file("ca.pem"))
	u.runs(0, "ops", "list")

	second := a.sign("server")
	require.Eventually(t, func() bool { return a.serialOf(d).Cmp(second) == 0 }, 5*time.Second, 100*time.Millisecond)
	require.NoError(t, os.WriteFile(a.file("server.key"), []byte("half"), 0o600))
	time.Sleep(lookEvery + 100*time.Millisecond)
	require.Equal(t, second, a.serialOf(d))
	u.runs(0, "ops", "list")
	log, err := os.ReadFile(filepath.Join(d.dir, "log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "the certificate was renewed")
	require.Contains(t, string(log), "the one before goes on")
}

// TestStoreTLS: the records are in an etcd that takes no connection but with a certificate of its
// authority; when it goes, the server says what it lacks, and lives.
func TestStoreTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.sign("etcd")
	a.sign("manager")
	e := startEtcd(t, func(c *embed.Config) {
		c.ClientTLSInfo = transport.TLSInfo{CertFile: a.file("etcd.pem"), KeyFile: a.file("etcd.key"), TrustedCAFile: a.file("ca.pem"), ClientCertAuth: true}
		c.ListenClientUrls[0].Scheme = "https"
	})
	d := withFlags(t, "--etcd=https://"+e.Clients[0].Addr().String(), "--etcd-ca="+a.file("ca.pem"), "--etcd-cert="+a.file("manager.pem"), "--etcd-key="+a.file("manager.key"))
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "input": m{"bundle": d.upload(hello)}}))
	require.Equal(t, "store: ok\nquota: ok\n", string(d.ask(200, "GET", "/readyz", nil).body))
	require.Contains(t, string(d.ask(200, "GET", "/metrics", nil).body), "kumiki_store_up 1")
	e.Server.HardStop()
	require.Contains(t, string(d.ask(503, "GET", "/readyz", nil).body), "store: the store does not answer")
	d.ask(200, "GET", "/healthz", nil)
	require.Equal(t, "manager/unavailable", d.ask(503, "GET", "/v1/deployments", nil).code())
}
