package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	nodelease "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
)

// plan is what the components are told: where they listen, and their files.
type plan struct {
	etcd, peer  string // URLs.
	port        string // The API server's.
	key, tokens string
	certificate string
	kubeconfig  string
	stages      string
}

// prepare writes the files of the components.
func (u *up) prepare() (plan, error) {
	var err error
	if u.dir, err = filepath.Abs(u.dir); err != nil {
		return plan{}, err
	}
	if err := os.MkdirAll(u.dir, 0o700); err != nil {
		return plan{}, err
	}
	ports, err := freePorts(3)
	if err != nil {
		return plan{}, err
	}
	key, err := privateKey()
	if err != nil {
		return plan{}, err
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return plan{}, err
	}
	token := hex.EncodeToString(random)
	p := plan{
		etcd: "http://127.0.0.1:" + ports[0], peer: "http://127.0.0.1:" + ports[1], port: ports[2],
		key: u.path("sa.key"), tokens: u.path("tokens.csv"), certificate: u.path("certs", "apiserver.crt"),
		kubeconfig: u.path("kubeconfig"), stages: u.path("stages.yaml"),
	}
	for name, text := range map[string]string{
		p.key:        key,
		p.tokens:     token + ",admin,admin,\"system:masters\"\n",
		p.stages:     stages(),
		p.kubeconfig: fmt.Sprintf(kubeconfigTemplate, p.port, p.certificate, token),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return plan{}, err
		}
	}
	return p, nil
}

// serveAPI starts etcd and the API server, and waits until that is ready.
func (u *up) serveAPI(ctx context.Context, p plan) error {
	if err := u.spawn("etcd", "--name=t", "--data-dir="+u.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+p.etcd, "--advertise-client-urls="+p.etcd,
		"--listen-peer-urls="+p.peer, "--initial-advertise-peer-urls="+p.peer, "--initial-cluster=t="+p.peer); err != nil {
		return err
	}
	if err := u.spawn("kube-apiserver", "--etcd-servers="+p.etcd, "--bind-address=127.0.0.1", "--secure-port="+p.port,
		// Loopback is no valid endpoint, so the server must not list itself.
		"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none", "--cert-dir="+filepath.Dir(p.certificate),
		"--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=Node,RBAC", "--token-auth-file="+p.tokens,
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+p.key,
		"--service-account-signing-key-file="+p.key, "--allow-privileged", "--shutdown-delay-duration=0s"); err != nil {
		return err
	}
	// The API server writes its certificate, which holds its authority's too,
	// before it serves.
	if err := u.poll(ctx, time.Minute, "certificate of the API server", func() error { _, err := os.Stat(p.certificate); return err }); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	err = u.poll(ctx, 2*time.Minute, "API server", func() error {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err
	})
	if err == nil {
		u.client = client
	}
	return err
}

// control starts what acts on the objects: the controllers, the scheduler, and
// in place of kubelets, kwok.
func (u *up) control(p plan) error {
	if err := u.spawn("kube-controller-manager", "--kubeconfig="+p.kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file="+p.key, "--root-ca-file="+p.certificate, "--enable-hostpath-provisioner"); err != nil {
		return err
	}
	if err := u.spawn("kube-scheduler", "--kubeconfig="+p.kubeconfig, "--leader-elect=false", "--secure-port=0"); err != nil {
		return err
	}
	return u.spawn("kwok", "--kubeconfig="+p.kubeconfig, "--config="+p.stages, "--manage-all-nodes",
		"--node-ip=127.0.0.1", "--node-port=0", "--cidr=10.244.0.0/16", "--node-lease-duration-seconds=40")
}

func privateKey() (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})), err
}

// freePorts holds all n ports at once, so that they differ, and then lets them
// go.
func freePorts(n int) (ports []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return ports, nil
}

// stages is what kwok does with nodes and pods; it does nothing by itself.
func stages() string {
	return strings.Join([]string{
		nodefast.DefaultNodeInit, nodelease.DefaultNodeHeartbeatWithLease,
		handsOff(podfast.DefaultPodReady), handsOff(podfast.DefaultPodComplete), podfast.DefaultPodDelete,
	}, "\n---\n")
}

// handsOff leaves alone the pods that are annotated kwok.x-k8s.io/status=custom:
// they stay pending, and a test writes their status itself.
func handsOff(stage string) string {
	const at = "    matchExpressions:\n"
	if !strings.Contains(stage, at) {
		panic("kwok stage without matchExpressions")
	}
	return strings.Replace(stage, at, at+`    - key: '.metadata.annotations["kwok.x-k8s.io/status"]'
      operator: NotIn
      values: [custom]
`, 1)
}

const kubeconfigTemplate = `apiVersion: v1
kind: Config
current-context: test
clusters:
- name: test
  cluster: {server: "https://127.0.0.1:%s", certificate-authority: %q}
users:
- name: admin
  user: {token: %q}
contexts:
- name: test
  context: {cluster: test, user: admin}
`
