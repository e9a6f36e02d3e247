package swarm_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/test/swarm"
)

// proxyImage is the image that stacks use for proxies; the tests give Debian's
// HAProxy that name.
const proxyImage = "docker.io/library/haproxy:3.2-alpine"

// engine starts an engine, or skips the test where that cannot be.
func engine(t *testing.T) *live {
	t.Helper()
	if testing.Short() {
		t.Skip("a real engine takes a minute: left out by -short")
	}
	if why := swarm.Missing(); why != "" {
		t.Skip(why)
	}
	e, err := swarm.Start(context.Background(), proxyImage)
	require.NoError(t, err)
	t.Cleanup(e.Stop)
	return &live{t: t, Engine: e}
}

// live is an engine in a test.
type live struct {
	t *testing.T
	*swarm.Engine
}

func (l *live) docker(args ...string) string { l.t.Helper(); return l.input("", args...) }

func (l *live) input(input string, args ...string) string {
	l.t.Helper()
	out, err := l.Docker(context.Background(), input, args...)
	require.NoError(l.t, err)
	return out
}

// deploy does what a user does, and makes first what is to be there before the
// stack: external configs and secrets.
func (l *live) deploy(stack string, objects []targets.Object) {
	l.t.Helper()
	l.provide(objects)
	var data bytes.Buffer
	require.NoError(l.t, target.Encode(&data, objects))
	require.NoError(l.t, swarm.WriteFiles(l.Dir(), objects))
	l.input(data.String(), "stack", "config", "-c", "-")
	out := l.input(data.String(), "stack", "deploy", "--resolve-image", "never", "--detach=true", "-c", "-", stack)
	require.NotContains(l.t, out, "Ignoring")
}

// remove removes a stack. The engine refuses to remove a network while a task that is
// stopping is still attached to it, so remove asks again until nothing of the stack is left.
func (l *live) remove(stack string) {
	l.t.Helper()
	var err error
	assert.Eventually(l.t, func() bool {
		_, err = l.Docker(context.Background(), "", "stack", "rm", stack)
		return err == nil
	}, time.Minute, time.Second)
	require.NoError(l.t, err)
}

// registered is the content of a config or secret that somebody registered.
func registered(name string) string {
	switch {
	case strings.HasSuffix(name, ".pem"):
		return certificate()
	case strings.HasSuffix(name, ".domain"):
		return strings.TrimSuffix(name, ".domain") + ".example.com\n"
	case strings.HasSuffix(name, ".port"):
		return "8080"
	default:
		return "content of " + name
	}
}

// certificate makes a certificate and its key.
func certificate() string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "example.com"}, DNSNames: []string{"*.example.com"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})) + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// TestEngineAccepts deploys the stack of every case on an engine that starts no
// tasks.
func TestEngineAccepts(t *testing.T) {
	l := engine(t)
	l.docker("node", "update", "--availability", "drain", strings.TrimSpace(l.docker("node", "ls", "--format", "{{.ID}}")))
	var port atomic.Int32
	port.Store(20000)
	t.Run("cases", func(t *testing.T) {
		each(t, func(t *testing.T, _ *golden.Case, objects []targets.Object) {
			l := live{t: t, Engine: l.Engine}
			stack := strings.ReplaceAll(path.Base(t.Name()), "-", "")
			for _, o := range objects {
				if s, ok := o.Value.(*target.Service); ok {
					for i := range s.Ports { // the cases run side by side, and a port is one's only
						s.Ports[i].Published = int(port.Add(1))
					}
				}
			}
			l.deploy(stack, objects)
			want := target.New(objects)
			require.Len(t, strings.Fields(l.docker("stack", "services", "--format", "{{.Name}}", stack)), len(want.Services))
			maps.DeleteFunc(want.Networks, func(_ string, n *target.Network) bool { return n.External })
			require.Len(t, strings.Fields(l.docker("network", "ls", "--filter", "label=com.docker.stack.namespace="+stack, "--format", "{{.Name}}")), len(want.Networks))
			inventory := target.Names(stack, objects)
			require.ElementsMatch(t, inventory.Configs, strings.Fields(l.docker("config", "ls", "--filter", "label=com.docker.stack.namespace="+stack, "--format", "{{.Name}}")))
			l.deploy(stack, objects)
		})
	})
}

// compiled is the stack of testdata/live.txtar. Where the kernel has no virtual
// servers, Swarm's VIPs and published ports lead nowhere, and names have to
// stand for instances.
func compiled(t *testing.T, sets ...string) []targets.Object {
	t.Helper()
	var objects []targets.Object
	t.Run("compile", func(t *testing.T) {
		golden.Each(t, "testdata/live.txtar", func(t *testing.T, c *golden.Case) {
			result, problems := compiler.Run(context.Background(), compiler.Input{LoadInput: compiler.LoadInput{Dir: c.Dir()}, Sets: sets}, compiler.ExtractStage)
			require.False(t, problems.HasErrors(), "%v", problems)
			var losses = problems[:0]
			objects, losses = target.Lower(result.Solution, targets.Options{})
			require.False(t, losses.HasErrors(), "%v", losses)
		})
	})
	return quick(objects)
}

// quick lets updates of a stack take seconds, and does without what the machine lacks.
func quick(objects []targets.Object) []targets.Object {
	_, err := os.Stat("/proc/net/ip_vs")
	for _, o := range objects {
		s, ok := o.Value.(*target.Service)
		if !ok {
			continue
		}
		s.Deploy.UpdateConfig.Delay, s.Deploy.UpdateConfig.Monitor = "0s", "3s"
		s.Deploy.RestartPolicy.Delay = "500ms"
		s.StopGracePeriod = "2s"
		if err != nil {
			s.Deploy.EndpointMode = "dnsrr"
			s.Ports = nil
		}
	}
	return objects
}
