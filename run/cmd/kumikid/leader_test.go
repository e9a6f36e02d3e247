package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// member is one of a cluster of etcd, as a process of its own.
type member struct {
	Name, Dir, Client, Peer, Cluster string

	cmd *exec.Cmd
}

// runMember runs one, in place of the tests.
func runMember(config string) {
	var m member
	if err := json.Unmarshal([]byte(config), &m); err != nil {
		panic(err)
	}
	at := func(text string) []url.URL { return []url.URL{{Scheme: "http", Host: text}} }
	c := embed.NewConfig()
	c.Name, c.Dir, c.InitialCluster = m.Name, m.Dir, m.Cluster
	c.ListenClientUrls, c.AdvertiseClientUrls = at(m.Client), at(m.Client)
	c.ListenPeerUrls, c.AdvertisePeerUrls = at(m.Peer), at(m.Peer)
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	e, err := embed.StartEtcd(c)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	select {
	case err := <-e.Err():
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	case <-time.After(time.Hour): // else the test kills it
		os.Exit(0)
	}
}

// start starts the process.
func (m *member) start(t *testing.T) {
	t.Helper()
	config, err := json.Marshal(m)
	require.NoError(t, err)
	m.cmd = exec.Command(os.Args[0])
	m.cmd.Env, m.cmd.Stderr = append(os.Environ(), "KUMIKID_MEMBER="+string(config)), os.Stderr
	require.NoError(t, m.cmd.Start())
}

func (m *member) kill() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
}

// startMembers starts a cluster of three.
func startMembers(t *testing.T) (all []*member) {
	t.Helper()
	free := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		return l.Addr().String()
	}
	var cluster []string
	for i := range 3 {
		m := &member{Name: fmt.Sprintf("m%d", i), Dir: t.TempDir(), Client: free(), Peer: free()}
		cluster = append(cluster, m.Name+"=http://"+m.Peer)
		all = append(all, m)
	}
	for _, m := range all {
		m.Cluster = strings.Join(cluster, ",")
		m.start(t)
		t.Cleanup(m.kill)
	}
	require.Eventually(t, func() bool { return leader(t, all) != nil }, 60*time.Second, 100*time.Millisecond)
	return all
}

// leader is the member that leads, nil for none.
func leader(t *testing.T, all []*member) *member {
	for _, m := range all {
		c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + m.Client}, DialTimeout: time.Second, Logger: zap.NewNop()})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		status, err := c.Status(ctx, "http://"+m.Client)
		cancel()
		_ = c.Close()
		if err == nil && status.Leader != 0 && status.Leader == status.Header.MemberId {
			return m
		}
	}
	return nil
}

// TestLeader: two servers over three members of etcd, of which the one that leads is killed, and
// then the next, while 32 clients make, change, take back and remove deployments: nothing that was
// answered is lost or done twice, and all comes to the end that was wanted last.
func TestLeader(t *testing.T) {
	t.Parallel()
	members := startMembers(t)
	var urls []string
	for _, m := range members {
		urls = append(urls, "http://"+m.Client)
	}
	dir := t.TempDir()
	environments := filepath.Join(dir, "environments")
	env := []string{"KUMIKID_ETCD=" + strings.Join(urls, ","), "KUMIKID_FOLDER=" + environments, "KUMIKID_SERVE=" + filepath.Join(dir, "state")}
	one := newDaemon(t, append(env, "KUMIKID_SOCKET="+filepath.Join(dir, "1.sock"))...)
	two := newDaemon(t, append(env, "KUMIKID_SOCKET="+filepath.Join(dir, "2.sock"))...)
	two.token = one.token
	digest := one.upload(hello)
	var changers []*changer
	for i, name := range names(32) {
		changers = append(changers, newChanger(uint64(i), name, digest, one, two))
	}
	soon, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	changeAll(t, soon, changers, func() {
		for range 2 {
			time.Sleep(2 * time.Second)
			if m := leader(t, members); m != nil {
				m.kill()
				time.Sleep(2 * time.Second)
				m.start(t)
			}
		}
	})
	taken := 0
	for _, c := range changers {
		c.check(t, two, environments)
		taken += len(c.taken)
	}
	one.settled(t)
	t.Logf("%d changes were taken", taken)
}
