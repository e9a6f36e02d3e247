package store_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"kumiki.dev/run/store"
)

// single is the address of an etcd of one member.
func single(t *testing.T) string {
	t.Helper()
	return started(t, 1)[0].Config().AdvertiseClientUrls[0].String()
}

// started starts an etcd cluster of n members.
func started(t *testing.T, n int) []*embed.Etcd {
	t.Helper()
	var configs []*embed.Config
	var initial []string
	for i := range n {
		c := embed.NewConfig()
		c.Name, c.Dir = fmt.Sprintf("m%d", i), t.TempDir()
		client, peer := free(t), free(t)
		c.ListenClientUrls, c.AdvertiseClientUrls = client, client
		c.ListenPeerUrls, c.AdvertisePeerUrls = peer, peer
		c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		initial = append(initial, c.Name+"="+peer[0].String())
		configs = append(configs, c)
	}
	etcds := make([]*embed.Etcd, len(configs))
	var wg sync.WaitGroup
	for i, c := range configs {
		c.InitialCluster = strings.Join(initial, ",")
		wg.Go(func() {
			e, err := embed.StartEtcd(c)
			if err != nil {
				t.Error(err)
				return
			}
			<-e.Server.ReadyNotify()
			etcds[i] = e
		})
	}
	wg.Wait()
	t.Cleanup(func() {
		for _, e := range etcds {
			if e != nil {
				e.Close()
			}
		}
	})
	return etcds
}

// free is an address that nobody listens at.
func free(t *testing.T) []url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return []url.URL{{Scheme: "http", Host: l.Addr().String()}}
}

// TestCluster: two servers over three members lose nothing when the leader of these is gone.
func TestCluster(t *testing.T) {
	t.Parallel()
	etcds := started(t, 3)
	var endpoints []string
	for _, e := range etcds {
		endpoints = append(endpoints, e.Config().AdvertiseClientUrls[0].String())
	}
	dir := t.TempDir()
	servers := []*store.Store{open(t, store.Options{Dir: dir, Endpoints: endpoints}), open(t, store.Options{Dir: dir, Endpoints: endpoints})}
	_, err := servers[0].Commit(t.Context(), store.Put("a/1", number{0}, 0))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var added atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				key := fmt.Sprintf("w/%d-%06d", i, n)
				if _, err := servers[i%2].Commit(t.Context(), store.Put(key, number{n}, 0)); err == nil {
					added.Add(1)
				}
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	before := added.Load()
	for i, e := range etcds {
		if e.Server.Leader() == e.Server.MemberID() {
			e.Close()
			etcds[i] = nil
			break
		}
	}
	require.Eventually(t, func() bool { return added.Load() > before+500 }, 30*time.Second, 50*time.Millisecond, "it goes on with the other two")
	stop()
	wg.Wait()
	all, _, _, err := servers[1].List(t.Context(), "w/", store.Page{Keys: true})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), int(added.Load()), "what was acknowledged is there")
	t.Logf("%d of %d before the leader went", before, added.Load())
}
