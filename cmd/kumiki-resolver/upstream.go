package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// maxMessage is the length of the longest DNS message.
const maxMessage = 65535

// headerLength is that of the part which every DNS message begins with.
const headerLength = 12

// truncatedBit is in the third byte of a message that was cut short.
const truncatedBit = 0x02

var errNoAnswer = errors.New("no DNS server has answered")

// upstream are the cluster's DNS servers.
type upstream struct {
	servers  []string
	timeout  time.Duration
	attempts int
}

// exchange sends the request to one server after the other until one has
// something to say, and returns the answer under the request's own number. A
// server's failure or refusal is the answer only where no other server knows
// better. By UDP, an answer that was cut short is asked for again by TCP; with
// stream, all goes by TCP.
func (u *upstream) exchange(ctx context.Context, request []byte, q dnsmessage.Question, stream bool) ([]byte, error) {
	var refusal []byte
	for range u.attempts {
		for _, server := range u.servers {
			answer, err := u.ask(ctx, server, request, q, stream)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue
			}
			copy(answer, request[:2])
			switch dnsmessage.RCode(answer[3] & 0xF) {
			case dnsmessage.RCodeServerFailure, dnsmessage.RCodeRefused, dnsmessage.RCodeNotImplemented:
				refusal = answer
			default:
				return answer, nil
			}
		}
	}
	if refusal != nil {
		return refusal, nil
	}
	return nil, errNoAnswer
}

func (u *upstream) ask(ctx context.Context, server string, request []byte, q dnsmessage.Question, stream bool) ([]byte, error) {
	// The number and the port are new for each question, so that nobody can
	// guess them and answer in the server's place.
	sent := append([]byte(nil), request...)
	binary.BigEndian.PutUint16(sent, uint16(rand.Uint32()))
	if !stream {
		answer, err := u.askDatagram(ctx, server, sent, q)
		if err != nil || !truncated(answer) {
			return answer, err
		}
		// What was cut short is still better than nothing.
		if whole, err := u.askStream(ctx, server, sent, q); err == nil {
			return whole, nil
		}
		return answer, nil
	}
	return u.askStream(ctx, server, sent, q)
}

func (u *upstream) dial(ctx context.Context, network, server string) (net.Conn, func(), error) {
	d := net.Dialer{Timeout: u.timeout}
	conn, err := d.DialContext(ctx, network, server)
	if err != nil {
		return nil, nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(u.timeout)); err != nil {
		conn.Close()
		return nil, nil, err
	}
	release := context.AfterFunc(ctx, func() { conn.Close() })
	return conn, func() { release(); conn.Close() }, nil
}

func (u *upstream) askDatagram(ctx context.Context, server string, sent []byte, q dnsmessage.Question) ([]byte, error) {
	conn, done, err := u.dial(ctx, "udp", server)
	if err != nil {
		return nil, err
	}
	defer done()
	if _, err := conn.Write(sent); err != nil {
		return nil, err
	}
	// One byte more than an answer that is passed on may have: what fills it is
	// cut short, and is asked for again by TCP as if the server had said so.
	buffer := make([]byte, maxDatagram+1)
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return nil, err
		}
		// Anything else is late, or not from the server.
		if !answers(buffer[:n], sent, q) {
			continue
		}
		if n > maxDatagram {
			buffer[2] |= truncatedBit
		}
		return buffer[:n], nil
	}
}

func (u *upstream) askStream(ctx context.Context, server string, sent []byte, q dnsmessage.Question) ([]byte, error) {
	conn, done, err := u.dial(ctx, "tcp", server)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := writeMessage(conn, sent); err != nil {
		return nil, err
	}
	answer, err := readMessage(conn)
	if err != nil {
		return nil, err
	}
	if !answers(answer, sent, q) {
		return nil, errNoAnswer
	}
	return answer, nil
}

// answers says whether a message answers the request: its number and its
// question are those of the request.
func answers(message, request []byte, q dnsmessage.Question) bool {
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil || !header.Response || header.ID != binary.BigEndian.Uint16(request) {
		return false
	}
	got, err := p.Question()
	return err == nil && got.Type == q.Type && got.Class == q.Class && strings.EqualFold(got.Name.String(), q.Name.String())
}

func truncated(message []byte) bool { return message[2]&truncatedBit != 0 }

// readMessage reads a message from a stream, where its length stands before it.
func readMessage(r io.Reader) ([]byte, error) {
	var length [2]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	message := make([]byte, binary.BigEndian.Uint16(length[:]))
	_, err := io.ReadFull(r, message)
	return message, err
}

func writeMessage(w io.Writer, message []byte) error {
	framed := binary.BigEndian.AppendUint16(nil, uint16(len(message)))
	_, err := w.Write(append(framed, message...))
	return err
}
