package main

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// etcd starts one elsewhere, and returns where it answers.
func etcd(t *testing.T) string {
	t.Helper()
	c := embed.NewConfig()
	c.Dir = t.TempDir()
	address := func() []url.URL {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		return []url.URL{{Scheme: "http", Host: l.Addr().String()}}
	}
	client, peer := address(), address()
	c.ListenClientUrls, c.AdvertiseClientUrls, c.ListenPeerUrls, c.AdvertisePeerUrls = client, client, peer, peer
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	e, err := embed.StartEtcd(c)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	<-e.Server.ReadyNotify()
	return client[0].String()
}

// TestSeveral: of two servers over one etcd either answers, and where the one that carries out
// operations is killed in the middle of one, the other comes to its end.
func TestSeveral(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"KUMIKID_ETCD=" + etcd(t), "KUMIKID_FOLDER=" + filepath.Join(dir, "environments"), "KUMIKID_SERVE=" + filepath.Join(dir, "state")}
	first := newDaemon(t, append(env, "KUMIKID_SOCKET="+filepath.Join(dir, "1.sock"), "KUMIKID_CRASH=object:3")...)
	digest := first.upload(shop)
	second := newDaemon(t, append(env, "KUMIKID_SOCKET="+filepath.Join(dir, "2.sock"))...)
	second.token = first.token
	r := first.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": digest}})
	require.Error(t, first.cmd.Wait())
	second.well(r)
	require.Equal(t, 1, second.applied("shop"))
	second.dir = dir
	require.Contains(t, fmt.Sprint(second.objects()), "shop-web")
}
