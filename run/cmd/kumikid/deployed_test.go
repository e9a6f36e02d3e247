package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
)

// TestDeployed: the manager, deployed by kumiki from examples/manager to a real API server, is
// started as its pod would be, with the pod's arguments, variables and rights: with these it takes
// a deployment through its life in its namespace, and can do nothing elsewhere.
func TestDeployed(t *testing.T) {
	t.Parallel()
	c := apiServer(t)
	namespace := c.Namespace(t, "pod-security.kubernetes.io/enforce=privileged")
	between := c.Between(t)
	var objects bytes.Buffer
	render := exec.Command(os.Getenv("KUMIKI"), "render", "../../../examples/manager/deploy", "-t", "kubernetes", "-n", namespace)
	render.Stdout = &objects
	require.NoError(t, render.Run())
	c.Kubectl(t, objects.Bytes(), "apply", "--server-side", "-f", "-")
	var made apps.StatefulSet
	require.NoError(t, json.Unmarshal([]byte(c.Kubectl(t, nil, "get", "-n", namespace, "statefulset/manager-server", "-o", "json")), &made))
	pod := made.Spec.Template.Spec
	require.Equal(t, "manager-server", pod.ServiceAccountName)
	between.As(strings.TrimSpace(c.Kubectl(t, nil, "create", "token", pod.ServiceAccountName, "-n", namespace)))

	const token = "of-a-secret-of-the-cluster-0123"
	dir := t.TempDir()
	server := pod.Containers[0]
	cmd := exec.Command(os.Args[0])
	for _, arg := range server.Args {
		arg = strings.Replace(strings.Replace(arg, "=/state", "="+dir, 1), "=/tmp", "="+dir, 1)
		cmd.Args = append(cmd.Args, strings.Replace(arg, "--listen=:7676", "--listen=0.0.0.0:0", 1))
	}
	// The pod's own are in files at a place that only a pod has.
	cmd.Args = append(cmd.Args, "--kubeconfig="+between.Kubeconfig, "--namespace="+namespace)
	cmd.Env = []string{"KUMIKID_MAIN=1", "HOME=" + dir, "PATH=" + filepath.Dir(os.Getenv("KUMIKI"))}
	require.Len(t, server.Env, 1)
	require.Equal(t, "kumiki-admin", server.Env[0].ValueFrom.SecretKeyRef.Name)
	cmd.Env = append(cmd.Env, server.Env[0].Name+"="+token)
	out, err := os.Create(filepath.Join(dir, "out"))
	require.NoError(t, err)
	defer out.Close()
	said := func() string {
		text, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		return string(text)
	}
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said())
		}
		require.NotContains(t, said(), token)
	})
	d := &daemon{t: t, dir: dir, cmd: cmd, token: token}
	listens := regexp.MustCompile(`listening at \S+:(\d+)\n`)
	require.Eventually(t, func() bool {
		if m := listens.FindStringSubmatch(said()); m != nil {
			d.url = "http://" + net.JoinHostPort("127.0.0.1", m[1])
		}
		return d.url != ""
	}, time.Minute, 20*time.Millisecond)
	d.ask(200, "GET", server.StartupProbe.HTTPGet.Path, nil)
	d.ask(200, "GET", server.LivenessProbe.HTTPGet.Path, nil)
	d.ask(200, "GET", server.ReadinessProbe.HTTPGet.Path, nil)

	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": d.upload(shop)}}))
	require.Equal(t, "2", c.Kubectl(t, nil, "get", "-n", namespace, "deployment/shop-web", "-o", "jsonpath={.spec.replicas}"))
	d.ask(200, "GET", "/v1/deployments/shop/status", nil)
	d.well(d.ask(202, "PATCH", "/v1/deployments/shop", m{"set": []string{"config.scale.detail.web.hsize=1"}}, d.of("shop")))
	d.well(d.ask(202, "DELETE", "/v1/deployments/shop?allowData=shop", nil, d.of("shop")))
	for verb, what := range map[string]string{"list": "secrets", "create": "rolebindings.rbac.authorization.k8s.io"} {
		answer, _, err := c.Try(nil, "auth", "can-i", verb, what, "-n", namespace, "--as", "system:serviceaccount:"+namespace+":manager-server")
		require.Error(t, err)
		require.Equal(t, "no\n", answer)
	}
}

// TestVariables: what flags name files for may come as variables, which nothing that is started
// gets; a flag that is given goes first.
func TestVariables(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(file, []byte("from a file"), 0o600))
	t.Setenv("KUMIKID_ADMIN_TOKEN_FILE", file)
	t.Setenv("KUMIKID_TLS_KEY", "the key")
	t.Setenv("KUMIKID_TLS_CERT", "another")
	t.Setenv("DOCKER_AUTH_CONFIG_FILE", file)
	t.Setenv("DOCKER_AUTH_CONFIG", "")
	cmd := newServeCmd(nil, nil)
	require.NoError(t, cmd.Flags().Set("tls-cert", "given.pem"))
	end, err := fromVariables(cmd.Flags())
	require.NoError(t, err)
	get := func(name string) string { return cmd.Flags().Lookup(name).Value.String() }
	require.Equal(t, file, get("admin-token"))
	require.Equal(t, "given.pem", get("tls-cert"))
	text, err := os.ReadFile(get("tls-key"))
	require.NoError(t, err)
	require.Equal(t, "the key", string(text))
	info, err := os.Stat(get("tls-key"))
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	_, there := os.LookupEnv("KUMIKID_TLS_KEY")
	require.False(t, there)
	require.Equal(t, "from a file", os.Getenv("DOCKER_AUTH_CONFIG"))
	end()
	require.NoFileExists(t, get("tls-key"))

	t.Setenv("KUMIKID_ADMIN_TOKEN", "x")
	_, err = fromVariables(newServeCmd(nil, nil).Flags())
	require.ErrorContains(t, err, "KUMIKID_ADMIN_TOKEN and KUMIKID_ADMIN_TOKEN_FILE: one of them is enough")
}
