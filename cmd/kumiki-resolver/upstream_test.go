package main

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

const testTTL = 30

// zone is what a test's DNS server knows, by full names in lower case.
type zone map[string][]dnsmessage.ResourceBody

func a(address string) dnsmessage.ResourceBody {
	return &dnsmessage.AResource{A: [4]byte(net.ParseIP(address).To4())}
}

func aaaa(address string) dnsmessage.ResourceBody {
	return &dnsmessage.AAAAResource{AAAA: [16]byte(net.ParseIP(address))}
}

func srv(port uint16, target string) dnsmessage.ResourceBody {
	return &dnsmessage.SRVResource{Port: port, Target: dnsmessage.MustNewName(target)}
}

// dnsServer is a real DNS server, such as a cluster has.
type dnsServer struct {
	address string
	zone    zone
	// meddle changes what is sent by UDP, where it is not nil.
	meddle func(reply []byte) [][]byte

	mu       sync.Mutex
	requests [][]byte
}

func newDNSServer(t *testing.T, address string, meddle func(reply []byte) [][]byte) *dnsServer {
	t.Helper()
	d := &dnsServer{zone: cluster, meddle: meddle}
	var udp net.PacketConn
	var tcp net.Listener
	require.Eventually(t, func() bool { // The port of one protocol may be taken in the other.
		var err error
		udp, err = net.ListenPacket("udp", address)
		require.NoError(t, err)
		if tcp, err = net.Listen("tcp", udp.LocalAddr().String()); err != nil {
			udp.Close()
		}
		return err == nil
	}, 10*time.Second, time.Millisecond)
	d.address = udp.LocalAddr().String()
	t.Cleanup(func() { udp.Close(); tcp.Close() })
	go d.datagrams(udp)
	go func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			go d.stream(conn)
		}
	}()
	return d
}

func (d *dnsServer) datagrams(udp net.PacketConn) {
	buffer := make([]byte, maxMessage)
	for {
		n, from, err := udp.ReadFrom(buffer)
		if err != nil {
			return
		}
		reply := d.reply(bytes.Clone(buffer[:n]), false)
		replies := [][]byte{reply}
		if d.meddle != nil {
			replies = d.meddle(reply)
		}
		for _, r := range replies {
			_, _ = udp.WriteTo(r, from)
		}
	}
}

func (d *dnsServer) stream(conn net.Conn) {
	defer conn.Close()
	for {
		request, err := readMessage(conn)
		if err != nil || writeMessage(conn, d.reply(request, true)) != nil {
			return
		}
	}
}

func (d *dnsServer) reply(request []byte, stream bool) []byte {
	d.mu.Lock()
	d.requests = append(d.requests, request)
	d.mu.Unlock()
	q, code, ok := parseQuery(request, stream)
	if !ok {
		return nil
	}
	bodies, known := d.zone[strings.ToLower(q.question.Name.String())]
	if !known && code == dnsmessage.RCodeSuccess {
		code = dnsmessage.RCodeNameError
	}
	var records []record
	for _, body := range bodies {
		if typeOf(body) == q.question.Type {
			records = append(records, record{testTTL, body})
		}
	}
	return q.reply(code, records)
}

func typeOf(body dnsmessage.ResourceBody) dnsmessage.Type {
	switch body.(type) {
	case *dnsmessage.AResource:
		return dnsmessage.TypeA
	case *dnsmessage.AAAAResource:
		return dnsmessage.TypeAAAA
	case *dnsmessage.SRVResource:
		return dnsmessage.TypeSRV
	default:
		return dnsmessage.TypeTXT
	}
}

// asked are the questions that the server has been asked, each once.
func (d *dnsServer) asked(t *testing.T) []string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, request := range d.requests {
		q, _, ok := parseQuery(request, false)
		require.True(t, ok)
		names = append(names, q.question.Type.String()+" "+q.question.Name.String())
	}
	return names
}
