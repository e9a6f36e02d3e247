package kubetest

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"
)

// Request is one that a client has made of the API server.
type Request struct {
	Method, Path, Query string
}

// IsWrite reports whether a request changes something.
func (r Request) IsWrite() bool {
	return r.Method != http.MethodGet && !r.IsTry()
}

// IsTry reports whether a request is tried only.
func (r Request) IsTry() bool { return strings.Contains(r.Query, "dryRun=All") }

// Between is a way to the cluster on which all requests are seen, and can be stopped.
type Between struct {
	// Kubeconfig is a file with which clients go this way.
	Kubeconfig string
	// URL is where this way begins.
	URL string

	mu       sync.Mutex
	requests []Request
	token    string // whose requests these are
	// before is called with each request before it is passed on, and after when it was
	// answered; they may be nil. Where before returns
	// false, the request goes no further.
	before func(Request) bool
	after  func(Request)
}

// Between makes a way to the cluster.
func (c *Cluster) Between(t testing.TB) *Between {
	t.Helper()
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string `json:"server"`
				CA     string `json:"certificate-authority"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Token string `json:"token"`
			} `json:"user"`
		} `json:"users"`
	}
	data, err := os.ReadFile(c.kubeconfig)
	if err == nil {
		err = yaml.Unmarshal(data, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(config.Clusters[0].Cluster.CA)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	to, err := url.Parse(config.Clusters[0].Cluster.Server)
	if err != nil {
		t.Fatal(err)
	}
	b := &Between{Kubeconfig: filepath.Join(t.TempDir(), "kubeconfig"), token: config.Users[0].User.Token}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		b.mu.Lock()
		defer b.mu.Unlock()
		r.Out.Header.Set("Authorization", "Bearer "+b.token) // clients keep theirs where there is no TLS
	}}
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	proxy.FlushInterval = -1
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	server := httptest.NewServer(b.handler(proxy))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	b.URL = server.URL
	text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "between",
"clusters": [{"name": "c", "cluster": {"server": %q}}], "contexts": [{"name": "between", "context": {"cluster": "c"}}]}`, server.URL)
	if err := os.WriteFile(b.Kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// As makes the next requests those of whom a token is of.
func (b *Between) As(token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.token = token
}

func (b *Between) handler(proxy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := Request{r.Method, r.URL.Path, r.URL.RawQuery}
		b.mu.Lock()
		b.requests = append(b.requests, request)
		before, after := b.before, b.after
		b.mu.Unlock()
		if before != nil && !before(request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
		if after != nil {
			after(request)
		}
	})
}

// Stop makes the next requests go through before and after.
func (b *Between) Stop(before func(Request) bool, after func(Request)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before, b.after = before, after
}

// Count is how many requests there were since it was asked last: all but watches, those that
// write, and those that are tried.
func (b *Between) Count() (all, writes, tries int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if strings.Contains(r.Query, "watch=true") {
			continue
		}
		all++
		if r.IsWrite() {
			writes++
		}
		if r.IsTry() {
			tries++
		}
	}
	b.requests = nil
	return all, writes, tries
}
