package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

const domain = "shop.svc.cluster.local"

// cluster is a zone as a cluster's DNS has it.
var cluster = zone{
	"shop-db." + domain + ".":                {a("10.96.0.1"), aaaa("fd00::1")},
	"shop-db-set." + domain + ".":            {a("10.244.0.1"), a("10.244.1.2"), srv(5432, "db-0.shop-db-set."+domain+"."), srv(5432, "db-1.shop-db-set."+domain+"."), srv(9999, "db-0.shop-db-set."+domain+".")},
	"db-0.shop-db-set." + domain + ".":       {a("10.244.0.1")},
	"shop-log." + domain + ".":               {a("10.96.0.2")},
	"shop-log-set." + domain + ".":           {a("10.244.7.7")},
	"far.other.svc.cluster.local.":           {a("10.96.0.3")},
	"shop-many-set." + domain + ".":          many(200),
	"www.example.org.":                       {a("192.0.2.1"), &dnsmessage.TXTResource{TXT: []string{"unchanged"}}},
	"big.example.org.":                       many(300),
	"empty-set.shop.svc.cluster.local.":      nil,
	"0.unknown.example.org.":                 {a("192.0.2.9")},
	"unknown.shop.svc.cluster.local.":        {a("192.0.2.8")},
	"kubernetes.default.svc.cluster.local.":  {a("10.96.0.10")},
	"0.shop-other.shop.svc.cluster.local.":   {a("192.0.2.7")},
	"db-1.shop-db-set.shop.svc.cluster.loca": nil,
}

func many(n int) (bodies []dnsmessage.ResourceBody) {
	for i := range n {
		bodies = append(bodies, a(fmt.Sprintf("10.0.%d.%d", i/250, i%250)))
	}
	return bodies
}

// role is a resolver at work, as the pods of one role have it.
type role struct {
	address, out string
	channels     string // The file.
	log          *syncedLog
	stop         func() int
}

// syncedLog is what the resolver has written.
type syncedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *syncedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *syncedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newRole(t *testing.T, listenAt, channels string, servers ...string) role {
	t.Helper()
	dir := t.TempDir()
	r := role{address: listenAt, out: filepath.Join(dir, "out.conf"), channels: filepath.Join(dir, "channels.json"), log: new(syncedLog)}
	conf := "# the cluster's\nsearch " + domain + " svc.cluster.local cluster.local\noptions ndots:5 attempts:1\n"
	for _, server := range servers {
		conf += "nameserver " + server + "\n"
	}
	require.NoError(t, os.WriteFile(r.channels, []byte(channels), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "resolv.conf"), []byte(conf), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	begin := func() {
		if listenAt == "" {
			r.address = freeAddress(t)
		}
		args := []string{
			"-channels", r.channels, "-refresh", "10ms", "-resolv", filepath.Join(dir, "resolv.conf"),
			"-out", r.out, "-listen", r.address, "-timeout", "500ms",
		}
		go func() { done <- run(ctx, args, r.log) }()
	}
	begin()
	r.stop = func() int { cancel(); return <-done }
	require.Eventually(t, func() bool {
		select {
		case <-done: // Somebody else has got the port meanwhile.
			begin()
		default:
		}
		return r.check() == 0
	}, 10*time.Second, 5*time.Millisecond)
	t.Cleanup(cancel)
	return r
}

func (r role) check() int {
	return run(context.Background(), []string{"-check", "-listen", r.address, "-out", r.out}, new(bytes.Buffer))
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// client is Go's own resolver, asking the role's.
func (r role) client() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, r.address)
	}}
}

func (r role) hosts(t *testing.T, name string) []string {
	t.Helper()
	got, err := r.client().LookupHost(t.Context(), name)
	require.NoError(t, err)
	slices.Sort(got)
	return got
}

// send sends a message by UDP and returns the reply.
func (r role) send(t *testing.T, message []byte) []byte {
	t.Helper()
	conn, err := net.Dial("udp", r.address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = conn.Write(message)
	require.NoError(t, err)
	reply := make([]byte, maxMessage)
	n, err := conn.Read(reply)
	require.NoError(t, err)
	return reply[:n]
}

func question(t testing.TB, id uint16, name string, kind dnsmessage.Type) []byte {
	t.Helper()
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: id, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}},
	}
	packed, err := m.Pack()
	require.NoError(t, err)
	return packed
}

