package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"kumiki.dev/run/internal/registrytest"
	"kumiki.dev/run/store"
)

// etcd starts one elsewhere, and returns where it answers.
func etcd(t *testing.T) string {
	t.Helper()
	return "http://" + startEtcd(t, func(*embed.Config) {}).Clients[0].Addr().String()
}

// startEtcd starts an etcd that somebody has set up.
func startEtcd(t *testing.T, set func(*embed.Config)) *embed.Etcd {
	t.Helper()
	c := embed.NewConfig()
	c.Dir = t.TempDir()
	somewhere := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}} // a port that nobody has
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{somewhere[0]}, []url.URL{somewhere[0]}
	c.ListenPeerUrls, c.AdvertisePeerUrls = somewhere, somewhere
	set(c)
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	e, err := embed.StartEtcd(c)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	<-e.Server.ReadyNotify()
	return e
}

// TestSeveral: of two servers over one etcd either answers, and where the one that carries out
// operations is killed in the middle of one, the other comes to its end. Contents are in a
// directory that both have, or in a registry.
func TestSeveral(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"directory", "registry"} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := []string{"KUMIKID_ETCD=" + etcd(t), "KUMIKID_FOLDER=" + filepath.Join(dir, "environments")}
			first, second := "KUMIKID_SERVE="+filepath.Join(dir, "state"), "KUMIKID_SERVE="+filepath.Join(dir, "state")
			if in == "registry" {
				env = append(env, "KUMIKID_CONTENTS=oci://"+registrytest.Start(t, registrytest.Options{}).Host+"/kumiki")
				second += "2"
			}
			testSeveral(t, dir, slices.Concat(env, []string{first}), slices.Concat(env, []string{second}))
			if in == "registry" {
				there, err := os.ReadDir(filepath.Join(dir, "state"))
				require.NoError(t, err)
				require.Empty(t, there, "all is kept elsewhere")
			}
		})
	}
}

func testSeveral(t *testing.T, dir string, one, two []string) {
	first := newDaemon(t, append(slices.Clone(one), "KUMIKID_SOCKET="+filepath.Join(dir, "1.sock"), "KUMIKID_CRASH=object:3")...)
	digest := first.upload(shop)
	second := newDaemon(t, append(slices.Clone(two), "KUMIKID_SOCKET="+filepath.Join(dir, "2.sock"))...)
	second.token = first.token
	r := first.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": digest}})
	require.Error(t, first.cmd.Wait())
	second.well(r)
	require.Equal(t, 1, second.applied("shop"))
	second.dir = dir
	require.Contains(t, fmt.Sprint(second.objects()), "shop-web")
	require.Equal(t, digest, store.Digest(second.ask(200, "GET", "/v1/deployments/shop/manifests/1/input", nil).body))
}

// TestRegistryAway: where the registry with the contents does not answer, changes are refused with
// 503, records are read, and an operation waits until it answers.
func TestRegistryAway(t *testing.T) {
	t.Parallel()
	registry := registrytest.Start(t, registrytest.Options{})
	dir := t.TempDir()
	d := newDaemon(t, "KUMIKID_FOLDER="+filepath.Join(dir, "environments"), "KUMIKID_CONTENTS=oci://"+registry.Host+"/kumiki", "KUMIKID_PAUSE=phase compiling")
	digest := d.upload(shop)
	begun := d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": digest}})
	registry.Stop()
	require.Equal(t, "manager/unavailable", d.ask(503, "POST", "/v1/bundles", bundle(t, shop)).code())
	require.Equal(t, "manager/unavailable", d.ask(503, "POST", "/v1/deployments", m{"name": "other", "input": m{"bundle": digest}}).code())
	require.Contains(t, string(d.ask(503, "GET", "/v1/deployments/shop/manifests/1/input", nil).body), "oci://"+registry.Host+"/kumiki")
	d.ask(200, "GET", "/v1/deployments/shop", nil)
	d.ask(200, "GET", "/readyz", nil)
	require.Eventually(t, func() bool {
		log, err := os.ReadFile(filepath.Join(d.dir, "log"))
		return err == nil && strings.Contains(string(log), "an operation is looked at again")
	}, time.Minute, 50*time.Millisecond)
	registry.Serve()
	d.well(begun)
	require.Equal(t, 1, d.applied("shop"))
}
