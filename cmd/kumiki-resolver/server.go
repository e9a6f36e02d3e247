package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

const (
	// maxQuestions is how many questions by UDP are worked on at a time, which
	// bounds the memory that the resolver needs. What comes on top is dropped,
	// and asked again by the client.
	maxQuestions = 256
	// maxStreams is how many clients may be connected by TCP.
	maxStreams = 64
	// idle is how long a client may be silent on a connection.
	idle = 10 * time.Second
	// longest is the time that one question may take.
	longest = 15 * time.Second
	// grace is the time for questions that are being worked on when the
	// resolver is told to stop.
	grace = 2 * time.Second
)

// server takes questions by UDP and TCP at one address.
type server struct {
	resolver *resolver
	udp      net.PacketConn
	tcp      net.Listener
	busy     sync.WaitGroup
}

func listen(ctx context.Context, address string, r *resolver) (*server, error) {
	var config net.ListenConfig
	udp, err := config.ListenPacket(ctx, "udp", address)
	if err != nil {
		return nil, err
	}
	tcp, err := config.Listen(ctx, "tcp", udp.LocalAddr().String())
	if err != nil {
		udp.Close()
		return nil, err
	}
	return &server{resolver: r, udp: udp, tcp: tcp}, nil
}

func (s *server) close() {
	s.tcp.Close()
	s.udp.Close()
}

// run answers until the context ends; then it takes no more questions, and
// gives those that it has some time.
func (s *server) run(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	failed := make(chan error, 2)
	go func() { failed <- s.datagrams(ctx, work) }()
	go func() { failed <- s.streams(ctx, work) }()
	var err error
	ended := 0
	select {
	case <-ctx.Done():
	case err = <-failed:
		ended++
	}
	s.tcp.Close()
	// The socket stays open for the replies; a deadline ends its reader.
	_ = s.udp.SetReadDeadline(time.Unix(1, 0))
	for ; ended < 2; ended++ {
		if e := <-failed; err == nil {
			err = e
		}
	}
	timer := time.AfterFunc(grace, cancel)
	s.busy.Wait()
	timer.Stop()
	s.udp.Close()
	return err
}

func (s *server) datagrams(ctx, work context.Context) error {
	slots := make(chan struct{}, maxQuestions)
	buffer := make([]byte, maxMessage)
	for {
		n, from, err := s.udp.ReadFrom(buffer)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			// Such as a client that is gone before its answer has come.
			if errors.Is(err, net.ErrClosed) {
				return err
			}
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			continue
		}
		request := append([]byte(nil), buffer[:n]...)
		s.busy.Go(func() {
			defer func() { <-slots }()
			if reply := s.reply(work, request, false); reply != nil {
				_, _ = s.udp.WriteTo(reply, from)
			}
		})
	}
}

func (s *server) streams(ctx, work context.Context) error {
	slots := make(chan struct{}, maxStreams)
	for {
		conn, err := s.tcp.Accept()
		if ctx.Err() != nil {
			if err == nil {
				conn.Close()
			}
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil {
			// Such as too many open files; it must not become a busy loop.
			time.Sleep(10 * time.Millisecond)
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		s.busy.Go(func() {
			defer func() { <-slots }()
			s.stream(ctx, work, conn)
		})
	}
}

// stream answers the questions of one connection, one after the other, until
// the client has no more or the resolver stops.
func (s *server) stream(ctx, work context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	for {
		if conn.SetDeadline(time.Now().Add(idle)) != nil || ctx.Err() != nil {
			return
		}
		request, err := readMessage(conn)
		if err != nil {
			return
		}
		reply := s.reply(work, request, true)
		if reply == nil || conn.SetWriteDeadline(time.Now().Add(idle)) != nil || writeMessage(conn, reply) != nil {
			return
		}
	}
}

func (s *server) reply(ctx context.Context, request []byte, stream bool) []byte {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return s.resolver.answer(ctx, request, stream)
}