const (
	frontChannels = `{"channels": {"sql": [{"lb": "shop-db", "set": "shop-db-set", "port": 5432, "protocol": "tcp"}],
		"Far": [{"lb": "gone", "set": "empty-set", "port": 1, "protocol": "tcp"}, {"lb": "far.other.svc", "set": "shop-many-set", "port": 2, "protocol": "udp"}],
		"peers": [{"set": "shop-log-set", "port": 7000, "protocol": "tcp"}], "open": []}}`
	backChannels = `{"channels": {"sql": [{"lb": "shop-log", "set": "shop-log-set", "port": 9000, "protocol": "tcp"}]}}`
)

// TestRoles shows two roles whose channels have the same name and lead to
// different servers.
func TestRoles(t *testing.T) {
	t.Parallel()
	up := newDNSServer(t, "127.0.0.1:0", nil)
	front := newRole(t, "", frontChannels, up.address)
	back := newRole(t, "", backChannels, up.address)

	require.Equal(t, []string{"10.96.0.1", "fd00::1"}, front.hosts(t, "0.sql."))
	require.Equal(t, []string{"10.96.0.2"}, back.hosts(t, "0.sql."))
	require.Equal(t, []string{"10.244.0.1", "10.244.1.2"}, front.hosts(t, "set.0.sql."))
	require.Equal(t, []string{"10.244.7.7"}, back.hosts(t, "set.0.sql."))
	// The names come with the search domains too, in any case.
	for _, name := range []string{"0.sql." + domain + ".", "0.SQL.svc.cluster.local.", "0.Sql.Cluster.Local."} {
		require.Equal(t, []string{"10.96.0.1", "fd00::1"}, front.hosts(t, name), name)
		require.Equal(t, []string{"10.96.0.2"}, back.hosts(t, name), name)
	}
	// The second group, in another namespace, and a channel of instances only.
	require.Equal(t, []string{"10.96.0.3"}, front.hosts(t, "1.far."))
	require.Equal(t, []string{"10.244.7.7"}, front.hosts(t, "0.peers."))
	// No name of a channel has gone to the cluster.
	for _, name := range up.asked(t) {
		require.NotContains(t, name, "sql")
	}
}

func TestNamesThatLeadNowhere(t *testing.T) {
	t.Parallel()
	up := newDNSServer(t, "127.0.0.1:0", nil)
	front := newRole(t, "", frontChannels, up.address)
	for _, name := range []string{"1.sql.", "0.open.", "0.far.", "set.7.sql." + domain + "."} {
		_, err := front.client().LookupHost(t.Context(), name)
		var missing *net.DNSError
		require.ErrorAs(t, err, &missing, name)
		require.True(t, missing.IsNotFound, name)
	}
	reply := front.send(t, question(t, 5, "0.sql.", dnsmessage.TypeMX))
	var m dnsmessage.Message
	require.NoError(t, m.Unpack(reply))
	require.Equal(t, dnsmessage.RCodeSuccess, m.RCode)
	require.Empty(t, m.Answers)
	// What only looks like a channel's name is the cluster's to answer.
	require.Equal(t, []string{"192.0.2.9"}, front.hosts(t, "0.unknown.example.org."))
	require.Equal(t, []string{"192.0.2.8"}, front.hosts(t, "unknown."+domain+"."))
	require.Equal(t, []string{"192.0.2.7"}, front.hosts(t, "0.shop-other."+domain+"."))
}

func TestServiceRecords(t *testing.T) {
	t.Parallel()
	up := newDNSServer(t, "127.0.0.1:0", nil)
	front := newRole(t, "", frontChannels, up.address)
	tests := []struct{ name, want string }{
		{"set.0.sql.", "db-0.shop-db-set." + domain + ".:5432 db-1.shop-db-set." + domain + ".:5432 "},
		{"0.sql.", "0.sql.:80 "},
		{"0.sql." + domain + ".", "0.sql." + domain + ".:80 "},
		// The server lists none, but there are instances.
		{"set.0.peers.", "set.0.peers.:7000 "},
		{"0.peers.", "0.peers.:7000 "},
	}
	for _, test := range tests {
		_, found, err := front.client().LookupSRV(t.Context(), "", "", test.name)
		require.NoError(t, err, test.name)
		slices.SortFunc(found, func(a, b *net.SRV) int { return bytes.Compare([]byte(a.Target), []byte(b.Target)) })
		got := ""
		for _, s := range found {
			got += fmt.Sprintf("%s:%d ", s.Target, s.Port)
			require.NotEmpty(t, front.hosts(t, "0.sql."))
		}
		require.Equal(t, test.want, got, test.name)
	}
	require.Equal(t, []string{"10.244.0.1"}, front.hosts(t, "db-0.shop-db-set."+domain+"."))
}

