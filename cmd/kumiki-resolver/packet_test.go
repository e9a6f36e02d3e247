package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// offline is a resolver whose cluster has no DNS.
func offline(t testing.TB) *resolver {
	t.Helper()
	c, err := parseChannels([]byte(frontChannels))
	require.NoError(t, err)
	r := &resolver{search: []string{domain}, upstream: &upstream{}}
	r.channels.Store(&c)
	return r
}

// TestPackets shows what is replied to packets that are no proper question.
func TestPackets(t *testing.T) {
	t.Parallel()
	good := question(t, 7, "0.open.", dnsmessage.TypeA)
	change := func(at int, value byte) []byte {
		b := bytes.Clone(good)
		b[at] = value
		return b
	}
	tests := []struct {
		name   string
		packet []byte
		code   int // -1 for no reply.
	}{
		{"nothing", nil, -1},
		{"half a header", good[:7], -1},
		{"an answer", change(2, 0x80), -1},
		{"an update", change(2, 5<<3), int(dnsmessage.RCodeNotImplemented)},
		{"no question", change(5, 0), int(dnsmessage.RCodeFormatError)},
		{"two questions, one there", change(5, 2), int(dnsmessage.RCodeFormatError)},
		{"two questions", append(change(5, 2), good[headerLength:]...), int(dnsmessage.RCodeFormatError)},
		{"half a question", good[:len(good)-3], int(dnsmessage.RCodeFormatError)},
		{"a name that points to itself", append(change(5, 1)[:headerLength], 0xC0, headerLength, 0, 1, 0, 1), int(dnsmessage.RCodeFormatError)},
		{"a record that is not there", change(11, 1), int(dnsmessage.RCodeFormatError)},
		{"a whole zone", question(t, 7, "example.org.", dnsmessage.TypeAXFR), int(dnsmessage.RCodeRefused)},
		{"the question itself", good, int(dnsmessage.RCodeNameError)},
		{"a question with something behind it", append(bytes.Clone(good), 1, 2, 3), int(dnsmessage.RCodeNameError)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reply := offline(t).answer(t.Context(), test.packet, false)
			if test.code < 0 {
				require.Nil(t, reply)
				return
			}
			require.GreaterOrEqual(t, len(reply), headerLength)
			require.Equal(t, test.code, int(reply[3]&0xF))
			require.LessOrEqual(t, len(reply), len(test.packet))
		})
	}
}

// FuzzAnswer looks for a request that stops the resolver, or that is answered
// by more than its sender has asked for.
func FuzzAnswer(f *testing.F) {
	for _, name := range []string{"0.sql.", "set.0.sql." + domain + ".", "9.sql.", "www.example.org.", readyName} {
		for _, t := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeSRV, dnsmessage.TypeAXFR} {
			f.Add(question(f, 1, name, t), false)
		}
	}
	q, err := packQuestion(dnsmessage.Question{Name: dnsmessage.MustNewName("0.far."), Type: dnsmessage.TypeAAAA, Class: dnsmessage.ClassINET})
	require.NoError(f, err)
	f.Add(q, true)
	r := offline(f)
	f.Fuzz(func(t *testing.T, request []byte, stream bool) {
		reply := r.answer(context.Background(), request, stream)
		if reply == nil {
			return
		}
		require.Equal(t, request[:2], reply[:2])
		require.NotZero(t, reply[2]&0x80)
		// Nothing is known without the cluster but one record about a port.
		require.LessOrEqual(t, len(reply), 2*len(request)+64)
		var m dnsmessage.Message
		require.NoError(t, m.Unpack(reply))
	})
}

// FuzzReply looks for an answer of a DNS server that stops the resolver.
func FuzzReply(f *testing.F) {
	asked := dnsmessage.Question{Name: dnsmessage.MustNewName("shop-db." + domain + "."), Type: dnsmessage.TypeSRV, Class: dnsmessage.ClassINET}
	request, err := packQuestion(asked)
	require.NoError(f, err)
	q, _, _ := parseQuery(request, false)
	for _, body := range []dnsmessage.ResourceBody{srv(1, "x."), a("10.0.0.1"), aaaa("fd00::1")} {
		f.Add(q.reply(dnsmessage.RCodeSuccess, []record{{1, body}}))
	}
	f.Add(q.reply(dnsmessage.RCodeNameError, nil))
	f.Fuzz(func(t *testing.T, reply []byte) {
		if !answers(reply, request, asked) {
			return
		}
		_ = truncated(reply)
		for _, kind := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA, dnsmessage.TypeSRV} {
			code, records := parseRecords(reply, kind)
			require.NotNil(t, q.reply(code&0xF, records))
		}
	})
}

func TestRandomNumbers(t *testing.T) {
	t.Parallel()
	up := newDNSServer(t, "127.0.0.1:0", nil)
	front := newRole(t, "", frontChannels, up.address)
	for range 50 {
		front.send(t, question(t, 1, "www.example.org.", dnsmessage.TypeA))
	}
	numbers := map[uint16]bool{}
	up.mu.Lock()
	defer up.mu.Unlock()
	for _, request := range up.requests {
		numbers[binary.BigEndian.Uint16(request)] = true
	}
	require.Greater(t, len(numbers), 40)
}

func TestChannelsFile(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, data, want string }{
		{"no JSON", "x", "invalid character"},
		{"another shape", `{"channels": []}`, "cannot unmarshal array"},
		{"port", `{"channels": {"c": [{"port": 65536}]}}`, "cannot unmarshal number 65536"},
		{"same name", `{"channels": {"c": [], "C": []}}`, `two channels have the name "c"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseChannels([]byte(test.data))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestResolvConf(t *testing.T) {
	t.Parallel()
	text := "; comment\nsearch one.test\n nameserver 10.96.0.10 # first\nnameserver fd00::a\nsearch Two.test. three.test\noptions ndots:5 attempts:9 3 edns0\nnameserver\n"
	c := parseResolvConf([]byte(text))
	require.Equal(t, []string{"10.96.0.10:53", "[fd00::a]:53"}, c.addresses())
	require.Equal(t, []string{"two.test", "three.test"}, c.search)
	require.Equal(t, 5, c.attempts)
	want := "nameserver 127.0.0.1\n; comment\nsearch one.test\nsearch Two.test. three.test\noptions ndots:5 attempts:9 3 edns0\nnameserver\n"
	require.Equal(t, want, string(c.pointedAt("127.0.0.1")))
	require.Equal(t, []string{"127.0.0.1"}, parseResolvConf(c.pointedAt("127.0.0.1")).servers)
	require.False(t, strings.Contains(want, "10.96"))
}
