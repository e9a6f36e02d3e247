package kubernetes

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// TestNeeds: once the lines of kumiki needs have been run, nothing that pods and
// ingresses refer to is missing.
func TestNeeds(t *testing.T) {
	t.Parallel()
	s := newSite(t, "baseline")
	m := manifest{dir: filepath.Join(root, "examples", "shop", "deploy")}
	stream, _ := m.render(t, s.namespace)
	s.Kubectl(t, stream, "apply", "-n", s.namespace, "--server-side", "-f", "-")
	require.NotEmpty(t, s.missing(t, stream), "nothing is there yet")

	cert, key := keyPair(t)
	file := filepath.Join(t.TempDir(), "value")
	require.NoError(t, os.WriteFile(file, []byte("any"), 0o600))
	lines, said, err := kumiki(t, "needs", m.dir, "-t", "kubernetes", "-n", s.namespace, "-o", "commands")
	require.NoError(t, err, said)
	for line := range strings.Lines(string(lines)) {
		args := strings.Fields(strings.NewReplacer("--cert=FILE", "--cert="+cert, "--key=FILE", "--key="+key, "=FILE", "="+file, "HOST", "shop.example.com").Replace(line))
		if args[0] == "kubectl" {
			s.Kubectl(t, nil, args[1:]...)
		}
	}
	require.Empty(t, s.missing(t, stream))
}

// missing is what objects refer to and the server does not have, as KIND/NAME KEY.
func (s site) missing(t *testing.T, stream []byte) []string {
	t.Helper()
	var secrets corev1.SecretList
	require.NoError(t, json.Unmarshal([]byte(s.Kubectl(t, nil, "get", "secrets", "-n", s.namespace, "-o", "json")), &secrets))
	there := map[string]bool{}
	for _, x := range secrets.Items {
		for key := range x.Data {
			there[x.Name+" "+key] = true
		}
	}
	var missing []string
	look := func(name, key string) {
		if !there[name+" "+key] {
			missing = append(missing, "Secret/"+name+" "+key)
		}
	}
	for _, o := range parse(t, stream) {
		if o.Kind == "Ingress" {
			var i networkingv1.Ingress
			o.read(t, &i)
			for _, tls := range i.Spec.TLS {
				look(tls.SecretName, corev1.TLSCertKey)
			}
		}
		w, _ := workload(t, o)
		for _, c := range append(w.Spec.InitContainers, w.Spec.Containers...) {
			for _, e := range c.Env {
				if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
					look(e.ValueFrom.SecretKeyRef.Name, e.ValueFrom.SecretKeyRef.Key)
				}
			}
		}
	}
	return missing
}

// keyPair writes a certificate and its key.
func keyPair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"shop.example.com"}}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}