// TestFollow shows that the names lead where the file says, when it changes too.
func TestFollow(t *testing.T) {
	t.Parallel()
	up := newDNSServer(t, "127.0.0.1:0", nil)
	front := newRole(t, "", frontChannels, up.address)
	require.Equal(t, []string{"10.96.0.1", "fd00::1"}, front.hosts(t, "0.sql."))
	require.NoError(t, writeFile(front.channels, []byte(backChannels)))
	require.Eventually(t, func() bool {
		return slices.Equal([]string{"10.96.0.2"}, front.hosts(t, "0.sql."))
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, writeFile(front.channels, []byte("{")))
	require.Eventually(t, func() bool {
		return strings.Contains(front.log.String(), "what was read before still holds")
	}, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{"10.96.0.2"}, front.hosts(t, "0.sql."))
	require.NoError(t, writeFile(front.channels, []byte(frontChannels)))
	require.Eventually(t, func() bool {
		return slices.Contains(front.hosts(t, "0.sql."), "10.96.0.1")
	}, 10*time.Second, 10*time.Millisecond)
}

// TestLongAnswers go by TCP, from the cluster and to the client.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	up := newDNSServer(t, "127.0.0.1:0", nil)
	front := newRole(t, "", frontChannels, up.address)
	require.Len(t, front.hosts(t, "set.1.far."), 200)
	require.Len(t, front.hosts(t, "big.example.org."), 300)
	for _, name := range []string{"set.1.far.", "big.example.org."} {
		reply := front.send(t, question(t, 9, name, dnsmessage.TypeA))
		require.LessOrEqual(t, len(reply), minDatagram)
		require.True(t, truncated(reply))
	}
}

// TestForward shows that what is not a channel's goes to the cluster byte for
// byte, its number aside, and so does what comes back.
func TestForward(t *testing.T) {
	t.Parallel()
	up := newDNSServer(t, "127.0.0.1:0", nil)
	front := newRole(t, "", frontChannels, up.address)
	text, err := front.client().LookupTXT(t.Context(), "www.example.org.")
	require.NoError(t, err)
	require.Equal(t, []string{"unchanged"}, text)

	sent := question(t, 4711, "wWw.ExAmPlE.oRg.", dnsmessage.TypeA)
	sent[3] |= 0x10 // A bit that dnsmessage knows, and the resolver does not look at.
	reply := front.send(t, sent)
	require.Equal(t, uint16(4711), binary.BigEndian.Uint16(reply))
	up.mu.Lock()
	last := up.requests[len(up.requests)-1]
	up.mu.Unlock()
	require.Equal(t, sent[2:], last[2:])
	require.NotEqual(t, up.reply(sent, false)[:0], reply)
	require.Equal(t, up.reply(sent, false), reply)

	_, err = front.client().LookupHost(t.Context(), "missing.example.org.")
	var missing *net.DNSError
	require.ErrorAs(t, err, &missing)
	require.True(t, missing.IsNotFound)
}

// TestServers shows what servers may do: fail, be silent, and be impersonated.
func TestServers(t *testing.T) {
	t.Parallel()
	good := newDNSServer(t, "127.0.0.1:0", nil)
	failing := newDNSServer(t, "127.0.0.1:0", func(reply []byte) [][]byte { reply[3] |= byte(dnsmessage.RCodeServerFailure); return [][]byte{reply} })
	silent := newDNSServer(t, "127.0.0.1:0", func([]byte) [][]byte { return nil })
	forged := newDNSServer(t, "127.0.0.1:0", func(reply []byte) [][]byte {
		number, other, query := bytes.Clone(reply), bytes.Clone(reply), bytes.Clone(reply)
		number[0]++
		other[headerLength+1]++ // A letter of the name that was asked for.
		query[2] &^= 0x80
		return [][]byte{nil, {1, 2, 3}, number, other, query, reply}
	})
	want := []string{"10.96.0.1", "fd00::1"}
	require.Equal(t, want, newRole(t, "", frontChannels, failing.address, good.address).hosts(t, "0.sql."))
	require.Equal(t, want, newRole(t, "", frontChannels, silent.address, good.address).hosts(t, "0.sql."))
	require.Equal(t, want, newRole(t, "", frontChannels, freeAddress(t), good.address).hosts(t, "0.sql."))
	require.Equal(t, want, newRole(t, "", frontChannels, forged.address).hosts(t, "0.sql."))
	for _, server := range []*dnsServer{failing, silent} {
		alone := newRole(t, "", frontChannels, server.address)
		for _, name := range []string{"0.sql.", "www.example.org."} {
			reply := alone.send(t, question(t, 3, name, dnsmessage.TypeA))
			require.Equal(t, byte(dnsmessage.RCodeServerFailure), reply[3]&0xF, name)
		}
		require.Zero(t, alone.check(), "it is ready all the same")
	}
}
