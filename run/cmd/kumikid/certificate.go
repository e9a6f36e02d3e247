package main

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is that of the server. Its files are read again where they have changed: who renews
// it need not start the server anew. It is for several goroutines.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	// of is when the files of the pair were written, and tried when they were looked at last.
	of, tried time.Time
}

// lookEvery is how often the files are looked at.
const lookEvery = time.Second

// open reads the certificate, and returns how connections are secured with it.
func (c *certificate) open() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return nil, wrongUsage("--tls-cert %s and --tls-key %s: %w", c.cert, c.key, err)
	}
	c.pair, c.of = &pair, c.written()
	// The protocols are named: the server of HTTP that has a Unix socket too leaves out HTTP/2 else.
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now(), nil }}, nil
}

// written is when the later one of the files was written.
func (c *certificate) written() (last time.Time) {
	for _, file := range []string{c.cert, c.key} {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// now is the certificate as it is. Files that do not go together are those of somebody who writes
// them right now, or a mistake: the one before goes on.
func (c *certificate) now() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.tried) < lookEvery {
		return c.pair
	}
	c.tried = time.Now()
	at := c.written()
	if at.Equal(c.of) {
		return c.pair
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		c.log.Warn("the certificate has changed and cannot be read: the one before goes on", "error", err)
		return c.pair
	}
	c.pair, c.of = &pair, at
	c.log.Info("the certificate was renewed", "until", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	return c.pair
}
