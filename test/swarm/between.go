package swarm

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Between lies between a client and the engine. It counts what goes through, and can be told
// to end the client.
type Between struct {
	// Host is where it listens, as DOCKER_HOST.
	Host string

	server      http.Server
	all, writes atomic.Int32

	mu      sync.Mutex
	stop    func(done bool) (drop bool) // at each write, before the engine has it and when it is done
	see     func(*http.Request)
	writing sync.WaitGroup
}

// Between listens at a socket beside the engine's.
func (e *Engine) Between(name string) (*Between, error) {
	socket := filepath.Join(e.dir, name+".sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	b := &Between{Host: "unix://" + socket}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "engine" },
		FlushInterval: -1,                         // events come one by one
		ErrorLog:      log.New(io.Discard, "", 0), // clients that end are what it is for
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(e.dir, "docker.sock"))
		}},
	}
	b.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.all.Add(1)
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			proxy.ServeHTTP(w, r)
			return
		}
		b.writes.Add(1)
		b.writing.Add(1)
		defer b.writing.Done()
		b.request(r)
		if b.at(false) {
			panic(http.ErrAbortHandler) // ends the connection without an answer
		}
		// A request that the engine has is finished even if the client is gone by now.
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		defer cancel()
		proxy.ServeHTTP(w, r.WithContext(ctx))
		b.at(true)
	})
	go func() { _ = b.server.Serve(listener) }()
	return b, nil
}

func (b *Between) at(done bool) (drop bool) {
	b.mu.Lock()
	stop := b.stop
	b.mu.Unlock()
	return stop != nil && stop(done)
}

// See calls a function with each write, nil for none.
func (b *Between) See(see func(*http.Request)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.see = see
}

func (b *Between) request(r *http.Request) {
	b.mu.Lock()
	see := b.see
	b.mu.Unlock()
	if see != nil {
		see(r)
	}
}

// Wait returns when no write is under way.
func (b *Between) Wait() { b.writing.Wait() }

// Stop calls a function at each write, nil for none. The engine does not get a write for which the
// function returns true.
func (b *Between) Stop(stop func(done bool) (drop bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = stop
}

// Count returns the numbers of requests and of writes since it was asked last.
func (b *Between) Count() (all, writes int) {
	return int(b.all.Swap(0)), int(b.writes.Swap(0))
}

// Close ends it.
func (b *Between) Close() error { return b.server.Close() }
